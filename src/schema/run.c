/* The run of one check: its budget, its faults, and the reading of names; see impl.h. */
#include "schema/impl.h"

#include "base/log/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN = 80, PLACE = sizeof((struct mct_schema_fault *)0)->where };

void mct_schema_run_init(struct mct_schema_run *run, struct mct_schema_fault *fault)
{
    *run = (struct mct_schema_run){ .fault = fault, .work = MCT_SCHEMA_WORK };
    mct_buf_init(&run->text, MCT_SCHEMA_SCRATCH_BYTES);
    mct_buf_init(&run->other, MCT_SCHEMA_SCRATCH_BYTES);
    mct_buf_init(&run->marks, MCT_SCHEMA_NOTES_BYTES);
    mct_buf_init(&run->resources, MCT_SCHEMA_NAMES * sizeof(struct mct_schema_resource));
    mct_buf_init(&run->anchors, MCT_SCHEMA_NAMES * sizeof(struct mct_schema_anchor));
    mct_buf_init(&run->uris, MCT_SCHEMA_NOTES_BYTES);
}

void mct_schema_run_done(struct mct_schema_run *run)
{
    mct_buf_done(&run->text);
    mct_buf_done(&run->other);
    mct_buf_done(&run->marks);
    mct_buf_done(&run->resources);
    mct_buf_done(&run->anchors);
    mct_buf_done(&run->uris);
    mct_schema_patterns_done(run);
}

/* Without the beginning of a character that was cut off at the end. */
static struct mct_str whole_characters(struct mct_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.len; back++) {
        const char *p = s.p + s.len - back;
        if (((unsigned char)*p & 0xc0) == 0x80)
            continue;
        if (!mct_utf8_len(p, s.p + s.len))
            s.len -= back;
        break;
    }
    return s;
}

struct mct_schema_show mct_schema_show(struct mct_str s)
{
    if (s.len <= SHOWN)
        return (struct mct_schema_show){ s.p ? s : MCT_STR(""), "" };
    return (struct mct_schema_show){ whole_characters((struct mct_str){ s.p, SHOWN }), "…" };
}

/* ---- faults ---- */

static size_t depth_of(const struct mct_schema_place *at)
{
    size_t n = 0;
    for (; at->up; at = at->up)
        n++;
    return n;
}

static const struct mct_schema_place *above(const struct mct_schema_place *at, size_t levels)
{
    while (levels--)
        at = at->up;
    return at;
}

static void put_token(struct mct_schema_run *run, struct mct_buf *to, const struct mct_schema_place *at)
{
    mct_buf_addc(to, '/');
    if (!at->key.p) {
        mct_buf_addu(to, at->index);
        return;
    }
    struct mct_str key = mct_schema_text(run, &run->text, at->key);
    for (size_t i = 0; i < key.len && to->len < PLACE; i++) {
        unsigned char c = (unsigned char)key.p[i];
        if (c == '~' || c == '/')
            mct_buf_addz(to, c == '~' ? "~0" : "~1");
        else
            mct_buf_addc(to, c < 0x20 || c == 0x7f ? '?' : (char)c); /* it will stand on a terminal */
    }
}

static void put_place(struct mct_schema_run *run, char where[PLACE])
{
    struct mct_buf b;
    mct_buf_init(&b, 2 * PLACE);
    for (size_t left = depth_of(run->at); left && b.len < PLACE; left--)
        put_token(run, &b, above(run->at, left - 1));
    struct mct_str text = mct_buf_str(&b);
    if (text.len >= PLACE)
        text = whole_characters((struct mct_str){ text.p, PLACE - 1 });
    memcpy(where, text.p, text.len);
    where[text.len] = '\0';
    mct_buf_done(&b);
}

__attribute__((format(printf, 2, 0))) static void note(struct mct_schema_run *run, const char *fmt, va_list ap)
{
    if (!run->fault)
        return;
    int n = vsnprintf(run->fault->why, sizeof run->fault->why, fmt, ap);
    if (n >= (int)sizeof run->fault->why)
        run->fault->why[whole_characters(mct_str_of(run->fault->why)).len] = '\0';
    put_place(run, run->fault->where);
}

bool mct_schema_say(struct mct_schema_run *run, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!run->quiet && !run->stopped)
        note(run, fmt, ap);
    va_end(ap);
    return false;
}

bool mct_schema_stop(struct mct_schema_run *run, const char *fmt, ...)
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

bool mct_schema_spend(struct mct_schema_run *run, size_t units)
{
    if (run->stopped)
        return false;
    if (units > run->work)
        return mct_schema_stop(run, "takes too much work to check");
    run->work -= units;
    return true;
}

bool mct_schema_whole(struct mct_schema_run *run, const struct mct_buf *b)
{
    return mct_buf_ok(b) || mct_schema_stop(run, "the schema needs more memory than there is");
}

/* ---- names ---- */

struct mct_str mct_schema_text(struct mct_schema_run *run, struct mct_buf *scratch, struct mct_str raw)
{
    if (!raw.len || !memchr(raw.p, '\\', raw.len))
        return raw;
    mct_schema_spend(run, raw.len / 4);
    mct_buf_clear(scratch);
    bool has_text = mct_json_unescape((struct mct_str){ raw.p - 1, raw.len + 2 }, scratch) == 0;
    if (!mct_buf_ok(scratch))
        mct_schema_stop(run, "holds a string for which there is not enough memory");
    return has_text ? mct_buf_str(scratch) : raw;
}

bool mct_schema_same_text(struct mct_schema_run *run, struct mct_str a, struct mct_str b)
{
    bool plain_a = !memchr(a.p, '\\', a.len), plain_b = !memchr(b.p, '\\', b.len);
    if ((plain_a && plain_b) || mct_str_eq(a, b))
        return mct_str_eq(a, b);
    return mct_str_eq(mct_schema_text(run, &run->text, a), mct_schema_text(run, &run->other, b));
}

/* Members from *it to its end. */
static bool find_from(struct mct_schema_run *run, struct mct_json_iter *it, struct mct_str raw_name,
                      struct mct_str *ret_value)
{
    struct mct_json_member m;
    bool found = false;
    const char *from = it->p;
    while (!found && mct_schema_spend(run, 2) && mct_json_next_member(it, &m))
        found = mct_schema_same_text(run, m.key, raw_name);
    if (found)
        *ret_value = m.value;
    return mct_schema_spend_bytes(run, (size_t)(it->p - from)) && found;
}

bool mct_schema_find(struct mct_schema_run *run, struct mct_str object, struct mct_json_iter *from,
                     struct mct_str raw_name, struct mct_str *ret_value)
{
    struct mct_json_iter behind = *from, before = mct_json_open(object);
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

size_t mct_schema_count(struct mct_schema_run *run, struct mct_str value)
{
    struct mct_json_iter it = mct_json_open(value);
    struct mct_json_member m;
    struct mct_str item;
    size_t n = 0;
    mct_schema_spend_bytes(run, value.len);
    if (mct_json_type(value) == '{')
        while (mct_schema_next_member(run, &it, &m))
            n++;
    else
        while (mct_schema_next(run, &it, &item))
            n++;
    return n;
}
