#include "mcp/http/headers.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/table/map.h"
#include "mcp/method.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH_MAX = 64, N_NAMES_MAX = 64, NAME_MAX_LEN = 128 };

static const char annotation[] = "x-mcp-header";

/* ---- values ---- */

static bool looks_encoded(struct mcti_str s)
{
    return s.len >= 11 && mcti_str_starts(s, MCT_STR("=?base64?")) && !memcmp(s.p + s.len - 2, "?=", 2);
}

static bool is_plain(struct mcti_str s)
{
    if (s.len && (s.p[0] == ' ' || s.p[s.len - 1] == ' '))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return !looks_encoded(s);
}

void mcti_header_value_put(struct mcti_buf *to, struct mcti_str text)
{
    if (is_plain(text)) {
        mcti_buf_add(to, text);
        return;
    }
    mcti_buf_addz(to, "=?base64?");
    mcti_base64_put(to, text);
    mcti_buf_addz(to, "?=");
}

int mcti_header_value_get(struct mcti_buf *to, struct mcti_str value)
{
    if (looks_encoded(value))
        return mcti_base64_get(to, (struct mcti_str){ value.p + 9, value.len - 11 });
    mcti_buf_add(to, value);
    return mcti_buf_ok(to) ? 0 : -1;
}

static void add_text(struct mcti_headers *to, const char *name, struct mcti_str json_string)
{
    struct mcti_buf text, value;
    struct mcti_str plain;
    if (mcti_json_plain(json_string, &plain) && is_plain(plain)) { /* as nearly all are */
        mcti_headers_add(to, name, plain);
        return;
    }
    mcti_buf_init(&text, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_buf_init(&value, 2 * MCT_LIMIT_HTTP_HEADER_BYTES);
    if (mcti_json_unescape(json_string, &text) == 0 && mcti_buf_ok(&text)) {
        mcti_header_value_put(&value, mcti_buf_str(&text));
        mcti_headers_add(to, name, mcti_buf_str(&value));
    } else {
        to->text.failed |= !mcti_buf_ok(&text);
    }
    mcti_buf_done(&text);
    mcti_buf_done(&value);
}

void mcti_headers_put_standard(struct mcti_headers *to, const struct mcti_msg *msg)
{
    const struct mcti_method *m = mcti_method(mcti_method_find(msg->method));
    mcti_headers_add(to, "Mcp-Method", msg->method);
    if (m->subject)
        add_text(to, "Mcp-Name", mcti_msg_get(msg, m->subject));
}

/* ---- annotations ---- */

/* Recursion through a schema, with the names seen so far. */
struct walk {
    struct mct_error *err;
    char names[N_NAMES_MAX][NAME_MAX_LEN];
    size_t n_names;
};

enum mcti_shape { ONE, MANY, MAP }; /* a schema, a list of schemas, an object of schemas */

/* Keywords that contain schemas, but not schemas of parameters. */
static const struct {
    const char *key;
    enum mcti_shape shape;
} elsewhere[] = {
    { "items", ONE },
    { "prefixItems", MANY },
    { "contains", ONE },
    { "additionalItems", ONE },
    { "additionalProperties", ONE },
    { "unevaluatedProperties", ONE },
    { "unevaluatedItems", ONE },
    { "propertyNames", ONE },
    { "patternProperties", MAP },
    { "dependentSchemas", MAP },
    { "oneOf", MANY },
    { "anyOf", MANY },
    { "allOf", MANY },
    { "not", ONE },
    { "if", ONE },
    { "then", ONE },
    { "else", ONE },
    { "$defs", MAP },
    { "definitions", MAP },
};

static int check_schema(struct walk *w, struct mcti_str schema, bool reachable, bool is_root, int depth);

static bool known_name(struct walk *w, const char *name)
{
    for (size_t i = 0; i < w->n_names; i++)
        if (mcti_str_eq_nocase(mcti_str_of(w->names[i]), mcti_str_of(name)))
            return true;
    return false;
}

static int http_headers_check_name(struct walk *w, struct mcti_str value)
{
    struct mcti_str name;
    if (!mcti_json_plain(value, &name) || !name.len)
        return mcti_fail(w->err, MCT_ERR_PROTOCOL, "%s must be a non-empty string", annotation);
    if (!mcti_str_is_token(name))
        return mcti_fail(w->err, MCT_ERR_PROTOCOL, "%s '%.*s' is not an HTTP token", annotation, MCT_STR_ARG(name));
    if (name.len >= NAME_MAX_LEN || w->n_names == N_NAMES_MAX)
        return mcti_fail(w->err, MCT_ERR_LIMIT, "too many or too long %s annotations", annotation);
    char *slot = w->names[w->n_names];
    memcpy(slot, name.p, name.len);
    slot[name.len] = '\0';
    if (known_name(w, slot))
        return mcti_fail(w->err, MCT_ERR_PROTOCOL, "duplicate %s '%s'", annotation, slot);
    w->n_names++;
    return 0;
}

static bool has_header_type(struct mcti_str schema)
{
    struct mcti_str type = mcti_json_get(schema, "type");
    return mcti_json_is(type, "string") || mcti_json_is(type, "integer") || mcti_json_is(type, "boolean");
}

static int check_annotation(struct walk *w, struct mcti_str schema, bool reachable, bool is_root)
{
    struct mcti_str value = mcti_json_get(schema, annotation);
    if (!value.p)
        return 0;
    if (!reachable || is_root)
        return mcti_fail(w->err, MCT_ERR_PROTOCOL, "%s is not on a parameter", annotation);
    if (!has_header_type(schema))
        return mcti_fail(w->err, MCT_ERR_PROTOCOL, "%s is on a parameter that is not a string, integer or boolean",
                         annotation);
    return http_headers_check_name(w, value);
}

static int check_each(struct walk *w, struct mcti_str container, bool reachable, int depth)
{
    struct mcti_json_member m;
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(container);
         mcti_json_type(container) == '{' && mcti_json_next_member(&it, &m);)
        if (check_schema(w, m.value, reachable, false, depth) < 0)
            return -1;
    for (struct mcti_json_iter it = mcti_json_open(container);
         mcti_json_type(container) == '[' && mcti_json_next_item(&it, &item);)
        if (check_schema(w, item, reachable, false, depth) < 0)
            return -1;
    return 0;
}

