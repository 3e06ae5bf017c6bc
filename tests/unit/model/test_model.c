/* Arrays of tools for model providers, the calls models make of them, and what goes back. */
#include "unit.h"

#define TEXT 8192
#include "golden.h"

#include "model/array.h"
#include "model/call.h"
#include "hub/local/local.h"
#include "json/write.h"
#include "quoted.h"
#include "schema/schema.h"

/* ---- tools of two servers ---- */

struct world {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_view view;
    struct mcti_buf told; /* what was left out and cut, a line each */
};

static const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 128 };

static void never(struct mcti_local_request *r, void *data)
{
    (void)r;
    (void)data;
}

static void add_server(struct world *w, struct mcti_json_member server)
{
    struct mcti_str tool;
    char name[64];
    snprintf(name, sizeof name, "%.*s", MCT_STR_ARG(server.key));
    struct mcti_provider *p = mcti_provider_local_new(name, &w->sched, NULL);
    assert_non_null(p);
    assert_int_equal(mcti_registry_add(&w->registry, p), 0);
    for (struct mcti_json_iter it = mcti_json_open(server.value); mcti_json_next_item(&it, &tool);) {
        char *text = mcti_str_dup(tool);
        assert_int_equal(mcti_local_add(p, MCT_TOOL, text, never, NULL, NULL), 0);
        free(text);
    }
}

/* `servers`: {"NAME":[TOOL, …], …} */
static void open_world(struct world *w, struct mcti_str servers)
{
    struct mcti_json_member m;
    mcti_sched_init(&w->sched);
    mcti_registry_init(&w->registry, &w->sched);
    mcti_buf_init(&w->told, 1u << 16);
    for (struct mcti_json_iter it = mcti_json_open(servers); mcti_json_next_member(&it, &m);)
        add_server(w, m);
    assert_int_equal(mcti_view_init(&w->view, &w->registry, &(struct mcti_view_opts){ .naming = &naming }), 0);
}

static void close_world(struct world *w)
{
    mcti_buf_done(&w->told);
    mcti_view_done(&w->view);
    mcti_registry_done(&w->registry);
}

static void on_left_out(void *data, const struct mcti_exposure *x, const char *why)
{
    mcti_buf_printf(&((struct world *)data)->told, "%.*s left out: %s\n", MCT_STR_ARG(x->name), why);
}

static void on_cut(void *data, const struct mcti_exposure *x)
{
    mcti_buf_printf(&((struct world *)data)->told, "%.*s cut\n", MCT_STR_ARG(x->name));
}

static const struct mcti_array_format *format(const char *name)
{
    const struct mcti_array_format *f = mcti_array_format_find(mcti_str_of(name));
    assert_non_null(f);
    return f;
}

static const struct mcti_exposures *tools(struct world *w)
{
    return mcti_view_items(&w->view, MCT_TOOL);
}

