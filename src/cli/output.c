#include "cli/command.h"

#include "base/limits.h"
#include "base/log/visible.h"
#include "cli/terminal/wrap.h"
#include "hub/core/hosted.h"
#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

enum { STDERR_LINES = 8 }; /* printed with an error */

/* Returns the server if it is down, so that its stderr may explain the error. */
static const struct mcti_provider *output_down(const struct mcti_app *app, const char *server)
{
    const struct mcti_provider *p = server ? mcti_registry_find(&app->inst.registry, mcti_str_of(server)) : NULL;
    bool relayed = p && p->transport && !strcmp(p->transport, MCT_TRANSPORT_ATTACHED);
    return p && (p->state == MCT_FAILED || relayed) ? p : NULL;
}

static void put_error_members(const struct mcti_app *app, struct mcti_buf *b, const struct mct_error *err,
                              const char *server)
{
    const struct mcti_provider *p = output_down(app, server);
    struct mcti_buf lines;
    mcti_json_put_fault(b, err->kind, err->message);
    if (server)
        mcti_json_put_member(b, "server", mcti_str_of(server));
    mcti_buf_init(&lines, MCT_LIMIT_JOURNAL_BYTES);
    if (p)
        mcti_journal_put_stderr(&p->journal, &lines, STDERR_LINES);
    if (lines.len)
        mcti_json_put_member(b, "stderr", mcti_buf_str(&lines));
    mcti_buf_done(&lines);
}

/* Calls `print` with each line that explains why the server is down: the last ones that it wrote to stderr. */
static void output_each_reason(const struct mcti_app *app, const char *server,
                               void (*print)(const struct mcti_app *app, const char *line))
{
    const struct mcti_provider *p = output_down(app, server);
    struct mcti_buf b;
    struct mcti_str line;
    char text[4200];
    if (!p)
        return;
    mcti_buf_init(&b, MCT_LIMIT_JOURNAL_BYTES);
    size_t n_more = mcti_journal_put_stderr(&p->journal, &b, STDERR_LINES);
    for (struct mcti_str rest = mcti_buf_str(&b); mcti_str_split(&rest, '\n', &line) && line.len;) {
        snprintf(text, sizeof text, "| %.*s", MCT_STR_ARG(line));
        print(app, text);
    }
    snprintf(text, sizeof text, "(%zu more lines: 'mcptools status %s')", n_more, p->name);
    if (n_more && !mcti_app_is_adhoc(app))
        print(app, text);
    mcti_buf_done(&b);
}

static void output_print_reason(const struct mcti_app *app, const char *line)
{
    mcti_out(app, "    %s\n", line);
}

void mcti_out_explain(const struct mcti_app *app, const struct mcti_provider *p)
{
    output_each_reason(app, p->name, output_print_reason);
}

static void output_log_reason(const struct mcti_app *app, const char *line)
{
    (void)app;
    mcti_err("    %s\n", line);
}

/* Prints the last lines that the server wrote to stderr, below its error. */
static void output_explain(const struct mcti_app *app, const char *server)
{
    output_each_reason(app, server, output_log_reason);
}

/* Puts "out of memory" in front of the message: an error that a failed allocation caused may name another reason. */
static void put_memory_first(struct mct_error *err)
{
    if (!strstr(err->message, MCT_NO_MEMORY_TEXT))
        mcti_error_wrap(err, MCT_NO_MEMORY_TEXT);
    err->kind = MCT_ERR_NO_MEMORY;
}

int mcti_out_no_memory(struct mcti_app *app, int status)
{
    struct mct_error err;
    mcti_no_memory(&err);
    if (!app->failure_printed && app->opt.output != MCT_OUT_JSON)
        mcti_out_fail(app, &err, NULL);
    else if (!app->failure_printed)
        mcti_err("mcptools: %s\n", err.message); /* a document has been printed */
    return status ? status : mcti_error_exit_status(err.kind);
}

