/*
 * Reads TOML 1.0: keys and tables. Debian 12 has no TOML library for C (those for C++ would bring libstdc++ into
 * libmcptools). Not as in TOML: dates become strings, and integers may have any number of digits.
 *
 * A table is made once: by its header, by a dotted key, or as an inline table. A table that only the header of a table
 * inside implied may get a header later.
 */
#include "config/notation/toml.h"

#include "base/limits.h"

int mcti_toml_fail(struct mcti_toml *t, const char *what)
{
    return mcti_doc_fail(t->tree, t->line, (unsigned)(t->p - t->line_start) + 1, "not valid TOML: %s", what);
}

char mcti_toml_at(const struct mcti_toml *t, size_t n)
{
    return (size_t)(t->end - t->p) > n ? t->p[n] : '\0';
}

void mcti_toml_blanks(struct mcti_toml *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
        t->p++;
}

int mcti_toml_comment(struct mcti_toml *t)
{
    if (mcti_toml_at(t, 0) != '#')
        return 0;
    for (; t->p < t->end && *t->p != '\n' && !(*t->p == '\r' && mcti_toml_at(t, 1) == '\n'); t->p++)
        if (((unsigned char)*t->p < 0x20 && *t->p != '\t') || *t->p == 0x7f)
            return mcti_toml_fail(t, "a control character in a comment");
    return 0;
}

bool mcti_toml_break(struct mcti_toml *t)
{
    size_t n = mcti_toml_at(t, 0) == '\r' ? 1 : 0;
    if (mcti_toml_at(t, n) != '\n')
        return false;
    t->p += n + 1;
    t->line++;
    t->line_start = t->p;
    return true;
}

/* ---- keys ---- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Reads one part of a key; its text belongs to the tree. */
static int toml_read_part(struct mcti_toml *t, struct mcti_str *ret)
{
    struct mcti_buf part;
    int r = 0;
    mcti_buf_init(&part, MCT_LIMIT_NOTATION_BYTES);
    if (mcti_toml_at(t, 0) == '"' || mcti_toml_at(t, 0) == '\'') {
        r = mcti_toml_string(t, &part, true);
    } else {
        const char *from = t->p;
        while (t->p < t->end && is_bare(*t->p))
            t->p++;
        mcti_buf_add(&part, mcti_str_range(from, t->p));
        r = t->p == from ? mcti_toml_fail(t, "a key is missing here") : 0;
    }
    size_t len = part.len;
    char *copy = r == 0 && mcti_buf_ok(&part) ? mcti_arena_dup(&t->tree->arena, mcti_buf_str(&part)) : NULL;
    mcti_buf_done(&part);
    *ret = (struct mcti_str){ copy, len };
    return r < 0 ? -1 : copy ? 0 : mcti_doc_no_memory(t->tree);
}

/* Goes on to the next part of a key, if there is one. */
static bool next_part(struct mcti_toml *t)
{
    mcti_toml_blanks(t);
    if (mcti_toml_at(t, 0) != '.')
        return false;
    t->p++;
    mcti_toml_blanks(t);
    return true;
}

static struct mcti_doc_node *make_table(struct mcti_toml *t, struct mcti_doc_node *in, struct mcti_str key,
                                        enum mcti_doc_origin origin)
{
    struct mcti_doc_node *made = mcti_doc_new(t->tree, '{', t->line);
    if (made)
        made->origin = origin;
    return mcti_doc_put(t->tree, in, key, t->line, made) < 0 ? NULL : made;
}

/* Returns the table that a part of a dotted key names; makes it if there is none. */
static struct mcti_doc_node *enter_dotted(struct mcti_toml *t, struct mcti_doc_node *table, struct mcti_str key)
{
    struct mcti_doc_entry *e = mcti_doc_get(t->tree, table, key);
    if (!e)
        return make_table(t, table, key, MCT_DOC_DOTTED);
    if (e->value->type != '{' || e->value->origin == MCT_DOC_HEADER || e->value->origin == MCT_DOC_INLINE) {
        mcti_toml_fail(t, "a dotted key cannot add to what was defined before");
        return NULL;
    }
    e->value->origin = MCT_DOC_DOTTED;
    return e->value;
}

struct mcti_doc_node *mcti_toml_key(struct mcti_toml *t, struct mcti_doc_node *table, struct mcti_str *ret_key)
{
    int parts = 0;
    if (toml_read_part(t, ret_key) < 0)
        return NULL;
    while (table && next_part(t)) {
        if (++parts > MCT_LIMIT_NOTATION_DEPTH) {
            mcti_toml_fail(t, "the key has too many parts");
            return NULL;
        }
        table = enter_dotted(t, table, *ret_key);
        if (!table || toml_read_part(t, ret_key) < 0)
            return NULL;
    }
    return table;
}

int mcti_toml_pair(struct mcti_toml *t, struct mcti_doc_node *table)
{
    struct mcti_str key;
    unsigned line = t->line;
    table = mcti_toml_key(t, table, &key);
    if (!table)
        return -1;
    if (mcti_toml_at(t, 0) != '=')
        return mcti_toml_fail(t, "\"=\" is missing after the key");
    t->p++;
    mcti_toml_blanks(t);
    struct mcti_doc_node *value = mcti_toml_value(t);
    return value ? mcti_doc_put(t->tree, table, key, line, value) : -1;
}