/* Checks the schemas in a member of that table. */
static int check_elsewhere(struct walk *w, struct mcti_json_member m, int depth)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (!mcti_json_key_is(m.key, elsewhere[i].key))
            continue;
        bool each = elsewhere[i].shape != ONE || mcti_json_type(m.value) == '[';
        return each ? check_each(w, m.value, false, depth) : check_schema(w, m.value, false, false, depth);
    }
    return 0;
}

static int check_schema(struct walk *w, struct mcti_str schema, bool reachable, bool is_root, int depth)
{
    struct mcti_json_member m;
    int r = 0;
    if (mcti_json_type(schema) != '{')
        return 0;
    if (depth > DEPTH_MAX)
        return mcti_fail(w->err, MCT_ERR_LIMIT, "the schema is nested too deeply");
    if (check_annotation(w, schema, reachable, is_root) < 0)
        return -1;
    for (struct mcti_json_iter it = mcti_json_open(schema); r == 0 && mcti_json_next_member(&it, &m);)
        r = mcti_json_key_is(m.key, "properties") ? check_each(w, m.value, reachable, depth + 1)
                                                  : check_elsewhere(w, m, depth + 1);
    return r;
}

static bool is_annotated(struct mcti_str tool)
{
    return tool.p && memmem(tool.p, tool.len, annotation, sizeof annotation - 1);
}

int mcti_param_headers_check(struct mcti_str tool, struct mct_error *err)
{
    if (!is_annotated(tool))
        return 0;
    if (tool.len > MCT_LIMIT_ANNOTATED_BYTES)
        return mcti_fail(err, MCT_ERR_LIMIT, "the schema has %s annotations and more than %u bytes", annotation,
                         MCT_LIMIT_ANNOTATED_BYTES);
    struct mct_error ours;
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return mcti_no_memory(err);
    w->err = err ? err : &ours;
    int r = check_schema(w, mcti_json_get(tool, "inputSchema"), true, true, 0);
    free(w);
    return r;
}

/* ---- invalid annotations ---- */

static void drop_in(struct walk *w, struct mcti_json_edit *e, struct mcti_str schema, bool reachable, int depth);

static void drop_in_each(struct walk *w, struct mcti_json_edit *e, struct mcti_str container, bool reachable, int depth)
{
    struct mcti_json_member m;
    struct mcti_str item;
    bool is_map = mcti_json_type(container) == '{';
    struct mcti_json_iter it = mcti_json_open(container);
    while (is_map ? mcti_json_next_member(&it, &m) : mcti_json_next_item(&it, &item))
        drop_in(w, e, is_map ? m.value : item, reachable, depth);
}

static void drop_elsewhere(struct walk *w, struct mcti_json_edit *e, struct mcti_json_member m, int depth)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (!mcti_json_key_is(m.key, elsewhere[i].key))
            continue;
        if (elsewhere[i].shape != ONE || mcti_json_type(m.value) == '[')
            drop_in_each(w, e, m.value, false, depth);
        else
            drop_in(w, e, m.value, false, depth);
    }
}