int mcti_out_fail(struct mcti_app *app, const struct mct_error *said, const char *server)
{
    struct mct_error shown = *said, *err = &shown;
    struct mcti_buf b;
    if (mcti_memory_failures())
        put_memory_first(err);
    app->failure_printed = true;
    mcti_out_progress_end(app);
    if (app->opt.output == MCT_OUT_JSON) {
        mcti_buf_init(&b, 8192);
        mcti_buf_addz(&b, "{\"error\":{");
        put_error_members(app, &b, err, server);
        mcti_buf_addz(&b, "}}");
        if (mcti_buf_ok(&b))
            mcti_out_json(app, mcti_buf_str(&b));
        else
            puts("{\"error\":{\"kind\":\"no_memory\",\"message\":\"" MCT_NO_MEMORY_TEXT "\"}}");
        mcti_buf_done(&b);
    } else {
        if (app->command && app->command->put_failure)
            app->command->put_failure(app, err);
        mcti_say("mcptools: %s", err->message);
        output_explain(app, server);
    }
    return mcti_error_exit_status(err->kind);
}

int mcti_out_interrupted(struct mcti_app *app)
{
    struct mct_error err;
    if (!app->interrupted) {
        mcti_no_memory(&err);
        return mcti_out_fail(app, &err, NULL);
    }
    mcti_fail(&err, MCT_ERR_CANCELLED, "interrupted");
    mcti_out_fail(app, &err, NULL);
    return 128 + app->interrupted;
}

void mcti_out_state(const struct mcti_app *app, const struct mcti_provider *p)
{
    static const enum mcti_style styles[] = {
        [MCT_CONNECTED] = MCT_GREEN, [MCT_CONNECTING] = MCT_YELLOW, [MCT_DISCONNECTED] = MCT_RED, [MCT_FAILED] = MCT_RED
    };
    if (mcti_provider_needs_login(p))
        mcti_out_styled(app, MCT_RED, "login needed");
    else
        mcti_out_styled(app, styles[p->state], "%s", mcti_provider_state_word(p));
}

unsigned mcti_out_name_columns(const struct mcti_app *app, unsigned usual)
{
    enum { MOST = 32 };
    unsigned most = 0;
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        unsigned n = mcti_text_columns(mcti_str_of(app->inst.registry.v[i]->name));
        most = n > most ? n : most;
    }
    most = most < MOST ? most : MOST;
    return !app->terminal && most < usual ? usual : most;
}

void mcti_out_item_name(const struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item)
{
    struct mcti_buf name;
    mcti_buf_init(&name, 1u << 20);
    if (!mcti_app_is_adhoc(app))
        mcti_buf_printf(&name, "%s.", p->name);
    mcti_visible_put(&name, mcti_item_id(item), MCT_VISIBLE_LINE);
    mcti_out_styled(app, MCT_BOLD, "%.*s", (int)name.len, name.p);
    mcti_buf_done(&name);
}

/* ---- progress ---- */

enum { BAR_WIDTH = 30 };

static void put_bar(double part)
{
    int full = (int)(part * BAR_WIDTH + 0.5);
    fputc('[', stderr);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3d%%", (int)(part * 100 + 0.5));
}

/* Returns the part that is done, 0 to 1. */
static double progress_part(double now, double total)
{
    double part = now / total;
    return part > 1 ? 1 : part > 0 ? part : 0; /* 0 also for what is no number */
}

void mcti_out_progress(struct mcti_app *app, struct mcti_str params)
{
    double now = mcti_json_double(mcti_json_get(params, "progress"));
    double total = mcti_json_double(mcti_json_get(params, "total"));
    char *message = mcti_json_dup(mcti_json_get(params, "message"));
    int room = (int)mcti_terminal_columns(STDERR_FILENO) - BAR_WIDTH - 9;
    if (app->progress) {
        fputs("\r\x1b[K", stderr);
        if (total > 0 && room < 0)
            fprintf(stderr, "%3d%%", (int)(progress_part(now, total) * 100 + 0.5));
        else if (total > 0)
            put_bar(progress_part(now, total));
        else
            fprintf(stderr, "%g", now);
        if (message && room > 0)
            mcti_err(" %.*s", MCT_STR_ARG(mcti_text_cut(mcti_str_of(message), (unsigned)room)));
        app->progress_shown = true;
    }
    free(message);
}

void mcti_out_progress_end(struct mcti_app *app)
{
    if (app->progress_shown)
        fputs("\r\x1b[K", stderr);
    app->progress_shown = false;
}

/* ---- several servers ---- */

