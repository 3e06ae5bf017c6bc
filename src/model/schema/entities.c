/* HTML entities in the strings of arguments, which some providers put there. */
#include "model/schema/back.h"

#include "base/log/utf8.h"
#include "json/write.h"

enum { LONGEST = 10 }; /* between & and ; */

/* The character an entity stands for, 0: it is none we know. */
static unsigned named(struct mct_str name)
{
    static const struct {
        const char *name;
        unsigned c;
    } rows[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' }, { "nbsp", 0xa0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mct_str_is(name, rows[i].name))
            return rows[i].c;
    return 0;
}

static unsigned digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 32) : NULL; /* digits have that bit */
    return at ? (unsigned)(at - digits) : 16;
}

static unsigned numbered(struct mct_str number)
{
    bool hex = number.len && (number.p[0] | 32) == 'x';
    unsigned base = hex ? 16 : 10, c = 0;
    for (size_t i = hex; i < number.len; i++) {
        if (digit(number.p[i]) >= base)
            return 0;
        c = c * base + digit(number.p[i]);
        if (c > 0x10ffff)
            return 0;
    }
    return c >= 0xd800 && c < 0xe000 ? 0 : c;
}

/* The length of the entity at `s`, which begins with '&'; 0: there is none. */
static size_t entity(struct mct_str s, unsigned *ret_c)
{
    size_t most = s.len < LONGEST + 2 ? s.len : LONGEST + 2;
    const char *end = memchr(s.p, ';', most);
    if (!end)
        return 0;
    struct mct_str name = mct_str_range(s.p + 1, end);
    bool number = name.len && name.p[0] == '#';
    *ret_c = number ? numbered((struct mct_str){ name.p + 1, name.len - 1 }) : named(name);
    return *ret_c ? (size_t)(end + 1 - s.p) : 0;
}

static void put_text(struct mct_buf *to, struct mct_str s)
{
    for (size_t i = 0; i < s.len;) {
        unsigned c;
        size_t n = s.p[i] == '&' ? entity((struct mct_str){ s.p + i, s.len - i }, &c) : 0;
        if (n)
            mct_utf8_put(to, c);
        else
            mct_buf_addc(to, s.p[i]);
        i += n ? n : 1;
    }
}

static void put_string(struct mct_buf *to, struct mct_str string)
{
    struct mct_buf text, decoded;
    mct_buf_init(&text, string.len);
    mct_buf_init(&decoded, string.len);
    if (!memchr(string.p, '&', string.len) || mct_json_unescape(string, &text) < 0) {
        mct_buf_add(to, string);
    } else {
        put_text(&decoded, mct_buf_str(&text));
        mct_json_put_string(to, mct_buf_str(&decoded));
    }
    mct_buf_done(&text);
    mct_buf_done(&decoded);
}

static void put_value(struct mct_buf *to, struct mct_str value);

static void put_children(struct mct_buf *to, struct mct_str value, bool object)
{
    struct mct_json_iter it = mct_json_open(value);
    struct mct_json_member m = { .value = MCT_STR_NONE };
    for (bool first = true; object ? mct_json_next_member(&it, &m) : mct_json_next_item(&it, &m.value); first = false) {
        mct_buf_addz(to, first ? "" : ",");
        if (object) {
            mct_buf_addc(to, '"');
            mct_buf_add(to, m.key);
            mct_buf_add(to, MCT_STR("\":"));
        }
        put_value(to, m.value);
    }
}

static void put_value(struct mct_buf *to, struct mct_str value)
{
    char type = mct_json_type(value);
    if (type == '"') {
        put_string(to, value);
    } else if (type != '{' && type != '[') {
        mct_buf_add(to, value);
    } else {
        mct_buf_addc(to, type);
        put_children(to, value, type == '{');
        mct_buf_addc(to, type == '{' ? '}' : ']');
    }
}

void normal_put_decoded(struct mct_buf *to, struct mct_str value)
{
    put_value(to, value);
}
