/* The edits. Each reads the text, finds the place, writes the new text, and reads it again before it counts. */
#include "config/edit/impl.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdlib.h>

enum { EDIT_LINE_COLUMNS = 100 };

void mcti_edit_init(struct mcti_edit *e, const char *file, struct mcti_str text)
{
    *e = (struct mcti_edit){ .file = file };
    mcti_buf_init(&e->text, 2 * MCT_EDIT_MAX_BYTES);
    mcti_buf_add(&e->text, text);
}

void mcti_edit_done(struct mcti_edit *e)
{
    mcti_buf_done(&e->text);
}

/* ---- one edit ---- */

struct change {
    struct mcti_edit *edit;
    struct mcti_edit_read r;
    struct mcti_edit_spot spot;
    const char *const *rest; /* the path from the step of the spot on */
    struct mcti_buf out;
};

static int change_begin(struct change *c, struct mcti_edit *e, const char *const *path, struct mct_error *err)
{
    *c = (struct change){ .edit = e };
    if (mcti_edit_open(e, &c->r, err) < 0)
        return -1;
    if (mcti_edit_walk(&c->r, path, &c->spot, &c->rest, err) < 0) {
        mcti_edit_close(&c->r);
        return -1;
    }
    mcti_buf_init(&c->out, e->text.max);
    return 0;
}

/* Returns true if the path exists. */
static bool change_found(const struct change *c)
{
    return c->spot.found && !c->rest[1];
}

/* Ends an edit that changes nothing. */
static int change_drop(struct change *c, int result)
{
    mcti_edit_close(&c->r);
    mcti_buf_done(&c->out);
    return result;
}

/* Ends an edit: its text becomes that of the file if it can be read again. */
static int change_finish(struct change *c, struct mct_error *err)
{
    struct mcti_edit fresh = *c->edit;
    struct mcti_edit_read again;
    if (!mcti_buf_ok(&c->out))
        return change_drop(c, mcti_fail(err, MCT_ERR_LIMIT, "the file would be too large, or memory is exhausted"));
    fresh.text = c->out;
    if (mcti_edit_open(&fresh, &again, NULL) < 0)
        return change_drop(c, mcti_edit_fail(&c->r, c->spot.opens, err,
                                             "this object is written in a way that cannot "
                                             "be edited; edit the file by hand"));
    mcti_edit_close(&again);
    mcti_buf_done(&c->edit->text);
    c->edit->text = c->out;
    mcti_edit_close(&c->r);
    return 0;
}

static void change_copy(struct change *c, size_t from, size_t to)
{
    mcti_buf_add(&c->out, mcti_edit_span(c->r.text, from, to));
}

/* ---- white space and commas ---- */

static bool edit_is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the offset of the comma between two offsets, or `to`. */
static size_t comma_after(struct mcti_str text, size_t from, size_t to)
{
    size_t i = from;
    while (i < to && text.p[i] != ',') {
        size_t behind = mcti_edit_behind_comment(text, i);
        i = behind == i ? i + 1 : behind;
    }
    return i < to ? i : to;
}

static size_t skip_blanks(struct mcti_str text, size_t at)
{
    while (at < text.len && (text.p[at] == ' ' || text.p[at] == '\t'))
        at++;
    return at;
}

static bool ends_line(struct mcti_str text, size_t at)
{
    return at >= text.len || text.p[at] == '\n' || (text.p[at] == '\r' && at + 1 < text.len && text.p[at + 1] == '\n');
}

/* Returns the end of the line if only comments are between an offset and that, otherwise SIZE_MAX. */
static size_t line_end_after(struct mcti_str text, size_t at)
{
    for (;;) {
        at = skip_blanks(text, at);
        size_t behind = mcti_edit_behind_comment(text, at);
        if (ends_line(text, at))
            return at;
        if (behind == at || mcti_edit_has_newline(text, at, behind))
            return SIZE_MAX;
        at = behind > at && text.p[behind - 1] == '\r' ? behind - 1 : behind;
    }
}

static size_t trim_back(struct mcti_str text, size_t from, size_t at)
{
    while (at > from && edit_is_white(text.p[at - 1]))
        at--;
    return at;
}

/* ---- adding ---- */

