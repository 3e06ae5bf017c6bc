#include "hub/event_line.h"

#include "base/clock.h"

enum { AUDITED_URI_BYTES = 1024 };

static void put_known(struct mct_buf *b, const char *key, struct mct_str text)
{
    if (text.p)
        mct_json_put_member(b, key, text);
}

static void put_time(struct mct_buf *b, const struct mct_event *e)
{
    mct_json_put_key(b, "ts");
    mct_buf_addc(b, '"');
    mct_clock_put(b, e->wall_ms);
    mct_buf_addc(b, '"');
}

static void put_number(struct mct_buf *b, const char *key, uint64_t n)
{
    mct_json_put_key(b, key);
    mct_buf_addu(b, n);
}

/* A number of us with the decimal point further to the left: 3 places for ms, 6 for seconds. */
static void put_duration(struct mct_buf *b, const char *key, uint64_t us, int places)
{
    uint64_t unit = places == 6 ? 1000000 : 1000;
    mct_json_put_key(b, key);
    mct_buf_printf(b, "%llu.%0*llu", (unsigned long long)(us / unit), places, (unsigned long long)(us % unit));
}

/* ---- with contents ---- */

static void put_head(struct mct_buf *b, const struct mct_event *e, const char *phase)
{
    mct_buf_printf(b, "{\"event\":\"%s\",\"id\":\"%s\"", phase, e->id);
    put_time(b, e);
    mct_json_put_member(b, "method", mct_str_of(mct_method(e->verb)->name));
    mct_json_put_member(b, "server", e->server);
    put_known(b, "tool", e->tool);
}

/* `taken`: bytes of the line that are not this value. */
static void put_value(struct mct_buf *b, const char *key, struct mct_str value, size_t taken, size_t max)
{
    mct_json_put_key(b, key);
    if (taken <= max && value.len <= max - taken)
        mct_json_put_line(b, value);
    else
        mct_buf_printf(b, "{\"omitted\":true,\"bytes\":%zu}", value.len);
}

void mct_event_put_begin(struct mct_buf *to, const struct mct_event *e, size_t max)
{
    static const char behind[] = ",\"principal\":\"\",\"client\":\"\"}"; /* at most six bytes for one of the text */
    size_t from = to->len, reserved = sizeof behind + 6 * (e->principal.len + e->client.len);
    put_head(to, e, "begin");
    if (e->arguments.p)
        put_value(to, "arguments", e->arguments, to->len - from + reserved + sizeof ",\"arguments\":", max);
    put_known(to, "principal", e->principal);
    put_known(to, "client", e->client);
    mct_buf_addc(to, '}');
}

static void put_error(struct mct_buf *b, const struct mct_error *error)
{
    mct_json_put_key(b, "error");
    mct_buf_addc(b, '{');
    mct_json_put_member(b, "kind", mct_str_of(mct_error_word(error->kind)));
    if (error->code)
        mct_buf_printf(b, ",\"code\":%d", error->code);
    mct_json_put_member(b, "message", mct_str_of(error->message));
    mct_buf_addc(b, '}');
}

void mct_event_put_end(struct mct_buf *to, const struct mct_event *e, size_t max)
{
    size_t from = to->len;
    put_head(to, e, "end");
    put_duration(to, "duration", e->duration_us, 6);
    if (e->error)
        put_error(to, e->error);
    else
        put_value(to, "result", e->result, to->len - from + sizeof ",\"result\":}", max);
    mct_buf_addc(to, '}');
}

/* ---- without ---- */

/* What a resource is called, without what may be a secret in it. */
static struct mct_str head_of(struct mct_str uri)
{
    size_t n = 0;
    while (n < uri.len && n < AUDITED_URI_BYTES && uri.p[n] != '?' && uri.p[n] != '#')
        n++;
    return (struct mct_str){ uri.p, uri.len && mct_str_starts(uri, MCT_STR("data:")) ? 5 : n };
}

static void put_uri(struct mct_buf *b, struct mct_str uri)
{
    struct mct_buf text;
    struct mct_str shown = head_of(uri);
    const char *host = shown.len ? memmem(shown.p, shown.len, "://", 3) : NULL, *at = NULL;
    mct_buf_init(&text, AUDITED_URI_BYTES + 8);
    if (host) {
        size_t rest = shown.len - (size_t)(host + 3 - shown.p);
        const char *slash = memchr(host + 3, '/', rest);
        at = memrchr(host + 3, '@', slash ? (size_t)(slash - host - 3) : rest);
    }
    mct_buf_add(&text, at ? mct_str_range(shown.p, host + 3) : shown);
    if (at)
        mct_buf_add(&text, mct_str_range(at + 1, shown.p + shown.len));
    mct_json_put_member(b, "tool", mct_buf_str(&text));
    mct_buf_done(&text);
}

void mct_event_put_audit(struct mct_buf *to, const struct mct_event *end)
{
    mct_buf_addc(to, '{');
    put_time(to, end);
    mct_json_put_member(to, "id", mct_str_of(end->id));
    put_known(to, "principal", end->principal);
    put_known(to, "client", end->client);
    mct_json_put_member(to, "method", mct_str_of(mct_method(end->verb)->name));
    mct_json_put_member(to, "server", end->server);
    if (end->tool.p && end->verb == MCT_VERB_RESOURCES_READ)
        put_uri(to, end->tool);
    else
        put_known(to, "tool", end->tool);
    mct_json_put_member(to, "outcome", mct_str_of(mct_outcome_word(end->outcome)));
    if (end->error && end->error->code)
        mct_buf_printf(to, ",\"code\":%d", end->error->code);
    put_duration(to, "duration_ms", end->duration_us, 3);
    put_number(to, "arguments_bytes", end->arguments_bytes);
    put_number(to, "result_bytes", end->result.len);
    mct_buf_addc(to, '}');
}
