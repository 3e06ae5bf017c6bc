/* Prints what the running gateway knows: its servers, clients and calls. */
#include "cli/running/running.h"

#include "cli/show/findings.h"
#include "cli/show/identity.h"
#include "cli/terminal/wrap.h"
#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

enum { N_RECENT = 5, LOG_LINES = 8, OTHERS_MS = 500 };

/* ---- values ---- */

static uint64_t status_number(struct mcti_str object, const char *key)
{
    struct mcti_str value = mcti_json_get(object, key);
    uint64_t n = 0;
    if (value.p)
        mcti_json_uint(value, &n);
    return n;
}

/* Returns the text of a member to free(), "" if it has none; NULL when out of memory. */
static char *status_text(struct mcti_str object, const char *key)
{
    char *text = mcti_json_dup(mcti_json_get(object, key));
    return text ? text : strdup("");
}

void mcti_running_put_duration(struct mcti_buf *to, uint64_t ms)
{
    unsigned long s = (unsigned long)(ms / 1000), min = s / 60, h = min / 60;
    if (h >= 48)
        mcti_buf_printf(to, "%lu days", h / 24);
    else if (h)
        mcti_buf_printf(to, "%lu h %lu min", h, min % 60);
    else if (min)
        mcti_buf_printf(to, "%lu min", min);
    else
        mcti_buf_printf(to, "%lu s", s);
}

