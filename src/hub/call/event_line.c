#include "hub/call/event_line.h"

#include "base/clock.h"
#include "base/log/utf8.h"
#include "mcp/task.h"

enum { AUDITED_URI_BYTES = 1024 };

static void put_known(struct mcti_buf *b, const char *key, struct mcti_str text)
{
    if (text.p)
        mcti_json_put_member(b, key, text);
}

static void put_time(struct mcti_buf *b, const struct mcti_event *e)
{
    mcti_json_put_key(b, "ts");
    mcti_buf_addc(b, '"');
    mcti_clock_put(b, e->wall_ms);
    mcti_buf_addc(b, '"');
}

static void put_number(struct mcti_buf *b, const char *key, uint64_t n)
{
    mcti_json_put_key(b, key);
    mcti_buf_addu(b, n);
}

/* Writes `us` microseconds with `places` decimal places: 3 for milliseconds, 6 for seconds. */
static void put_duration(struct mcti_buf *b, const char *key, uint64_t us, int places)
{
    uint64_t unit = places == 6 ? 1000000 : 1000;
    mcti_json_put_key(b, key);
    mcti_buf_printf(b, "%llu.%0*llu", (unsigned long long)(us / unit), places, (unsigned long long)(us % unit));
}

/* ---- with contents ---- */

static void put_head(struct mcti_buf *b, const struct mcti_event *e, const char *phase)
{
    mcti_buf_printf(b, "{\"event\":\"%s\",\"id\":\"%s\"", phase, e->id);
    put_time(b, e);
    mcti_json_put_member(b, "method", mcti_str_of(e->method));
    mcti_json_put_member(b, "server", e->server);
    put_known(b, "tool", e->tool);
}

/* Writes `value`, or its length if the line would be longer than `max`; `taken` is the length of the line without
 * it. */
static void put_value(struct mcti_buf *b, const char *key, struct mcti_str value, size_t taken, size_t max)
{
    mcti_json_put_key(b, key);
    if (taken <= max && value.len <= max - taken)
        mcti_json_put_line(b, value);
    else
        mcti_buf_printf(b, "{\"omitted\":true,\"bytes\":%zu}", value.len);
}

void mcti_event_put_begin(struct mcti_buf *to, const struct mcti_event *e, size_t max)
{
    static const char behind[] = ",\"principal\":\"\",\"client\":\"\"}"; /* escaping turns one byte into at most six */
    size_t from = to->len, reserved = sizeof behind + 6 * (e->principal.len + e->client.len);
    put_head(to, e, "begin");
    if (e->arguments.p)
        put_value(to, "arguments", e->arguments, to->len - from + reserved + sizeof ",\"arguments\":", max);
    put_known(to, "principal", e->principal);
    put_known(to, "client", e->client);
    mcti_buf_addc(to, '}');
}

static void put_error(struct mcti_buf *b, const struct mct_error *error)
{
    mcti_json_put_key(b, "error");
    mcti_buf_addc(b, '{');
    mcti_json_put_member(b, "kind", mcti_str_of(mct_error_word(error->kind)));
    if (error->code)
        mcti_buf_printf(b, ",\"code\":%d", error->code);
    mcti_json_put_member(b, "message", mcti_str_of(error->message));
    mcti_buf_addc(b, '}');
}

/* Appends the texts of the result, one on each line. */
static void put_texts(struct mcti_buf *to, struct mcti_str result)
{
    struct mcti_str block;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "content"));
    while (mcti_json_next_item(&it, &block)) {
        struct mcti_str text = mcti_json_get(block, "text");
        if (mcti_json_type(text) != '"')
            continue;
        mcti_buf_addz(to, to->len ? "\n" : "");
        mcti_json_unescape_any(text, to);
    }
}

/* Writes a result with isError as an error, for readers that look for `error` only, with at most n_max characters of
 * its texts. */
static void put_tool_error(struct mcti_buf *b, struct mcti_str result, size_t n_max)
{
    struct mcti_buf text;
    size_t n;
    mcti_buf_init(&text, result.len + 1);
    put_texts(&text, result);
    struct mcti_str shown = mcti_utf8_head(mcti_buf_str(&text), n_max, &n);
    mcti_json_put_key(b, "error");
    mcti_buf_printf(b, "{\"kind\":\"%s\"", mct_error_word(MCT_ERR_TOOL));
    mcti_json_put_member(b, "message", shown.len ? shown : MCT_STR("the tool reported an error"));
    mcti_buf_addc(b, '}');
    mcti_buf_done(&text);
}

