#include "cli/target.h"
#include "json/write.h"

#include <stdlib.h>

static struct mct_transport_facts facts_of(const struct mct_provider *p)
{
    struct mct_transport_facts facts = { 0 };
    if (p->ops->describe)
        p->ops->describe(p, &facts);
    if (p->last_diagnostics && !facts.diagnostics.len)
        facts.diagnostics = mct_str_of(p->last_diagnostics);
    return facts;
}

static void put_json(const struct mct_app *app, struct mct_buf *b, const struct mct_provider *p)
{
    struct mct_transport_facts facts = facts_of(p);
    mct_buf_addc(b, '{');
    mct_provider_put_status(b, p, mct_sched_now(&app->inst.loop.sched));
    if (p->info.server_info) {
        mct_json_put_key(b, "serverInfo");
        mct_buf_addz(b, p->info.server_info);
    }
    if (p->info.capabilities) {
        mct_json_put_key(b, "capabilities");
        mct_buf_addz(b, p->info.capabilities);
    }
    for (int k = 0; k < MCT_KIND_N; k++) {
        mct_json_put_key(b, mct_kind_info((enum mct_kind)k)->list_key);
        mct_buf_addu(b, p->items[k].n);
    }
    if (facts.pid) {
        mct_json_put_key(b, "pid");
        mct_buf_addu(b, (uint64_t)facts.pid);
    }
    mct_json_put_key(b, "skippedLines");
    mct_buf_addu(b, facts.bad_lines);
    if (facts.diagnostics.len)
        mct_json_put_member(b, "stderr", facts.diagnostics);
    mct_buf_addc(b, '}');
}

static void print_indented(const struct mct_app *app, struct mct_str text)
{
    struct mct_str line;
    while (mct_str_split(&text, '\n', &line)) {
        if (!line.len)
            continue;
        mct_out(app, "    | %.*s\n", MCT_STR_ARG(line));
    }
}

static void print_text(const struct mct_app *app, const struct mct_provider *p)
{
    struct mct_transport_facts facts = facts_of(p);
    char *name = mct_json_dup(mct_json_get(mct_str_of(p->info.server_info), "name"));
    char *version = mct_json_dup(mct_json_get(mct_str_of(p->info.server_info), "version"));
    bool ok = p->state == MCT_CONNECTED;
    mct_out_styled(app, MCT_BOLD, "%s", p->name);
    mct_out(app, ": ");
    mct_out_state(app, p);
    putchar('\n');
    if (!ok && p->error.kind)
        mct_out(app, "  reason:   %s%s%s\n", mct_reason_word(p->reason) ? mct_reason_word(p->reason) : "",
               mct_reason_word(p->reason) ? ": " : "", p->error.message);
    if (name)
        mct_out(app, "  server:   %s %s\n", name, version ? version : "");
    if (p->info.rev)
        mct_out(app, "  protocol: %s over %s%s\n", mct_rev_text(p->info.rev), p->transport ? p->transport : "nothing",
                p->both == MCT_BOTH_YES ? ", handshake revisions too" : "");
    if (facts.pid)
        mct_out(app, "  process:  %d\n", facts.pid);
    if (ok)
        mct_out(app, "  offers:   %zu tools, %zu resources, %zu templates, %zu prompts\n",
               p->items[MCT_TOOL].n, p->items[MCT_RESOURCE].n, p->items[MCT_TEMPLATE].n,
               p->items[MCT_PROMPT].n);
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->list_error[k].kind)
            mct_out(app, "  warning:  %s\n", p->list_error[k].message);
    if (facts.bad_lines)
        mct_out(app, "  warning:  %u lines or events of it were no JSON and were skipped\n", facts.bad_lines);
    if (facts.diagnostics.len) {
        mct_out(app, "  stderr:\n");
        print_indented(app, facts.diagnostics);
    }
    free(name);
    free(version);
}

static void print_json(const struct mct_app *app)
{
    struct mct_buf b;
    mct_buf_init(&b, 1u << 24);
    mct_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        mct_buf_addz(&b, i ? "," : "");
        put_json(app, &b, app->inst.registry.v[i]);
    }
    mct_buf_addz(&b, "]}");
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static int find_server(const struct mct_app *app, const char *name, struct mct_error *err)
{
    return app->demo || mct_config_find(&app->inst.config, mct_str_of(name))
               ? 0 : mct_fail(err, MCT_ERR_USAGE, "no server '%s' is configured", name);
}

/* Starts all servers, or the one that `word` names: people ask this command about servers that are down, so that is no failure here.
 * Returns 0 or the exit status. */
static int start_servers(struct mct_app *app, const char *word)
{
    struct mct_target all;
    struct mct_error err;
    if (!word)
        return mct_target_open(app, NULL, MCT_TOOL, false, &all);
    if (mct_is_url(word)) {
        app->opt.url = word;
        word = "url";
    }
    if (mct_app_configure(app, &err) < 0 || find_server(app, word, &err) < 0 ||
        mct_app_open(app, app->demo ? NULL : word, false, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    return mct_app_settle(app) < 0 ? mct_out_interrupted(app) : 0;
}

int mct_cmd_status(struct mct_app *app)
{
    int status = start_servers(app, app->argc ? app->argv[0] : NULL);
    if (status)
        return status;
    if (app->opt.output == MCT_OUT_JSON)
        print_json(app);
    else
        for (size_t i = 0; i < app->inst.registry.n; i++)
            print_text(app, app->inst.registry.v[i]);
    return mct_out_failure_status(app);
}
