/*
 * YAML, by the events of libyaml. Plain scalars have the types of the core schema (YAML 1.2, section 10.3.2), as in
 * serde_yaml: "yes" and "on" are strings. Numbers are those of JSON, or all of the core schema (yaml_number.c). Aliases
 * share the node of their anchor. Not supported, and mistakes: more than one document, keys that are no scalars, tags
 * other than those of the core schema, merge keys, duplicate keys.
 */
#include "config/notation/impl.h"

#include "base/limits.h"

#ifdef MCT_HAVE_YAML

#include <yaml.h>

struct yaml_frame {
    struct mcti_doc_node *node;
    struct mcti_str key; /* of the member that comes next; absent: the next scalar is a key */
    unsigned key_line;
};

struct yaml_anchor {
    struct mcti_map_node node;
    struct mcti_doc_node *value;
};

struct yaml_reader {
    struct mcti_doc_tree *tree;
    yaml_parser_t parser;
    struct mcti_map anchors;
    struct yaml_frame frames[MCT_LIMIT_NOTATION_DEPTH + 1];
    int depth; /* open frames */
    unsigned n_documents;
    struct mcti_doc_node *root;
};

static unsigned line_of(const yaml_event_t *e)
{
    return (unsigned)e->start_mark.line + 1;
}

static int yaml_mistake(struct yaml_reader *r, const yaml_event_t *e, const char *what)
{
    return mcti_doc_fail(r->tree, line_of(e), (unsigned)e->start_mark.column + 1, "%s", what);
}

/* ---- scalars ---- */

static bool is_word_of(struct mcti_str s, const char *const *words)
{
    for (; *words; words++)
        if (mcti_str_is(s, *words))
            return true;
    return false;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Returns true if the text is a number as in JSON, but for a sign "+" that *ret leaves out. */
static bool yaml_is_number(struct mcti_str s, struct mcti_str *ret)
{
    const char *end = s.p + s.len, *p = s.p, *digits, *fraction;
    if (s.len && *p == '+')
        s = mcti_str_range(++p, end);
    *ret = s;
    p += p < end && *p == '-';
    digits = p;
    p = skip_digits(p, end);
    if (p == digits || (*digits == '0' && p - digits > 1))
        return false;
    if (p < end && *p == '.') {
        fraction = ++p;
        p = skip_digits(p, end);
        if (p == fraction)
            return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p += 1 + (p + 1 < end && (p[1] == '+' || p[1] == '-'));
        fraction = p;
        p = skip_digits(p, end);
        if (p == fraction)
            return false;
    }
    return p == end;
}

static struct mcti_doc_node *core_scalar(struct yaml_reader *r, struct mcti_str s, unsigned line)
{
    struct mcti_buf number;
    mcti_buf_init(&number, 2 * s.len + 32);
    bool is_number = mcti_doc_core_number(s, &number);
    struct mcti_doc_node *node =
        mcti_doc_text(r->tree, is_number ? '0' : '"', is_number ? mcti_buf_str(&number) : s, line);
    mcti_buf_done(&number);
    return node;
}

static struct mcti_doc_node *plain_scalar(struct yaml_reader *r, struct mcti_str s, unsigned line)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "true", "True", "TRUE", NULL };
    static const char *const falses[] = { "false", "False", "FALSE", NULL };
    struct mcti_str number;
    if (is_word_of(s, nulls))
        return mcti_doc_text(r->tree, 'n', MCT_STR("null"), line);
    if (is_word_of(s, trues))
        return mcti_doc_text(r->tree, 't', MCT_STR("true"), line);
    if (is_word_of(s, falses))
        return mcti_doc_text(r->tree, 'f', MCT_STR("false"), line);
    if (r->tree->core)
        return core_scalar(r, s, line);
    if (yaml_is_number(s, &number))
        return mcti_doc_text(r->tree, '0', number, line);
    return mcti_doc_text(r->tree, '"', s, line);
}

static bool has_core_tag(const char *tag)
{
    static const char *const core[] = { "!",          YAML_NULL_TAG, YAML_BOOL_TAG,
                                        YAML_STR_TAG, YAML_INT_TAG,  YAML_FLOAT_TAG,
                                        YAML_SEQ_TAG, YAML_MAP_TAG,  NULL };
    return !tag || is_word_of(mcti_str_of(tag), core);
}

