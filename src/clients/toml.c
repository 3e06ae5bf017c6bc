/* Edits a table of a file in TOML, as a block of lines: from its header to the next one. Its sub-tables belong to it.
 * The file is read again after each edit: all other values must be what they were. */
#include "clients/install.h"

#include "base/limits.h"
#include "json/write.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- lines ---- */

/* Where a scan of the text is: outside of texts of several lines, and of brackets, a line may be a header. */
struct scan {
    const char *p, *end;
    int depth;
};

/* A text of several lines may end in up to two quotes of its own. */
static const char *find_last_quote(const char *p, const char *end, const char *quote, size_t len)
{
    for (int more = 0; len == 3 && more < 2 && p < end && *p == *quote; more++)
        p++;
    return p;
}

static const char *find_quote(const char *p, const char *end, const char *quote)
{
    bool is_basic = *quote == '"';
    size_t len = strlen(quote);
    for (; p + len <= end; p++)
        if (is_basic && *p == '\\')
            p++;
        else if (!memcmp(p, quote, len))
            return find_last_quote(p + len, end, quote, len);
        else if (len == 1 && *p == '\n')
            return p;
    return end;
}

/* Goes behind the end of the line that begins at s->p, and of the texts and brackets that begin on it. */
static void scan_line(struct scan *s)
{
    static const char *const quotes[] = { "\"\"\"", "'''", "\"", "'" };
    while (s->p < s->end && *s->p != '\n') {
        size_t i = 0;
        while (i < 4 && ((size_t)(s->end - s->p) < strlen(quotes[i]) || memcmp(s->p, quotes[i], strlen(quotes[i]))))
            i++;
        if (i < 4) {
            s->p = find_quote(s->p + strlen(quotes[i]), s->end, quotes[i]);
            continue;
        }
        if (*s->p == '#') {
            const char *newline = memchr(s->p, '\n', (size_t)(s->end - s->p));
            s->p = newline ? newline : s->end;
            continue;
        }
        s->depth += *s->p == '[' || *s->p == '{' ? 1 : *s->p == ']' || *s->p == '}' ? -1 : 0;
        s->p++;
    }
    s->p += s->p < s->end;
}

/* Reads one part of a key; returns the position behind it and the dot or bracket, or NULL. */
static const char *read_part(const char *p, const char *end, struct mcti_str *ret)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const char *from = p;
    if (p < end && (*p == '"' || *p == '\'')) {
        char quote[2] = { *p, '\0' };
        p = find_quote(p + 1, end, quote);
        *ret = mcti_str_range(from + 1, p - 1);
    } else {
        while (p < end && (isalnum((unsigned char)*p) || *p == '_' || *p == '-'))
            p++;
        *ret = mcti_str_range(from, p);
    }
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p < end && (*p == '.' || *p == ']') && ret->len ? p + 1 : NULL;
}

enum header { HEADER_NONE, HEADER_OTHER, HEADER_OURS };

/* Returns what a line is: no header, that of [table.name] or of a table in it, or that of another one. */
static enum header header_of(const char *p, const char *end, const char *table, const char *name)
{
    const char *const wanted[] = { table, name };
    struct mcti_str part;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == end || *p != '[')
        return HEADER_NONE;
    if (p + 1 < end && p[1] == '[')
        return HEADER_OTHER;
    p++;
    for (size_t i = 0; i < 2; i++) {
        p = read_part(p, end, &part);
        if (!p || !mcti_str_is(part, wanted[i]) || (i == 0 && p[-1] == ']'))
            return HEADER_OTHER;
    }
    return HEADER_OURS;
}

static bool is_blank_line(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p == end;
}

/* Finds the first block of the table. Comments and empty lines behind its last value are not part of it. */
static bool find_block(struct mcti_str text, const char *table, const char *name, struct mcti_str *ret)
{
    struct scan s = { .p = text.p, .end = text.p + text.len };
    const char *from = NULL, *to = NULL;
    while (s.p < s.end) {
        const char *line = s.p;
        enum header header = s.depth ? HEADER_NONE : header_of(line, s.end, table, name);
        if (from && header == HEADER_OTHER)
            break;
        scan_line(&s);
        if (!from && header == HEADER_OURS)
            from = line;
        const char *text_of = line;
        while (text_of < s.p && isspace((unsigned char)*text_of))
            text_of++;
        if (from && text_of < s.p && *text_of != '#')
            to = s.p;
    }
    *ret = mcti_str_range(from, to);
    return from;
}

/* ---- blocks ---- */

static void put_block(struct mcti_buf *to, const char *newline, const char *table, const char *name,
                      struct mcti_str entry)
{
    struct mcti_json_member m;
    mcti_buf_printf(to, "[%s.%s]%s", table, name, newline);
    for (struct mcti_json_iter it = mcti_json_open(entry); mcti_json_next_member(&it, &m);) {
        mcti_buf_printf(to, "%.*s = ", MCT_STR_ARG(m.key));
        struct mcti_str rest = m.value;
        if (mcti_json_type(m.value) == '[') { /* "a", "b": with blanks, as people write it */
            struct mcti_str item;
            mcti_buf_addc(to, '[');
            for (struct mcti_json_iter items = mcti_json_open(m.value); mcti_json_next_item(&items, &item);) {
                mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "" : ", ");
                mcti_buf_add(to, item);
            }
            rest = MCT_STR("]");
        }
        mcti_buf_add(to, rest);
        mcti_buf_addz(to, newline);
    }
}

