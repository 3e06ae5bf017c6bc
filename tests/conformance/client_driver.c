/*
 * The client of the official conformance suite's client scenarios: usage: client-driver URL, with the
 * scenario in MCP_CONFORMANCE_SCENARIO and its context in MCP_CONFORMANCE_CONTEXT. One process and one
 * connection for all of a scenario, as a host program has them; the revision is found out, not told.
 */
#include "browser.h"

#include "config/connect/connect.h"
#include "mcp/elicit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 25000 };

struct driver {
    struct mcti_loop loop;
    struct mcti_registry registry;
    struct mcti_provider *server;
    struct mcti_str content; /* what elicitations are answered with, beside the defaults */
    struct mcti_str context;
    unsigned n_failed;
};

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    fprintf(stderr, "client-driver: %s\n", line);
}

static const struct mcti_log log_to_stderr = { MCT_LOG_DEBUG, write_log, NULL };

/* ---- one call ---- */

struct running {
    struct mcti_call call;
    bool done;
    char *result;
};

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct running *r = MCT_CONTAINER(call, struct running, call);
    r->done = true;
    r->result = o->result.p ? mcti_str_dup(o->result) : NULL;
    if (!r->result)
        fprintf(stderr, "client-driver: call failed: %.*s\n",
                MCT_STR_ARG(o->failed ? mcti_str_of(o->failed->message) : o->error));
}

/* The result, to free(); NULL (and counted) when it failed. */
static char *call(struct driver *d, enum mcti_verb verb, struct mcti_str params)
{
    struct mct_error err;
    struct running r = { .call = { .verb = verb,
                                   .params = params,
                                   .caller = { .rev = MCT_REV_LATEST },
                                   .interactive = true,
                                   .done = on_done } };
    if (mcti_provider_call(d->server, &r.call, &err) < 0) {
        fprintf(stderr, "client-driver: %s\n", err.message);
        d->n_failed++;
        return NULL;
    }
    while (!r.done)
        uv_run(&d->loop.uv, UV_RUN_ONCE);
    d->n_failed += !r.result;
    return r.result;
}

static void call_tool(struct driver *d, struct mcti_str raw_name, struct mcti_str arguments)
{
    const struct mcti_json_set sets[] = { { "name", raw_name }, { "arguments", arguments } };
    struct mcti_buf params;
    mcti_buf_init(&params, 1u << 20);
    mcti_json_put_object(&params, MCT_STR_NONE, sets, 2);
    free(call(d, MCT_VERB_TOOLS_CALL, mcti_buf_str(&params)));
    mcti_buf_done(&params);
}

static void call_named(struct driver *d, const char *name, const char *arguments)
{
    struct mcti_buf quoted;
    mcti_buf_init(&quoted, 256);
    mcti_json_put_string(&quoted, mcti_str_of(name));
    call_tool(d, mcti_buf_str(&quoted), mcti_str_of(arguments));
    mcti_buf_done(&quoted);
}

/* ---- scenarios ---- */

static void only_list(struct driver *d)
{
    (void)d; /* connecting has listed everything */
}

static void add_numbers(struct driver *d)
{
    call_named(d, "add_numbers", "{\"a\":5,\"b\":3}");
}

static void elicit_defaults(struct driver *d)
{
    call_named(d, "test_client_elicitation_defaults", "{}");
}

static void reconnect(struct driver *d)
{
    call_named(d, "test_reconnection", "{}");
}

static void request_state(struct driver *d)
{
    static const char *const tools[] = { "test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state",
                                         "test_mrtr_no_result_type" };
    d->content = MCT_STR("{\"confirmed\":true}");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        call_named(d, tools[i], "{}");
}

