#include "cli/command.h"

#include "json/write.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void put_error_members(struct mct_buf *b, const struct mct_error *err, const char *server)
{
    mct_json_put_member(b, "kind", mct_str_of(mct_error_word(err->kind)));
    mct_json_put_member(b, "message", mct_str_of(err->message));
    if (server)
        mct_json_put_member(b, "server", mct_str_of(server));
}

/* An error that came of a lack of memory often says something else, or nothing. */
static void put_memory_first(struct mct_error *err)
{
    if (!strstr(err->message, MCT_NO_MEMORY_TEXT))
        mct_error_wrap(err, MCT_NO_MEMORY_TEXT);
    err->kind = MCT_ERR_NO_MEMORY;
}

int mct_out_no_memory(struct mct_app *app, int status)
{
    struct mct_error err;
    mct_no_memory(&err);
    if (!app->failure_said && app->opt.output != MCT_OUT_JSON)
        mct_out_fail(app, &err, NULL);
    else if (!app->failure_said)
        mct_err("mcptools: %s\n", err.message); /* a document has been printed */
    return status ? status : mct_error_exit_status(err.kind);
}

int mct_out_fail(struct mct_app *app, const struct mct_error *said, const char *server)
{
    struct mct_error shown = *said, *err = &shown;
    struct mct_buf b;
    if (mct_memory_failures())
        put_memory_first(err);
    app->failure_said = true;
    mct_out_progress_end(app);
    if (app->opt.output == MCT_OUT_JSON) {
        mct_buf_init(&b, 8192);
        mct_buf_addz(&b, "{\"error\":{");
        put_error_members(&b, err, server);
        mct_buf_addz(&b, "}}");
        if (mct_buf_ok(&b))
            mct_out_json(app, mct_buf_str(&b));
        else
            puts("{\"error\":{\"kind\":\"no_memory\",\"message\":\"" MCT_NO_MEMORY_TEXT "\"}}");
        mct_buf_done(&b);
    } else {
        mct_err("mcptools: %s\n", err->message);
    }
    return mct_error_exit_status(err->kind);
}

int mct_out_interrupted(struct mct_app *app)
{
    struct mct_error err;
    if (!app->interrupted) {
        mct_no_memory(&err);
        return mct_out_fail(app, &err, NULL);
    }
    mct_fail(&err, MCT_ERR_CANCELLED, "interrupted");
    mct_out_fail(app, &err, NULL);
    return 128 + app->interrupted;
}

void mct_out_state(const struct mct_app *app, const struct mct_provider *p)
{
    if (p->state == MCT_CONNECTED)
        mct_out(app, "%s", mct_state_word(p->state));
    else
        mct_out_styled(app, MCT_RED, "%s", mct_state_word(p->state));
}

void mct_out_item_name(const struct mct_app *app, const struct mct_provider *p, const struct mct_item *item)
{
    mct_out_styled(app, MCT_BOLD, "%s%s%.*s", mct_app_is_adhoc(app) ? "" : p->name, mct_app_is_adhoc(app) ? "" : ".",
                   (int)item->id.len, item->id.p);
}

/* ---- progress ---- */

enum { BAR_WIDTH = 30 };

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void put_bar(double part)
{
    int full = (int)(part * BAR_WIDTH + 0.5);
    fputc('[', stderr);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3d%%", (int)(part * 100 + 0.5));
}

void mct_out_progress(struct mct_app *app, struct mct_str params)
{
    double now = mct_json_double(mct_json_get(params, "progress"));
    double total = mct_json_double(mct_json_get(params, "total"));
    char *message = mct_json_dup(mct_json_get(params, "message"));
    int room = columns() - BAR_WIDTH - 9;
    if (app->progress) {
        fputs("\r\x1b[K", stderr);
        if (total > 0 && room < 0)
            fprintf(stderr, "%3d%%", (int)(now / total * 100 + 0.5));
        else if (total > 0)
            put_bar(now < 0 ? 0 : now > total ? 1 : now / total);
        else
            fprintf(stderr, "%g", now);
        if (message && room > 0) {
            mct_err(" %.*s", room, message);
        }
        app->progress_shown = true;
    }
    free(message);
}

void mct_out_progress_end(struct mct_app *app)
{
    if (app->progress_shown)
        fputs("\r\x1b[K", stderr);
    app->progress_shown = false;
}

/* ---- several servers ---- */

static bool lists_whole(const struct mct_provider *p)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->list_error[k].kind)
            return false;
    return true;
}

int mct_out_failures(struct mct_app *app)
{
    size_t n_bad = 0;
    bool whole = true;
    for (size_t i = 0; i < app->registry.n; i++) {
        struct mct_provider *p = app->registry.v[i];
        if (p->state == MCT_CONNECTED) {
            whole &= lists_whole(p);
            continue;
        }
        n_bad++;
        if (app->opt.output != MCT_OUT_JSON)
            mct_err("mcptools: server '%s': %s\n", p->name, p->error.message);
    }
    if (!n_bad)
        return whole ? 0 : mct_error_exit_status(MCT_ERR_PARTIAL);
    return n_bad == app->registry.n ? mct_error_exit_status(MCT_ERR_CONNECT)
                                                 : mct_error_exit_status(MCT_ERR_PARTIAL);
}

void mct_out_put_errors(const struct mct_app *app, struct mct_buf *to)
{
    bool any = false;
    for (size_t i = 0; i < app->registry.n; i++) {
        const struct mct_provider *p = app->registry.v[i];
        if (p->state == MCT_CONNECTED)
            continue;
        mct_buf_addz(to, any ? ",{" : ",\"errors\":[{");
        put_error_members(to, &p->error, p->name);
        mct_buf_addc(to, '}');
        any = true;
    }
    if (any)
        mct_buf_addc(to, ']');
}
