#include "io/http/sse.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdlib.h>

enum { ID_MAX = 4096, TYPE_MAX = 256 };

void mcti_sse_init(struct mcti_sse *s, size_t max_event)
{
    *s = (struct mcti_sse){ .max = max_event };
    mcti_buf_init(&s->line, max_event + 64); /* room for the field name */
    mcti_buf_init(&s->data, max_event + 64);
    mcti_buf_init(&s->type, TYPE_MAX);
    mcti_buf_init(&s->id, ID_MAX);
    mcti_buf_init(&s->last_id, ID_MAX);
}

void mcti_sse_done(struct mcti_sse *s)
{
    mcti_buf_done(&s->line);
    mcti_buf_done(&s->data);
    mcti_buf_done(&s->type);
    mcti_buf_done(&s->id);
    mcti_buf_done(&s->last_id);
    free(s->check);
}

static void sse_forget_check(struct mcti_sse *s)
{
    free(s->check);
    s->check = NULL;
}

static void forget_event(struct mcti_sse *s)
{
    sse_forget_check(s);
    mcti_buf_clear(&s->data);
    s->data_at = 0;
    mcti_buf_clear(&s->type);
    s->skipping = false;
}

void mcti_sse_restart(struct mcti_sse *s)
{
    mcti_buf_clear(&s->line);
    mcti_buf_clear(&s->id);
    mcti_buf_add(&s->id, mcti_buf_str(&s->last_id));
    forget_event(s);
    s->bom = 0;
    s->after_cr = false;
}

/* ---- fields ---- */

static void http_sse_set(struct mcti_buf *to, struct mcti_str value)
{
    mcti_buf_clear(to);
    mcti_buf_add(to, value);
    if (!mcti_buf_ok(to))
        mcti_buf_clear(to);
}

/* Keeps the beginning of an event that is too long; `text` is a part of its data, or a line of it. */
static void http_sse_note_head(struct mcti_sse *s, struct mcti_str text)
{
    if (s->data.len > s->data_at)
        text = mcti_str_range(s->data.p + s->data_at, s->data.p + s->data.len);
    if (mcti_str_starts(text, MCT_STR("data:")))
        text = mcti_str_range(text.p + 5, text.p + text.len);
    s->head_len = text.len < sizeof s->head ? text.len : sizeof s->head;
    memcpy(s->head, text.p, s->head_len);
}

/* Forgets an event that is too long and skips the rest of it. */
static void skip_event(struct mcti_sse *s, struct mcti_str text)
{
    if (!s->skipping)
        http_sse_note_head(s, text);
    mcti_buf_clear(&s->data);
    sse_forget_check(s);
    s->data_at = 0;
    s->dropped |= !s->skipping;
    s->skipping = true;
}

/* Makes the line the data of the event instead of copying its long value. Returns false if it has to be copied. */
static bool http_sse_move(struct mcti_sse *s, struct mcti_str value)
{
    struct mcti_buf line = s->line;
    if (value.len < MCT_SPLICE_BYTES || s->data.len || value.p < line.p || value.p + value.len != line.p + line.len)
        return false;
    s->line = s->data;
    s->data = line;
    s->data_at = (size_t)(value.p - line.p);
    return true;
}

static void http_sse_on_data(struct mcti_sse *s, struct mcti_str value)
{
    if (!http_sse_move(s, value))
        mcti_buf_add(&s->data, value);
    mcti_buf_addc(&s->data, '\n'); /* the last line feed is removed again */
    if (!mcti_buf_ok(&s->data) || s->data.len - s->data_at > s->max)
        skip_event(s, value);
}

static void http_sse_on_event(struct mcti_sse *s, struct mcti_str value)
{
    mcti_buf_clear(&s->type);
    mcti_buf_add(&s->type, value);
    if (!mcti_buf_ok(&s->type))
        skip_event(s, MCT_STR(""));
}

static void http_sse_on_id(struct mcti_sse *s, struct mcti_str value)
{
    if (!value.len || !memchr(value.p, 0, value.len))
        http_sse_set(&s->id, value);
}

static void http_sse_on_retry(struct mcti_sse *s, struct mcti_str value)
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
    void (*take)(struct mcti_sse *s, struct mcti_str value);
} fields[] = { { "data", http_sse_on_data },
               { "event", http_sse_on_event },
               { "id", http_sse_on_id },
               { "retry", http_sse_on_retry } };

static void http_sse_on_field(struct mcti_sse *s, struct mcti_str line)
{
    const char *colon = memchr(line.p, ':', line.len), *end = line.p + line.len;
    struct mcti_str name = colon ? mcti_str_range(line.p, colon) : line;
    struct mcti_str value = colon ? mcti_str_range(colon + 1, end) : mcti_str_range(end, end);
    if (value.len && *value.p == ' ')
        value = mcti_str_range(value.p + 1, end);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (mcti_str_is(name, fields[i].name))
            fields[i].take(s, value);
}

