#include "json/write.h"

#include "base/log/utf8.h"
#include "json/strings.h"

void mct_json_put_escape(struct mct_buf *to, unsigned c)
{
    static const char from[] = "\b\f\n\r\t", into[] = "bfnrt";
    const char *at = c && c < 0x20 ? strchr(from, (int)c) : NULL;
    if (at || c == '"' || c == '\\') {
        mct_buf_addc(to, '\\');
        mct_buf_addc(to, at ? into[at - from] : (char)c);
    } else {
        mct_buf_printf(to, "\\u%04x", c);
    }
}

static size_t plain_len(const char *p, const char *end)
{
    const char *from = p;
    while ((p = mct_plain_run(p, end)) < end && (unsigned char)*p >= 0x80) {
        size_t n = mct_utf8_len(p, end);
        if (!n)
            break;
        p += n;
    }
    return (size_t)(p - from);
}

void mct_json_put_string(struct mct_buf *to, struct mct_str s)
{
    const char *p = s.p ? s.p : "", *end = p + s.len; /* what is absent is empty here */
    mct_buf_mind(to, s);
    mct_buf_addc(to, '"');
    while (p < end) {
        size_t n = plain_len(p, end);
        mct_buf_add(to, (struct mct_str){ p, n });
        p += n;
        if (p == end)
            break;
        if ((unsigned char)*p < 0x80)
            mct_json_put_escape(to, (unsigned char)*p);
        else
            mct_buf_addz(to, "\xef\xbf\xbd");
        p++;
    }
    mct_buf_addc(to, '"');
}

static void comma(struct mct_buf *to)
{
    if (to->len && mct_buf_last(to) != '{' && mct_buf_last(to) != '[')
        mct_buf_addc(to, ',');
}

void mct_json_put_key(struct mct_buf *to, const char *key)
{
    comma(to);
    mct_json_put_string(to, mct_str_of(key));
    mct_buf_addc(to, ':');
}

void mct_json_put_member(struct mct_buf *to, const char *key, struct mct_str text)
{
    mct_json_put_key(to, key);
    mct_json_put_string(to, text);
}

void mct_json_put_raw(struct mct_buf *to, const char *key, struct mct_str value)
{
    mct_json_put_key(to, key);
    mct_buf_add(to, value);
}

static const struct mct_json_set *find_set(const struct mct_json_set *sets, size_t n,
                                           struct mct_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mct_json_key_is(key, sets[i].key))
            return &sets[i];
    return NULL;
}

static void put_raw_member(struct mct_buf *to, struct mct_str key, struct mct_str value)
{
    comma(to);
    mct_buf_addc(to, '"');
    mct_buf_add(to, key);
    mct_buf_add(to, MCT_STR("\":"));
    mct_buf_add(to, value);
}

void mct_json_put_object(struct mct_buf *to, struct mct_str object, const struct mct_json_set *sets,
                         size_t n_sets)
{
    unsigned done = 0;
    struct mct_json_member m;

    mct_buf_mind(to, object);
    mct_buf_addc(to, '{');
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);) {
        const struct mct_json_set *set = find_set(sets, n_sets, m.key);
        if (!set) {
            put_raw_member(to, m.key, m.value);
        } else if (!(done & 1u << (set - sets))) {
            done |= 1u << (set - sets);
            if (set->value.p)
                put_raw_member(to, m.key, set->value);
        }
    }
    for (size_t i = 0; i < n_sets; i++)
        if (!(done & 1u << i) && sets[i].value.p)
            put_raw_member(to, mct_str_of(sets[i].key), sets[i].value);
    mct_buf_addc(to, '}');
}

static void blank_all(char *p, const char *end, char c)
{
    while ((p = memchr(p, c, (size_t)(end - p))))
        *p = ' ';
}

void mct_json_put_line(struct mct_buf *to, struct mct_str v)
{
    size_t from = to->len;
    mct_buf_add(to, v);
    if (!mct_buf_ok(to) || !v.len)
        return;
    blank_all(to->p + from, to->p + to->len, '\n');
    blank_all(to->p + from, to->p + to->len, '\r');
}

static void newline(struct mct_buf *to, int depth)
{
    mct_buf_addc(to, '\n');
    for (int i = 0; i < depth; i++)
        mct_buf_add(to, MCT_STR("  "));
}

/* The next token of validated JSON: a string, one structural byte, or a run of anything else. */
static struct mct_str token(const char *p, const char *end)
{
    const char *from = p++;
    if (*from == '"') {
        while (p < end && *p != '"')
            p += *p == '\\' ? 2 : 1;
        p++;
    } else if (!strchr("{}[],: \n\r\t", *from)) {
        while (p < end && !strchr("{}[],: \n\r\t", *p))
            p++;
    }
    return mct_str_range(from, p);
}

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && strchr(" \n\r\t", *p))
        p++;
    return p;
}

/* A string with escapes is written as it would be anew; one without stays as it is, and so does one that has no text (an
 * unpaired surrogate). */
static void put_token(struct mct_buf *to, struct mct_str token)
{
    struct mct_buf text;
    if (token.p[0] != '"' || !memchr(token.p, '\\', token.len)) {
        mct_buf_add(to, token);
        return;
    }
    mct_buf_init(&text, token.len);
    if (mct_json_unescape(token, &text) == 0)
        mct_json_put_string(to, mct_buf_str(&text));
    else
        mct_buf_add(to, token);
    mct_buf_done(&text);
}

void mct_json_put_compact(struct mct_buf *to, struct mct_str v)
{
    const char *end = v.p + v.len;
    mct_buf_mind(to, v);
    if (v.len && *v.p == '"' && end[-1] == '"') { /* which most are */
        put_token(to, v);
        return;
    }
    for (const char *p = skip_blank(v.p, end); p < end; p = skip_blank(p, end)) {
        struct mct_str t = token(p, end);
        p += t.len;
        put_token(to, t);
    }
}

void mct_json_put_pretty(struct mct_buf *to, struct mct_str v)
{
    const char *end = v.p + v.len;
    int depth = 0;
    mct_buf_mind(to, v);
    for (const char *p = skip_blank(v.p, end); p < end; p = skip_blank(p, end)) {
        struct mct_str t = token(p, end);
        p += t.len;
        bool opens = *t.p == '{' || *t.p == '[', closes = *t.p == '}' || *t.p == ']';
        bool was_open = to->len && strchr("{[", mct_buf_last(to)) && depth > 0;
        if (closes)
            depth--;
        if ((closes && !was_open) || (!closes && was_open && *t.p != ',' && *t.p != ':'))
            newline(to, depth);
        mct_buf_add(to, t);
        depth += opens;
        if (*t.p == ',')
            newline(to, depth);
        else if (*t.p == ':')
            mct_buf_addc(to, ' ');
    }
}