static size_t put_array(struct world *w, struct mcti_buf *to, const struct mcti_array_format *f,
                        struct mcti_schema_cache *cache)
{
    const struct mcti_array_report report = { on_left_out, on_cut, w };
    size_t n;
    assert_int_equal(mcti_array_put(to, f, tools(w), cache, &report, &n, NULL), 0);
    assert_true(mcti_json_valid(mcti_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    return n;
}

/* ---- the arrays ---- */

/* A file has "servers", and what becomes of them under the names of formats. */
static void check_file(const char *path)
{
    struct mcti_schema_cache *cache = mcti_schema_cache_new(1u << 20);
    struct mcti_buf file, made, wanted;
    struct world w;
    read_golden(&file, path);
    open_world(&w, mcti_json_get(mcti_buf_str(&file), "servers"));
    mcti_buf_init(&made, 1u << 20);
    mcti_buf_init(&wanted, 1u << 20);
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++) {
        struct mcti_str array = mcti_json_get(mcti_buf_str(&file), f->name);
        for (int pass = 0; array.p && pass < 3; pass++) {
            mcti_buf_clear(&made);
            mcti_buf_clear(&wanted);
            put_array(&w, &made, f, pass ? cache : NULL);
            mcti_json_put_compact(&wanted, array);
            if (f->profile && !mcti_str_eq(mcti_buf_str(&made), mcti_buf_str(&wanted)))
                fail_msg("%s, %s: %.*s", path, f->name, MCT_STR_ARG(mcti_buf_str(&made)));
            if (!f->profile && !mcti_str_eq(mcti_buf_str(&made), array))
                fail_msg("%s, %s: %.*s", path, f->name, MCT_STR_ARG(mcti_buf_str(&made)));
        }
    }
    mcti_buf_done(&file);
    mcti_buf_done(&made);
    mcti_buf_done(&wanted);
    mcti_schema_cache_free(cache);
    close_world(&w);
}

static void arrays(void **state)
{
    (void)state;
    check_file("providers/tools.json");
    check_file("providers/strict.json");
    check_file("providers/empty.json");
}

static void what_cannot_be_sent_is_left_out(void **state)
{
    struct mcti_buf b, servers;
    struct world w;
    (void)state;
    mcti_buf_init(&b, 64u << 20);
    mcti_buf_init(&servers, 64u << 20);
    mcti_buf_addz(&servers, "{\"s\":[{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\"}},"
                            "{\"name\":\"list\",\"inputSchema\":{\"type\":\"array\",\"maxItems\":1e999}},"
                            "{\"name\":\"deep\",\"inputSchema\":{\"properties\":");
    for (int i = 0; i < 200; i++)
        mcti_buf_addz(&servers, "{\"a\":");
    mcti_buf_addz(&servers, "1");
    for (int i = 0; i < 200; i++)
        mcti_buf_addc(&servers, '}');
    mcti_buf_addz(&servers, "}},{\"name\":\"bomb\",\"inputSchema\":{\"$ref\":\"#/$defs/0\",\"$defs\":{");
    for (int i = 0; i < 60; i++) /* twice as large each */
        mcti_buf_printf(&servers,
                        "\"%d\":{\"properties\":{\"a\":{\"$ref\":\"#/$defs/%d\"},\"b\":{\"$ref\":\"#/$defs/%d\"}}},", i,
                        i + 1, i + 1);
    mcti_buf_addz(&servers, "\"60\":{}}}},{\"name\":\"wrong\",\"inputSchema\":{\"type\":\"object\",\"items\":[");
    for (int i = 0; i < 100; i++)
        mcti_buf_addz(&servers, "{\"minimum\":1e999},");
    mcti_buf_addz(&servers, "{}]}}]}");
    open_world(&w, mcti_buf_str(&servers));
    assert_int_equal(put_array(&w, &b, format("anthropic"), NULL), 2);
    assert_buf(&w.told,
               "list left out: input_schema.type must be \"object\"; input_schema.maxItems is not a finite number\n"
               "deep left out: the schema: is nested too deeply\nbomb cut\n"
               "wrong left out: too many errors in its schema\n");
    struct mct_error err;
    mcti_buf_done(&b);
    mcti_buf_init(&b, 100);
    assert_int_equal(mcti_array_put(&b, format("anthropic"), tools(&w), NULL,
                                    &(struct mcti_array_report){ on_left_out, on_cut, &w }, NULL, &err),
                     -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    mcti_buf_done(&b);
    mcti_buf_done(&servers);
    close_world(&w);
}

/* ---- names ---- */

static bool is_valid_name(const struct mcti_array_format *f, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789";
    return *name && strlen(name) <= f->rules->max_name && strspn(name, rest) == strlen(name) &&
           (!f->rules->letter_first || strchr(word, *name));
}

static void names_are_valid_and_lead_back(void **state)
{
    char servers[TEXT], long_name[201], longer[201];
    struct world w;
    (void)state;
    memset(long_name, 'a', 200);
    memset(longer, 'a', 200);
    long_name[120] = longer[121] = '\0';
    snprintf(servers, sizeof servers,
             "{\"9p\":[{\"name\":\"read\"},{\"name\":\"%s\"},{\"name\":\"%s\"}],\"-\":[{\"name\":\"a.b\"},{\"name\":"
             "\"a b\"}],"
             "\"git\":[{\"name\":\"log\"},{\"name\":\"x%.60s\"}]}",
             long_name, longer, long_name);
    open_world(&w, mcti_str_of(servers));
    const struct mcti_exposures *e = tools(&w);
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++) {
        char *names[7];
        assert_int_equal(e->n, 7);
        assert_int_equal(mcti_array_names(f, e, names), 0);
        for (size_t i = 0; i < e->n; i++) {
            bool kept = mcti_str_is(e->v[i].name, names[i]);
            char *exposed = mcti_str_dup(e->v[i].name);
            if (f->rules->max_name && (!is_valid_name(f, names[i]) || kept != is_valid_name(f, exposed)))
                fail_msg("%s: %s is called %s", f->name, exposed, names[i]);
            assert_true(f->rules->max_name || kept);
            assert_ptr_equal(mcti_array_find(f, e, mcti_str_of(names[i])), &e->v[i]);
            free(exposed);
        }
        for (size_t i = 0; i < e->n; i++)
            free(names[i]);
        assert_null(mcti_array_find(f, e, MCT_STR("log")));
    }
    close_world(&w);
}

/* What a tool is called does not depend on the others. */
static void names_are_its_own(void **state)
{
    static const char *const more[] = { "", ",\"git\":[{\"name\":\"log\"}]",
                                        ",\"-\":[{\"name\":\"log\"},{\"name\":\"_9p__read\"}]" };
    (void)state;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char servers[TEXT], *names[4];
        struct world w;
        snprintf(servers, sizeof servers, "{\"9p\":[{\"name\":\"read\"}],\"_9p\":[{\"name\":\"read\"}]%s}", more[i]);
        open_world(&w, mcti_str_of(servers));
        assert_int_equal(mcti_array_names(format("gemini"), tools(&w), names), 0);
        assert_string_equal(names[0], "_9p__read_93f328ea1111");
        assert_string_equal(names[1], "_9p__read");
        for (size_t k = 0; k < tools(&w)->n; k++)
            free(names[k]);
        close_world(&w);
    }
}

