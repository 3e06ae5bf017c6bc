/* Reads a text and finds places in it. */
#include "config/edit/impl.h"

#include "base/limits.h"
#include "config/notation/jsonc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char edit_mark[] = "\xef\xbb\xbf"; /* byte order mark */

/* ---- texts ---- */

unsigned mcti_edit_line(const struct mcti_edit_read *r, size_t at)
{
    return mcti_line_of(r->text.p, at);
}

unsigned mcti_edit_column(const struct mcti_edit_read *r, size_t at)
{
    bool marked = mcti_str_starts(r->text, MCT_STR("\xef\xbb\xbf")) && at >= 3 && mcti_edit_line(r, at) == 1;
    return mcti_column_of(r->text.p, at) - (marked ? 3 : 0);
}

int mcti_edit_fail(const struct mcti_edit_read *r, size_t at, struct mct_error *err, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *file = r->edit->file;
    return mcti_fail(err, MCT_ERR_CONFIG, "%s%s%u:%u: %s", file ? file : "", file ? ":" : "", mcti_edit_line(r, at),
                     mcti_edit_column(r, at), text);
}

struct mcti_str mcti_edit_indent(struct mcti_str text, size_t at)
{
    size_t from = at, to;
    while (from && text.p[from - 1] != '\n')
        from--;
    for (to = from; to < at && (text.p[to] == ' ' || text.p[to] == '\t'); to++)
        ;
    return mcti_edit_span(text, from, to);
}

bool mcti_edit_begins_line(struct mcti_str text, size_t at)
{
    struct mcti_str indent = mcti_edit_indent(text, at);
    return indent.p + indent.len == text.p + at && indent.p > text.p;
}

size_t mcti_edit_behind_comment(struct mcti_str text, size_t at)
{
    if (at + 1 >= text.len || text.p[at] != '/' || (text.p[at + 1] != '/' && text.p[at + 1] != '*'))
        return at;
    bool is_line = text.p[at + 1] == '/';
    const char *end = is_line ? "\n" : "*/";
    const char *found = memmem(text.p + at + 2, text.len - at - 2, end, strlen(end));
    return !found ? text.len : (size_t)(found - text.p) + (is_line ? 0 : 2);
}

/* ---- reading ---- */

static void read_newline(struct mcti_edit_read *r)
{
    const char *first = memchr(r->text.p, '\n', r->text.len);
    r->style.newline = first && first > r->text.p && first[-1] == '\r' ? "\r\n" : "\n";
}

