#include "hub/call/event_line.h"

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
    if (uri.len >= 5 && mct_str_eq_nocase((struct mct_str){ uri.p, 5 }, MCT_STR("data:")))
        return (struct mct_str){ uri.p, 5 };
    while (n < uri.len && uri.p[n] != '?' && uri.p[n] != '#')
        n++;
    return (struct mct_str){ uri.p, n };
}

/* USER:SECRET@ or, behind a //, anything before an @ is credentials; a scheme alone makes none of an address. */
static struct mct_str credentials_of(struct mct_str uri)
{
    const char *end = uri.p + uri.len, *from = uri.p, *slash = memchr(uri.p, '/', uri.len);
    bool hierarchic = slash && end - slash > 1 && slash[1] == '/' && (slash == uri.p || slash[-1] == ':');
    const char *colon = memchr(uri.p, ':', slash ? (size_t)(slash - uri.p) : uri.len);
    if (hierarchic || colon)
        from = hierarchic ? slash + 2 : colon + 1;
    slash = memchr(from, '/', (size_t)(end - from));
    const char *at = memrchr(from, '@', (size_t)((slash ? slash : end) - from));
    bool secret = at && (hierarchic || memchr(from, ':', (size_t)(at - from)));
    return secret ? mct_str_range(from, at + 1) : mct_str_range(end, end);
}

static void put_uri(struct mct_buf *b, struct mct_str uri)
{
    struct mct_buf text;
    struct mct_str shown = head_of(uri), hidden = credentials_of(shown);
    mct_buf_init(&text, shown.len + 1);
    mct_buf_add(&text, mct_str_range(shown.p, hidden.p));
    mct_buf_add(&text, mct_str_range(hidden.p + hidden.len, shown.p + shown.len));
    shown = mct_buf_str(&text);
    mct_json_put_member(b, "tool", (struct mct_str){ shown.p, shown.len < AUDITED_URI_BYTES ? shown.len : AUDITED_URI_BYTES });
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
