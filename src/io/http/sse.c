#include "io/http/sse.h"

#include "base/limits.h"

enum { ID_MAX = 4096, TYPE_MAX = 256 };

void mct_sse_init(struct mct_sse *s, size_t max_event)
{
    *s = (struct mct_sse){ .max = max_event };
    mct_buf_init(&s->line, max_event + 64); /* a field name beside the data */
    mct_buf_init(&s->data, max_event);
    mct_buf_init(&s->type, TYPE_MAX);
    mct_buf_init(&s->id, ID_MAX);
    mct_buf_init(&s->last_id, ID_MAX);
}

void mct_sse_done(struct mct_sse *s)
{
    mct_buf_done(&s->line);
    mct_buf_done(&s->data);
    mct_buf_done(&s->type);
    mct_buf_done(&s->id);
    mct_buf_done(&s->last_id);
}

static void forget_event(struct mct_sse *s)
{
    mct_buf_clear(&s->data);
    mct_buf_clear(&s->type);
    s->skipping = false;
}

void mct_sse_restart(struct mct_sse *s)
{
    mct_buf_clear(&s->line);
    mct_buf_clear(&s->id);
    mct_buf_add(&s->id, mct_buf_str(&s->last_id));
    forget_event(s);
    s->bom = 0;
    s->after_cr = false;
}

/* ---- fields ---- */

static void set(struct mct_buf *to, struct mct_str value)
{
    mct_buf_clear(to);
    mct_buf_add(to, value);
    if (!mct_buf_ok(to))
        mct_buf_clear(to);
}

static void skip_event(struct mct_sse *s)
{
    s->dropped |= !s->skipping;
    s->skipping = true;
}

static void on_data(struct mct_sse *s, struct mct_str value)
{
    mct_buf_add(&s->data, value);
    mct_buf_addc(&s->data, '\n'); /* the last one is cut off again */
    if (!mct_buf_ok(&s->data))
        skip_event(s);
}

static void on_event(struct mct_sse *s, struct mct_str value)
{
    set(&s->type, value);
}

static void on_id(struct mct_sse *s, struct mct_str value)
{
    if (!value.len || !memchr(value.p, 0, value.len))
        set(&s->id, value);
}

static void on_retry(struct mct_sse *s, struct mct_str value)
{
    unsigned long ms = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return;
        if (ms < MCT_LIMIT_RETRY_MS)
            ms = ms * 10 + (unsigned long)(value.p[i] - '0');
    }
    if (!value.len)
        return;
    s->retry_ms = (unsigned)(ms < MCT_LIMIT_RETRY_MS ? ms : MCT_LIMIT_RETRY_MS);
    s->has_retry = true;
}

static const struct {
    const char *name;
    void (*take)(struct mct_sse *s, struct mct_str value);
} fields[] = { { "data", on_data }, { "event", on_event }, { "id", on_id }, { "retry", on_retry } };

static void on_field(struct mct_sse *s, struct mct_str line)
{
    const char *colon = memchr(line.p, ':', line.len), *end = line.p + line.len;
    struct mct_str name = colon ? mct_str_range(line.p, colon) : line;
    struct mct_str value = colon ? mct_str_range(colon + 1, end) : mct_str_range(end, end);
    if (value.len && *value.p == ' ')
        value = mct_str_range(value.p + 1, end);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (mct_str_is(name, fields[i].name))
            fields[i].take(s, value);
}

/* ---- lines ---- */

/* The blank line: the id counts first, also for an event that has nothing to say. */
static bool dispatch(struct mct_sse *s, mct_sse_fn fn, void *data)
{
    bool go_on = true;
    if (!mct_str_eq(mct_buf_str(&s->id), mct_buf_str(&s->last_id)))
        set(&s->last_id, mct_buf_str(&s->id));
    if (!s->skipping && s->data.len) {
        struct mct_str text = { s->data.p, s->data.len - 1 };
        go_on = fn(data, s->type.len ? mct_buf_str(&s->type) : MCT_STR("message"), text);
    }
    forget_event(s);
    return go_on;
}

/* One whole line, wherever its bytes are. */
static bool on_line(struct mct_sse *s, struct mct_str line, mct_sse_fn fn, void *data)
{
    if (!line.len)
        return dispatch(s, fn, data);
    if (line.len > s->line.max)
        skip_event(s); /* as it would be, had it come in pieces */
    if (!s->skipping && *line.p != ':')
        on_field(s, line);
    return true;
}

static const char *line_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    const char *cr = memchr(p, '\r', (size_t)((lf ? lf : end) - p));
    return cr ? cr : lf;
}

static void keep(struct mct_sse *s, struct mct_str part)
{
    if (s->skipping && s->line.len) /* only whether the line is blank matters any more */
        return;
    mct_buf_add(&s->line, part);
    if (mct_buf_ok(&s->line))
        return;
    mct_buf_clear(&s->line);
    mct_buf_addc(&s->line, ':');
    skip_event(s);
}

/* Passes over the byte order mark at the very beginning, which may come in pieces. */
static struct mct_str skip_bom(struct mct_sse *s, struct mct_str bytes)
{
    static const char bom[] = "\xef\xbb\xbf";
    while (bytes.len && s->bom < 3) {
        if (*bytes.p != bom[s->bom]) {
            keep(s, (struct mct_str){ bom, s->bom });
            s->bom = 3;
            break;
        }
        s->bom++;
        bytes = (struct mct_str){ bytes.p + 1, bytes.len - 1 };
    }
    return bytes;
}

/* A line whose last part this is; s->line has what came of it before. */
static bool take_line(struct mct_sse *s, struct mct_str part, mct_sse_fn fn, void *data)
{
    if (!s->line.len)
        return on_line(s, part, fn, data);
    keep(s, part);
    bool go_on = on_line(s, mct_buf_str(&s->line), fn, data);
    mct_buf_clear(&s->line);
    return go_on;
}

int mct_sse_feed(struct mct_sse *s, struct mct_str *bytes, mct_sse_fn fn, void *data)
{
    bool go_on = true;
    s->dropped = false;
    *bytes = skip_bom(s, *bytes);
    while (go_on && bytes->len) {
        const char *p = bytes->p, *end = p + bytes->len;
        bool is_rest = s->after_cr && *p == '\n'; /* of a CRLF */
        const char *stop = is_rest ? p : line_end(p, end);
        s->after_cr = stop && *stop == '\r';
        *bytes = mct_str_range(stop ? stop + 1 : end, end);
        if (!stop)
            keep(s, mct_str_range(p, end));
        else if (!is_rest)
            go_on = take_line(s, mct_str_range(p, stop), fn, data);
    }
    return s->dropped ? -1 : 0;
}