static void status_print_duration(const struct mcti_app *app, uint64_t ms)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64);
    mcti_running_put_duration(&b, ms);
    mcti_out(app, "%.*s", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

static void status_put_ms(struct mcti_buf *to, struct mcti_str value)
{
    double ms = mcti_json_double(value);
    mcti_buf_printf(to, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
}

/* ---- calls ---- */

/* Appends the number of calls, tools …; `one` is the word for one of them. */
static void status_put_count(struct mcti_buf *to, uint64_t n, const char *one)
{
    mcti_buf_printf(to, "%llu %s%s", (unsigned long long)n, one, n == 1 ? "" : "s");
}

/* Appends the numbers of calls, and how long they take; at length for those of all servers. */
static void status_put_calls(struct mcti_buf *to, struct mcti_str calls, bool at_length)
{
    status_put_count(to, status_number(calls, "total"), "call");
    if (status_number(calls, "failed"))
        mcti_buf_printf(to, ", %llu failed", (unsigned long long)status_number(calls, "failed"));
    if (status_number(calls, "running"))
        mcti_buf_printf(to, ", %llu running", (unsigned long long)status_number(calls, "running"));
    if (mcti_json_get(calls, "p50Ms").p) {
        mcti_buf_addz(to, at_length ? "; half within " : ", ");
        status_put_ms(to, mcti_json_get(calls, "p50Ms"));
    }
    if (at_length && mcti_json_get(calls, "p90Ms").p) {
        mcti_buf_addz(to, ", 90 % within ");
        status_put_ms(to, mcti_json_get(calls, "p90Ms"));
    }
}

static void status_print_calls(const struct mcti_app *app, struct mcti_str calls)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 256);
    status_put_calls(&b, calls, true);
    mcti_out(app, "%.*s\n", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

/* ---- servers ---- */

static bool status_is(struct mcti_str server, enum mcti_state state)
{
    return mcti_json_is(mcti_json_get(server, "state"), mcti_state_word(state));
}

static bool status_wants_login(struct mcti_str server)
{
    return mcti_json_is(mcti_json_get(server, "reason"), mcti_reason_word(MCT_REASON_NEEDS_AUTH));
}

/* Prints the state of the server. Returns the columns that it takes. */
static unsigned status_print_state(const struct mcti_app *app, struct mcti_str server)
{
    char *word = status_text(server, "state");
    bool down = status_is(server, MCT_FAILED);
    enum mcti_style style = status_is(server, MCT_CONNECTED) ? MCT_GREEN : down ? MCT_RED : MCT_YELLOW;
    const char *shown = down && status_wants_login(server) ? "login needed" : word;
    unsigned columns = (unsigned)strlen(shown);
    mcti_out_styled(app, style, "%s", shown);
    free(word);
    return columns;
}

static void status_print_server(const struct mcti_app *app, struct mcti_str server)
{
    enum { NAME_COLUMNS = 20, INDENT = 4 };
    char *name = status_text(server, "name"), *error = status_text(mcti_json_get(server, "error"), "message");
    unsigned named = name ? mcti_text_columns(mcti_str_of(name)) : 0;
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_out(app, "  ");
    mcti_out_styled(app, MCT_BOLD, "%-*s", NAME_COLUMNS, name);
    mcti_out(app, " ");
    unsigned at = 2 + (named > NAME_COLUMNS ? named : NAME_COLUMNS) + 1 + status_print_state(app, server);
    if (!error || !*error) {
        status_put_count(&b, status_number(server, "tools"), "tool");
        mcti_buf_addz(&b, ", ");
        status_put_count(&b, status_number(server, "resources"), "resource");
        mcti_buf_addz(&b, ", ");
        status_put_count(&b, status_number(server, "prompts"), "prompt");
        mcti_buf_addz(&b, "; ");
        status_put_calls(&b, mcti_json_get(server, "calls"), false);
        if (status_number(server, "quarantined"))
            mcti_buf_printf(&b, "; %llu held back", (unsigned long long)status_number(server, "quarantined"));
    } else {
        mcti_buf_addz(&b, error);
    }
    mcti_out(app, "  ");
    mcti_out_wrapped(app, MCT_PLAIN, at + 2, INDENT, mcti_buf_str(&b));
    putchar('\n');
    mcti_buf_done(&b);
    free(name);
    free(error);
}

/* ---- clients, and calls of late ---- */

static void status_print_client(const struct mcti_app *app, struct mcti_str client)
{
    char *name = status_text(client, "name"), *version = status_text(client, "version");
    char *transport = status_text(client, "transport");
    mcti_out(app, "  ");
    mcti_out_styled(app, MCT_BOLD, "%-20s", name && *name ? name : "(unnamed)");
    mcti_out(app, " %s%s%s", version, *version ? ", " : "", *transport ? transport : "no session");
    if (mcti_json_get(client, "connectedMs").p) {
        mcti_out(app, ", for ");
        status_print_duration(app, status_number(client, "connectedMs"));
    }
    uint64_t calls = status_number(client, "calls");
    mcti_out(app, calls == 1 ? ", %llu call\n" : ", %llu calls\n", (unsigned long long)calls);
    free(name);
    free(version);
    free(transport);
}

static void status_print_recent(const struct mcti_app *app, struct mcti_str call)
{
    char *server = status_text(call, "server"), *tool = status_text(call, "tool");
    char *client = status_text(call, "client"), *outcome = status_text(call, "outcome");
    struct mcti_buf ms;
    mcti_buf_init(&ms, 64);
    status_put_ms(&ms, mcti_json_get(call, "ms"));
    mcti_out(app, "  %s%s%s  %s, %.*s%s%s\n", server, *tool ? "." : "", tool, outcome, MCT_STR_ARG(mcti_buf_str(&ms)),
             *client ? ", for " : "", client);
    mcti_buf_done(&ms);
    free(server);
    free(tool);
    free(client);
    free(outcome);
}

/* Prints a heading and each item of an array, at most `max`; nothing if it is empty. */
static void status_print_list(const struct mcti_app *app, const char *heading, struct mcti_str array, size_t max,
                              void (*print)(const struct mcti_app *app, struct mcti_str item))
{
    struct mcti_json_iter it = mcti_json_open(array);
    struct mcti_str item;
    for (size_t n = 0; n < max && mcti_json_next_item(&it, &item); n++) {
        if (!n) {
            putchar('\n');
            mcti_out(app, "%s\n", heading);
        }
        print(app, item);
    }
}

/* Prints how many results are kept because they were over a budget; nothing without budgets. */
static void status_print_results(const struct mcti_app *app, struct mcti_str results)
{
    struct mcti_buf b;
    if (!results.p)
        return;
    mcti_buf_init(&b, 256);
    status_put_count(&b, status_number(results, "cut"), "result");
    mcti_buf_addz(&b, " cut to the budget; ");
    status_put_count(&b, status_number(results, "kept"), "result");
    mcti_buf_printf(&b, " kept, %llu KB", (unsigned long long)((status_number(results, "bytes") + 999) / 1000));
    mcti_out(app, "%.*s\n", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

static void status_print_gateway(const struct mcti_app *app, struct mcti_str said)
{
    char *version = status_text(said, "version"), *endpoint = status_text(said, "endpoint");
    mcti_out(app, "Gateway %s, process %llu, running for ", version, (unsigned long long)status_number(said, "pid"));
    status_print_duration(app, status_number(said, "uptimeMs"));
    mcti_out(app, *endpoint ? ", at %s\n" : "%s\n", endpoint);
    status_print_calls(app, mcti_json_get(said, "calls"));
    status_print_results(app, mcti_json_get(said, "results"));
    free(version);
    free(endpoint);
    status_print_list(app, "Servers", mcti_json_get(said, "servers"), SIZE_MAX, status_print_server);
    status_print_list(app, "Clients", mcti_json_get(said, "clients"), SIZE_MAX, status_print_client);
    status_print_list(app, "Latest calls", mcti_json_get(said, "recent"), N_RECENT, status_print_recent);
}

/* ---- one server ---- */

static void status_print_logs(struct mcti_app *app, struct mcti_control_client *c, const char *name)
{
    struct mcti_str result, line;
    struct mcti_buf params;
    size_t n = 0, i = 0;
    mcti_running_put_params(&params, name, "");
    int r = mcti_control_request(c, "logs", mcti_buf_str(&params), MCT_RUNNING_MS, &result, NULL);
    mcti_buf_done(&params);
    if (r < 0)
        return;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "lines")); mcti_json_next_item(&it, &line);)
        n++;
    if (n)
        putchar('\n');
    if (n)
        mcti_out(app, "Log, see also 'mcptools logs %s'\n", name);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "lines")); mcti_json_next_item(&it, &line);)
        if (i++ + LOG_LINES >= n) {
            mcti_out(app, "  ");
            mcti_running_print_line(app, line);
        }
}