/* Writes a value inside the objects of the path that do not exist. */
static void put_nested(struct mcti_buf *to, const char *const *path, struct mcti_str json)
{
    if (!*path) {
        mcti_buf_add(to, json);
        return;
    }
    bool is_list = !strcmp(*path, "-");
    mcti_buf_addc(to, is_list ? '[' : '{');
    if (!is_list) {
        mcti_json_put_string(to, mcti_str_of(*path));
        mcti_buf_addc(to, ':');
    }
    put_nested(to, path + 1, json);
    mcti_buf_addc(to, is_list ? ']' : '}');
}

/* Returns true if a value of this kind fits its neighbour on one line, as that is written. */
static bool is_flat_like(const struct change *c, const struct mcti_edit_child *neighbour, struct mcti_str json)
{
    const struct mcti_edit_child *n = neighbour;
    char type = mcti_json_type(json);
    return (type == '{' || type == '[') && json.len <= EDIT_LINE_COLUMNS && c->r.text.p[n->value] == type &&
           n->to - n->value > 2 && !mcti_edit_has_newline(c->r.text, n->value, n->to);
}

/* Writes the key and the value. `flat`: on one line. */
static void put_child(struct change *c, struct mcti_str json, struct mcti_str indent, bool flat)
{
    if (c->spot.is_object) {
        mcti_json_put_string(&c->out, mcti_str_of(*c->rest));
        mcti_buf_addz(&c->out, c->r.style.colon);
    }
    mcti_edit_put_value(&c->out, &c->r.style, json, flat ? MCT_STR_NONE : indent);
}

/* Writes the text with a child on a line of its own, behind the others and the comments behind these. */
static void add_line(struct change *c, struct mcti_str json, size_t behind, size_t end)
{
    const struct mcti_edit_spot *s = &c->spot;
    struct mcti_buf indent;
    mcti_buf_init(&indent, 1u << 16);
    struct mcti_str outer = mcti_edit_indent(c->r.text, s->opens);
    bool as_last = s->n && mcti_edit_begins_line(c->r.text, s->last.from);
    bool trailing = s->n && comma_after(c->r.text, behind, s->closes) < s->closes;
    mcti_buf_add(&indent, as_last ? mcti_edit_indent(c->r.text, s->last.from) : outer);
    mcti_buf_add(&indent, as_last ? MCT_STR("") : c->r.style.indent);
    change_copy(c, 0, behind);
    mcti_buf_addz(&c->out, s->n && !trailing ? "," : "");
    change_copy(c, behind, end);
    mcti_buf_addz(&c->out, c->r.style.newline);
    mcti_buf_add(&c->out, mcti_buf_str(&indent));
    put_child(c, json, mcti_buf_str(&indent), s->n && is_flat_like(c, &s->last, json));
    mcti_buf_addz(&c->out, trailing ? "," : "");
    if (!s->n && !mcti_edit_has_newline(c->r.text, end, s->closes)) {
        mcti_buf_addz(&c->out, c->r.style.newline);
        mcti_buf_add(&c->out, outer);
        end = s->closes;
    }
    change_copy(c, end, c->r.text.len);
    mcti_buf_done(&indent);
}

/* Writes the text with a child on the line of the others, or alone in its container. */
static void add_inside(struct change *c, struct mcti_str json, size_t behind, size_t end)
{
    const struct mcti_edit_spot *s = &c->spot;
    bool trailing = s->n && comma_after(c->r.text, behind, s->closes) < s->closes;
    bool tall = mcti_edit_has_newline(c->r.text, s->opens, s->closes);
    const char *pad = s->is_object ? c->r.style.pad : "", *comma = c->r.style.comma;
    change_copy(c, 0, behind);
    mcti_buf_addz(&c->out, s->n && !trailing ? "," : "");
    change_copy(c, behind, end);
    mcti_buf_addz(&c->out, s->n ? comma + 1 : pad);
    put_child(c, json, mcti_edit_indent(c->r.text, s->opens), !tall);
    mcti_buf_addz(&c->out, trailing ? "," : "");
    mcti_buf_addz(&c->out, !s->n && end == s->closes ? pad : "");
    change_copy(c, end, c->r.text.len);
}