static struct mcti_doc_node *scalar_node(struct yaml_reader *r, const yaml_event_t *e)
{
    const char *tag = (const char *)e->data.scalar.tag;
    struct mcti_str s = { (const char *)e->data.scalar.value, e->data.scalar.length };
    bool is_plain =
        tag ? strcmp(tag, YAML_STR_TAG) && strcmp(tag, "!") : e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return is_plain ? plain_scalar(r, s, line_of(e)) : mcti_doc_text(r->tree, '"', s, line_of(e));
}

/* ---- nodes ---- */

/* Adds a node to the collection that is open, or makes it the root. */
static int place_node(struct yaml_reader *r, struct mcti_doc_node *node)
{
    struct yaml_frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;
    if (!node)
        return mcti_doc_no_memory(r->tree);
    if (!f)
        r->root = node;
    else if (f->node->type == '[')
        return mcti_doc_add(r->tree, f->node, node);
    else if (mcti_doc_put(r->tree, f->node, f->key, f->key_line, node) < 0)
        return -1;
    else
        f->key = MCT_STR_NONE;
    return 0;
}

static bool awaits_key(const struct yaml_reader *r)
{
    const struct yaml_frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;
    return f && f->node->type == '{' && !f->key.p;
}

static int take_key(struct yaml_reader *r, const yaml_event_t *e)
{
    struct yaml_frame *f = &r->frames[r->depth - 1];
    struct mcti_str key = { (const char *)e->data.scalar.value, e->data.scalar.length };
    if (mcti_str_is(key, "<<") && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return yaml_mistake(r, e, "merge keys (\"<<\") are not supported; write the keys out");
    char *copy = mcti_arena_dup(&r->tree->arena, key);
    f->key = (struct mcti_str){ copy, key.len };
    f->key_line = line_of(e);
    return copy ? 0 : mcti_doc_no_memory(r->tree);
}

static int note_anchor(struct yaml_reader *r, const yaml_char_t *name, struct mcti_doc_node *node)
{
    struct yaml_anchor *a = name && node ? mcti_arena_get(&r->tree->arena, sizeof *a) : NULL;
    char *copy = a ? mcti_arena_dup(&r->tree->arena, mcti_str_of((const char *)name)) : NULL;
    if (!name || !node)
        return 0;
    if (!copy)
        return mcti_doc_no_memory(r->tree);
    a->value = node;
    return mcti_map_put(&r->anchors, &a->node, mcti_str_of(copy)) < 0 ? mcti_doc_no_memory(r->tree) : 0;
}

static int on_scalar(struct yaml_reader *r, const yaml_event_t *e)
{
    if (!has_core_tag((const char *)e->data.scalar.tag))
        return yaml_mistake(r, e, "this tag is not supported; remove it");
    if (awaits_key(r))
        return take_key(r, e);
    struct mcti_doc_node *node = scalar_node(r, e);
    return note_anchor(r, e->data.scalar.anchor, node) < 0 ? -1 : place_node(r, node);
}

static int on_alias(struct yaml_reader *r, const yaml_event_t *e)
{
    struct mcti_map_node *found = mcti_map_get(&r->anchors, mcti_str_of((const char *)e->data.alias.anchor));
    if (awaits_key(r))
        return yaml_mistake(r, e, "an alias as a key is not supported; write the key out");
    if (!found)
        return yaml_mistake(r, e, "this alias names no anchor (\"&NAME\") before it");
    return place_node(r, MCT_CONTAINER(found, struct yaml_anchor, node)->value);
}

static int on_open(struct yaml_reader *r, const yaml_event_t *e, char type)
{
    bool is_map = type == '{';
    const yaml_char_t *anchor = is_map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor;
    const yaml_char_t *tag = is_map ? e->data.mapping_start.tag : e->data.sequence_start.tag;
    if (!has_core_tag((const char *)tag))
        return yaml_mistake(r, e, "this tag is not supported; remove it");
    if (awaits_key(r))
        return yaml_mistake(r, e, "a key must be a string");
    if (r->depth > MCT_LIMIT_NOTATION_DEPTH)
        return yaml_mistake(r, e, "values are nested too deeply");
    struct mcti_doc_node *node = mcti_doc_new(r->tree, type, line_of(e));
    if (note_anchor(r, anchor, node) < 0 || place_node(r, node) < 0)
        return -1;
    r->frames[r->depth++] = (struct yaml_frame){ .node = node };
    return 0;
}

static int on_event(struct yaml_reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return r->n_documents++ ? yaml_mistake(r, e, "the file has more than one document; remove the others") : 0;
    case YAML_SCALAR_EVENT:
        return on_scalar(r, e);
    case YAML_ALIAS_EVENT:
        return on_alias(r, e);
    case YAML_MAPPING_START_EVENT:
        return on_open(r, e, '{');
    case YAML_SEQUENCE_START_EVENT:
        return on_open(r, e, '[');
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth--;
        return 0;
    default:
        return 0;
    }
}