/* Copies what the server says of itself to `to`, an object; an older gateway does not tell. */
static void status_describe(struct mcti_control_client *c, const char *name, struct mcti_buf *to)
{
    struct mcti_str result;
    struct mcti_buf params;
    mcti_buf_init(to, MCT_LIMIT_MESSAGE_BYTES);
    mcti_running_put_params(&params, name, "");
    if (mcti_control_request(c, "describe", mcti_buf_str(&params), MCT_RUNNING_MS, &result, NULL) == 0)
        mcti_buf_add(to, result);
    mcti_buf_done(&params);
}

static void status_print_one(struct mcti_app *app, struct mcti_control_client *c, struct mcti_str server)
{
    char *name = status_text(server, "name"), *transport = status_text(server, "transport");
    char *revision = status_text(server, "protocolVersion"), *reason = status_text(server, "reason");
    struct mcti_buf about;
    status_print_server(app, server);
    status_describe(c, name, &about);
    mcti_identity_print(app, mcti_buf_str(&about), true);
    mcti_buf_done(&about);
    if (*revision)
        mcti_out(app, "  protocol: %s over %s\n", revision, *transport ? transport : "no transport");
    if (*reason)
        mcti_out(app, "  reason:   %s\n", reason);
    mcti_findings_print(app, server);
    status_print_logs(app, c, name);
    free(name);
    free(transport);
    free(revision);
    free(reason);
}

/* Prints the object of the overview, with what the server says of itself as further members, in the form that `status`
 * has without a gateway. */
static void status_print_one_json(struct mcti_app *app, struct mcti_control_client *c, struct mcti_str server)
{
    struct mcti_buf about, b;
    struct mcti_json_member m;
    status_describe(c, app->argv[0], &about);
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"servers\":[");
    mcti_buf_add(&b, (struct mcti_str){ server.p, server.len - 1 });
    for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&about)); mcti_json_next_member(&it, &m);) {
        mcti_buf_addz(&b, ",\"");
        mcti_buf_add(&b, m.key);
        mcti_buf_addz(&b, "\":");
        mcti_buf_add(&b, m.value);
    }
    mcti_buf_addz(&b, "}]}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_buf_done(&about);
}

