#include "cli/running/running.h"
#include "cli/show/findings.h"
#include "cli/show/identity.h"
#include "cli/show/items.h"
#include "cli/target.h"
#include "hub/core/hosted.h"
#include "json/write.h"
#include "hub/vet/vetted.h"

#include <stdlib.h>

static struct mcti_transport_facts facts_of(const struct mcti_provider *p)
{
    struct mcti_transport_facts facts = { 0 };
    if (p->ops->describe)
        p->ops->describe(p, &facts);
    if (p->last_diagnostics && !facts.diagnostics.len)
        facts.diagnostics = mcti_str_of(p->last_diagnostics);
    return facts;
}

static void cmd_status_put_json(const struct mcti_app *app, struct mcti_buf *b, const struct mcti_provider *p)
{
    struct mcti_transport_facts facts = facts_of(p);
    mcti_buf_addc(b, '{');
    mcti_provider_put_status(b, p, mcti_sched_now(&app->inst.loop.sched));
    mcti_provider_put_identity(b, p);
    for (int k = 0; k < MCT_KIND_N; k++) {
        mcti_json_put_key(b, mcti_kind_info((enum mcti_kind)k)->list_key);
        mcti_buf_addu(b, p->items[k].n);
    }
    if (facts.pid) {
        mcti_json_put_key(b, "pid");
        mcti_buf_addu(b, (uint64_t)facts.pid);
    }
    mcti_json_put_key(b, "skippedLines");
    mcti_buf_addu(b, facts.bad_lines);
    if (facts.diagnostics.len)
        mcti_json_put_member(b, "stderr", facts.diagnostics);
    mcti_buf_addc(b, '}');
}

static void status_print_identity(const struct mcti_app *app, const struct mcti_provider *p)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addc(&b, '{');
    mcti_provider_put_identity(&b, p);
    mcti_buf_addc(&b, '}');
    mcti_identity_print(app, mcti_buf_str(&b), app->argc > 0);
    mcti_buf_done(&b);
}

static void status_warn(void *data, const char *text)
{
    mcti_out(data, "  warning:  %s\n", text);
}

static void status_note(void *data, const char *text)
{
    mcti_out(data, "  note:     %s\n", text);
}

static void print_reason(const struct mcti_app *app, const struct mcti_provider *p)
{
    enum { INDENT = 12 };
    const char *word = mcti_reason_word(p->reason);
    mcti_out(app, "  reason:   %s%s", word ? word : "", word ? ": " : "");
    mcti_out_wrapped(app, MCT_PLAIN, INDENT + (word ? (unsigned)strlen(word) + 2 : 0), INDENT,
                     mcti_str_of(p->error->message));
    putchar('\n');
}

static void status_print_findings(const struct mcti_app *app, const struct mcti_provider *p)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addc(&b, '{');
    mcti_vetted_put(&b, p);
    mcti_buf_addc(&b, '}');
    mcti_findings_print(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void cmd_status_print_text(const struct mcti_app *app, const struct mcti_provider *p)
{
    struct mcti_transport_facts facts = facts_of(p);
    char counts[MCT_COUNTS_BYTES];
    bool ok = p->state == MCT_CONNECTED;
    mcti_out_styled(app, MCT_BOLD, "%s", p->name);
    mcti_out(app, ": ");
    mcti_out_state(app, p);
    putchar('\n');
    if (!ok && p->error->kind)
        print_reason(app, p);
    status_print_identity(app, p);
    if (p->info.rev)
        mcti_out(app, "  protocol: %s %s%s%s\n", mcti_rev_text(p->info.rev),
                 p->transport ? "over "
                 : p->standby ? "when it ran last"
                              : "in this process",
                 p->transport ? p->transport : "", p->both == MCT_BOTH_YES ? ", also with handshake revisions" : "");
    if (facts.pid)
        mcti_out(app, "  process:  %d\n", facts.pid);
    if (ok)
        mcti_out(app, "  offers:   %s\n", mcti_items_counts(p, counts));
    status_print_findings(app, p);
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->list_error[k]->kind)
            mcti_out(app, "  warning:  %s\n", p->list_error[k]->message);
    mcti_hosted_tell(p, MCT_HOSTED_FAULTS, status_warn, (void *)app);
    mcti_hosted_tell(p, MCT_HOSTED_OFF, status_note, (void *)app);
    mcti_hosted_tell(p, MCT_HOSTED_IGNORED, status_note, (void *)app);
    if (facts.bad_lines)
        mcti_out(app, "  warning:  %u lines or events were not JSON and were skipped\n", facts.bad_lines);
    if (facts.diagnostics.len) {
        mcti_out(app, "  stderr:\n");
        mcti_identity_print_indented(app, facts.diagnostics);
    }
}

static void print_json(const struct mcti_app *app)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        cmd_status_put_json(app, &b, app->inst.registry.v[i]);
    }
    mcti_buf_addz(&b, "]}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int status_find_server(const struct mcti_app *app, const char *name, struct mct_error *err)
{
    bool is_known = app->demo ? !strcmp(name, "demo") : mcti_config_find(&app->inst.config, mcti_str_of(name)) != NULL;
    return is_known ? 0 : mcti_target_no_server(app, name, err);
}

/* Starts all servers, or the one that `word` names. A server that does not connect is not an error here: its state is
 * the output of the command. Returns 0 or the exit status. */
static int status_start_servers(struct mcti_app *app, const char *word)
{
    struct mcti_target all;
    struct mct_error err;
    if (!word)
        return mcti_target_open(app, NULL, MCT_TOOL, false, &all);
    if (mcti_is_url(word)) {
        app->opt.url = word;
        word = "url";
    }
    if (mcti_app_configure(app, &err) < 0 || status_find_server(app, word, &err) < 0 ||
        mcti_app_open(app, app->demo ? NULL : word, false, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    return mcti_app_settle(app) < 0 ? mcti_out_interrupted(app) : 0;
}

int mcti_cmd_status(struct mcti_app *app)
{
    int status;
    bool adhoc = mcti_app_is_adhoc(app) || (app->argc && mcti_is_url(app->argv[0]));
    if (!adhoc && mcti_running_status(app, &status))
        return status;
    status = status_start_servers(app, app->argc ? app->argv[0] : NULL);
    if (status)
        return status;
    mcti_out_page(app);
    if (app->opt.output == MCT_OUT_JSON)
        print_json(app);
    else
        for (size_t i = 0; i < app->inst.registry.n; i++)
            cmd_status_print_text(app, app->inst.registry.v[i]);
    return mcti_out_failure_status(app);
}
