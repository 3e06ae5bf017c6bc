#include "scene.h"

#include "torture.h"

#include "base/limits.h"
#include "hub/names/names.h"
#include "hub/names/template.h"
#include "io/http/sse.h"
#include "json/edit.h"
#include "json/tree.h"
#include "model/schema/profile.h"
#include "schema/schema.h"

#include <stdlib.h>

static const char document[] =
    "{\"a\":[1,2.50,{\"b\":\"\\u00e4\\n\"},null,true],\"c\":{\"d\":{\"e\":[]}},\"a\\/b\":\"x\","
    "\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"k8\":8,\"k9\":9}";

static const char schema[] =
    "{\"type\":\"object\",\"$defs\":{\"p\":{\"$id\":\"urn:p\",\"$anchor\":\"here\",\"pattern\":\"^[a-z]+(\\\\d{2,3}|x)?"
    "$\"}},"
    "\"properties\":{\"a\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"$ref\":\"urn:p#here\"}},"
    "\"b\":{\"oneOf\":[{\"type\":\"integer\",\"multipleOf\":0.5},{\"const\":{\"x\":[1]}}]}},"
    "\"patternProperties\":{\"^x-\":{\"maxLength\":3}},\"unevaluatedProperties\":false,\"required\":[\"a\"]}";

static const char *const values[] = {
    "{\"a\":[\"abc12\",\"x\"],\"b\":{\"x\":[1.0]},\"x-1\":\"abc\"}",
    "{\"a\":[\"abc12\",\"abc12\"],\"b\":2}",
    "{\"a\":[],\"other\":1}",
};

/* ---- JSON ---- */

static int run_tree(struct mcti_buf *to)
{
    struct mcti_json_tree t;
    struct mcti_json_node *root;
    mcti_json_tree_init(&t, 1u << 20);
    int result = mcti_json_tree_read(&t, mcti_str_of(document), (struct mcti_json_limits){ 64, 1000 }, &root, NULL);
    if (result == 0) {
        struct mcti_json_node *copy = mcti_json_tree_copy(&t, root), *list = mcti_json_tree_new(&t, '[');
        for (int i = 0; i < 40; i++)
            mcti_json_tree_add(&t, list, mcti_json_tree_copy_text(&t, MCT_STR("\"item\"")));
        mcti_json_tree_remove(&t, copy, MCT_STR("k3"));
        mcti_json_tree_put(&t, copy, MCT_STR("k4"), list);
        mcti_json_tree_put(&t, copy, MCT_STR("new"), root);
        result = mcti_json_tree_ok(&t) ? 0 : -1;
        if (result == 0)
            mcti_json_tree_write(to, copy);
    }
    mcti_json_tree_done(&t);
    return result;
}

static int run_write(struct mcti_buf *to)
{
    const struct mcti_json_set sets[] = { { "c", MCT_STR("[7]") }, { "a", MCT_STR_NONE }, { "z", MCT_STR("{}") } };
    mcti_json_put_object(to, mcti_str_of(document), sets, 3);
    mcti_json_put_compact(to, mcti_str_of(document));
    mcti_json_put_pretty(to, mcti_str_of(document));
    mcti_json_put_string(to, MCT_STR("a\"\xff\x01"));
    return 0;
}

/* ---- schemas ---- */

static int run_schema(struct mcti_buf *to)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct mcti_schema_fault fault = { .where = "" };
        enum mcti_schema_verdict v = mcti_schema_check(mcti_str_of(schema), mcti_str_of(values[i]), &fault);
        if (v == MCT_SCHEMA_UNUSABLE)
            return -1;
        mcti_buf_printf(to, "%d %s\n", v, fault.why);
    }
    return 0;
}