static struct mcti_str status_find(struct mcti_str said, const char *name)
{
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(said, "servers"));
    struct mcti_str server;
    while (mcti_json_next_item(&it, &server))
        if (mcti_json_is(mcti_json_get(server, "name"), name))
            return server;
    return MCT_STR_NONE;
}

/* ---- the command ---- */

/* Returns 0; 8 if some servers are down, 4 if all are, and 3 if all want credentials. */
static int status_judge(struct mcti_str servers)
{
    size_t n = 0, n_down = 0, n_locked = 0;
    struct mcti_str server;
    for (struct mcti_json_iter it = mcti_json_open(servers); mcti_json_next_item(&it, &server); n++) {
        n_down += status_is(server, MCT_FAILED);
        n_locked += status_is(server, MCT_FAILED) && status_wants_login(server);
    }
    enum mct_error_kind kind = !n_down         ? MCT_ERR_NONE
                               : n_down < n    ? MCT_ERR_PARTIAL
                               : n_locked == n ? MCT_ERR_AUTH
                                               : MCT_ERR_CONNECT;
    return mcti_error_exit_status(kind);
}

static int status_print(struct mcti_app *app, struct mcti_control_client *c, struct mcti_str said)
{
    const char *name = app->argc ? app->argv[0] : NULL;
    struct mcti_str server = name ? status_find(said, name) : MCT_STR_NONE;
    struct mct_error err;
    if (name && !server.p) {
        mcti_fail(&err, MCT_ERR_USAGE, "the running gateway has no server '%s'", name);
        return mcti_out_fail(app, &err, NULL);
    }
    mcti_out_page(app);
    if (!name && app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, said);
    else if (!name)
        status_print_gateway(app, said);
    if (!name)
        return status_judge(mcti_json_get(said, "servers"));
    char *copy = mcti_str_dup(server);
    if (copy && app->opt.output == MCT_OUT_JSON)
        status_print_one_json(app, c, mcti_str_of(copy));
    else if (copy)
        status_print_one(app, c, mcti_str_of(copy));
    int status = copy && status_is(mcti_str_of(copy), MCT_FAILED)
                     ? mcti_error_exit_status(status_wants_login(mcti_str_of(copy)) ? MCT_ERR_AUTH : MCT_ERR_CONNECT)
                     : 0;
    free(copy);
    return status;
}

/* Says that a gateway with another configuration runs. */
static void status_tell_other(void *data, struct mcti_str said)
{
    struct mcti_json_iter files = mcti_json_open(mcti_json_get(said, "files"));
    struct mcti_str first;
    char *file = mcti_json_next_item(&files, &first) ? mcti_json_dup(first) : NULL;
    (void)data;
    mcti_say("A gateway with another configuration%s%s%s runs (process %llu); this command does not use it.",
             file ? " (" : "", file ? file : "", file ? ")" : "", (unsigned long long)status_number(said, "pid"));
    free(file);
}

bool mcti_running_status(struct mcti_app *app, int *ret_status)
{
    struct mcti_control_client c;
    struct mct_error err;
    struct mcti_str said;
    if (app->opt.alone)
        return false;
    bool runs = mcti_running_open(app, &c, &err) == 0, is_wrong = !runs && err.kind == MCT_ERR_CONFIG;
    if (is_wrong)
        *ret_status = mcti_out_fail(app, &err, NULL);
    else if (runs && mcti_control_request(&c, "status", MCT_STR_NONE, MCT_RUNNING_MS, &said, &err) < 0)
        *ret_status = mcti_out_fail(app, &err, NULL);
    else if (runs)
        *ret_status = status_print(app, &c, said);
    mcti_control_client_close(&c);
    if (!runs && !is_wrong && isatty(STDERR_FILENO))
        mcti_control_each_other(&app->inst.config, OTHERS_MS, status_tell_other, NULL);
    return runs || is_wrong;
}