/* ---- headers ---- */

/* Returns the table inside `table` that a part of a header names, which is not its last part. */
static struct mcti_doc_node *enter_header(struct mcti_toml *t, struct mcti_doc_node *table, struct mcti_str key)
{
    struct mcti_doc_entry *e = mcti_doc_get(t->tree, table, key);
    struct mcti_doc_node *inner = e ? e->value : NULL;
    if (!e)
        return make_table(t, table, key, MCT_DOC_IMPLIED);
    if (inner->type == '[' && inner->origin == MCT_DOC_HEADER)
        inner = inner->last->value;
    if (inner->type == '{' && inner->origin != MCT_DOC_INLINE)
        return inner;
    mcti_toml_fail(t, "a header cannot add to what was defined before");
    return NULL;
}

static struct mcti_doc_node *open_table(struct mcti_toml *t, struct mcti_doc_node *in, struct mcti_str key)
{
    struct mcti_doc_entry *e = mcti_doc_get(t->tree, in, key);
    if (!e)
        return make_table(t, in, key, MCT_DOC_HEADER);
    if (e->value->type != '{' || e->value->origin != MCT_DOC_IMPLIED) {
        mcti_doc_fail(t->tree, t->line, 0, "not valid TOML: the table was defined before, on line %u", e->line);
        return NULL;
    }
    e->value->origin = MCT_DOC_HEADER;
    e->value->line = e->line = t->line;
    return e->value;
}

/* Appends a table to an array of tables. */
static struct mcti_doc_node *open_item(struct mcti_toml *t, struct mcti_doc_node *in, struct mcti_str key)
{
    struct mcti_doc_entry *e = mcti_doc_get(t->tree, in, key);
    struct mcti_doc_node *array = e ? e->value : mcti_doc_new(t->tree, '[', t->line);
    struct mcti_doc_node *item = array ? mcti_doc_new(t->tree, '{', t->line) : NULL;
    if (!item) {
        mcti_doc_no_memory(t->tree);
        return NULL;
    }
    if (e && (array->type != '[' || array->origin != MCT_DOC_HEADER)) {
        mcti_toml_fail(t, "this name was defined before, and not as an array of tables");
        return NULL;
    }
    item->origin = array->origin = MCT_DOC_HEADER;
    if (!e && mcti_doc_put(t->tree, in, key, t->line, array) < 0)
        return NULL;
    return mcti_doc_add(t->tree, array, item) < 0 ? NULL : item;
}

/* Reads "[TABLE]" or "[[ARRAY]]"; returns the table that the following keys belong to. */
static struct mcti_doc_node *read_header(struct mcti_toml *t, struct mcti_doc_node *root)
{
    bool is_item = mcti_toml_at(t, 1) == '[';
    struct mcti_doc_node *table = root;
    struct mcti_str key;
    int parts = 0;
    t->p += is_item ? 2 : 1;
    mcti_toml_blanks(t);
    if (toml_read_part(t, &key) < 0)
        return NULL;
    while (next_part(t)) {
        if (++parts > MCT_LIMIT_NOTATION_DEPTH) {
            mcti_toml_fail(t, "the name of the table has too many parts");
            return NULL;
        }
        table = enter_header(t, table, key);
        if (!table || toml_read_part(t, &key) < 0)
            return NULL;
    }
    if (mcti_toml_at(t, 0) != ']' || (is_item && mcti_toml_at(t, 1) != ']')) {
        mcti_toml_fail(t, is_item ? "\"]]\" is missing" : "\"]\" is missing");
        return NULL;
    }
    t->p += is_item ? 2 : 1;
    return is_item ? open_item(t, table, key) : open_table(t, table, key);
}

/* ---- the text ---- */

static int toml_end_line(struct mcti_toml *t)
{
    mcti_toml_blanks(t);
    if (mcti_toml_comment(t) < 0)
        return -1;
    return t->p == t->end || mcti_toml_break(t) ? 0 : mcti_toml_fail(t, "the line must end here");
}

struct mcti_doc_node *mcti_doc_read_toml(struct mcti_doc_tree *tree, struct mcti_str text)
{
    struct mcti_toml t = { tree, text.p, text.p + text.len, text.p, 1, 0 };
    struct mcti_doc_node *root = mcti_doc_new(tree, '{', 1), *table = root;
    if (!root) {
        mcti_doc_no_memory(tree);
        return NULL;
    }
    root->origin = MCT_DOC_HEADER;
    while (t.p < t.end) {
        mcti_toml_blanks(&t);
        char c = mcti_toml_at(&t, 0);
        bool is_empty = !c || c == '#' || c == '\n' || c == '\r';
        if (c == '[' && !(table = read_header(&t, root)))
            return NULL;
        if (!is_empty && c != '[' && mcti_toml_pair(&t, table) < 0)
            return NULL;
        if (toml_end_line(&t) < 0)
            return NULL;
    }
    return root;
}