/* ---- the text ---- */

/* Returns true if a tab stands in front of the first word of the line. */
static bool is_indented_by_tab(struct mcti_str text, unsigned line)
{
    const char *p = text.p, *end = p + text.len;
    while (--line && p && p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        p = line_end ? line_end + 1 : end;
    }
    while (p && p < end && *p == ' ')
        p++;
    return p && p < end && *p == '\t';
}

static int syntax_mistake(struct yaml_reader *r, struct mcti_str text)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "syntax error", *tab = "";
    unsigned line = (unsigned)p->problem_mark.line + 1;
    if (p->error == YAML_MEMORY_ERROR)
        return mcti_doc_no_memory(r->tree);
    if (p->error == YAML_READER_ERROR) { /* knows the offset only */
        size_t n = p->problem_offset < text.len ? p->problem_offset : text.len;
        line = 1;
        for (size_t i = 0; i < n; i++)
            line += text.p[i] == '\n';
        return mcti_doc_fail(r->tree, line, 0, "not valid YAML: %s", problem);
    }
    if (is_indented_by_tab(text, line))
        tab = "; tabs cannot indent YAML: use spaces";
    return mcti_doc_fail(r->tree, line, (unsigned)p->problem_mark.column + 1, "not valid YAML: %s%s%s%s", problem,
                         p->context ? ", " : "", p->context ? p->context : "", tab);
}

static int read_events(struct yaml_reader *r, struct mcti_str text)
{
    for (bool ends = false; !ends;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&r->parser, &e))
            return syntax_mistake(r, text);
        int failed = on_event(r, &e);
        ends = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
        if (failed < 0)
            return -1;
    }
    return 0;
}

/* libyaml compares each directive with all before it. */
static int check_directives(struct mcti_doc_tree *t, struct mcti_str text)
{
    enum { MOST = 64 };
    unsigned line = 1, n = 0;
    for (size_t i = 0; i < text.len; i++) {
        n += text.p[i] == '%' && (!i || text.p[i - 1] == '\n' || text.p[i - 1] == '\r');
        line += text.p[i] == '\n';
        if (n > MOST)
            return mcti_doc_fail(t, line, 1, "too many lines begin with \"%%\"");
    }
    return 0;
}

struct mcti_doc_node *mcti_doc_read_yaml(struct mcti_doc_tree *t, struct mcti_str text)
{
    struct yaml_reader r = { .tree = t };
    if (check_directives(t, text) < 0)
        return NULL;
    if (!yaml_parser_initialize(&r.parser)) {
        mcti_doc_no_memory(t);
        return NULL;
    }
    mcti_map_init(&r.anchors);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p, text.len);
    int failed = read_events(&r, text);
    yaml_parser_delete(&r.parser);
    mcti_map_done(&r.anchors);
    if (failed == 0 && !r.root)
        r.root = mcti_doc_text(t, 'n', MCT_STR("null"), 1); /* nothing but comments */
    return failed < 0 ? NULL : r.root;
}

#else

struct mcti_doc_node *mcti_doc_read_yaml(struct mcti_doc_tree *t, struct mcti_str text)
{
    (void)text;
    mcti_doc_fail(t, 0, 0, "this mcptools was built without libyaml and cannot read YAML");
    return NULL;
}

#endif
