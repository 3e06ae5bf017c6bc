/* Learns how a file is written, and writes values in the same style. */
#include "config/edit/impl.h"

#include "json/write.h"

enum { FORMAT_LINE_COLUMNS = 100 };

/* ---- learning ---- */

/* Learns from a container, which begins at `opens` of the text, and its first child. */
static void learn_container(struct mcti_edit_style *s, struct mcti_str text, struct mcti_str container, size_t opens,
                            size_t child)
{
    bool is_object = mcti_json_type(container) == '{';
    bool one_line = !mcti_edit_has_newline(container, 0, container.len);
    if (!s->indent.p && mcti_edit_begins_line(text, child)) {
        struct mcti_str outer = mcti_edit_indent(text, opens), inner = mcti_edit_indent(text, child);
        if (inner.len > outer.len && mcti_str_starts(inner, outer))
            s->indent = mcti_str_range(inner.p + outer.len, inner.p + inner.len);
    }
    if (is_object && one_line && !s->has_pad) {
        s->has_pad = true;
        s->pad = text.p[opens + 1] == ' ' ? " " : "";
    }
    if (!is_object && !s->has_array) {
        s->has_array = true;
        s->tall_arrays = !one_line;
    }
}

static void learn_member(struct mcti_edit_style *s, struct mcti_json_member m)
{
    if (s->has_colon)
        return;
    s->has_colon = true;
    s->colon = m.value.p[-1] == ':' ? ":" : ": ";
    s->comma = m.value.p[-1] == ':' ? "," : ", ";
}

static void learn_value(struct mcti_edit_style *s, struct mcti_str text, const char *plain, struct mcti_str value)
{
    struct mcti_json_member m;
    bool is_object = mcti_json_type(value) == '{', first = true;
    struct mcti_json_iter it = mcti_json_open(value);
    while (is_object ? mcti_json_next_member(&it, &m) : mcti_json_next_item(&it, &m.value)) {
        const char *begin = is_object ? m.key.p - 1 : m.value.p;
        if (is_object)
            learn_member(s, m);
        if (first)
            learn_container(s, text, value, (size_t)(value.p - plain), (size_t)(begin - plain));
        first = false;
        if (mcti_json_type(m.value) == '{' || mcti_json_type(m.value) == '[')
            learn_value(s, text, plain, m.value);
        if (s->indent.p && s->has_colon && s->has_pad && s->has_array)
            return;
    }
}

void mcti_edit_learn(struct mcti_edit_style *style, struct mcti_str text, const char *plain, struct mcti_str value)
{
    style->colon = ": ";
    style->comma = ", ";
    style->pad = "";
    learn_value(style, text, plain, value);
    if (!style->indent.p)
        style->indent = MCT_STR("  ");
}

/* ---- writing ---- */

static bool is_container(struct mcti_str json)
{
    return mcti_json_type(json) == '{' || mcti_json_type(json) == '[';
}

/* Returns true if the array holds no containers and fits on a line. */
static bool is_short_array(struct mcti_str json)
{
    struct mcti_str item;
    if (mcti_json_type(json) != '[' || json.len > FORMAT_LINE_COLUMNS)
        return false;
    for (struct mcti_json_iter it = mcti_json_open(json); mcti_json_next_item(&it, &item);)
        if (is_container(item))
            return false;
    return true;
}

struct format {
    struct mcti_buf *to;
    const struct mcti_edit_style *style;
    struct mcti_str indent;
};

static void format_line(struct format *f, int depth)
{
    mcti_buf_addz(f->to, f->style->newline);
    mcti_buf_add(f->to, f->indent);
    for (int i = 0; i < depth; i++)
        mcti_buf_add(f->to, f->style->indent);
}

static void format_value(struct format *f, struct mcti_str json, int depth, bool one_line)
{
    struct mcti_json_member m;
    bool is_object = mcti_json_type(json) == '{', first = true;
    if (!is_container(json)) {
        mcti_buf_add(f->to, json);
        return;
    }
    one_line = one_line || (is_short_array(json) && !f->style->tall_arrays);
    const char *pad = is_object ? f->style->pad : "";
    mcti_buf_addc(f->to, json.p[0]);
    struct mcti_json_iter it = mcti_json_open(json);
    for (; is_object ? mcti_json_next_member(&it, &m) : mcti_json_next_item(&it, &m.value); first = false) {
        mcti_buf_addz(f->to, !one_line ? (first ? "" : ",") : first ? pad : f->style->comma);
        if (!one_line)
            format_line(f, depth + 1);
        if (is_object) {
            mcti_buf_add(f->to, mcti_json_key_value(m.key));
            mcti_buf_addz(f->to, f->style->colon);
        }
        format_value(f, m.value, depth + 1, one_line);
    }
    if (!first && !one_line)
        format_line(f, depth);
    mcti_buf_addz(f->to, first || !one_line ? "" : pad);
    mcti_buf_addc(f->to, json.p[json.len - 1]);
}

void mcti_edit_put_value(struct mcti_buf *to, const struct mcti_edit_style *style, struct mcti_str json,
                         struct mcti_str indent)
{
    struct format f = { to, style, indent };
    mcti_buf_mind(to, json);
    format_value(&f, json, 0, !indent.p);
}