/* A name that is cut ends in a hash that anybody can work out: a server that calls a tool so gets no calls of it. */
static struct mcti_item *tool_named(const char *name)
{
    char json[128];
    snprintf(json, sizeof json, "{\"name\":\"%s\"}", name);
    struct mcti_item *item = mcti_item_new(MCT_TOOL, mcti_str_of(json));
    assert_non_null(item);
    return item;
}

static void names_of_others_are_not_taken(void **state)
{
    struct mcti_provider victim = { .name = (char *)"victim" }, evil = { .name = (char *)"evil" };
    struct mcti_exposure x[] = { { .provider = &victim }, { .provider = &evil } };
    struct mcti_exposures e = { .v = x, .n = 1, .n_all = 1 };
    char text[91], *alone[1], *both[2];
    (void)state;
    memset(text, 'n', 90);
    text[90] = '\0';
    struct mcti_item *one = tool_named(text), *other;
    x[0].item = one;
    x[0].name = mcti_str_of(text);
    assert_int_equal(mcti_array_names(format("openai"), &e, alone), 0);
    assert_int_equal(strlen(alone[0]), 64);
    x[1].item = other = tool_named(alone[0]);
    x[1].name = mcti_str_of(alone[0]);
    e.n = e.n_all = 2;
    assert_int_equal(mcti_array_names(format("openai"), &e, both), 0);
    assert_string_not_equal(both[0], alone[0]);
    assert_string_not_equal(both[1], alone[0]);
    assert_null(mcti_array_find(format("openai"), &e, mcti_str_of(alone[0])));
    free(alone[0]);
    free(both[0]);
    free(both[1]);
    free(one);
    free(other);
}

/* ---- calls ---- */

