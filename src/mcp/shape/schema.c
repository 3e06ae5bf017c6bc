/*
 * Converts 2026-07-28 output schemas for handshake revisions, which require an object at the root: the schema moves to
 * /properties/result of a new root, and JSON Pointer references into it are adjusted. References by name ($anchor) and
 * schemas with an $id of their own need no change.
 */
#include "mcp/shape/impl.h"

#include <strings.h>

#define PLACE "/properties/result"

bool mcti_shape_wraps(struct mcti_str output_schema)
{
    return mcti_json_type(output_schema) == '{' && !mcti_json_is(mcti_json_get(output_schema, "type"), "object");
}

void mcti_shape_wrap(struct mcti_shape *s, struct mcti_str value)
{
    mcti_json_edit_cut(&s->edit, value);
    mcti_buf_add(s->edit.to, MCT_STR("{\"result\":"));
    mcti_buf_add(s->edit.to, value);
    mcti_buf_addc(s->edit.to, '}');
}

/* ---- one pass over the text, because schemas are long and may be deep ---- */

enum mcti_config_place { SCHEMA, NAMES, DATA };

struct walk {
    struct mcti_json_edit edit;
    struct mcti_json_iter it; /* the rest of the text */
    const char *id;           /* keyword that begins a document of its own */
    bool recursive;           /* the dialect is 2019-09, which has $recursiveRef */
};

/* Content of keywords: schemas by name, or data that only looks like schemas. Everything else is treated as a schema,
 * because a reference may point into an unknown keyword. */
static const struct {
    const char *key;
    enum mcti_config_place place;
} keywords[] = {
    { "properties", NAMES },       { "patternProperties", NAMES }, { "$defs", NAMES }, { "definitions", NAMES },
    { "dependentSchemas", NAMES }, { "dependencies", NAMES },      { "enum", DATA },   { "const", DATA },
    { "default", DATA },           { "examples", DATA },
};

static void walk_value(struct walk *w, enum mcti_config_place place);

/* Returns true if the container has another element; otherwise moves behind the container. */
static bool shape_schema_goes_on(struct walk *w)
{
    while (w->it.p < w->it.end && strchr(" \n\r\t,:", *w->it.p))
        w->it.p++;
    if (w->it.p < w->it.end && *w->it.p != '}' && *w->it.p != ']')
        return true;
    w->it.p++;
    return false;
}

static struct mcti_str shape_schema_take(struct walk *w)
{
    struct mcti_str v = MCT_STR("");
    shape_schema_goes_on(w);
    mcti_json_next_item(&w->it, &v);
    return v;
}

/* Returns the length of the first of `forms` that the raw string begins with; 0: none. */
static size_t shape_schema_begins(struct mcti_str s, const char *const *forms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s.len >= strlen(forms[i]) && !strncasecmp(s.p, forms[i], strlen(forms[i])))
            return strlen(forms[i]);
    return 0;
}

/* Returns the pointer after the '#' in a reference within this document, or NULL for another reference. */
static const char *local_way(struct mcti_str ref)
{
    static const char *const hash[] = { "#", "\\u0023" }, *const slash[] = { "/", "\\/", "\\u002f", "%2f" };
    struct mcti_str s = { ref.p + 1, ref.len - 2 };
    size_t n = shape_schema_begins(s, hash, 2);
    struct mcti_str way = { s.p + n, s.len - n };
    return n && (!way.len || shape_schema_begins(way, slash, 4)) ? way.p : NULL;
}

static void move_ref(struct walk *w, struct mcti_str ref)
{
    const char *way = mcti_json_type(ref) == '"' ? local_way(ref) : NULL;
    if (!way && !mcti_json_is(ref, ""))
        return;
    mcti_json_edit_upto(&w->edit, way ? way : ref.p + 1);
    mcti_buf_addz(w->edit.to, way ? PLACE : "#" PLACE);
}

static enum mcti_config_place shape_schema_place_of(struct mcti_str key)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (mcti_json_key_is(key, keywords[i].key))
            return keywords[i].place;
    return SCHEMA;
}