/* Repeats the check in the order of the text and drops invalid annotations. Deeper than the check goes, everything is
 * kept. */
static void drop_in(struct walk *w, struct mcti_json_edit *e, struct mcti_str schema, bool reachable, int depth)
{
    struct mcti_json_edit_members m = mcti_json_edit_members(schema);
    while (depth <= DEPTH_MAX && mcti_json_edit_next(e, &m)) {
        if (mcti_json_key_is(m.now.key, "properties"))
            drop_in_each(w, e, m.now.value, reachable, depth + 1);
        else if (!mcti_json_key_is(m.now.key, annotation))
            drop_elsewhere(w, e, m.now, depth + 1);
        else if (check_annotation(w, schema, reachable, depth == 0) < 0)
            mcti_json_edit_leave_out(e, &m);
    }
}

void mcti_param_headers_drop_bad(struct mcti_json_edit *e, struct mcti_str input_schema)
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

bool mcti_tool_is_annotated(struct mcti_str tool)
{
    return is_annotated(tool) && mcti_param_headers_check(tool, NULL) == 0;
}

/* ---- arguments ---- */

/* Handles each annotated parameter that has a value; param() returns -1 to stop. */
struct mcti_http_visitor {
    int (*param)(struct mcti_http_visitor *v, const char *header, struct mcti_str value);
    struct mcti_headers *to; /* for add_param() */
    mcti_header_get_fn get;  /* for check_param() */
    const void *from;
    struct mct_error *err;
};

/* A parameter with an annotation in itself or below. */
struct param {
    struct mcti_map_node node;     /* node of by_name, under the unescaped name */
    char *name;                    /* owned if the name has escapes; NULL: the key is the name */
    struct mcti_str schema, value; /* value: first argument of that name */
    /* number of arguments of that name; it is unknown which of several the server uses */
    size_t n;
};

/* The parameters of one object. */
struct params {
    struct mcti_map by_name;
    struct param *v;
    size_t n;
};

/* Returns a member's unescaped name; sets *ret_owned if it was copied. */
static struct mcti_str plain_name(struct mcti_json_member m, char **ret_owned)
{
    struct mcti_buf b;
    *ret_owned = NULL;
    if (!m.key.len || !memchr(m.key.p, '\\', m.key.len))
        return m.key;
    mcti_buf_init(&b, m.key.len + 1);
    bool valid = mcti_json_unescape(mcti_json_key_value(m.key), &b) == 0;
    struct mcti_str name = { b.p, b.len };
    *ret_owned = mcti_buf_take(&b);
    return valid && *ret_owned ? (struct mcti_str){ *ret_owned, name.len } : MCT_STR_NONE;
}

static struct param *param_named(const struct params *p, struct mcti_str name)
{
    struct mcti_map_node *n = name.p ? mcti_map_get(&p->by_name, name) : NULL;
    return n ? MCT_CONTAINER(n, struct param, node) : NULL;
}

static size_t count_annotated(struct mcti_str properties)
{
    struct mcti_json_member m;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(properties); mcti_json_next_member(&it, &m);)
        n += is_annotated(m.value);
    return n;
}

/* Collects the parameters. Returns -1 if memory is exhausted. */
static int find_params(struct params *to, struct mcti_str properties)
{
    struct mcti_json_member m;
    size_t max = count_annotated(properties);
    mcti_map_init(&to->by_name);
    to->v = calloc(max + 1, sizeof *to->v);
    for (struct mcti_json_iter it = mcti_json_open(properties);
         to->v && to->n < max && mcti_json_next_member(&it, &m);) {
        if (!is_annotated(m.value))
            continue;
        struct param *p = &to->v[to->n++];
        struct mcti_str name = plain_name(m, &p->name);
        p->schema = m.value;
        if (name.p && !param_named(to, name) && mcti_map_put(&to->by_name, &p->node, name) < 0)
            return -1;
    }
    return to->v ? 0 : -1;
}

static void params_done(struct params *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i].name);
    mcti_map_done(&p->by_name);
    free(p->v);
}

/* Assigns the arguments to the parameters, in one pass. */
static void find_arguments(const struct params *to, struct mcti_str arguments)
{
    struct mcti_json_member m;
    char *owned;
    for (struct mcti_json_iter it = mcti_json_open(arguments); mcti_json_next_member(&it, &m);) {
        struct param *p = param_named(to, plain_name(m, &owned));
        free(owned);
        if (p && p->n++ == 0)
            p->value = m.value;
    }
}

static int visit_params(struct mcti_http_visitor *v, struct mcti_str schema, struct mcti_str arguments, int depth);

