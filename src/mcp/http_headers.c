#include "mcp/http_headers.h"

#include "base/base64.h"
#include "base/limits.h"
#include "mcp/method.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH_MAX = 64, N_NAMES_MAX = 64, NAME_MAX_LEN = 128 };

static const char annotation[] = "x-mcp-header";

/* ---- values ---- */

static bool looks_encoded(struct mct_str s)
{
    return s.len >= 11 && mct_str_starts(s, MCT_STR("=?base64?")) && !memcmp(s.p + s.len - 2, "?=", 2);
}

static bool is_plain(struct mct_str s)
{
    if (s.len && (s.p[0] == ' ' || s.p[s.len - 1] == ' '))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return !looks_encoded(s);
}

void mct_header_value_put(struct mct_buf *to, struct mct_str text)
{
    if (is_plain(text)) {
        mct_buf_add(to, text);
        return;
    }
    mct_buf_addz(to, "=?base64?");
    mct_base64_put(to, text);
    mct_buf_addz(to, "?=");
}

static void add_text(struct mct_headers *to, const char *name, struct mct_str json_string)
{
    struct mct_buf text, value;
    mct_buf_init(&text, MCT_LIMIT_HTTP_HEADER_BYTES);
    mct_buf_init(&value, 2 * MCT_LIMIT_HTTP_HEADER_BYTES);
    if (mct_json_unescape(json_string, &text) == 0 && mct_buf_ok(&text)) {
        mct_header_value_put(&value, mct_buf_str(&text));
        mct_headers_add(to, name, mct_buf_str(&value));
    } else {
        to->text.failed |= !mct_buf_ok(&text);
    }
    mct_buf_done(&text);
    mct_buf_done(&value);
}

void mct_headers_put_standard(struct mct_headers *to, const struct mct_msg *msg)
{
    const struct mct_method *m = mct_method(mct_method_find(msg->method));
    mct_headers_add(to, "Mcp-Method", msg->method);
    if (m->subject)
        add_text(to, "Mcp-Name", mct_json_get(msg->params, m->subject));
}

/* ---- annotations ---- */

/* A walk through a schema, and the names it has met. */
struct walk {
    struct mct_error *err;
    char names[N_NAMES_MAX][NAME_MAX_LEN];
    size_t n_names;
};

enum shape { ONE, MANY, MAP }; /* a schema, a list of them, an object of them */

/* Keywords that lead to schemas, but not to parameters. */
static const struct {
    const char *key;
    enum shape shape;
} elsewhere[] = {
    { "items", ONE }, { "prefixItems", MANY }, { "contains", ONE }, { "additionalItems", ONE },
    { "additionalProperties", ONE }, { "unevaluatedProperties", ONE }, { "unevaluatedItems", ONE },
    { "propertyNames", ONE }, { "patternProperties", MAP }, { "dependentSchemas", MAP },
    { "oneOf", MANY }, { "anyOf", MANY }, { "allOf", MANY }, { "not", ONE }, { "if", ONE },
    { "then", ONE }, { "else", ONE }, { "$defs", MAP }, { "definitions", MAP },
};

static int check_schema(struct walk *w, struct mct_str schema, bool reachable, bool is_root, int depth);

static bool is_tchar(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool known_name(struct walk *w, const char *name)
{
    for (size_t i = 0; i < w->n_names; i++)
        if (mct_str_eq_nocase(mct_str_of(w->names[i]), mct_str_of(name)))
            return true;
    return false;
}

static int check_name(struct walk *w, struct mct_str value)
{
    struct mct_str name;
    if (!mct_json_plain(value, &name) || !name.len)
        return mct_fail(w->err, MCT_ERR_PROTOCOL, "its %s must be a text that is not empty", annotation);
    for (size_t i = 0; i < name.len; i++)
        if (!is_tchar(name.p[i]))
            return mct_fail(w->err, MCT_ERR_PROTOCOL, "its %s '%.*s' is no HTTP token", annotation,
                            MCT_STR_ARG(name));
    if (name.len >= NAME_MAX_LEN || w->n_names == N_NAMES_MAX)
        return mct_fail(w->err, MCT_ERR_LIMIT, "it has more or longer %ss than are accepted", annotation);
    char *slot = w->names[w->n_names];
    memcpy(slot, name.p, name.len);
    slot[name.len] = '\0';
    if (known_name(w, slot))
        return mct_fail(w->err, MCT_ERR_PROTOCOL, "its %s '%s' is there twice", annotation, slot);
    w->n_names++;
    return 0;
}

static bool has_header_type(struct mct_str schema)
{
    struct mct_str type = mct_json_get(schema, "type");
    return mct_json_is(type, "string") || mct_json_is(type, "integer") || mct_json_is(type, "boolean");
}

static int check_annotation(struct walk *w, struct mct_str schema, bool reachable, bool is_root)
{
    struct mct_str value = mct_json_get(schema, annotation);
    if (!value.p)
        return 0;
    if (!reachable || is_root)
        return mct_fail(w->err, MCT_ERR_PROTOCOL, "its %s stands where it names no parameter", annotation);
    if (!has_header_type(schema))
        return mct_fail(w->err, MCT_ERR_PROTOCOL, "its %s is on a parameter that is no string, integer or "
                        "boolean", annotation);
    return check_name(w, value);
}

static int check_each(struct walk *w, struct mct_str container, bool reachable, int depth)
{
    struct mct_json_member m;
    struct mct_str item;
    for (struct mct_json_iter it = mct_json_open(container);
         mct_json_type(container) == '{' && mct_json_next_member(&it, &m);)
        if (check_schema(w, m.value, reachable, false, depth) < 0)
            return -1;
    for (struct mct_json_iter it = mct_json_open(container);
         mct_json_type(container) == '[' && mct_json_next_item(&it, &item);)
        if (check_schema(w, item, reachable, false, depth) < 0)
            return -1;
    return 0;
}

static int check_schema(struct walk *w, struct mct_str schema, bool reachable, bool is_root, int depth)
{
    if (mct_json_type(schema) != '{')
        return 0;
    if (depth > DEPTH_MAX)
        return mct_fail(w->err, MCT_ERR_LIMIT, "its schema is nested too deeply");
    if (check_annotation(w, schema, reachable, is_root) < 0 ||
        check_each(w, mct_json_get(schema, "properties"), reachable, depth + 1) < 0)
        return -1;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        struct mct_str sub = mct_json_get(schema, elsewhere[i].key);
        bool each = elsewhere[i].shape != ONE || mct_json_type(sub) == '[';
        if ((each ? check_each(w, sub, false, depth + 1) : check_schema(w, sub, false, false, depth + 1)) < 0)
            return -1;
    }
    return 0;
}

