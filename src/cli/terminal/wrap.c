#include "cli/terminal/wrap.h"

#include "base/log/utf8.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { USUAL_COLUMNS = 80, LEAST_COLUMNS = 20, MOST_COLUMNS = 1000 };

unsigned mcti_terminal_columns(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    unsigned n = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;
    if (!n && ioctl(fd, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    if (!n)
        return USUAL_COLUMNS;
    return n < LEAST_COLUMNS ? LEAST_COLUMNS : n > MOST_COLUMNS ? MOST_COLUMNS : n;
}

/* First and last characters that take no column, or two. */
struct width_range {
    unsigned first, last, columns;
};

static const struct width_range ranges[] = {
    { 0x0300, 0x036f, 0 }, /* combining marks */
    { 0x1100, 0x115f, 2 }, /* Hangul */
    { 0x200b, 0x200f, 0 }, { 0x2e80, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 },   { 0xf900, 0xfaff, 2 },
    { 0xfe00, 0xfe0f, 0 }, /* variation selectors */
    { 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 }, { 0x1f300, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
};

static unsigned character_columns(unsigned code_point)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && ranges[i].first <= code_point; i++)
        if (code_point <= ranges[i].last)
            return ranges[i].columns;
    return 1;
}

/* Returns the bytes of the first character, and sets *ret_columns to its columns. An invalid byte counts as one. */
static size_t next_character(struct mcti_str text, unsigned *ret_columns)
{
    size_t n = mcti_utf8_len(text.p, text.p + text.len);
    *ret_columns = n ? character_columns(mcti_utf8_at(text.p, n)) : 1;
    return n ? n : 1;
}

static struct mcti_str wrap_from(struct mcti_str text, size_t n)
{
    return (struct mcti_str){ text.p + n, text.len - n };
}

unsigned mcti_text_columns(struct mcti_str text)
{
    unsigned sum = 0, columns;
    while (text.len) {
        text = wrap_from(text, next_character(text, &columns));
        sum += columns;
    }
    return sum;
}

struct mcti_str mcti_text_cut(struct mcti_str text, unsigned columns)
{
    struct mcti_str rest = text;
    unsigned sum = 0, one;
    while (rest.len) {
        size_t n = next_character(rest, &one);
        sum += one;
        if (sum > columns)
            break;
        rest = wrap_from(rest, n);
    }
    return (struct mcti_str){ text.p, text.len - rest.len };
}

static void wrap_break(struct mcti_buf *to, const struct mcti_wrap *w, unsigned *at)
{
    mcti_buf_printf(to, "\n%*s", (int)w->indent, "");
    *at = w->indent;
}

/* Appends a word that does not fit into a line, character by character. */
static void put_long_word(struct mcti_buf *to, struct mcti_str word, const struct mcti_wrap *w, unsigned *at)
{
    while (word.len) {
        unsigned columns;
        size_t n = next_character(word, &columns);
        if (*at + columns > w->columns)
            wrap_break(to, w, at);
        mcti_buf_add(to, (struct mcti_str){ word.p, n });
        *at += columns;
        word = wrap_from(word, n);
    }
}

/* Appends one line of the text. */
static void wrap_put_line(struct mcti_buf *to, struct mcti_str line, const struct mcti_wrap *w, unsigned *at)
{
    struct mcti_str word;
    bool first = true;
    for (; mcti_str_split(&line, ' ', &word); first = false) {
        unsigned columns = mcti_text_columns(word);
        if (first || *at + 1 + columns <= w->columns) {
            mcti_buf_addz(to, first ? "" : " ");
            *at += !first;
        } else if (word.len) {
            wrap_break(to, w, at);
        } else {
            continue;
        }
        if (!w->keeps_words && *at + columns > w->columns && w->columns > w->indent + 1) {
            put_long_word(to, word, w, at);
            continue;
        }
        mcti_buf_add(to, word);
        *at += columns;
    }
}

void mcti_wrap_put(struct mcti_buf *to, struct mcti_str text, const struct mcti_wrap *w)
{
    struct mcti_str line;
    unsigned at = w->at;
    for (bool first = true; mcti_str_split(&text, '\n', &line); first = false) {
        if (!first)
            wrap_break(to, w, &at);
        if (w->columns)
            wrap_put_line(to, line, w, &at);
        else
            mcti_buf_add(to, line);
    }
}
