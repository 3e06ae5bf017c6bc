#include "cli/input.h"
#include "cli/scan/scan.h"
#include "cli/target.h"

#include <stdlib.h>

/* Removes the findings that the configuration ignores. Returns their number. */
static size_t scan_ignore(const struct mcti_app *app, const struct mcti_scan_document *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += mcti_scan_report_ignore(&d->v[i].report, &app->inst.config.scan_ignore, mcti_str_of(d->v[i].server),
                                     mcti_str_of(d->v[i].item));
    return n;
}

/* Prints the result. Returns the exit status: that of hard findings, or `status`. */
static int scan_end(struct mcti_app *app, const struct mcti_scan_document *d, size_t n_ignored, int status)
{
    size_t n_hard = mcti_scan_document_count(d, MCT_SCAN_HARD), n_soft = mcti_scan_document_count(d, MCT_SCAN_SOFT);
    if (d->failed)
        return mcti_out_no_memory(app, 0);
    if (app->opt.output == MCT_OUT_JSON) {
        mcti_scan_print_json(app, d, n_ignored);
    } else {
        mcti_out_page(app);
        mcti_scan_print(app, d, 0);
        mcti_out(app, "%sscanned %zu item%s: %zu hard and %zu soft findings", n_hard + n_soft ? "\n" : "", d->n,
                 d->n == 1 ? "" : "s", n_hard, n_soft);
        if (n_ignored)
            mcti_out(app, "; %zu ignored by policy.scan_ignore", n_ignored);
        putchar('\n');
    }
    bool found = n_hard || (app->opt.strict && n_soft);
    return found ? mcti_error_exit_status(MCT_ERR_TOOL) : status;
}

/* ---- a file ---- */

static int scan_file(struct mcti_app *app, struct mcti_scan_document *d)
{
    struct mct_error err;
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_input_read(&text, app->opt.file, &err);
    if (r == 0)
        mcti_scan_document_read(d, mcti_buf_str(&text));
    mcti_buf_done(&text);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : scan_end(app, d, 0, 0);
}

/* ---- servers ---- */

static bool scan_wants(const struct mcti_app *app, const struct mcti_provider *p)
{
    for (int i = 0; i < app->argc; i++)
        if (!strcmp(app->argv[i], p->name))
            return true;
    return !app->argc || mcti_app_is_adhoc(app);
}

/* Returns 0, or the exit status for the name of a server that does not exist. */
static int scan_check_words(struct mcti_app *app)
{
    struct mct_error err;
    for (int i = 0; i < app->argc && !mcti_app_is_adhoc(app); i++)
        if (!mcti_registry_find(&app->inst.registry, mcti_str_of(app->argv[i]))) {
            mcti_target_no_server(app, app->argv[i], &err);
            return mcti_out_fail(app, &err, NULL);
        }
    return 0;
}

/* Names of servers are compared with all configured ones, also with those that do not run. */
static void scan_names(const struct mcti_app *app, struct mcti_scan_document *d)
{
    const struct mcti_registry *r = &app->inst.registry;
    struct mcti_str *names = calloc(r->n + 1, sizeof *names);
    d->failed |= !names;
    for (size_t i = 0; names && i < r->n; i++)
        names[i] = mcti_str_of(r->v[i]->name);
    for (size_t i = 0; names && i < r->n; i++)
        if (scan_wants(app, r->v[i]))
            mcti_scan_document_server(d, names[i], names, r->n);
    free(names);
}

static int scan_servers(struct mcti_app *app, struct mcti_scan_document *d)
{
    struct mcti_target t;
    const struct mcti_registry *r = &app->inst.registry;
    int status = mcti_target_open(app, app->argc == 1 ? app->argv[0] : NULL, MCT_TOOL, false, &t);
    if (status || (status = scan_check_words(app)))
        return status;
    for (size_t i = 0; i < r->n; i++)
        mcti_scan_gather_names(d, r->v[i]);
    scan_names(app, d);
    for (size_t i = 0; i < r->n; i++)
        if (scan_wants(app, r->v[i]))
            mcti_scan_gather(d, r->v[i]);
    status = app->opt.output == MCT_OUT_JSON ? mcti_out_failure_status(app) : mcti_out_failures(app);
    return scan_end(app, d, scan_ignore(app, d), status);
}

int mcti_cmd_scan(struct mcti_app *app)
{
    struct mcti_scan_document d = { 0 };
    struct mcti_scanner *s;
    int status = 0;
    app->opt.alone = true; /* a running gateway passes on what is admitted only */
    app->unvetted = true;
    if (app->opt.rules) {
        mcti_scan_print_rules(app);
        return 0;
    }
    s = mcti_scanner_new();
    if (!s || mcti_scan_document_init(&d, s) < 0)
        status = mcti_out_no_memory(app, 0);
    else
        status = app->opt.file ? scan_file(app, &d) : scan_servers(app, &d);
    mcti_scan_document_done(&d);
    mcti_scanner_free(s);
    return status;
}
