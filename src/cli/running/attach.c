/* Commands use the servers of the gateway that runs with the same configuration, if there is one. */
#include "cli/command.h"
#include "cli/option.h"
#include "control/attach.h"
#include "control/client.h"
#include "json/write.h"

#include <stdlib.h>

enum { IDENTIFY_MS = 2000 };

struct mcti_running {
    struct mcti_app *app;
    struct mcti_control_place place;
    struct mcti_strings servers, stateless; /* names of the gateway's servers; of those that speak 2026-07-28 */
    struct mcti_connect_attach attach;
};

static bool running_has(void *data, const char *server, bool *ret_stateless)
{
    const struct mcti_running *r = data;
    *ret_stateless = mcti_strings_has(&r->stateless, mcti_str_of(server));
    return mcti_strings_has(&r->servers, mcti_str_of(server));
}

static struct mcti_transport *running_connect(void *data, const char *server, unsigned wait_ms, struct mct_error *err)
{
    struct mcti_running *r = data;
    const struct mcti_attach_opts opts = { .loop = &r->app->inst.loop,
                                           .place = &r->place,
                                           .server = server,
                                           .wait_ms = wait_ms,
                                           .message_bytes = r->app->inst.config.message_bytes };
    struct mcti_transport *t = mcti_transport_attached_new(&opts);
    if (!t)
        mcti_no_memory(err);
    return t;
}

/* Returns true if a server is used through the gateway. One that wants a login is not: the command offers to log in. */
static bool running_serves(struct mcti_str server)
{
    return !mcti_json_is(mcti_json_get(server, "reason"), mcti_reason_word(MCT_REASON_NEEDS_AUTH));
}

static int running_read_servers(struct mcti_running *r, struct mcti_str said, struct mct_error *err)
{
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(said, "servers"));
    struct mcti_str server;
    while (mcti_json_next_item(&it, &server)) {
        char *name = running_serves(server) ? mcti_json_dup(mcti_json_get(server, "name")) : NULL;
        bool stateless = mcti_json_true(mcti_json_get(server, "stateless"));
        int r1 = name ? mcti_strings_add(&r->servers, mcti_str_of(name)) : 0;
        int r2 = name && stateless ? mcti_strings_add(&r->stateless, mcti_str_of(name)) : 0;
        free(name);
        if (r1 < 0 || r2 < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

/* Returns true if the command may leave calls to the gateway: it allows what the command allows, and has all servers
 * whose hooks may concern the calls. */
static bool running_fits(const struct mcti_running *r, struct mcti_str said, const char *only)
{
    const struct mcti_app *app = r->app;
    const struct mcti_config *c = &app->inst.config;
    bool stateless;
    if (mcti_json_true(mcti_json_get(said, "readOnly")) && !app->inst.policy.read_only)
        return false;
    if (!app->with_hooks)
        return true;
    if (app->inst.offer.dialects)
        return false; /* resource tools ask the servers themselves: the gateway answers from its lists */
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].enabled && (!only || !strcmp(only, c->servers[i].name)) &&
            !running_has((void *)(uintptr_t)r, c->servers[i].name, &stateless))
            return false;
    return true;
}

static int running_find(struct mcti_running *r, const char *only, struct mct_error *err)
{
    struct mcti_control_client client;
    int status = mcti_control_client_open(&client, &r->app->inst.config, IDENTIFY_MS, err);
    struct mcti_str said = mcti_buf_str(&client.said);
    if (status == 0)
        r->place = client.place;
    if (status == 0 && (status = running_read_servers(r, said, err)) == 0 && !running_fits(r, said, only))
        status = mcti_fail(err, MCT_ERR_POLICY, "it does not allow or have all that this command may use");
    mcti_control_client_close(&client);
    return status;
}

static bool running_is_wanted(const struct mcti_app *app)
{
    const struct mcti_option *o = mcti_options;
    while (strcmp(o->name, "--alone") != 0)
        o++;
    return mcti_option_belongs(o, app->command->name) && !app->opt.alone && !mcti_app_is_adhoc(app) && !app->demo &&
           app->inst.config.n_servers;
}

const struct mcti_connect_attach *mcti_running_attach(struct mcti_app *app, const char *only)
{
    struct mct_error err;
    if (!running_is_wanted(app))
        return NULL;
    struct mcti_running *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    app->running = r;
    r->app = app;
    r->attach = (struct mcti_connect_attach){ .has = running_has, .connect = running_connect, .data = r };
    if (running_find(r, only, &err) == 0) {
        mcti_log(&app->log, MCT_LOG_DEBUG, "using the running gateway at %s", r->place.socket);
        return &r->attach;
    }
    mcti_log(&app->log, MCT_LOG_DEBUG, "not using a running gateway: %s", err.message);
    return NULL;
}

void mcti_running_free(struct mcti_running *r)
{
    if (!r)
        return;
    mcti_strings_clear(&r->servers);
    mcti_strings_clear(&r->stateless);
    free(r);
}
