/* The tree of a file in another notation, and its form as JSON. */
#include "config/notation/impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "json/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TREE_BYTES = 256u << 20, JSON_BYTES = 64u << 20, KEY_HEAD = sizeof(void *) };

int mcti_doc_fail(struct mcti_doc_tree *t, unsigned line, unsigned column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t->fault->why, sizeof t->fault->why, fmt, ap);
    va_end(ap);
    t->fault->line = line;
    t->fault->column = column;
    return -1;
}

int mcti_doc_no_memory(struct mcti_doc_tree *t)
{
    return mcti_doc_fail(t, 0, 0, MCT_NO_MEMORY_TEXT);
}

struct mcti_doc_node *mcti_doc_text(struct mcti_doc_tree *t, char type, struct mcti_str text, unsigned line)
{
    struct mcti_doc_node *node = mcti_arena_get(&t->arena, sizeof *node);
    char *copy = node && text.p ? mcti_arena_dup(&t->arena, text) : NULL;
    if (!node || (text.p && !copy))
        return NULL;
    *node = (struct mcti_doc_node){ .type = type, .line = line, .text = { copy, text.len } };
    return node;
}

struct mcti_doc_node *mcti_doc_new(struct mcti_doc_tree *t, char type, unsigned line)
{
    return mcti_doc_text(t, type, MCT_STR_NONE, line);
}

/* ---- members ---- */

static void append_entry(struct mcti_doc_node *to, struct mcti_doc_entry *e)
{
    *(to->last ? &to->last->next : &to->first) = e;
    to->last = e;
}

/* Returns the key under which the map has a member. */
static struct mcti_str member_key(struct mcti_arena *a, const struct mcti_doc_node *object, struct mcti_str key)
{
    char *p = mcti_arena_get(a, KEY_HEAD + key.len + 1);
    if (!p)
        return MCT_STR_NONE;
    memcpy(p, &object, KEY_HEAD);
    if (key.len)
        memcpy(p + KEY_HEAD, key.p, key.len);
    return (struct mcti_str){ p, KEY_HEAD + key.len };
}

struct mcti_doc_entry *mcti_doc_get(const struct mcti_doc_tree *t, const struct mcti_doc_node *object,
                                    struct mcti_str key)
{
    struct mcti_arena a;
    mcti_arena_init(&a, KEY_HEAD + key.len + 4096);
    struct mcti_str full = member_key(&a, object, key);
    struct mcti_map_node *found = full.p ? mcti_map_get(&t->members, full) : NULL;
    mcti_arena_done(&a);
    return found ? MCT_CONTAINER(found, struct mcti_doc_entry, node) : NULL;
}

int mcti_doc_put(struct mcti_doc_tree *t, struct mcti_doc_node *object, struct mcti_str key, unsigned line,
                 struct mcti_doc_node *value)
{
    struct mcti_doc_entry *e = value ? mcti_arena_get(&t->arena, sizeof *e) : NULL, *old;
    struct mcti_str full = e ? member_key(&t->arena, object, key) : MCT_STR_NONE;
    if (!full.p)
        return mcti_doc_no_memory(t);
    struct mcti_map_node *found = mcti_map_get(&t->members, full);
    if (found) {
        old = MCT_CONTAINER(found, struct mcti_doc_entry, node);
        return mcti_doc_fail(t, line, 0, "duplicate key \"%.*s\", which line %u has already; remove one",
                             key.len > 80 ? 80 : (int)key.len, key.p, old->line);
    }
    e->key = (struct mcti_str){ full.p + KEY_HEAD, key.len };
    e->line = line;
    e->value = value;
    append_entry(object, e);
    return mcti_map_put(&t->members, &e->node, full) < 0 ? mcti_doc_no_memory(t) : 0;
}

int mcti_doc_add(struct mcti_doc_tree *t, struct mcti_doc_node *array, struct mcti_doc_node *value)
{
    struct mcti_doc_entry *e = value ? mcti_arena_get(&t->arena, sizeof *e) : NULL;
    if (!e)
        return mcti_doc_no_memory(t);
    *e = (struct mcti_doc_entry){ .line = value->line, .value = value };
    append_entry(array, e);
    return 0;
}

/* ---- writing ---- */

struct doc_writer {
    struct mcti_doc_tree *tree;
    struct mcti_buf *to;
    struct mcti_document *document;
    size_t n_values;
};

static int note_line(struct doc_writer *w, unsigned line)
{
    struct mcti_document *d = w->document;
    size_t n = d->n_notes;
    if (n && d->notes[n - 1].line == line)
        return 0;
    struct mcti_line_note *v = n & (n - 1) ? d->notes : realloc(d->notes, (n ? 2 * n : 1) * sizeof *v);
    if (!v)
        return mcti_doc_no_memory(w->tree);
    d->notes = v;
    v[d->n_notes++] = (struct mcti_line_note){ (unsigned)w->to->len, line };
    return 0;
}

static int doc_write(struct doc_writer *w, const struct mcti_doc_node *node, int depth);

