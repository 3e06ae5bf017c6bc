/* The state of a check: its work limit, its faults, and access to names; see impl.h. */
#include "schema/value.h"

#include "base/log/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN = 80, PLACE = sizeof((struct mcti_schema_fault *)0)->where };

void mcti_schema_run_init(struct mcti_schema_run *run, struct mcti_schema_fault *fault)
{
    *run = (struct mcti_schema_run){ .fault = fault, .work = MCT_SCHEMA_WORK };
    mcti_buf_init(&run->text, MCT_SCHEMA_SCRATCH_BYTES);
    mcti_buf_init(&run->other, MCT_SCHEMA_SCRATCH_BYTES);
    mcti_buf_init(&run->marks, MCT_SCHEMA_NOTES_BYTES);
    mcti_buf_init(&run->resources, MCT_SCHEMA_NAMES * sizeof(struct mcti_schema_resource));
    mcti_buf_init(&run->anchors, MCT_SCHEMA_NAMES * sizeof(struct mcti_schema_anchor));
    mcti_buf_init(&run->uris, MCT_SCHEMA_NOTES_BYTES);
}

void mcti_schema_run_done(struct mcti_schema_run *run)
{
    mcti_buf_done(&run->text);
    mcti_buf_done(&run->other);
    mcti_buf_done(&run->marks);
    mcti_buf_done(&run->resources);
    mcti_buf_done(&run->anchors);
    mcti_buf_done(&run->uris);
    mcti_schema_patterns_done(run);
}

/* Removes a truncated character from the end. */
static struct mcti_str whole_characters(struct mcti_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.len; back++) {
        const char *p = s.p + s.len - back;
        if (((unsigned char)*p & 0xc0) == 0x80)
            continue;
        if (!mcti_utf8_len(p, s.p + s.len))
            s.len -= back;
        break;
    }
    return s;
}

struct mcti_schema_show mcti_schema_show(struct mcti_str s)
{
    if (s.len <= SHOWN)
        return (struct mcti_schema_show){ s.p ? s : MCT_STR(""), "" };
    return (struct mcti_schema_show){ whole_characters((struct mcti_str){ s.p, SHOWN }), "…" };
}

/* ---- faults ---- */

static size_t depth_of(const struct mcti_schema_place *at)
{
    size_t n = 0;
    for (; at->up; at = at->up)
        n++;
    return n;
}

static const struct mcti_schema_place *schema_run_above(const struct mcti_schema_place *at, size_t levels)
{
    while (levels--)
        at = at->up;
    return at;
}

static void schema_run_put_token(struct mcti_schema_run *run, struct mcti_buf *to, const struct mcti_schema_place *at)
{
    mcti_buf_addc(to, '/');
    if (!at->key.p) {
        mcti_buf_addu(to, at->index);
        return;
    }
    struct mcti_str key = mcti_schema_text(run, &run->text, at->key);
    for (size_t i = 0; i < key.len && to->len < PLACE; i++) {
        unsigned char c = (unsigned char)key.p[i];
        if (c == '~' || c == '/')
            mcti_buf_addz(to, c == '~' ? "~0" : "~1");
        else
            mcti_buf_addc(to, c < 0x20 || c == 0x7f ? '?' : (char)c); /* the text may be shown on a terminal */
    }
}

static void put_place(struct mcti_schema_run *run, char where[PLACE])
{
    struct mcti_buf b;
    mcti_buf_init(&b, 2 * PLACE);
    for (size_t left = depth_of(run->at); left && b.len < PLACE; left--)
        schema_run_put_token(run, &b, schema_run_above(run->at, left - 1));
    struct mcti_str text = mcti_buf_str(&b);
    if (text.len >= PLACE)
        text = whole_characters((struct mcti_str){ text.p, PLACE - 1 });
    memcpy(where, text.p, text.len);
    where[text.len] = '\0';
    mcti_buf_done(&b);
}