static void calls_are_read(void **state)
{
    static const struct {
        const char *format, *text, *id, *name, *arguments;
    } rows[] = {
        { "openai", "{'id':'c1','type':'function','function':{'name':'f','arguments':'{\\'a\\':1.0}'}}", "'c1'", "f",
          "{'a':1.0}" },
        { "openai", "{'index':0,'id':'c1','function':{'arguments':' {} ','name':'f'}}", "'c1'", "f", "{}" },
        { "openai", "{'function':{'name':'f','arguments':''}}", "", "f", "{}" },
        { "openai", "{'id':null,'function':{'name':'f'}}", "", "f", "{}" },
        { "openai", "{'id':'c\\u0031','function':{'name':'\\u0066','arguments':{'a':[1]}}}", "'c\\u0031'", "f",
          "{'a':[1]}" },
        { "xai", "{'id':'c1','type':'function','function':{'name':'f','arguments':'null'}}", "'c1'", "f", "{}" },
        { "deepseek", "{'id':'c1','type':'function','function':{'name':'f','arguments':null}}", "'c1'", "f", "{}" },
        { "openai-responses",
          "{'type':'function_call','id':'fc','call_id':'c1','name':'f','arguments':'{}','status':'completed'}", "'c1'",
          "f", "{}" },
        { "anthropic", "{'type':'tool_use','id':'t1','name':'f','input':{'a':{'b':[]}}}", "'t1'", "f",
          "{'a':{'b':[]}}" },
        { "gemini", "{'functionCall':{'id':'g1','name':'f','args':{'a':'b'}},'thoughtSignature':'x'}", "'g1'", "f",
          "{'a':'b'}" },
        { "gemini", "{'name':'f'}", "", "f", "{}" },
        { "mcp", "{'name':'f','arguments':{'a':1}}", "", "f", "{'a':1}" },
        { "openai", "{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'}", NULL, NULL,
          "a tool call; expected {\"id\"" },
        { "openai", "{'type':'custom','function':{'name':'f'}}", NULL, NULL, "a tool call; expected" },
        { "openai", "{'function':'f'}", NULL, NULL, "a tool call; expected" },
        { "openai", "{'function':{'name':''}}", NULL, NULL, "its name is empty or contains U+0000" },
        { "openai", "{'function':{'name':'a\\u0000'}}", NULL, NULL, "its name is empty or contains U+0000" },
        { "openai", "{'function':{'name':'f','arguments':'{\\'a\\':'}}", NULL, NULL,
          "failed to parse function arguments: unexpected end, expected a value at line 1 column 5" },
        { "openai", "{'function':{'name':'f','arguments':'\\n {b'}}", NULL, NULL,
          "failed to parse function arguments: expected a member name in quotes at line 2 column 3" },
        { "openai", "{'function':{'name':'f','arguments':'\\ud800'}}", NULL, NULL, "unpaired surrogate" },
        { "openai", "{'function':{'name':'f','arguments':'[]'}}", NULL, NULL, "a JSON object was expected" },
        { "openai-responses", "{'type':'function_call','name':'f','arguments':7}", NULL, NULL,
          "a JSON object was expected" },
        { "anthropic", "{'type':'tool_use','id':'t1','input':{}}", NULL, NULL,
          "a tool call; expected {\"type\":\"tool_use\"" },
        { "anthropic", "{'type':'text','text':'f'}", NULL, NULL, "a tool call; expected" },
        { "anthropic", "{'type':'tool_use','name':'f','input':'{}'}", "", "f", "{}" },
        { "gemini", "{'functionCall':[]}", NULL, NULL, "a tool call; expected {\"functionCall\"" },
        { "gemini", "[]", NULL, NULL, "a tool call; expected" },
        { "gemini", "7", NULL, NULL, "a tool call; expected" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char given[TEXT], wanted[TEXT];
        struct mcti_model_call call;
        struct mct_error err = { 0 };
        struct mcti_str text = mcti_str_of(quoted(rows[i].text, given));
        int r = mcti_model_call_read(&call, format(rows[i].format), text, &err);
        if (r != (rows[i].name ? 0 : -1))
            fail_msg("%s %s: %s", rows[i].format, given, err.message);
        if (r < 0) {
            assert_int_equal(err.kind, MCT_ERR_USAGE);
            bool is_answerable = call.name && *call.name; /* the model knows what it has called */
            if (!strstr(err.message, rows[i].arguments) || (!is_answerable && !strstr(err.message, rows[i].format)))
                fail_msg("%s: %s", given, err.message);
            mcti_model_call_done(&call);
            continue;
        }
        assert_buf(&call.id, quoted(rows[i].id, wanted));
        assert_string_equal(call.name, rows[i].name);
        assert_buf(&call.arguments, quoted(rows[i].arguments, wanted));
        mcti_model_call_done(&call);
    }
}

static void calls_that_are_no_json(void **state)
{
    static const char *const texts[] = { "", " ", "{", "{}x", "\xff", "{\"function\":{\"name\":\"f\"" };
    struct mcti_model_call call;
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(mcti_model_call_read(&call, format("openai"), mcti_str_of(texts[i]), &err), -1);
        assert_non_null(strstr(err.message, "the call for openai: not valid JSON at byte "));
        assert_null(call.name);
        mcti_model_call_done(&call);
    }
}