/* Processes a keyword with its value. Returns false if the schema is a document of its own. */
static bool walk_keyword(struct walk *w, struct mcti_str quoted)
{
    struct mcti_str key = { quoted.p + 1, quoted.len - 2 };
    bool id = mcti_json_key_is(key, w->id), recursive = w->recursive && mcti_json_key_is(key, "$recursiveRef");
    if (recursive) /* its only value is "#"; within one document $ref means the same */
        mcti_json_edit_replace(&w->edit, quoted, MCT_STR("\"$ref\""));
    if (recursive || mcti_json_key_is(key, "$ref") || mcti_json_key_is(key, "$dynamicRef")) {
        shape_schema_goes_on(w);
        if (*w->it.p == '"') {
            move_ref(w, shape_schema_take(w));
            return true;
        }
    }
    if (!id) {
        walk_value(w, shape_schema_place_of(key));
        return true;
    }
    struct mcti_str value = shape_schema_take(w);
    return mcti_json_type(value) != '"' || value.len == 2 || value.p[1] == '#';
}

static void shape_schema_walk_object(struct walk *w, enum mcti_config_place place)
{
    const char *at = w->edit.at;
    size_t len = w->edit.to->len;
    bool ours = true;
    for (w->it.p++; shape_schema_goes_on(w);) {
        struct mcti_str key = shape_schema_take(w);
        if (place == NAMES)
            walk_value(w, SCHEMA);
        else
            ours &= walk_keyword(w, key);
    }
    if (ours)
        return;
    w->edit.at = at; /* undo: nothing in it changes */
    w->edit.to->len = len;
}

static void walk_value(struct walk *w, enum mcti_config_place place)
{
    shape_schema_goes_on(w);
    char c = w->it.p < w->it.end ? *w->it.p : 0;
    if (place == DATA || (c != '{' && c != '[')) {
        shape_schema_take(w);
    } else if (c == '{') {
        shape_schema_walk_object(w, place);
    } else {
        w->it.p++;
        while (shape_schema_goes_on(w))
            walk_value(w, SCHEMA);
    }
}

/* ---- the wrapping schema ---- */

static bool dialect_is(struct mcti_str dialect, const char *part)
{
    return dialect.p && memmem(dialect.p, dialect.len, part, strlen(part));
}

/* Writes the moved schema without $schema, which belongs to the root. */
static void put_moved(struct mcti_buf *to, struct mcti_str schema, struct mcti_str dialect)
{
    struct walk w = { .edit = mcti_json_edit_open(to, schema),
                      .recursive = dialect_is(dialect, "2019-09"),
                      .id = dialect_is(dialect, "draft-04") ? "id" : "$id" };
    struct mcti_json_edit_members m = mcti_json_edit_members(schema);
    while (mcti_json_edit_next(&w.edit, &m)) {
        if (mcti_json_key_is(m.now.key, "$schema")) {
            mcti_json_edit_leave_out(&w.edit, &m);
            continue;
        }
        w.it = (struct mcti_json_iter){ m.now.value.p, m.now.value.p + m.now.value.len };
        walk_keyword(&w, mcti_json_key_value(m.now.key));
    }
    mcti_json_edit_close(&w.edit, schema);
}

static bool is_own_document(struct mcti_str schema, struct mcti_str dialect)
{
    struct mcti_str id = mcti_json_get(schema, dialect_is(dialect, "draft-04") ? "id" : "$id");
    return mcti_json_type(id) == '"' && id.len > 2 && id.p[1] != '#';
}

void mcti_shape_wrap_schema(struct mcti_shape *s, struct mcti_str schema)
{
    struct mcti_buf *to = s->edit.to;
    struct mcti_str dialect = mcti_json_get(schema, "$schema");
    mcti_json_edit_cut(&s->edit, schema);
    mcti_buf_addc(to, '{');
    if (dialect.p)
        mcti_json_put_raw(to, "$schema", dialect);
    mcti_json_put_raw(to, "type", MCT_STR("\"object\""));
    mcti_json_put_key(to, "properties");
    mcti_buf_addz(to, "{\"result\":");
    if (is_own_document(schema, dialect))
        mcti_buf_add(to, schema);
    else
        put_moved(to, schema, dialect);
    mcti_buf_addz(to, "},\"required\":[\"result\"]}");
}

/* ---- schemas that need no wrapping ---- */

static enum mcti_shape_outcome shape_schema_properties(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_json_member one;
    if (mcti_json_type(m->value) != '{')
        return SHAPE_KEEP;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_member(&it, &one);) {
        char type = mcti_json_type(one.value);
        if (type == 't' || type == 'f')
            mcti_json_edit_replace(&s->edit, one.value, type == 't' ? MCT_STR("{}") : MCT_STR("{\"not\":{}}"));
    }
    return SHAPE_KEEP;
}

void mcti_shape_property_schemas(struct mcti_shape *s, struct mcti_str schema)
{
    static const struct mcti_shape_rule rules[] = { { "properties", .inside = shape_schema_properties } };
    mcti_shape_members(s, schema, SHAPE_TABLE(rules));
}