void mcti_event_put_end(struct mcti_buf *to, const struct mcti_event *e, size_t max)
{
    size_t from = to->len;
    put_head(to, e, "end");
    if (e->arguments.p) /* the other half is for the result */
        put_value(to, "arguments", e->arguments, to->len - from, max / 2);
    put_duration(to, "duration", e->duration_us, 6);
    if (e->error)
        put_error(to, e->error);
    else if (e->outcome == MCT_ERR_TOOL)
        put_tool_error(to, e->result, max / 64);
    if (!e->error)
        put_value(to, "result", e->result, to->len - from + sizeof ",\"result\":}", max);
    mcti_buf_addc(to, '}');
}

/* ---- without ---- */

/* Returns the URI without query and fragment, which may hold secrets; of a data: URI only the scheme. */
static struct mcti_str head_of(struct mcti_str uri)
{
    size_t n = 0;
    if (uri.len >= 5 && mcti_str_eq_nocase((struct mcti_str){ uri.p, 5 }, MCT_STR("data:")))
        return (struct mcti_str){ uri.p, 5 };
    while (n < uri.len && uri.p[n] != '?' && uri.p[n] != '#')
        n++;
    return (struct mcti_str){ uri.p, n };
}

/* Returns the credentials in the URI: USER:SECRET@ or, after "//", everything before an "@". The address of a mailto:
 * URI is none. */
static struct mcti_str credentials_of(struct mcti_str uri)
{
    const char *end = uri.p + uri.len, *from = uri.p, *slash = memchr(uri.p, '/', uri.len);
    bool hierarchic = slash && end - slash > 1 && slash[1] == '/' && (slash == uri.p || slash[-1] == ':');
    const char *colon = memchr(uri.p, ':', slash ? (size_t)(slash - uri.p) : uri.len);
    if (hierarchic || colon)
        from = hierarchic ? slash + 2 : colon + 1;
    slash = memchr(from, '/', (size_t)(end - from));
    const char *at = memrchr(from, '@', (size_t)((slash ? slash : end) - from));
    bool secret = at && (hierarchic || memchr(from, ':', (size_t)(at - from)));
    return secret ? mcti_str_range(from, at + 1) : mcti_str_range(end, end);
}

size_t mcti_event_shown_uri(struct mcti_str uri, char *to, size_t size)
{
    if (!uri.len)
        return 0;
    struct mcti_str shown = head_of(uri), hidden = credentials_of(shown);
    size_t n = 0;
    for (size_t i = 0; i < shown.len && n < size; i++)
        if (shown.p + i < hidden.p || shown.p + i >= hidden.p + hidden.len)
            to[n++] = shown.p[i];
    return n;
}

static void put_uri(struct mcti_buf *b, struct mcti_str uri)
{
    char text[AUDITED_URI_BYTES];
    mcti_json_put_member(b, "tool", (struct mcti_str){ text, mcti_event_shown_uri(uri, text, sizeof text) });
}

/* Returns the server's id of the task that the call has become; absent: it has a result. */
static struct mcti_str event_task(const struct mcti_event *end)
{
    enum { TASK_BYTES = 16384 }; /* of a result that stands for a task: it has no content */
    bool is_short = end->verb == MCT_VERB_TOOLS_CALL && end->result.len && end->result.len <= TASK_BYTES;
    return is_short && mcti_result_is_task(end->result) ? mcti_json_get(end->result, "taskId") : MCT_STR_NONE;
}

void mcti_event_put_audit(struct mcti_buf *to, const struct mcti_event *end)
{
    mcti_buf_addc(to, '{');
    put_time(to, end);
    mcti_json_put_member(to, "id", mcti_str_of(end->id));
    put_known(to, "principal", end->principal);
    put_known(to, "client", end->client);
    mcti_json_put_member(to, "method", mcti_str_of(end->method));
    mcti_json_put_member(to, "server", end->server);
    if (end->tool.p && (end->verb == MCT_VERB_RESOURCES_READ || end->verb == MCT_VERB_FOREIGN))
        put_uri(to, end->tool);
    else
        put_known(to, "tool", end->tool);
    struct mcti_str task = event_task(end);
    mcti_json_put_member(to, "outcome", task.p ? MCT_STR("task") : mcti_str_of(mcti_outcome_word(end->outcome)));
    if (task.p)
        mcti_json_put_raw(to, "task", task);
    if (end->error && end->error->code)
        mcti_buf_printf(to, ",\"code\":%d", end->error->code);
    put_duration(to, "duration_ms", end->duration_us, 3);
    put_number(to, "arguments_bytes", end->arguments_bytes);
    put_number(to, "result_bytes", end->result.len);
    mcti_buf_addc(to, '}');
}