static bool is_annotated(struct mct_str tool)
{
    return tool.p && memmem(tool.p, tool.len, annotation, sizeof annotation - 1);
}

int mct_param_headers_check(struct mct_str tool, struct mct_error *err)
{
    if (!is_annotated(tool))
        return 0;
    if (tool.len > MCT_LIMIT_ANNOTATED_BYTES)
        return mct_fail(err, MCT_ERR_LIMIT, "it has %ss and more than %u bytes", annotation, MCT_LIMIT_ANNOTATED_BYTES);
    struct mct_error ours;
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    w->err = err ? err : &ours;
    int r = check_schema(w, mct_json_get(tool, "inputSchema"), true, true, 0);
    free(w);
    return r;
}

/* ---- bad annotations ---- */

static void drop_in(struct walk *w, struct mct_json_edit *e, struct mct_str schema, bool reachable, int depth);

static void drop_in_each(struct walk *w, struct mct_json_edit *e, struct mct_str container, bool reachable, int depth)
{
    struct mct_json_member m;
    struct mct_str item;
    bool is_map = mct_json_type(container) == '{';
    struct mct_json_iter it = mct_json_open(container);
    while (is_map ? mct_json_next_member(&it, &m) : mct_json_next_item(&it, &item))
        drop_in(w, e, is_map ? m.value : item, reachable, depth);
}

static void drop_elsewhere(struct walk *w, struct mct_json_edit *e, struct mct_json_member m, int depth)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (!mct_json_key_is(m.key, elsewhere[i].key))
            continue;
        if (elsewhere[i].shape != ONE || mct_json_type(m.value) == '[')
            drop_in_each(w, e, m.value, false, depth);
        else
            drop_in(w, e, m.value, false, depth);
    }
}

/* What the check does, in the order of the text. Below the check's depth all stays. */
static void drop_in(struct walk *w, struct mct_json_edit *e, struct mct_str schema, bool reachable, int depth)
{
    struct mct_json_edit_members m = mct_json_edit_members(schema);
    while (depth <= DEPTH_MAX && mct_json_edit_next(e, &m)) {
        if (mct_json_key_is(m.now.key, "properties"))
            drop_in_each(w, e, m.now.value, reachable, depth + 1);
        else if (!mct_json_key_is(m.now.key, annotation))
            drop_elsewhere(w, e, m.now, depth + 1);
        else if (check_annotation(w, schema, reachable, depth == 0) < 0)
            mct_json_edit_leave_out(e, &m);
    }
}

void mct_param_headers_drop_bad(struct mct_json_edit *e, struct mct_str input_schema)
{
    struct mct_error ours;
    if (!is_annotated(input_schema) || input_schema.len > MCT_LIMIT_ANNOTATED_BYTES)
        return;
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return;
    w->err = &ours;
    drop_in(w, e, input_schema, true, 0);
    free(w);
}

/* ---- arguments ---- */

static void add_param(struct mct_headers *to, struct mct_str name, struct mct_str value)
{
    char header[NAME_MAX_LEN + 16], number[40];
    double n = mct_json_double(value);
    snprintf(header, sizeof header, "Mcp-Param-%.*s", MCT_STR_ARG(name));
    switch (mct_json_type(value)) {
    case '"':
        add_text(to, header, value);
        break;
    case '0':
        if (value.len < sizeof number && fabs(n) <= 9007199254740991.0 && n == floor(n)) {
            snprintf(number, sizeof number, "%.0f", n + 0.0); /* never "-0" */
            mct_headers_add(to, header, mct_str_of(number));
        }
        break;
    case 't':
    case 'f':
        mct_headers_add(to, header, value);
    }
}

static void put_params(struct mct_headers *to, struct mct_str schema, struct mct_str arguments, int depth)
{
    struct mct_json_member m;
    struct mct_str properties = mct_json_get(schema, "properties"), name;
    if (depth > DEPTH_MAX || mct_json_type(arguments) != '{')
        return;
    for (struct mct_json_iter it = mct_json_open(properties); mct_json_next_member(&it, &m);) {
        char *key = mct_json_dup((struct mct_str){ m.key.p - 1, m.key.len + 2 }); /* with its quotes */
        struct mct_str value = key ? mct_json_get(arguments, key) : MCT_STR_NONE;
        free(key);
        if (value.p && mct_json_plain(mct_json_get(m.value, annotation), &name))
            add_param(to, name, value);
        else if (value.p)
            put_params(to, m.value, value, depth + 1);
    }
}

void mct_headers_put_params(struct mct_headers *to, struct mct_str tool, struct mct_str arguments)
{
    if (is_annotated(tool))
        put_params(to, mct_json_get(tool, "inputSchema"), arguments, 0);
}