/* ---- lines ---- */

/* Ends an event at a blank line. Its id takes effect even if it has no data. */
static bool http_sse_dispatch(struct mcti_sse *s, mcti_sse_fn fn, void *data)
{
    bool go_on = true;
    if (!mcti_str_eq(mcti_buf_str(&s->id), mcti_buf_str(&s->last_id)))
        http_sse_set(&s->last_id, mcti_buf_str(&s->id));
    if (!s->skipping && s->data.len) {
        struct mcti_str text = { s->data.p + s->data_at, s->data.len - s->data_at - 1 };
        struct mcti_chunk *chunk = s->chunk = mcti_json_chunk_take(&s->data, &s->check);
        if (chunk)
            chunk->text_at = s->data_at;
        go_on = fn(data, s->type.len ? mcti_buf_str(&s->type) : MCT_STR("message"), text);
        s->chunk = NULL;
        mcti_chunk_unref(chunk);
    }
    forget_event(s);
    return go_on;
}

/* Processes one complete line. */
static bool http_sse_on_line(struct mcti_sse *s, struct mcti_str line, mcti_sse_fn fn, void *data)
{
    if (s->skipping || !mcti_str_starts(line, MCT_STR("data")))
        s->wasted += line.len + MCT_WASTE_LINE;
    if (!line.len)
        return http_sse_dispatch(s, fn, data);
    if (line.len > s->line.max)
        skip_event(s, line); /* as if the line had arrived in pieces */
    if (!s->skipping && *line.p != ':')
        http_sse_on_field(s, line);
    return true;
}

static const char *line_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    const char *cr = memchr(p, '\r', (size_t)((lf ? lf : end) - p));
    return cr ? cr : lf;
}

/* Checks what has arrived of a long line, if it is the first one with data of its event. */
static void sse_check_line(struct mcti_sse *s)
{
    static const char name[] = "data:";
    size_t n = sizeof name - 1;
    if (s->line.len < MCT_TURN_BYTES || s->data.len || memcmp(s->line.p, name, n))
        return;
    n += s->line.p[n] == ' ';
    mcti_json_arrived(&s->check, (struct mcti_str){ s->line.p + n, s->line.len - n });
}

static void http_sse_keep(struct mcti_sse *s, struct mcti_str part)
{
    if (s->skipping && s->line.len) { /* only whether the line is blank still matters */
        s->wasted += part.len;
        return;
    }
    mcti_buf_add(&s->line, part);
    if (mcti_buf_ok(&s->line)) {
        sse_check_line(s);
        return;
    }
    skip_event(s, s->line.len ? mcti_str_range(s->line.p, s->line.p + s->line.len) : part);
    mcti_buf_clear(&s->line);
    mcti_buf_addc(&s->line, ':');
}

/* Skips a byte order mark at the beginning of the stream, which may arrive in pieces. */
static struct mcti_str skip_bom(struct mcti_sse *s, struct mcti_str bytes)
{
    static const char bom[] = "\xef\xbb\xbf";
    while (bytes.len && s->bom < 3) {
        if (*bytes.p != bom[s->bom]) {
            http_sse_keep(s, (struct mcti_str){ bom, s->bom });
            s->bom = 3;
            break;
        }
        s->bom++;
        bytes = (struct mcti_str){ bytes.p + 1, bytes.len - 1 };
    }
    return bytes;
}

/* Completes a line with its last part; s->line has the parts before. */
static bool take_line(struct mcti_sse *s, struct mcti_str part, mcti_sse_fn fn, void *data)
{
    if (!s->line.len)
        return http_sse_on_line(s, part, fn, data);
    http_sse_keep(s, part);
    bool go_on = http_sse_on_line(s, mcti_buf_str(&s->line), fn, data);
    mcti_buf_clear(&s->line);
    return go_on;
}

int mcti_sse_feed(struct mcti_sse *s, struct mcti_str *bytes, mcti_sse_fn fn, void *data)
{
    bool go_on = true;
    s->dropped = false;
    *bytes = skip_bom(s, *bytes);
    while (go_on && bytes->len) {
        const char *p = bytes->p, *end = p + bytes->len;
        bool is_rest = s->after_cr && *p == '\n'; /* second half of a CRLF */
        const char *stop = is_rest ? p : line_end(p, end);
        s->after_cr = stop && *stop == '\r';
        *bytes = mcti_str_range(stop ? stop + 1 : end, end);
        if (!stop)
            http_sse_keep(s, mcti_str_range(p, end));
        else if (!is_rest)
            go_on = take_line(s, mcti_str_range(p, stop), fn, data);
    }
    return s->dropped ? -1 : 0;
}
