/* Tools for model providers, the calls that models make, and the way back. */
#include "scene.h"

#include "hub/local/local.h"
#include "model/array.h"
#include "model/call.h"

static const char *const tools[] = {
    MCT_JSON({
      "name" : "search files",
      "description" : "Finds files.\nEverywhere.",
      "inputSchema" : {
        "type" : "object",
        "$defs" : { "n" : { "type" : [ "integer", "null" ], "minimum" : 1 } },
        "properties" : {
          "q" : { "anyOf" : [ { "type" : "string", "const" : "a" }, { "enum" : [ 1, "b", null ] } ] },
          "n" : { "$ref" : "#/$defs/n" },
          "list" : { "type" : "array" },
          "deep" : { "allOf" : [ { "properties" : { "x" : { "$ref" : "#/$defs/n" } } }, { "required" : ["x"] } ] }
        },
        "required" : ["q"],
        "additionalProperties" : false
      }
    }),
                                               MCT_JSON({ "name" : "1-odd.name", "title" : "Odd", "inputSchema" : { "type" : "object" } }),
                                               };

static const char arguments[] = "{\"q\":\"1\",\"n\":null,\"list\":[{\"a\":\"&quot;\"}]}";

static void never(struct mcti_local_request *r, void *data)
{
    (void)r;
    (void)data;
}

static int add_tools(struct mcti_registry *r, struct mcti_sched *sched)
{
    struct mcti_provider *p = mcti_provider_local_new("s", sched, NULL);
    if (!p || mcti_registry_add(r, p) < 0)
        return -1;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (mcti_local_add(p, MCT_TOOL, tools[i], never, NULL, NULL) < 0)
            return -1;
    return 0;
}

static void on_left_out(void *data, const struct mcti_exposure *tool, const char *why)
{
    bool *is_out = data;
    (void)tool;
    (void)why;
    *is_out = true;
}

static void on_cut(void *data, const struct mcti_exposure *tool)
{
    on_left_out(data, tool, NULL);
}

static int put_arrays(struct mcti_buf *to, struct mcti_view *view)
{
    const struct mcti_exposures *all = mcti_view_items(view, MCT_TOOL);
    struct mcti_schema_cache *cache = mcti_schema_cache_new(1u << 20);
    int result = cache ? 0 : -1;
    bool is_out = !all->n; /* a view without memory is empty */
    const struct mcti_array_report told = { on_left_out, on_cut, &is_out };
    for (const struct mcti_array_format *f = mcti_array_formats; f->name && result == 0; f++) {
        size_t n = 0;
        if (mcti_array_put(to, f, all, cache, &told, &n, NULL) < 0)
            result = -1;
        mcti_buf_printf(to, " %zu\n", n);
    }
    mcti_schema_cache_free(cache);
    return is_out ? -1 : result;
}

int scene_model_array(struct mcti_buf *to)
{
    const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 128 };
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_view view;
    int result = -1;
    mcti_sched_init(&sched);
    mcti_registry_init(&registry, &sched);
    if (add_tools(&registry, &sched) == 0 &&
        mcti_view_init(&view, &registry, &(struct mcti_view_opts){ .naming = &naming }) == 0) {
        result = put_arrays(to, &view);
        mcti_view_done(&view);
    }
    mcti_registry_done(&registry);
    return result;
}

/* A call in the forms of several providers; each format reads those it knows. */
static const char *const calls[] = {
    "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"s__t\",\"arguments\":\"{\\\"q\\\":\\\"1\\\"}\"}}",
    "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"s__t\",\"arguments\":\"{\\\"q\\\":\\\"1\\\"}\"}",
    "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"s__t\",\"input\":{\"q\":\"1\"}}",
    "{\"functionCall\":{\"id\":\"c1\",\"name\":\"s__t\",\"args\":{\"q\":\"1\"}}}",
    "{\"name\":\"s__t\",\"arguments\":{\"q\":\"1\"}}",
};

static const char result_text[] =
    "{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/"
    "png\"},"
    "{\"type\":\"resource_link\",\"uri\":\"file:///x\",\"name\":\"x\"},{\"type\":\"audio\",\"data\":\"AAAA\","
    "\"mimeType\":\"audio/wav\"}],\"structuredContent\":{\"k\":1}}";

static int put_call(struct mcti_buf *to, const struct mcti_array_format *f, const char *text)
{
    struct mcti_model_call call;
    struct mct_error err = { 0 };
    int result = mcti_model_call_read(&call, f, mcti_str_of(text), &err);
    if (result == 0) {
        mcti_buf_addz(to, call.name);
        mcti_buf_add(to, mcti_buf_str(&call.arguments));
        mcti_model_result_put(to, f, &call, mcti_str_of(result_text));
    }
    mcti_model_call_done(&call);
    return strstr(err.message, "not a tool call") ? 0 : result;
}

/* Arguments that cannot be restored stay as they are, so the outcome may differ. */
static int restore(const struct mcti_array_format *f)
{
    struct mcti_str schema = mcti_json_get(mcti_str_of(tools[0]), "inputSchema");
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    int result = mcti_array_restore(&b, f, schema, mcti_str_of(arguments), NULL);
    bool is_json = result < 0 || mcti_json_valid(mcti_buf_str(&b), 64, NULL, NULL);
    mcti_buf_done(&b);
    return is_json ? result : 2;
}

int scene_model_calls(struct mcti_buf *to)
{
    int result = 0;
    for (const struct mcti_array_format *f = mcti_array_formats; f->name && result == 0; f++) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls && result == 0; i++)
            result = put_call(to, f, calls[i]);
        if (result == 0)
            result = restore(f);
    }
    return result;
}