static int doc_write_entries(struct doc_writer *w, const struct mcti_doc_node *node, int depth)
{
    bool is_object = node->type == '{';
    mcti_buf_addc(w->to, node->type);
    for (const struct mcti_doc_entry *e = node->first; e; e = e->next) {
        mcti_buf_addz(w->to, e == node->first ? "" : ",");
        if (is_object && note_line(w, e->line) < 0)
            return -1;
        if (is_object) {
            mcti_json_put_string(w->to, e->key);
            mcti_buf_addc(w->to, ':');
        }
        if (doc_write(w, e->value, depth + 1) < 0)
            return -1;
    }
    mcti_buf_addc(w->to, is_object ? '}' : ']');
    return 0;
}

static int doc_write(struct doc_writer *w, const struct mcti_doc_node *node, int depth)
{
    if (depth > MCT_LIMIT_NOTATION_DEPTH)
        return mcti_doc_fail(w->tree, node->line, 0, "values are nested deeper than %d levels",
                             MCT_LIMIT_NOTATION_DEPTH);
    if (++w->n_values > MCT_LIMIT_NOTATION_VALUES)
        return mcti_doc_fail(w->tree, node->line, 0, "aliases expand to more than %d values",
                             MCT_LIMIT_NOTATION_VALUES);
    if (note_line(w, node->line) < 0)
        return -1;
    if (node->type == '{' || node->type == '[')
        return doc_write_entries(w, node, depth);
    if (node->type == '"')
        mcti_json_put_string(w->to, node->text);
    else
        mcti_buf_add(w->to, node->text);
    return 0;
}

static int write_document(struct mcti_doc_tree *t, const struct mcti_doc_node *root, struct mcti_document *ret)
{
    struct mcti_buf json;
    struct doc_writer w = { .tree = t, .to = &json, .document = ret };
    mcti_buf_init(&json, JSON_BYTES);
    int r = doc_write(&w, root, 0);
    size_t len = json.len;
    if (r == 0 && !(ret->json = mcti_buf_take(&json)))
        r = mcti_doc_fail(t, 0, 0, "the values are too long, or memory is exhausted");
    ret->len = r == 0 ? len : 0;
    mcti_buf_done(&json);
    return r;
}

/* ---- documents ---- */

enum mcti_notation mcti_notation_of(const char *file)
{
    static const struct {
        const char *ending;
        enum mcti_notation notation;
    } rows[] = { { ".yaml", MCT_NOTATION_YAML },
                 { ".yml", MCT_NOTATION_YAML },
                 { ".toml", MCT_NOTATION_TOML },
                 { ".json5", MCT_NOTATION_JSON5 },
                 { "openclaw.json", MCT_NOTATION_JSON5 } };
    size_t len = strlen(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].ending);
        if (len >= n && !strcasecmp(file + len - n, rows[i].ending))
            return rows[i].notation;
    }
    return MCT_NOTATION_JSON;
}

/* Checks that a text is UTF-8; libyaml does so itself, because it also reads UTF-16. */
static int check_utf8(struct mcti_doc_tree *t, struct mcti_str text)
{
    const char *end = text.p + text.len;
    unsigned line = 1;
    for (const char *p = text.p; p < end;) {
        size_t n = (unsigned char)*p < 0x80 ? 1 : mcti_utf8_len(p, end);
        if (!n)
            return mcti_doc_fail(t, line, 0, "the text is not valid UTF-8");
        line += *p == '\n';
        p += n;
    }
    return 0;
}

static struct mcti_doc_node *read_notation(struct mcti_doc_tree *t, enum mcti_notation notation, struct mcti_str text)
{
    if (text.len > MCT_LIMIT_NOTATION_BYTES) {
        mcti_doc_fail(t, 0, 0, "the file is larger than %u KiB", MCT_LIMIT_NOTATION_BYTES >> 10);
        return NULL;
    }
    if (notation == MCT_NOTATION_YAML || notation == MCT_NOTATION_YAML_CORE)
        return mcti_doc_read_yaml(t, text);
    if (check_utf8(t, text) < 0)
        return NULL;
    if (mcti_str_starts(text, MCT_STR("\xef\xbb\xbf")))
        text = mcti_str_range(text.p + 3, text.p + text.len);
    return notation == MCT_NOTATION_TOML ? mcti_doc_read_toml(t, text) : mcti_doc_read_json5(t, text);
}

int mcti_document_read(enum mcti_notation notation, struct mcti_str text, struct mcti_document *ret,
                       struct mcti_notation_fault *ret_fault)
{
    struct mcti_doc_tree t = { .fault = ret_fault, .core = notation == MCT_NOTATION_YAML_CORE };
    mcti_arena_init(&t.arena, TREE_BYTES);
    mcti_map_init(&t.members);
    *ret = (struct mcti_document){ 0 };
    struct mcti_doc_node *root = read_notation(&t, notation, text);
    int r = root ? write_document(&t, root, ret) : -1;
    if (r < 0)
        mcti_document_done(ret);
    mcti_map_done(&t.members);
    mcti_arena_done(&t.arena);
    return r;
}

void mcti_document_done(struct mcti_document *d)
{
    free(d->json);
    free(d->notes);
    *d = (struct mcti_document){ 0 };
}

unsigned mcti_document_line(const struct mcti_document *d, size_t offset)
{
    size_t low = 0, high = d->n_notes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->notes[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? d->notes[low - 1].line : 1;
}