int mcti_out_failure_status(const struct mcti_app *app)
{
    const struct mcti_registry *r = &app->inst.registry;
    size_t n_bad = 0, n_refused = 0, n_untrusted = 0;
    bool whole = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct mcti_provider *p = r->v[i];
        struct mct_error why = *p->error;
        bool is_bad = p->state != MCT_CONNECTED, lacks = mcti_provider_lacks_lists(p, &why);
        n_bad += is_bad;
        n_untrusted += is_bad && why.kind == MCT_ERR_POLICY;
        whole &= !lacks && mcti_hosted_whole(p);
        n_refused += (is_bad || (lacks && !p->items[MCT_TOOL].n)) && why.kind == MCT_ERR_AUTH;
    }
    if (!n_bad && whole)
        return 0;
    return mcti_error_exit_status(n_refused == r->n     ? MCT_ERR_AUTH
                                  : n_untrusted == r->n ? MCT_ERR_POLICY
                                  : n_bad < r->n        ? MCT_ERR_PARTIAL
                                                        : MCT_ERR_CONNECT);
}

static void output_tell_hosted(void *data, const char *text)
{
    const struct mcti_provider *p = data;
    mcti_say("mcptools: server '%s': %s", p->name, text);
}

void mcti_out_hosted(const struct mcti_app *app, struct mcti_provider *p)
{
    if (app->opt.output == MCT_OUT_JSON || p->state != MCT_CONNECTED)
        return;
    mcti_hosted_tell(p, MCT_HOSTED_FAULTS, output_tell_hosted, p);
    mcti_hosted_tell(p, MCT_HOSTED_OFF, output_tell_hosted, p);
}

int mcti_out_shown_failures(const struct mcti_app *app)
{
    for (size_t i = 0; i < app->inst.registry.n; i++)
        mcti_out_hosted(app, app->inst.registry.v[i]);
    return mcti_out_failure_status(app);
}

int mcti_out_failures(const struct mcti_app *app)
{
    for (size_t i = 0; i < app->inst.registry.n && app->opt.output != MCT_OUT_JSON; i++) {
        struct mcti_provider *p = app->inst.registry.v[i];
        bool is_logged = p->reason == MCT_REASON_CONFIG || p->error->kind == MCT_ERR_POLICY; /* a file without trust */
        if (p->state != MCT_CONNECTED && !is_logged)
            mcti_say("mcptools: server '%s': %s", p->name, p->error->message);
        output_explain(app, p->name);
        mcti_out_hosted(app, p);
    }
    return mcti_out_failure_status(app);
}

/* The array of errors while it is written. */
struct error_list {
    const struct mcti_app *app;
    struct mcti_buf *to;
    const char *server;
    bool any;
};

static void output_put_error(struct error_list *list, const struct mct_error *err)
{
    mcti_buf_addz(list->to, list->any ? ",{" : ",\"errors\":[{");
    put_error_members(list->app, list->to, err, list->server);
    mcti_buf_addc(list->to, '}');
    list->any = true;
}

static void output_put_hosted(void *data, const char *text)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_PARTIAL, "%s", text);
    output_put_error(data, &err);
}

void mcti_out_put_errors(const struct mcti_app *app, struct mcti_buf *to)
{
    mcti_out_put_errors_and(app, to, MCT_STR_NONE);
}

void mcti_out_put_errors_and(const struct mcti_app *app, struct mcti_buf *to, struct mcti_str more)
{
    struct error_list list = { .app = app, .to = to };
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mcti_provider *p = app->inst.registry.v[i];
        list.server = p->name;
        if (p->state != MCT_CONNECTED)
            output_put_error(&list, p->error);
        for (int k = 0; p->state == MCT_CONNECTED && k < MCT_KIND_N; k++)
            if (p->list_error[k]->kind)
                output_put_error(&list, p->list_error[k]);
        if (!mcti_hosted_whole(p))
            mcti_hosted_tell(p, MCT_HOSTED_FAULTS, output_put_hosted, &list);
    }
    if (more.len) {
        mcti_buf_addz(to, list.any ? "," : ",\"errors\":[");
        mcti_buf_add(to, more);
        list.any = true;
    }
    if (list.any)
        mcti_buf_addc(to, ']');
}
