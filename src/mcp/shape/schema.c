/*
 * Output schemas of 2026-07-28 for handshake revisions, which want an object at the root: the schema
 * moves to /properties/result of one, and references to places in it move along. Names ($anchor) and
 * what has an $id of its own need nothing.
 */
#include "mcp/shape/impl.h"

#include <strings.h>

#define PLACE "/properties/result"

bool mct_shape_wraps(struct mct_str output_schema)
{
    return mct_json_type(output_schema) == '{' && !mct_json_is(mct_json_get(output_schema, "type"), "object");
}

void shape_wrap(struct shape *s, struct mct_str value)
{
    mct_json_edit_cut(&s->edit, value);
    mct_buf_add(s->edit.to, MCT_STR("{\"result\":"));
    mct_buf_add(s->edit.to, value);
    mct_buf_addc(s->edit.to, '}');
}

/* ---- the walk: once over the text, as schemas are long and may be deep ---- */

enum place { SCHEMA, NAMES, DATA };

struct walk {
    struct mct_json_edit edit;
    struct mct_json_iter it; /* what is left of the text */
    const char *id;          /* the keyword that begins a document of its own */
    bool recursive;          /* 2019-09 has $recursiveRef */
};

/* What stands in a keyword: schemas by their names, or data that only looks like them. All else is
 * walked as if it were a schema: an unknown keyword may hold what a reference leads to. */
static const struct {
    const char *key;
    enum place place;
} keywords[] = {
    { "properties", NAMES }, { "patternProperties", NAMES }, { "$defs", NAMES }, { "definitions", NAMES },
    { "dependentSchemas", NAMES }, { "dependencies", NAMES }, { "enum", DATA }, { "const", DATA },
    { "default", DATA }, { "examples", DATA },
};

static void walk_value(struct walk *w, enum place place);

/* Whether the container goes on; behind it otherwise. */
static bool goes_on(struct walk *w)
{
    while (w->it.p < w->it.end && strchr(" \n\r\t,:", *w->it.p))
        w->it.p++;
    if (w->it.p < w->it.end && *w->it.p != '}' && *w->it.p != ']')
        return true;
    w->it.p++;
    return false;
}

static struct mct_str take(struct walk *w)
{
    struct mct_str v = MCT_STR("");
    goes_on(w);
    mct_json_next_item(&w->it, &v);
    return v;
}

/* How far into a raw string the first of these forms of a character goes; 0: it is another one. */
static size_t begins(struct mct_str s, const char *const *forms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s.len >= strlen(forms[i]) && !strncasecmp(s.p, forms[i], strlen(forms[i])))
            return strlen(forms[i]);
    return 0;
}

/* Where the way begins in a reference to a place of this document, behind the '#'; NULL: it is another one. */
static const char *local_way(struct mct_str ref)
{
    static const char *const hash[] = { "#", "\\u0023" }, *const slash[] = { "/", "\\/", "\\u002f", "%2f" };
    struct mct_str s = { ref.p + 1, ref.len - 2 };
    size_t n = begins(s, hash, 2);
    struct mct_str way = { s.p + n, s.len - n };
    return n && (!way.len || begins(way, slash, 4)) ? way.p : NULL;
}

static void move_ref(struct walk *w, struct mct_str ref)
{
    const char *way = mct_json_type(ref) == '"' ? local_way(ref) : NULL;
    if (!way && !mct_json_is(ref, ""))
        return;
    mct_json_edit_upto(&w->edit, way ? way : ref.p + 1);
    mct_buf_addz(w->edit.to, way ? PLACE : "#" PLACE);
}

static enum place place_of(struct mct_str key)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (mct_json_key_is(key, keywords[i].key))
            return keywords[i].place;
    return SCHEMA;
}

/* A keyword with its value. False: what it is in is a document of its own. */
static bool walk_keyword(struct walk *w, struct mct_str quoted)
{
    struct mct_str key = { quoted.p + 1, quoted.len - 2 };
    bool id = mct_json_key_is(key, w->id), recursive = w->recursive && mct_json_key_is(key, "$recursiveRef");
    if (recursive) /* which can say "#" only; in one document that is $ref */
        mct_json_edit_replace(&w->edit, quoted, MCT_STR("\"$ref\""));
    if (recursive || mct_json_key_is(key, "$ref") || mct_json_key_is(key, "$dynamicRef")) {
        goes_on(w);
        if (*w->it.p == '"') {
            move_ref(w, take(w));
            return true;
        }
    }
    if (!id) {
        walk_value(w, place_of(key));
        return true;
    }
    struct mct_str value = take(w);
    return mct_json_type(value) != '"' || value.len == 2 || value.p[1] == '#';
}