/* ---- results ---- */

#define IMAGE "{'type':'image','data':'AA\\/A','mimeType':'image/png'}"
#define SVG "{'type':'image','data':'AAAA','mimeType':'image/svg+xml'}"
#define SVG_TEXT "[Image result: image/svg+xml, 3B; not sent: only PNG, JPEG, GIF and WebP images are accepted]"
#define PNG_8001 "iVBORw0KGgoAAAANSUhEUgAAH0EAAAAB" /* the first bytes of a picture of 8001 x 1 pixels */
#define GIF_HEAD "R0lGODlhAQABAAAA"
#define IMAGE_REFUSED(why)                                                                                             \
    "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'text','text':'[Image result: " why                  \
    "]'}],'is_error':false}"
#define MIXED                                                                                                          \
    "{'content':[{'type':'text','text':'a'}," IMAGE ",{'type':'text','text':''}," SVG                                  \
    ",{'type':'audio','data':'AAAA','mimeType':'audio/wav'}]}"
#define MIXED_TEXT                                                                                                     \
    "a\\n[Image result: image/png, 3B]\\n\\n[Image result: image/svg+xml, 3B]\\n[Audio result: audio/wav, 3B]"

static void results_are_written(void **state)
{
    static const struct {
        const char *format, *result, *wanted;
    } rows[] = {
        { "openai", MIXED, "{'role':'tool','tool_call_id':'id1','content':'" MIXED_TEXT "'}" },
        { "llamacpp", "{'content':[],'structuredContent':{'a':1}}",
          "{'role':'tool','tool_call_id':'id1','content':'{\\'a\\':1}'}" },
        { "openai-responses", "{'content':[{'type':'text','text':'a\\u00e9'}],'isError':true}",
          "{'type':'function_call_output','call_id':'id1','output':'a\xc3\xa9'}" },
        { "openai-responses", MIXED,
          "{'type':'function_call_output','call_id':'id1','output':[{'type':'input_text','text':'a'},"
          "{'type':'input_image','image_url':'data:image/png;base64,AA/A'},{'type':'input_text','text':'" SVG_TEXT "'},"
          "{'type':'input_text','text':'[Audio result: audio/wav, 3B]'}]}" },
        { "anthropic", MIXED,
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'text','text':'a'},{'type':'image','source':"
          "{'type':'base64','media_type':'image/png','data':'AA/A'}},{'type':'text','text':'" SVG_TEXT "'},"
          "{'type':'text','text':'[Audio result: audio/wav, 3B]'}],'is_error':false}" },
        { "anthropic", "{'content':[{'type':'text','text':''}," IMAGE "]}",
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'image',"
          "'source':{'type':'base64','media_type':'image/png','data':'AA/A'}}],'is_error':false}" },
        { "anthropic", "{'content':[],'isError':true}",
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'text','text':'[the tool reported an error "
          "without a message]'}],'is_error':true}" },
        { "anthropic", "{'content':[{'type':'text','text':' \\n\\t'},{'type':'text','text':' a '}]}",
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'text','text':'[Text result: 3 bytes of white "
          "space]'},{'type':'text','text':' a '}],'is_error':false}" },
        { "openai", "{'content':[{'type':'text','text':' '}]}", "{'role':'tool','tool_call_id':'id1','content':' '}" },
        { "anthropic", "{'content':[{'type':'image','data':'AA=A','mimeType':'image/png'}]}",
          IMAGE_REFUSED("image/png, 3B; not sent: invalid base64") },
        { "anthropic", "{'content':[{'type':'image','data':'','mimeType':'image/png'}]}",
          IMAGE_REFUSED("image/png, 0B; not sent: it is empty") },
        { "anthropic", "{'content':[{'type':'image','data':'" PNG_8001 "','mimeType':'image/png'}]}",
          IMAGE_REFUSED("image/png, 24B; not sent: 8001 x 1 pixels; at most 8000 on a side are accepted") },
        { "anthropic", "{'content':[{'type':'image','data':'" GIF_HEAD "','mimeType':'image/png'}]}",
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'image','source':{'type':'base64','media_type':"
          "'image/gif','data':'" GIF_HEAD "'}}],'is_error':false}" },
        { "anthropic", "{'content':[{'type':'text','text':'\\ud800'}]}",
          "{'type':'tool_result','tool_use_id':'id1','content':[{'type':'text','text':'\xef\xbf\xbd'}],'is_error':"
          "false}" },
        { "gemini", MIXED, "{'functionResponse':{'id':'id1','name':'f','response':{'output':'" MIXED_TEXT "'}}}" },
        { "gemini", "{'content':[{'type':'text','text':'no'}],'isError':true}",
          "{'functionResponse':{'id':'id1','name':'f','response':{'error':'no'}}}" },
        { "mcp", "{ 'content' : [] }", "{ 'content' : [] }" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_model_call call = { .name = (char *)"f" };
        char result[TEXT], wanted[TEXT];
        struct mcti_str given = json(rows[i].result, result);
        struct mcti_buf b;
        mcti_buf_init(&b, 1u << 16);
        mcti_buf_init(&call.id, 100);
        mcti_buf_addz(&call.id, "\"id1\"");
        mcti_model_result_put(&b, format(rows[i].format), &call, given);
        if (!mcti_str_is(mcti_buf_str(&b), quoted(rows[i].wanted, wanted)))
            fail_msg("%s: %.*s", rows[i].format, MCT_STR_ARG(mcti_buf_str(&b)));
        for (size_t max = 0; max < b.len; max++) { /* too long is too long, wherever it happens */
            struct mcti_buf small;
            mcti_buf_init(&small, max);
            mcti_model_result_put(&small, format(rows[i].format), &call, given);
            assert_false(mcti_buf_ok(&small));
            mcti_buf_done(&small);
        }
        mcti_buf_done(&b);
        mcti_buf_done(&call.id);
    }
}

/* ---- there and back ---- */

/* The first value that a schema names; absent: it names none. */
static struct mcti_str first_value(struct mcti_str schema)
{
    struct mcti_str constant = mcti_json_get(schema, "const"), first;
    struct mcti_json_iter values = mcti_json_open(mcti_json_get(schema, "enum")),
                          variants = mcti_json_open(mcti_json_get(schema, "anyOf"));
    if (!constant.p && mcti_json_next_item(&values, &first))
        return first;
    return !constant.p && mcti_json_next_item(&variants, &first) ? first_value(first) : constant;
}

/* What a model makes of the schema it is shown: the first value of every enum, null where it may be left out. */
static void put_imagined(struct mcti_buf *to, struct mcti_str schema, const struct mcti_array_format *f)
{
    struct mcti_json_member m;
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "properties"));
         mcti_json_next_member(&it, &m);) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", MCT_STR_ARG(m.key));
        struct mcti_str value = first_value(m.value);
        bool left_out = f->strict == MCT_STRICT_IF_ALL && !strcmp(key, "optional");
        mcti_json_put_raw(to, key, value.p ? value : left_out ? MCT_STR("null") : MCT_STR("\"5 &lt; 6\""));
    }
    mcti_buf_addc(to, '}');
}