static int visit_param(struct mcti_http_visitor *v, const struct param *p, int depth)
{
    char header[NAME_MAX_LEN + 16];
    struct mcti_str name;
    if (p->n > 1 && v->get)
        return mcti_fail(v->err, MCT_ERR_USAGE, "duplicate argument, which must also be sent as a header");
    if (!p->n)
        return 0;
    if (!mcti_json_plain(mcti_json_get(p->schema, annotation), &name))
        return visit_params(v, p->schema, p->value, depth + 1);
    snprintf(header, sizeof header, "Mcp-Param-%.*s", MCT_STR_ARG(name));
    return v->param(v, header, p->value);
}

static int visit_params(struct mcti_http_visitor *v, struct mcti_str schema, struct mcti_str arguments, int depth)
{
    struct mcti_str properties = mcti_json_get(schema, "properties");
    int r = 0;
    if (depth > DEPTH_MAX || mcti_json_type(arguments) != '{' || mcti_json_type(properties) != '{')
        return 0;
    struct params params = { .n = 0 };
    if (find_params(&params, properties) < 0)
        r = mcti_no_memory(v->err);
    else
        find_arguments(&params, arguments);
    for (size_t i = 0; i < params.n && r == 0; i++)
        r = visit_param(v, &params.v[i], depth);
    params_done(&params);
    return r;
}

/* Returns true for whole numbers up to 2^53 - 1, which all programs read alike; only these have a header. */
static bool is_safe_integer(struct mcti_str value)
{
    double n = mcti_json_double(value);
    return value.len < 40 && fabs(n) <= 9007199254740991.0 && n == floor(n);
}

static int add_param(struct mcti_http_visitor *v, const char *header, struct mcti_str value)
{
    char number[40];
    switch (mcti_json_type(value)) {
    case '"':
        add_text(v->to, header, value);
        break;
    case '0':
        if (is_safe_integer(value)) {
            snprintf(number, sizeof number, "%.0f", mcti_json_double(value) + 0.0); /* never "-0" */
            mcti_headers_add(v->to, header, mcti_str_of(number));
        }
        break;
    case 't':
    case 'f':
        mcti_headers_add(v->to, header, value);
    }
    return 0;
}

void mcti_headers_put_params(struct mcti_headers *to, struct mcti_str tool, struct mcti_str arguments)
{
    struct mcti_http_visitor v = { .param = add_param, .to = to };
    if (is_annotated(tool) && visit_params(&v, mcti_json_get(tool, "inputSchema"), arguments, 0) < 0)
        to->text.failed = true;
}

static int http_headers_mismatch(struct mct_error *err, const char *header, const char *what)
{
    mcti_fail(err, MCT_ERR_PROTOCOL, "header %s %s", header, what);
    err->code = MCT_RPC_HEADER_MISMATCH;
    return -1;
}

static bool is_same_value(struct mcti_str text, struct mcti_str value)
{
    struct mcti_buf own;
    struct mcti_json_top top;
    if (mcti_json_type(value) == '0') /* 42 and 42.0 are the same number */
        return mcti_json_valid(text, 1, &top, NULL) && mcti_json_type(top.value) == '0' &&
               mcti_json_double(top.value) == mcti_json_double(value);
    if (mcti_json_type(value) != '"')
        return mcti_str_eq(text, value);
    mcti_buf_init(&own, MCT_LIMIT_HTTP_HEADER_BYTES);
    bool same = mcti_json_unescape(value, &own) == 0 && mcti_str_eq(text, mcti_buf_str(&own));
    mcti_buf_done(&own);
    return same;
}

static int check_param(struct mcti_http_visitor *v, const char *header, struct mcti_str value)
{
    struct mcti_buf text;
    size_t n = 0;
    char type = mcti_json_type(value);
    int r = 0;
    if (type == 'n' || type == '{' || type == '[' || (type == '0' && !is_safe_integer(value)))
        return 0;
    struct mcti_str given = v->get(v->from, header, &n);
    if (n != 1)
        return http_headers_mismatch(v->err, header, n ? "is duplicated" : "is missing");
    mcti_buf_init(&text, MCT_LIMIT_HTTP_HEADER_BYTES);
    if (mcti_header_value_get(&text, given) < 0)
        r = http_headers_mismatch(v->err, header, "is not well-formed base64");
    else if (!is_same_value(mcti_buf_str(&text), value))
        r = http_headers_mismatch(v->err, header, "differs from the body");
    mcti_buf_done(&text);
    return r;
}

int mcti_headers_check_params(struct mcti_str tool, struct mcti_str arguments, mcti_header_get_fn get, const void *from,
                              struct mct_error *err)
{
    struct mcti_http_visitor v = { .param = check_param, .get = get, .from = from, .err = err };
    return visit_params(&v, mcti_json_get(tool, "inputSchema"), arguments, 0);
}