static int read_plain(struct mcti_edit_read *r, struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    if (mcti_str_starts(r->text, mcti_str_of(edit_mark)))
        memset(r->plain, ' ', sizeof edit_mark - 1);
    if (!r->edit->strict)
        mcti_jsonc_blank(r->plain, r->text.len);
    if (!mcti_json_valid((struct mcti_str){ r->plain, r->text.len }, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_edit_fail(r, fault.offset, err, "not valid JSON: %s", fault.why);
    r->root = top.value;
    if (mcti_json_type(r->root) == '{')
        return 0;
    return mcti_edit_fail(r, (size_t)(r->root.p - r->plain), err, "the file must contain an object");
}

int mcti_edit_open(const struct mcti_edit *e, struct mcti_edit_read *ret, struct mct_error *err)
{
    static const struct mcti_str empty = { "{}\n", 3 };
    if (!mcti_buf_ok(&e->text))
        return mcti_no_memory(err);
    *ret = (struct mcti_edit_read){ .edit = e, .text = e->text.len ? mcti_buf_str(&e->text) : empty };
    ret->plain = mcti_str_dup(ret->text);
    if (!ret->plain)
        return mcti_no_memory(err);
    if (read_plain(ret, err) < 0) {
        mcti_edit_close(ret);
        return -1;
    }
    read_newline(ret);
    mcti_edit_learn(&ret->style, ret->text, ret->plain, ret->root);
    return 0;
}

void mcti_edit_close(struct mcti_edit_read *r)
{
    free(r->plain);
    r->plain = NULL;
}

/* ---- places ---- */

/* Reads the next member or item; an item has no key. */
static bool next_child(struct mcti_json_iter *it, bool is_object, struct mcti_json_member *ret)
{
    ret->key = MCT_STR_NONE;
    return is_object ? mcti_json_next_member(it, ret) : mcti_json_next_item(it, &ret->value);
}

static struct mcti_edit_child child_of(const struct mcti_edit_read *r, const struct mcti_json_member *m)
{
    size_t value = (size_t)(m->value.p - r->plain);
    size_t from = m->key.p ? (size_t)(m->key.p - 1 - r->plain) : value;
    return (struct mcti_edit_child){ from, m->key.p ? from + m->key.len + 2 : from, value, value + m->value.len };
}

/* Reads the step into an array; SIZE_MAX: behind the last item. */
static int read_index(const struct mcti_edit_read *r, size_t at, const char *step, size_t *ret, struct mct_error *err)
{
    uint64_t n;
    *ret = SIZE_MAX;
    if (!strcmp(step, "-"))
        return 0;
    if (!mcti_json_uint(mcti_str_of(step), &n) || n >= SIZE_MAX)
        return mcti_edit_fail(r, at, err, "\"%s\" leads into a list; the number of an item, from 0 on, is needed",
                              step);
    *ret = (size_t)n;
    return 0;
}

static int note_twice(const struct mcti_edit_read *r, const struct mcti_edit_spot *s, size_t at, const char *step,
                      struct mct_error *err)
{
    return mcti_edit_fail(r, at, err, "duplicate key \"%s\", which line %u has already; remove one of them", step,
                          mcti_edit_line(r, s->now.from));
}

/* Finds a step in a container. */
static int read_look(const struct mcti_edit_read *r, struct mcti_str container, const char *step,
                     struct mcti_edit_spot *s, struct mct_error *err)
{
    struct mcti_json_member m;
    size_t index = 0;
    *s = (struct mcti_edit_spot){ .is_object = mcti_json_type(container) == '{', .holder = s->holder };
    s->opens = (size_t)(container.p - r->plain);
    s->closes = s->opens + container.len - 1;
    if (!s->is_object && read_index(r, s->opens, step, &index, err) < 0)
        return -1;
    for (struct mcti_json_iter it = mcti_json_open(container); next_child(&it, s->is_object, &m); s->n++) {
        struct mcti_edit_child child = child_of(r, &m);
        bool is = s->is_object ? mcti_json_key_is(m.key, step) : s->n == index;
        if (is && s->found)
            return note_twice(r, s, child.from, step, err);
        if (is) {
            s->found = true;
            s->now = child;
            s->has_prev = s->n > 0;
            s->prev = s->last;
        } else if (s->found && !s->has_next) {
            s->has_next = true;
            s->next = child;
        }
        s->last = child;
    }
    if (!s->is_object && index != SIZE_MAX && index > s->n)
        return mcti_edit_fail(r, s->opens, err, "the list has %zu items only; number %zu cannot be reached", s->n,
                              index);
    return 0;
}

int mcti_edit_walk(const struct mcti_edit_read *r, const char *const *path, struct mcti_edit_spot *ret,
                   const char *const **ret_rest, struct mct_error *err)
{
    struct mcti_str container = r->root;
    *ret = (struct mcti_edit_spot){ .holder = (size_t)(container.p - r->plain) };
    for (;; path++) {
        if (read_look(r, container, *path, ret, err) < 0)
            return -1;
        *ret_rest = path;
        if (!ret->found || !path[1])
            return 0;
        container = (struct mcti_str){ r->plain + ret->now.value, ret->now.to - ret->now.value };
        if (mcti_json_type(container) != '{' && mcti_json_type(container) != '[')
            return mcti_edit_fail(r, ret->now.value, err, "\"%s\" is not an object", *path);
        ret->holder = ret->now.from;
    }
}