static void one_of_each(struct driver *d)
{
    static const struct {
        enum mcti_kind kind;
        enum mcti_verb verb;
        const char *key;
    } rows[] = { { MCT_TOOL, MCT_VERB_TOOLS_CALL, "name" },
                 { MCT_RESOURCE, MCT_VERB_RESOURCES_READ, "uri" },
                 { MCT_PROMPT, MCT_VERB_PROMPTS_GET, "name" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mcti_items *items = &d->server->items[rows[i].kind];
        for (size_t k = 0; k < items->n; k++) {
            const struct mcti_json_set set = { rows[i].key, mcti_json_get(mcti_item_json(items->v[k]), rows[i].key) };
            struct mcti_buf params;
            mcti_buf_init(&params, 1u << 20);
            mcti_json_put_object(&params, MCT_STR_NONE, &set, 1);
            free(call(d, rows[i].verb, mcti_buf_str(&params)));
            mcti_buf_done(&params);
        }
    }
}

/* {"toolCalls":[{"name":…,"arguments":…},…]} */
static void calls_of_context(struct driver *d)
{
    struct mcti_str list = mcti_json_get(d->context, "toolCalls"), one;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        call_tool(d, mcti_json_get(one, "name"), mcti_json_get(one, "arguments"));
}

static void every_tool(struct driver *d)
{
    const struct mcti_items *tools = &d->server->items[MCT_TOOL];
    for (size_t i = 0; i < tools->n; i++)
        call_tool(d, mcti_json_get(mcti_item_json(tools->v[i]), "name"), MCT_STR("{\"region\":\"us-west1\"}"));
}

static void echo_schema(struct driver *d)
{
    const struct mcti_item *tool = mcti_items_find(&d->server->items[MCT_TOOL], MCT_STR("json_schema_2020_12_tool"));
    const struct mcti_json_set set = { "schema",
                                       tool ? mcti_json_get(mcti_item_json(tool), "inputSchema") : MCT_STR_NONE };
    struct mcti_buf arguments;
    mcti_buf_init(&arguments, 1u << 20);
    mcti_json_put_object(&arguments, MCT_STR_NONE, &set, 1);
    call_tool(d, MCT_STR("\"json_schema_echo\""), mcti_buf_str(&arguments));
    mcti_buf_done(&arguments);
}

static void test_tool(struct driver *d)
{
    call_named(d, "test-tool", "{}");
}

static const struct {
    const char *name;
    void (*run)(struct driver *d);
} scenarios[] = {
    { "initialize", only_list },
    { "tools_call", add_numbers },
    { "elicitation-sep1034-client-defaults", elicit_defaults },
    { "sse-retry", reconnect },
    { "request-metadata", only_list },
    { "sep-2322-client-request-state", request_state },
    { "http-standard-headers", one_of_each },
    { "http-custom-headers", calls_of_context },
    { "http-invalid-tool-headers", every_tool },
    { "json-schema-ref-no-deref", only_list },
    { "json-schema-2020-12-preservation", echo_schema },
};

static void run_scenario(struct driver *d, const char *name)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (!strcmp(name, scenarios[i].name)) {
            scenarios[i].run(d);
            return;
        }
    }
    test_tool(d); /* the auth/… scenarios: list, then this call */
}

/* ---- the connection ---- */

