#include "model/describe.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "json/scan.h"

enum { OUR_MOST = 64 * 1024, NOTE_BYTES = 160 };

/* Returns the number of UTF-16 code units of the character of `n` bytes. */
static size_t describe_units(size_t n)
{
    return n == 4 ? 2 : 1;
}

static bool is_blank_char(char c)
{
    return c && strchr(" \t\r\n\v\f", c);
}

/* Returns the length of a character that nobody sees; 0 if it is visible, a line end or a tab. Zero-width joiners have
 * a meaning in some languages and in emoji. */
static size_t describe_unseen_len(const char *p, size_t n)
{
    static const char *const joiners[] = { "\xe2\x80\x8c", "\xe2\x80\x8d" };
    for (size_t i = 0; i < sizeof joiners / sizeof *joiners; i++)
        if (n >= 3 && !memcmp(p, joiners[i], 3))
            return 0;
    return strchr("\t\r\n", *p) && *p ? 0 : mcti_unseen_len(p, n);
}

/* Appends the visible characters, and returns the number of the others. */
static size_t describe_put_visible(struct mcti_buf *to, struct mcti_str text)
{
    size_t n_unseen = 0, n;
    for (const char *p = text.p, *end = p + text.len; p < end; p += n) {
        size_t unseen = describe_unseen_len(p, (size_t)(end - p));
        n = unseen ? unseen : mcti_utf8_len(p, end);
        n_unseen += unseen || !n;
        if (!unseen && n)
            mcti_buf_add(to, (struct mcti_str){ p, n });
        n = n ? n : 1;
    }
    return n_unseen;
}

/* Returns the number of code units of the text. */
static size_t describe_count(struct mcti_str text)
{
    size_t units = 0, n;
    for (const char *p = text.p, *end = p + text.len; p < end; p += n, units += describe_units(n))
        n = mcti_utf8_len(p, end);
    return units;
}

/* Returns the words at the beginning of the text that fit into `max` code units; a first word that is too long is cut
 * itself. */
static struct mcti_str describe_head(struct mcti_str text, size_t max)
{
    size_t units = 0, n, at = 0, word = 0;
    for (; at < text.len; at += n) {
        n = mcti_utf8_len(text.p + at, text.p + text.len);
        if (is_blank_char(text.p[at]))
            word = at;
        units += describe_units(n);
        if (units > max)
            break;
    }
    at = word ? word : at;
    while (at && is_blank_char(text.p[at - 1]))
        at--;
    return (struct mcti_str){ text.p, at };
}

static void describe_put_noted(struct mcti_buf *to, struct mcti_str text, size_t n_unseen, size_t max)
{
    struct mcti_buf note;
    size_t units = describe_count(text);
    mcti_buf_init(&note, NOTE_BYTES);
    if (n_unseen)
        mcti_buf_printf(&note, "\n[mcptools: %zu invisible characters removed]", n_unseen);
    bool cut = units + note.len > max;
    if (cut)
        mcti_buf_printf(&note, "\n[mcptools: cut; the whole text has %zu characters]", units);
    mcti_buf_add(to, cut ? describe_head(text, max - note.len) : text);
    mcti_buf_add(to, mcti_buf_str(&note));
    mcti_buf_done(&note);
}

bool mcti_describe_put(struct mcti_buf *to, struct mcti_str value, size_t max)
{
    struct mcti_buf text, seen;
    mcti_buf_init(&text, value.len + 1);
    mcti_buf_init(&seen, value.len + 1);
    mcti_json_unescape_any(value, &text);
    size_t n_unseen = describe_put_visible(&seen, mcti_buf_str(&text));
    bool any = mcti_str_trim_white(mcti_buf_str(&seen)).len;
    if (any)
        describe_put_noted(to, mcti_buf_str(&seen), n_unseen, max ? max : OUR_MOST);
    to->failed |= !mcti_buf_ok(&text) || !mcti_buf_ok(&seen);
    mcti_buf_done(&text);
    mcti_buf_done(&seen);
    return any;
}
