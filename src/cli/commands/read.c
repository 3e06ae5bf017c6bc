#include "base/base64.h"
#include "cli/target.h"
#include "model/degrade.h"
#include "resources/reading.h"

/* A blob goes out as its bytes, but never onto a terminal, which it could steer. */
static void print_blob(const struct mct_app *app, struct mct_str content)
{
    struct mct_buf bytes, text;
    mct_buf_init(&bytes, (size_t)1 << 32);
    mct_buf_init(&text, (size_t)1 << 32);
    if (mct_json_unescape(mct_json_get(content, "blob"), &text) < 0 ||
        mct_base64_get(&bytes, mct_buf_str(&text)) < 0) {
        mct_err("mcptools: the blob is not valid base64; -o json shows it as it is\n");
    } else if (app->terminal) {
        mct_buf_clear(&text);
        mct_degrade_size(&text, bytes.len);
        mct_out(app, "[%.*s of binary data; redirect the output to save it]\n", MCT_STR_ARG(mct_buf_str(&text)));
    } else {
        fwrite(bytes.p, 1, bytes.len, stdout);
    }
    mct_buf_done(&bytes);
    mct_buf_done(&text);
}

static void print_contents(const struct mct_app *app, struct mct_str result)
{
    struct mct_str content;
    struct mct_buf text;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents"));
    while (mct_json_next_item(&it, &content)) {
        if (!mct_json_get(content, "text").p) {
            print_blob(app, content);
            continue;
        }
        mct_buf_init(&text, (size_t)1 << 32);
        mct_json_unescape(mct_json_get(content, "text"), &text);
        mct_out_text(app, mct_buf_str(&text));
        if (app->terminal && text.len && text.p[text.len - 1] != '\n')
            putchar('\n');
        mct_buf_done(&text);
    }
}

/* ---- reading ---- */

struct read_run {
    struct mct_app *app;
    struct mct_reading reading;
    bool done;
};

static void on_read(struct mct_reading *r)
{
    MCT_CONTAINER(r, struct read_run, reading)->done = true;
}

static void on_progress(struct mct_reading *r, struct mct_str params)
{
    mct_out_progress(MCT_CONTAINER(r, struct read_run, reading)->app, params);
}

/* Why there is no result, for a person who may have asked several servers. */
static void explain(const struct mct_reading *r, struct mct_error *ret)
{
    if (!r->n_candidates)
        mct_fail(ret, MCT_ERR_NOT_FOUND, "no connected server has resources");
    else
        *ret = r->error;
    mct_app_add_code(ret);
    if (r->refused && !r->only)
        mct_error_wrap(ret, "server '%s'", r->refused->name);
}

static int read_resource(struct read_run *run, struct mct_error *err)
{
    if (mct_reading_start(&run->reading, err) < 0)
        return mct_error_exit_status(err->kind);
    int status = mct_app_await(run->app, &run->done, err);
    if (status || run->reading.result.p)
        return status;
    explain(&run->reading, err);
    return mct_error_exit_status(err->kind);
}

static int print_resource(struct read_run *run)
{
    struct mct_app *app = run->app;
    const struct mct_provider *only = run->reading.only;
    struct mct_error err;
    int status = read_resource(run, &err);
    if (status) {
        if (!only)
            mct_out_failures(app);
        mct_out_fail(app, &err, only ? only->name : NULL);
    } else if (app->opt.output == MCT_OUT_JSON) {
        mct_out_json(app, run->reading.result);
    } else {
        print_contents(app, run->reading.result);
    }
    return status;
}

int mct_cmd_read(struct mct_app *app)
{
    struct mct_target t;
    int status = mct_target_open(app, app->argc == 2 ? app->argv[0] : NULL, MCT_RESOURCE, false, &t);
    if (status)
        return status;
    struct read_run run = { .app = app, .reading = { .reach = &app->inst.reach, .only = t.provider, .done = on_read,
                                                     .uri = mct_str_of(app->argv[app->argc - 1]), .progress = on_progress } };
    status = print_resource(&run);
    mct_reading_done(&run.reading);
    return status;
}
