/* Decodes HTML entities, which some providers write into the strings of arguments. */
#include "model/schema/back.h"

#include "base/log/utf8.h"
#include "json/write.h"

enum { LONGEST = 10 }; /* bytes between '&' and ';' */

/* Returns the character of a named entity; 0 if it is unknown. */
static unsigned entities_named(struct mcti_str name)
{
    static const struct {
        const char *name;
        unsigned c;
    } rows[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' }, { "nbsp", 0xa0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_str_is(name, rows[i].name))
            return rows[i].c;
    return 0;
}

static unsigned entities_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 32) : NULL; /* digits have that bit as well */
    return at ? (unsigned)(at - digits) : 16;
}

static unsigned entities_numbered(struct mcti_str number)
{
    bool hex = number.len && (number.p[0] | 32) == 'x';
    unsigned base = hex ? 16 : 10, c = 0;
    for (size_t i = hex; i < number.len; i++) {
        if (entities_digit(number.p[i]) >= base)
            return 0;
        c = c * base + entities_digit(number.p[i]);
        if (c > 0x10ffff)
            return 0;
    }
    return c >= 0xd800 && c < 0xe000 ? 0 : c;
}

/* Returns the length of the entity at the '&' that begins `s`; 0 if there is none. */
static size_t entities_entity(struct mcti_str s, unsigned *ret_c)
{
    size_t most = s.len < LONGEST + 2 ? s.len : LONGEST + 2;
    const char *end = memchr(s.p, ';', most);
    if (!end)
        return 0;
    struct mcti_str name = mcti_str_range(s.p + 1, end);
    bool number = name.len && name.p[0] == '#';
    *ret_c = number ? entities_numbered((struct mcti_str){ name.p + 1, name.len - 1 }) : entities_named(name);
    return *ret_c ? (size_t)(end + 1 - s.p) : 0;
}

static void entities_put_text(struct mcti_buf *to, struct mcti_str s)
{
    for (size_t i = 0; i < s.len;) {
        unsigned c;
        size_t n = s.p[i] == '&' ? entities_entity((struct mcti_str){ s.p + i, s.len - i }, &c) : 0;
        if (n)
            mcti_utf8_put(to, c);
        else
            mcti_buf_addc(to, s.p[i]);
        i += n ? n : 1;
    }
}

static void put_string(struct mcti_buf *to, struct mcti_str string)
{
    struct mcti_buf text, decoded;
    mcti_buf_init(&text, string.len);
    mcti_buf_init(&decoded, string.len);
    if (!memchr(string.p, '&', string.len) || mcti_json_unescape(string, &text) < 0) {
        mcti_buf_add(to, string);
    } else {
        entities_put_text(&decoded, mcti_buf_str(&text));
        mcti_json_put_string(to, mcti_buf_str(&decoded));
    }
    mcti_buf_done(&text);
    mcti_buf_done(&decoded);
}

static void entities_put_value(struct mcti_buf *to, struct mcti_str value);

static void put_children(struct mcti_buf *to, struct mcti_str value, bool object)
{
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_json_member m = { .value = MCT_STR_NONE };
    for (bool first = true; object ? mcti_json_next_member(&it, &m) : mcti_json_next_item(&it, &m.value);
         first = false) {
        mcti_buf_addz(to, first ? "" : ",");
        if (object) {
            mcti_buf_addc(to, '"');
            mcti_buf_add(to, m.key);
            mcti_buf_add(to, MCT_STR("\":"));
        }
        entities_put_value(to, m.value);
    }
}

static void entities_put_value(struct mcti_buf *to, struct mcti_str value)
{
    char type = mcti_json_type(value);
    if (type == '"') {
        put_string(to, value);
    } else if (type != '{' && type != '[') {
        mcti_buf_add(to, value);
    } else {
        mcti_buf_addc(to, type);
        put_children(to, value, type == '{');
        mcti_buf_addc(to, type == '{' ? '}' : ']');
    }
}

void mcti_normal_put_decoded(struct mcti_buf *to, struct mcti_str value)
{
    entities_put_value(to, value);
}