__attribute__((format(printf, 2, 0))) static void note(struct mcti_schema_run *run, const char *fmt, va_list ap)
{
    if (!run->fault)
        return;
    int n = vsnprintf(run->fault->why, sizeof run->fault->why, fmt, ap);
    if (n >= (int)sizeof run->fault->why)
        run->fault->why[whole_characters(mcti_str_of(run->fault->why)).len] = '\0';
    put_place(run, run->fault->where);
}

bool mcti_schema_mismatch(struct mcti_schema_run *run, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!run->quiet && !run->stopped)
        note(run, fmt, ap);
    va_end(ap);
    return false;
}

bool mcti_schema_stop(struct mcti_schema_run *run, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!run->stopped) {
        run->stopped = true;
        note(run, fmt, ap);
    }
    va_end(ap);
    return false;
}

bool mcti_schema_spend(struct mcti_schema_run *run, size_t units)
{
    if (run->stopped)
        return false;
    if (units > run->work)
        return mcti_schema_stop(run, "takes too much work to check");
    run->work -= units;
    return true;
}

bool mcti_schema_whole(struct mcti_schema_run *run, const struct mcti_buf *b)
{
    return mcti_buf_ok(b) || mcti_schema_stop(run, "the schema needs more memory than is available");
}

/* ---- names ---- */

struct mcti_str mcti_schema_text(struct mcti_schema_run *run, struct mcti_buf *scratch, struct mcti_str raw)
{
    if (!raw.len || !memchr(raw.p, '\\', raw.len))
        return raw;
    mcti_schema_spend(run, raw.len / 4);
    mcti_buf_clear(scratch);
    bool has_text = mcti_json_unescape((struct mcti_str){ raw.p - 1, raw.len + 2 }, scratch) == 0;
    if (!mcti_buf_ok(scratch))
        mcti_schema_stop(run, "contains a string that needs more memory than is available");
    return has_text ? mcti_buf_str(scratch) : raw;
}

bool mcti_schema_same_text(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b)
{
    bool plain_a = !memchr(a.p, '\\', a.len), plain_b = !memchr(b.p, '\\', b.len);
    if ((plain_a && plain_b) || mcti_str_eq(a, b))
        return mcti_str_eq(a, b);
    return mcti_str_eq(mcti_schema_text(run, &run->text, a), mcti_schema_text(run, &run->other, b));
}

/* Searches the members from *it to the end. */
static bool find_from(struct mcti_schema_run *run, struct mcti_json_iter *it, struct mcti_str raw_name,
                      struct mcti_str *ret_value)
{
    struct mcti_json_member m;
    bool found = false;
    const char *from = it->p;
    while (!found && mcti_schema_spend(run, 2) && mcti_json_next_member(it, &m))
        found = mcti_schema_same_text(run, m.key, raw_name);
    if (found)
        *ret_value = m.value;
    return mcti_schema_spend_bytes(run, (size_t)(it->p - from)) && found;
}

bool mcti_schema_find(struct mcti_schema_run *run, struct mcti_str object, struct mcti_json_iter *from,
                      struct mcti_str raw_name, struct mcti_str *ret_value)
{
    struct mcti_json_iter behind = *from, before = mcti_json_open(object);
    if (find_from(run, &behind, raw_name, ret_value)) {
        *from = behind;
        return true;
    }
    before.end = from->p;
    if (!find_from(run, &before, raw_name, ret_value))
        return false;
    from->p = before.p;
    return true;
}

size_t mcti_schema_count(struct mcti_schema_run *run, struct mcti_str value)
{
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_json_member m;
    struct mcti_str item;
    size_t n = 0;
    mcti_schema_spend_bytes(run, value.len);
    if (mcti_json_type(value) == '{')
        while (mcti_schema_next_member(run, &it, &m))
            n++;
    else
        while (mcti_schema_next(run, &it, &item))
            n++;
    return n;
}