static void add_child(struct change *c, struct mcti_str json)
{
    const struct mcti_edit_spot *s = &c->spot;
    struct mcti_str text = c->r.text;
    size_t behind = s->n ? s->last.to : s->opens + 1, end = trim_back(text, behind, s->closes);
    bool own_line = mcti_edit_has_newline(text, behind, s->closes);
    if (s->n)
        own_line = own_line || mcti_edit_begins_line(text, s->last.from);
    else
        own_line = own_line || s->holder == s->opens || mcti_edit_begins_line(text, s->holder);
    (own_line ? add_line : add_inside)(c, json, behind, end);
}

static void replace_value(struct change *c, struct mcti_str json)
{
    const struct mcti_edit_child *now = &c->spot.now;
    bool own_line = mcti_edit_begins_line(c->r.text, now->from);
    bool was_tall = mcti_edit_has_newline(c->r.text, now->value, now->to);
    const struct mcti_edit_child *like = c->spot.has_prev ? &c->spot.prev : now;
    bool flat = !was_tall && (!own_line || is_flat_like(c, now, json) || is_flat_like(c, like, json));
    change_copy(c, 0, now->value);
    mcti_edit_put_value(&c->out, &c->r.style, json, flat ? MCT_STR_NONE : mcti_edit_indent(c->r.text, now->from));
    change_copy(c, now->to, c->r.text.len);
}

/* Returns true if the value at the place is this one. */
static bool has_value(const struct change *c, struct mcti_str json)
{
    struct mcti_buf old, new;
    mcti_buf_init(&old, 1u << 26);
    mcti_buf_init(&new, 1u << 26);
    mcti_json_put_compact(
        &old, mcti_edit_span((struct mcti_str){ c->r.plain, c->r.text.len }, c->spot.now.value, c->spot.now.to));
    mcti_json_put_compact(&new, json);
    bool is = mcti_buf_ok(&old) && mcti_buf_ok(&new) && mcti_str_eq(mcti_buf_str(&old), mcti_buf_str(&new));
    mcti_buf_done(&old);
    mcti_buf_done(&new);
    return is;
}