/* Writes the text without the block, and without the empty line in front of it. */
static void put_without(struct mcti_buf *to, struct mcti_str text, struct mcti_str block)
{
    const char *end = text.p + text.len, *behind = block.p + block.len, *from = block.p;
    const char *before = from > text.p ? memrchr(text.p, '\n', (size_t)(from - 1 - text.p)) : NULL;
    before = before ? before + 1 : text.p;
    if (from > text.p && is_blank_line(before, from))
        from = before;
    mcti_buf_add(to, mcti_str_range(text.p, from));
    mcti_buf_add(to, mcti_str_range(behind, end));
}

static void put_with(struct mcti_buf *to, struct mcti_str text, struct mcti_str old, struct mcti_str block,
                     const char *newline)
{
    const char *end = text.p + text.len;
    if (old.p) {
        mcti_buf_add(to, mcti_str_range(text.p, old.p));
        mcti_buf_add(to, block);
        mcti_buf_add(to, mcti_str_range(old.p + old.len, end));
        return;
    }
    mcti_buf_add(to, text);
    if (text.len && end[-1] != '\n')
        mcti_buf_addz(to, newline);
    if (text.len)
        mcti_buf_addz(to, newline);
    mcti_buf_add(to, block);
}

/* ---- the check ---- */

static void put_others(struct mcti_buf *to, struct mcti_str root, const char *table, const char *name)
{
    const struct mcti_json_set without = { name, MCT_STR_NONE };
    struct mcti_json_member m, inner;
    for (struct mcti_json_iter it = mcti_json_open(root); mcti_json_next_member(&it, &m);) {
        struct mcti_json_iter others;
        struct mcti_buf rest;
        mcti_buf_init(&rest, MCT_LIMIT_MESSAGE_BYTES);
        if (mcti_json_key_is(m.key, table))
            mcti_json_put_object(&rest, m.value, &without, 1);
        else
            mcti_buf_add(&rest, m.value);
        others = mcti_json_open(mcti_buf_str(&rest));
        if (!mcti_json_key_is(m.key, table) || mcti_json_next_member(&others, &inner)) {
            mcti_buf_add(to, mcti_json_key_value(m.key));
            mcti_json_put_compact(to, mcti_buf_str(&rest));
        }
        mcti_buf_done(&rest);
    }
}

/* Returns the value of [table.name] in the text, as compact JSON; "" if it has none. `others`: all other values. */
static int read_values(const struct mcti_edit *e, struct mcti_str text, const char *table, const char *name,
                       struct mcti_buf *ret, struct mcti_buf *others, struct mct_error *err)
{
    struct mcti_document d;
    struct mcti_notation_fault fault;
    if (mcti_document_read(MCT_NOTATION_TOML, text, &d, &fault) < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s:%u:%u: %s", e->file, fault.line, fault.column, fault.why);
    struct mcti_str root = { d.json, d.len }, found = mcti_json_get(mcti_json_get(root, table), name);
    if (found.p)
        mcti_json_put_compact(ret, found);
    put_others(others, root, table, name);
    mcti_document_done(&d);
    return 0;
}

struct toml_edit {
    struct mcti_buf out, now, others, then, other_then, compact;
};

static void toml_init(struct toml_edit *t)
{
    struct mcti_buf *const all[] = { &t->out, &t->now, &t->others, &t->then, &t->other_then, &t->compact };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_init(all[i], 2 * MCT_EDIT_MAX_BYTES);
}

static void toml_done(struct toml_edit *t)
{
    struct mcti_buf *const all[] = { &t->out, &t->now, &t->others, &t->then, &t->other_then, &t->compact };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_done(all[i]);
}

static int toml_change(struct toml_edit *t, struct mcti_edit *e, const char *table, const char *name,
                       struct mcti_str entry, struct mct_error *err)
{
    struct mcti_str text = mcti_buf_str(&e->text), old;
    const char *newline = memmem(text.p, text.len, "\r\n", 2) ? "\r\n" : "\n";
    if (read_values(e, text, table, name, &t->now, &t->others, err) < 0)
        return -1;
    if (entry.p)
        mcti_json_put_compact(&t->compact, entry);
    if (mcti_str_eq(mcti_buf_str(&t->now), mcti_buf_str(&t->compact)))
        return entry.p ? 0 : 1;
    bool has_block = find_block(text, table, name, &old);
    if (t->now.len && !has_block)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s.%s is not written as a table [%s.%s]; edit the file by hand",
                         e->file, table, name, table, name);
    if (entry.p) {
        struct mcti_buf block;
        mcti_buf_init(&block, 1u << 20);
        put_block(&block, newline, table, name, entry);
        put_with(&t->out, text, old, mcti_buf_str(&block), newline);
        mcti_buf_done(&block);
    } else {
        put_without(&t->out, text, old);
    }
    struct mct_error why;
    if (read_values(e, mcti_buf_str(&t->out), table, name, &t->then, &t->other_then, &why) < 0 ||
        !mcti_str_eq(mcti_buf_str(&t->then), mcti_buf_str(&t->compact)) ||
        !mcti_str_eq(mcti_buf_str(&t->others), mcti_buf_str(&t->other_then)))
        return mcti_fail(
            err, MCT_ERR_CONFIG,
            "%s: is written in a way that cannot be edited without a change to other values; edit it by hand", e->file);
    mcti_buf_done(&e->text);
    e->text = t->out;
    mcti_buf_init(&t->out, 1);
    return 0;
}

int mcti_client_edit_toml(struct mcti_edit *e, const char *table, const char *name, struct mcti_str entry,
                          struct mct_error *err)
{
    struct toml_edit t;
    toml_init(&t);
    int r = toml_change(&t, e, table, name, entry, err);
    toml_done(&t);
    return r;
}