static int run_normalise(struct mcti_buf *to)
{
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++) {
        struct mcti_schema_report report = { 0 };
        struct mcti_buf made;
        mcti_buf_init(&made, 1u << 20);
        int result = mcti_schema_normalise(&made, mcti_str_of(schema), p, &report, NULL);
        mcti_buf_add(to, mcti_buf_str(&made));
        if (result == 0 && mcti_schema_violations(to, mcti_buf_str(&made), "parameters"))
            result = -1;
        mcti_buf_done(&made);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* ---- events ---- */

static bool on_event(void *data, struct mcti_str type, struct mcti_str text)
{
    mcti_buf_add(data, type);
    mcti_buf_add(data, text);
    mcti_buf_addc(data, '\n');
    return true;
}

static int run_sse(struct mcti_buf *to)
{
    static const char stream[] = "\xef\xbb\xbfid: 7\r\nevent: note\ndata: one\rdata: two\n\n:ping\nretry: 50\n"
                                 "id: 8\ndata: {\"a\":1}\n\ndata: cut";
    struct mcti_sse s;
    int result = 0;
    mcti_sse_init(&s, 1024);
    for (const char *at = stream; *at && result == 0; at += strnlen(at, 9)) {
        struct mcti_str piece = { at, strnlen(at, 9) };
        result = mcti_sse_feed(&s, &piece, on_event, to);
    }
    mcti_buf_add(to, mcti_buf_str(&s.last_id));
    mcti_sse_done(&s);
    return result;
}

/* ---- names ---- */

static int run_names(struct mcti_buf *to)
{
    const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_CONFLICT, 24 };
    const struct mcti_name_in in[] = {
        { .server = MCT_STR("a"), .raw = MCT_STR("read") },
        { .server = MCT_STR("b"), .raw = MCT_STR("read") },
        { .server = MCT_STR("b"), .raw = MCT_STR("a rather long name with blanks") },
        { .server = MCT_STR("c"), .raw = MCT_STR("a.b") },
        { .server = MCT_STR("c"), .raw = MCT_STR("a b") },
    };
    enum { N = sizeof in / sizeof *in };
    const struct mcti_name_in *lost_to[N];
    struct mcti_name_clashes clashes = { .lost_to = lost_to };
    char *names[N] = { 0 };
    int result = mcti_names_assign(&naming, in, N, names, &clashes);
    for (size_t i = 0; i < N && result == 0; i++)
        mcti_buf_printf(to, "%s\n", names[i]);
    for (size_t i = 0; i < N && result == 0; i++)
        free(names[i]);
    if (result == 0)
        mcti_contests_free(clashes.contests);
    mcti_buf_printf(to, "%d", mcti_template_matches(MCT_STR("file:///{+path}.txt"), MCT_STR("file:///a/b.txt")));
    return result;
}

const struct scene scenes[] = {
    { "auth", scene_auth },
    { "config", scene_config },
    { "connect", scene_connect },
    { "flow", scene_flow },
    { "expand", scene_expand },
    { "http", scene_http },
    { "jose", scene_jose },
    { "login", scene_login },
    { "json-tree", run_tree },
    { "json-write", run_write },
    { "schema", run_schema },
    { "normalise", run_normalise },
    { "model-array", scene_model_array },
    { "model-calls", scene_model_calls },
    { "names", run_names },
    { "redirect", scene_redirect },
    { "request", scene_request },
    { "sse", run_sse },
    { "store", scene_store },
    { 0 },
};

/* ---- what is right ---- */

static unsigned hash_of(struct mcti_str text)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.p[i]) * 16777619u;
    return h;
}

/* With a failure the outcome is the same as without, or the failure is reported. */
const char *torture_scene(const struct torture_case *c, const struct torture_run *run)
{
    const struct scene *s = scenes;
    struct mcti_buf outcome;
    const char *wrong = NULL;
    while (s->name && strcmp(s->name, c->name) != 0)
        s++;
    if (!s->name)
        return "no such scene";
    mcti_buf_init(&outcome, MCT_LIMIT_MESSAGE_BYTES);
    int result = s->run(&outcome);
    bool reported = result < 0 || !mcti_buf_ok(&outcome);
    unsigned hash = hash_of(mcti_buf_str(&outcome));
    if (result > 0)
        wrong = "bytes are still charged, or an outcome is no JSON";
    else if (!run->fails && (reported || !outcome.len))
        wrong = "it fails by itself";
    else if (!run->fails)
        run->notes->v[run->notes->n++] = hash;
    else if (!reported && run->notes->v[0] != hash)
        wrong = "another outcome, and nothing was reported";
    mcti_buf_done(&outcome);
    return wrong;
}
