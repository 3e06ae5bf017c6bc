#include "cli/target.h"
#include "resources/reading.h"

/* Prints a text, a JSON string. Returns -1 if it is none. */
static int read_print_text(const struct mcti_app *app, struct mcti_str string)
{
    struct mcti_buf text;
    mcti_buf_init(&text, (size_t)1 << 32);
    int r = mcti_json_unescape_any(string, &text);
    if (r == 0)
        mcti_out_text(app, mcti_buf_str(&text));
    if (r == 0 && app->terminal && text.len && text.p[text.len - 1] != '\n')
        putchar('\n');
    mcti_buf_done(&text);
    return r;
}

/* Returns -1 after telling that the content cannot be shown. */
static int read_print_content(const struct mcti_app *app, struct mcti_str content)
{
    struct mcti_str blob = mcti_json_get(content, "blob");
    if (read_print_text(app, mcti_json_get(content, "text")) == 0)
        return 0;
    if (blob.p)
        return mcti_out_blob(app, blob);
    mcti_err("mcptools: a content has neither a text nor a blob; -o json shows it unchanged\n");
    return -1;
}

/* Prints all contents. Returns the exit status. */
static int print_contents(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_str content;
    int r = 0;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents"));
    while (mcti_json_next_item(&it, &content))
        if (read_print_content(app, content) < 0)
            r = -1;
    return r < 0 ? mcti_error_exit_status(MCT_ERR_SERVER) : 0;
}

/* ---- reading ---- */

struct read_run {
    struct mcti_app *app;
    struct mcti_reading reading;
    bool done;
};

static void on_read(struct mcti_reading *r)
{
    MCT_CONTAINER(r, struct read_run, reading)->done = true;
}

static void read_on_progress(struct mcti_reading *r, struct mcti_str params)
{
    mcti_out_progress(MCT_CONTAINER(r, struct read_run, reading)->app, params);
}

/* Returns the only server, if it wants credentials: then its error says more than that nothing was found. */
static const struct mcti_provider *read_locked_out(const struct mcti_app *app)
{
    const struct mcti_registry *r = &app->inst.registry;
    bool locked = r->n == 1 && r->v[0]->state != MCT_CONNECTED && r->v[0]->error->kind == MCT_ERR_AUTH;
    return locked ? r->v[0] : NULL;
}

/* Sets *ret to the reason why there is no result, with the server that refused unless the user named it. */
static void read_explain(const struct mcti_app *app, const struct mcti_reading *r, struct mct_error *ret)
{
    const struct mcti_provider *locked = read_locked_out(app), *refused = locked ? locked : r->refused;
    bool all_locked = mcti_out_failure_status(app) == mcti_error_exit_status(MCT_ERR_AUTH);
    if (locked)
        *ret = *locked->error;
    else if (!r->n_candidates)
        mcti_fail(ret, all_locked ? MCT_ERR_AUTH : MCT_ERR_NOT_FOUND, "no connected server has resources");
    else
        *ret = r->error;
    mcti_app_add_code(ret);
    if (refused && !r->only)
        mcti_error_wrap(ret, "server '%s'", refused->name);
}

static int read_once(struct read_run *run, struct mct_error *err)
{
    if (mcti_reading_start(&run->reading, err) < 0)
        return mcti_error_exit_status(err->kind);
    int status = mcti_app_await(run->app, &run->done, err);
    if (status || run->reading.result.p)
        return status;
    read_explain(run->app, &run->reading, err);
    return mcti_error_exit_status(err->kind);
}

/* Returns the name of the server that wants a login or more scopes; NULL: none does. */
static const char *read_locked_server(const struct mcti_reading *r)
{
    for (size_t i = 0; i < r->n_attempts; i++)
        if (r->attempts[i].error.kind == MCT_ERR_AUTH)
            return r->attempts[i].provider->name;
    return NULL;
}

/* Reads, and again each time the user has logged in for it. Returns the exit status, with *err. */
static int read_resource(struct read_run *run, struct mct_error *err)
{
    const struct mcti_reading fresh = run->reading;
    int status = read_once(run, err);
    for (unsigned n = 0; status; n++) {
        if (!mcti_signin_retry(run->app, read_locked_server(&run->reading), n, err))
            return run->app->interrupted ? status : mcti_error_exit_status(err->kind);
        mcti_reading_done(&run->reading);
        run->reading = fresh;
        run->done = false;
        status = read_once(run, err);
    }
    return status;
}

static int print_resource(struct read_run *run)
{
    struct mcti_app *app = run->app;
    const struct mcti_provider *only = run->reading.only;
    struct mct_error err;
    int status = read_resource(run, &err);
    if (status) {
        if (!only && !read_locked_out(app))
            mcti_out_failures(app);
        mcti_out_fail(app, &err, only ? only->name : NULL);
    } else if (app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, run->reading.result);
    } else {
        status = print_contents(app, run->reading.result);
    }
    return status;
}

int mcti_cmd_read(struct mcti_app *app)
{
    struct mcti_target t;
    int status = mcti_target_open(app, app->argc == 2 ? app->argv[0] : NULL, MCT_RESOURCE, false, &t);
    if (status)
        return status;
    struct read_run run = { .app = app,
                            .reading = { .reach = &app->inst.reach,
                                         .only = t.provider,
                                         .done = on_read,
                                         .uri = mcti_str_of(app->argv[app->argc - 1]),
                                         .progress = read_on_progress } };
    status = print_resource(&run);
    mcti_reading_done(&run.reading);
    return status;
}