static void on_ask(void *data, struct mcti_ask *a)
{
    struct driver *d = data;
    struct mct_error err;
    struct mcti_buf b;
    if (a->kind == MCT_ASK_SAMPLING) {
        mcti_fail(&err, MCT_ERR_SERVER, "no scenario asks for a sampling");
        mcti_ask_fail(a, &err);
        return;
    }
    mcti_buf_init(&b, 1u << 20);
    mcti_elicit_put_accept(&b, a->params, d->content);
    mcti_ask_answer(a, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void on_settled(struct mcti_settle *w)
{
    *w = (struct mcti_settle){ .done = NULL };
}

static void set_flag(void *data)
{
    *(bool *)data = true;
}

/* ---- the login ---- */

/* The client metadata document of the suite's scenarios, which nobody fetches. */
#define METADATA_URL "https://conformance-test.local/client-metadata.json"

static const struct {
    const char *scenario, *grant;
} grants[] = {
    { "auth/client-credentials-jwt", "client_credentials" },
    { "auth/client-credentials-basic", "client_credentials" },
    { "auth/enterprise-managed-authorization", "enterprise" },
    { "auth/wif-jwt-bearer", "workload_identity" },
};

/* Fills the settings of the login with what the scenario has told. */
static void set_auth(struct mcti_config_server *s, const char *scenario, struct mcti_str context)
{
    struct mcti_config_oauth *o = &s->oauth;
    const struct {
        const char *key;
        char **to;
    } texts[] = { { "client_id", &o->client_id },         { "client_secret", &o->client_secret },
                  { "private_key_pem", &o->private_key }, { "signing_algorithm", &o->alg },
                  { "valid_jwt", &o->assertion },         { "idp_id_token", &o->id_token },
                  { "idp_issuer", &o->idp_issuer },       { "idp_token_endpoint", &o->idp_token_endpoint },
                  { "idp_client_id", &o->idp_client_id } };
    s->auth_type = MCT_AUTH_OAUTH;
    o->client_metadata_url = strdup(METADATA_URL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].to = mcti_json_dup(mcti_json_get(context, texts[i].key));
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++)
        if (!strcmp(scenario, grants[i].scenario))
            o->grant = grants[i].grant;
}

/* ---- everything ---- */

static const struct mcti_auth_person *driver_person(void *browser, const char *server)
{
    (void)server;
    return browser_person(browser);
}

static int run(struct driver *d, const char *url, const char *scenario)
{
    struct mcti_config config;
    struct mct_error err;
    struct mcti_settle wait = { .done = on_settled };
    const struct mcti_answerer answerer = { .form = true, .sampling = true, .ask = on_ask, .data = d };
    static char *folders[] = { "/" };
    const struct mcti_strings roots = { folders, 1 };
    bool stopped = false;
    if (mcti_loop_init(&d->loop, &log_to_stderr, &err) < 0)
        return 2;
    struct browser *browser = browser_new(&d->loop);
    const struct mcti_connect_owner owner = { .person = driver_person, .data = browser };
    struct mcti_connect_env env = { .loop = &d->loop,
                                    .log = &log_to_stderr,
                                    .answerer = &answerer,
                                    .roots = &roots,
                                    .owner = &owner,
                                    .auth_store = "memory" };
    mcti_config_init(&config);
    mcti_config_add_server(&config, "suite")->url = strdup(url);
    if (!strncmp(scenario, "auth/", 5))
        set_auth(&config.servers[0], scenario, d->context);
    mcti_registry_init(&d->registry, &d->loop.sched);
    mcti_connect_server(&config, &config.servers[0], &env, &d->registry);
    d->server = d->registry.v[0];
    mcti_registry_start_all(&d->registry);
    mcti_registry_wait(&d->registry, &wait, PATIENCE_MS);
    while (wait.done)
        uv_run(&d->loop.uv, UV_RUN_ONCE);
    if (d->server->state == MCT_CONNECTED)
        run_scenario(d, scenario);
    else
        fprintf(stderr, "client-driver: %s\n", d->server->error->message);
    int status = d->server->state != MCT_CONNECTED || d->n_failed;
    mcti_registry_stop(&d->registry, set_flag, &stopped);
    while (!stopped)
        uv_run(&d->loop.uv, UV_RUN_ONCE);
    mcti_registry_done(&d->registry);
    while (!mcti_connect_is_idle(&env))
        uv_run(&d->loop.uv, UV_RUN_ONCE);
    mcti_connect_done(&env);
    browser_free(browser);
    mcti_loop_done(&d->loop);
    mcti_config_done(&config);
    return status;
}

int main(int argc, char **argv)
{
    const char *scenario = getenv("MCP_CONFORMANCE_SCENARIO"), *context = getenv("MCP_CONFORMANCE_CONTEXT");
    struct driver d = { .content = MCT_STR("{}") };
    struct mcti_json_top top;
    if (argc < 2 || !scenario) {
        fprintf(stderr, "usage: MCP_CONFORMANCE_SCENARIO=NAME client-driver URL\n");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    if (context && mcti_json_valid(mcti_str_of(context), 64, &top, NULL))
        d.context = top.value;
    return run(&d, argv[argc - 1], scenario);
}