static void walk_object(struct walk *w, enum place place)
{
    const char *at = w->edit.at;
    size_t len = w->edit.to->len;
    bool ours = true;
    for (w->it.p++; goes_on(w);) {
        struct mct_str key = take(w);
        if (place == NAMES)
            walk_value(w, SCHEMA);
        else
            ours &= walk_keyword(w, key);
    }
    if (ours)
        return;
    w->edit.at = at; /* nothing of it changes after all */
    w->edit.to->len = len;
}

static void walk_value(struct walk *w, enum place place)
{
    goes_on(w);
    char c = w->it.p < w->it.end ? *w->it.p : 0;
    if (place == DATA || (c != '{' && c != '[')) {
        take(w);
    } else if (c == '{') {
        walk_object(w, place);
    } else {
        w->it.p++;
        while (goes_on(w))
            walk_value(w, SCHEMA);
    }
}

/* ---- the schema around it ---- */

static bool dialect_is(struct mct_str dialect, const char *part)
{
    return dialect.p && memmem(dialect.p, dialect.len, part, strlen(part));
}

/* Behind its new place: the schema without $schema, which belongs to the root. */
static void put_moved(struct mct_buf *to, struct mct_str schema, struct mct_str dialect)
{
    struct walk w = { .edit = mct_json_edit_open(to, schema), .recursive = dialect_is(dialect, "2019-09"),
                      .id = dialect_is(dialect, "draft-04") ? "id" : "$id" };
    struct mct_json_edit_members m = mct_json_edit_members(schema);
    while (mct_json_edit_next(&w.edit, &m)) {
        if (mct_json_key_is(m.now.key, "$schema")) {
            mct_json_edit_leave_out(&w.edit, &m);
            continue;
        }
        w.it = (struct mct_json_iter){ m.now.value.p, m.now.value.p + m.now.value.len };
        walk_keyword(&w, mct_json_key_value(m.now.key));
    }
    mct_json_edit_close(&w.edit, schema);
}

static bool is_own_document(struct mct_str schema, struct mct_str dialect)
{
    struct mct_str id = mct_json_get(schema, dialect_is(dialect, "draft-04") ? "id" : "$id");
    return mct_json_type(id) == '"' && id.len > 2 && id.p[1] != '#';
}

void shape_wrap_schema(struct shape *s, struct mct_str schema)
{
    struct mct_buf *to = s->edit.to;
    struct mct_str dialect = mct_json_get(schema, "$schema");
    mct_json_edit_cut(&s->edit, schema);
    mct_buf_addc(to, '{');
    if (dialect.p)
        mct_json_put_raw(to, "$schema", dialect);
    mct_json_put_raw(to, "type", MCT_STR("\"object\""));
    mct_json_put_key(to, "properties");
    mct_buf_addz(to, "{\"result\":");
    if (is_own_document(schema, dialect))
        mct_buf_add(to, schema);
    else
        put_moved(to, schema, dialect);
    mct_buf_addz(to, "},\"required\":[\"result\"]}");
}

/* ---- schemas that need no wrapping ---- */

static enum shape_fate properties(struct shape *s, const struct mct_json_member *m)
{
    struct mct_json_member one;
    if (mct_json_type(m->value) != '{')
        return SHAPE_KEEP;
    for (struct mct_json_iter it = mct_json_open(m->value); mct_json_next_member(&it, &one);) {
        char type = mct_json_type(one.value);
        if (type == 't' || type == 'f')
            mct_json_edit_replace(&s->edit, one.value, type == 't' ? MCT_STR("{}") : MCT_STR("{\"not\":{}}"));
    }
    return SHAPE_KEEP;
}

void shape_property_schemas(struct shape *s, struct mct_str schema)
{
    static const struct shape_rule rules[] = { { "properties", .inside = properties } };
    shape_members(s, schema, SHAPE_TABLE(rules));
}