static struct mcti_str shown_schema(struct mcti_str array, const struct mcti_array_format *f, struct mcti_str *ret_name)
{
    struct mcti_str tool = MCT_STR_NONE;
    struct mcti_json_iter it = mcti_json_open(array);
    assert_true(mcti_json_next_item(&it, &tool));
    if (mcti_json_get(tool, "functionDeclarations").p) {
        it = mcti_json_open(mcti_json_get(tool, "functionDeclarations"));
        assert_true(mcti_json_next_item(&it, &tool));
    }
    if (mcti_json_get(tool, "function").p)
        tool = mcti_json_get(tool, "function");
    *ret_name = mcti_json_get(tool, "name");
    return mcti_json_get(tool, f->schema_key ? f->schema_key : "inputSchema");
}

static void there_and_back(void **state)
{
    static const char *const calls[][2] = {
        { "anthropic", "{\"name\":%.*s,\"input\":%.*s}" },
        { "gemini", "{\"functionCall\":{\"name\":%.*s,\"args\":%.*s}}" },
        { "openai-responses", "{\"type\":\"function_call\",\"name\":%.*s,\"arguments\":%.*s}" },
        { "mcp", "{\"name\":%.*s,\"arguments\":%.*s}" },
        { "none", "{\"name\":%.*s,\"arguments\":%.*s}" },
        { NULL, "{\"function\":{\"name\":%.*s,\"arguments\":%.*s}}" },
    };
    char servers[TEXT];
    struct world w;
    (void)state;
    open_world(
        &w, json("{'9p':[{'name':'set','inputSchema':{'properties':{'level':{'$ref':'#/$defs/L'},'on':{'const':true},"
                 "'unit':{'anyOf':[{'type':'string','const':'C'},{'type':'string','const':'F'}]},'text':{'type':'"
                 "string'},'optional':{'type':'string'}},"
                 "'required':['level','on','text'],'$defs':{'L':{'enum':[1,2,3]}}}}]}",
                 servers));
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++) {
        struct mcti_buf array, arguments, text, back;
        struct mcti_model_call call;
        struct mcti_str name;
        size_t i = 0;
        mcti_buf_init(&array, 1u << 16);
        mcti_buf_init(&arguments, 1u << 16);
        mcti_buf_init(&text, 1u << 16);
        mcti_buf_init(&back, 1u << 16);
        assert_int_equal(put_array(&w, &array, f, NULL), 1);
        struct mcti_str schema = shown_schema(mcti_buf_str(&array), f, &name);
        if (f->profile)
            put_imagined(&arguments, schema, f);
        else
            mcti_buf_addz(&arguments, "{\"level\":1,\"on\":true,\"text\":\"\"}");
        while (calls[i][0] && strcmp(calls[i][0], f->name) != 0)
            i++;
        mcti_buf_printf(&text, calls[i][1], MCT_STR_ARG(name), MCT_STR_ARG(mcti_buf_str(&arguments)));
        assert_int_equal(mcti_model_call_read(&call, f, mcti_buf_str(&text), NULL), 0);
        const struct mcti_exposure *x = mcti_array_find(f, tools(&w), mcti_str_of(call.name));
        assert_ptr_equal(x, &tools(&w)->v[0]);
        struct mcti_str original = mcti_json_get(mcti_item_json(x->item), "inputSchema");
        assert_int_equal(mcti_array_restore(&back, f, original, mcti_buf_str(&call.arguments), NULL), 0);
        if (mcti_schema_check(original, mcti_buf_str(&back), NULL) != MCT_SCHEMA_VALID)
            fail_msg("%s: %.*s", f->name, MCT_STR_ARG(mcti_buf_str(&back)));
        assert_true(!f->profile || mcti_json_is(mcti_json_get(mcti_buf_str(&back), "text"),
                                                strcmp(f->name, "xai") ? "5 &lt; 6" : "5 < 6"));
        mcti_model_call_done(&call);
        mcti_buf_done(&array);
        mcti_buf_done(&arguments);
        mcti_buf_done(&text);
        mcti_buf_done(&back);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),
        cmocka_unit_test(what_cannot_be_sent_is_left_out),
        cmocka_unit_test(names_are_valid_and_lead_back),
        cmocka_unit_test(names_are_its_own),
        cmocka_unit_test(names_of_others_are_not_taken),
        cmocka_unit_test(calls_are_read),
        cmocka_unit_test(calls_that_are_no_json),
        cmocka_unit_test(results_are_written),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