static int edit_put(struct mcti_edit *e, const char *const *path, struct mcti_str json, bool replace,
                    struct mct_error *err)
{
    struct change c;
    struct mcti_json_top top;
    struct mcti_buf nested;
    if (!mcti_json_valid(json, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return mcti_fail(err, MCT_ERR_USAGE, "the new value of \"%s\" is not valid JSON", path[0]);
    if (change_begin(&c, e, path, err) < 0)
        return -1;
    if (change_found(&c) && (!replace || has_value(&c, top.value)))
        return change_drop(&c, replace ? 0 : 1);
    if (change_found(&c)) {
        replace_value(&c, top.value);
        return change_finish(&c, err);
    }
    mcti_buf_init(&nested, e->text.max);
    put_nested(&nested, c.rest + 1, top.value);
    mcti_buf_mind(&c.out, mcti_buf_str(&nested));
    add_child(&c, mcti_buf_str(&nested));
    mcti_buf_done(&nested);
    return change_finish(&c, err);
}

int mcti_edit_set(struct mcti_edit *e, const char *const *path, struct mcti_str json, struct mct_error *err)
{
    return edit_put(e, path, json, true, err);
}

int mcti_edit_insert(struct mcti_edit *e, const char *const *path, struct mcti_str json, struct mct_error *err)
{
    return edit_put(e, path, json, false, err);
}

/* ---- removing ---- */

/* Sets the span that goes with a child that keeps no comma of its neighbours: the whole line if it has it alone. */
static void span_with_comma(const struct change *c, size_t comma, size_t *ret_from, size_t *ret_to)
{
    struct mcti_str text = c->r.text;
    size_t line = line_end_after(text, comma + 1), from = c->spot.now.from;
    *ret_to = line == SIZE_MAX ? skip_blanks(text, comma + 1) : line;
    *ret_from = from;
    if (line != SIZE_MAX && mcti_edit_begins_line(text, from)) {
        struct mcti_str indent = mcti_edit_indent(text, from);
        *ret_from = (size_t)(indent.p - text.p);
        *ret_to = line < text.len ? line + (text.p[line] == '\r') + 1 : line;
    } else if (!c->spot.has_next) {
        size_t behind = trim_back(text, c->spot.has_prev ? c->spot.prev.to : c->spot.opens + 1, from);
        *ret_from = mcti_edit_has_newline(text, behind, from) ? from : behind; /* a line comment keeps its end */
        *ret_to = comma + 1;
    } else if (line != SIZE_MAX && trim_back(text, line, c->spot.next.from) == line) {
        *ret_to = c->spot.next.from; /* the next one takes its place on the line */
    }
}

/* The same for the last child of a container without a trailing comma. */
static void span_of_last(const struct change *c, size_t *ret_from, size_t *ret_to)
{
    struct mcti_str text = c->r.text;
    size_t line = line_end_after(text, c->spot.now.to), from = c->spot.now.from;
    size_t floor = c->spot.has_prev ? c->spot.prev.to : c->spot.opens + 1;
    size_t behind = trim_back(text, floor, from);
    bool alone = line != SIZE_MAX && mcti_edit_begins_line(text, from);
    bool same_line = !mcti_edit_has_newline(text, behind, from);
    *ret_to = line == SIZE_MAX ? c->spot.now.to : line;
    *ret_from = alone || same_line ? behind : from;
}

static void remove_child(struct change *c)
{
    const struct mcti_edit_spot *s = &c->spot;
    struct mcti_str text = c->r.text;
    size_t until = s->has_next ? s->next.from : s->closes, from, to;
    size_t comma = comma_after(text, s->now.to, until), before = SIZE_MAX;
    if (comma < until)
        span_with_comma(c, comma, &from, &to);
    else
        span_of_last(c, &from, &to);
    if (comma == until && s->has_prev)
        before = comma_after(text, s->prev.to, s->now.from);
    if (!s->has_prev && !s->has_next && trim_back(text, s->opens + 1, from) == s->opens + 1 &&
        trim_back(text, to, s->closes) == to) {
        from = s->opens + 1; /* nothing is left: {} */
        to = s->closes;
    }
    if (before != SIZE_MAX) {
        change_copy(c, 0, before);
        from = from < before + 1 ? before + 1 : from;
        change_copy(c, before + 1, from);
    } else {
        change_copy(c, 0, from);
    }
    change_copy(c, to, text.len);
}

int mcti_edit_remove(struct mcti_edit *e, const char *const *path, struct mct_error *err)
{
    struct change c;
    if (change_begin(&c, e, path, err) < 0)
        return -1;
    if (!change_found(&c))
        return change_drop(&c, 1);
    remove_child(&c);
    return change_finish(&c, err);
}

/* ---- names and values ---- */

int mcti_edit_rename(struct mcti_edit *e, const char *const *path, const char *name, struct mct_error *err)
{
    struct change c;
    struct mcti_json_member m;
    if (change_begin(&c, e, path, err) < 0)
        return -1;
    if (!change_found(&c) || !c.spot.is_object)
        return change_drop(&c, 1);
    if (mcti_json_key_is((struct mcti_str){ c.r.plain + c.spot.now.from + 1, c.spot.now.key_end - c.spot.now.from - 2 },
                         name))
        return change_drop(&c, 0);
    struct mcti_str object = { c.r.plain + c.spot.opens, c.spot.closes + 1 - c.spot.opens };
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, name))
            return change_drop(&c, mcti_edit_fail(&c.r, (size_t)(m.key.p - 1 - c.r.plain), err,
                                                  "\"%s\" is there already; choose another name", name));
    change_copy(&c, 0, c.spot.now.from);
    mcti_json_put_string(&c.out, mcti_str_of(name));
    change_copy(&c, c.spot.now.key_end, c.r.text.len);
    return change_finish(&c, err);
}

int mcti_edit_get(const struct mcti_edit *e, const char *const *path, struct mcti_edit_value *ret,
                  struct mct_error *err)
{
    struct mcti_edit_read r;
    struct mcti_edit_spot s;
    const char *const *rest;
    *ret = (struct mcti_edit_value){ .line = 0 };
    if (mcti_edit_open(e, &r, err) < 0)
        return -1;
    int result = mcti_edit_walk(&r, path, &s, &rest, err);
    if (result == 0 && (!s.found || rest[1]))
        result = 1;
    if (result == 0) {
        mcti_buf_init(&ret->json, 2 * MCT_EDIT_MAX_BYTES);
        mcti_buf_add(&ret->json, mcti_edit_span((struct mcti_str){ r.plain, r.text.len }, s.now.value, s.now.to));
        ret->line = mcti_edit_line(&r, s.now.from);
        ret->column = mcti_edit_column(&r, s.now.from);
    }
    mcti_edit_close(&r);
    return result;
}
