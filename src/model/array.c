#include "model/array.h"

#include "base/limits.h"
#include "model/call.h"
#include "model/describe.h"
#include "json/write.h"

#include <stdlib.h>

enum { REASON_BYTES = 1024 };

/* Chat Completions, and providers that adopted its form. */
#define CHAT(word, its_profile, its_strict, its_rules)                                                                 \
    {                                                                                                                  \
        .name = word, .profile = its_profile, .schema_key = "parameters", .head = "[", .tail = "]",                    \
        .item_head = "{\"type\":\"function\",\"function\":{", .item_tail = "}}", .rules = its_rules,                   \
        .strict = its_strict, .shape = &mcti_model_chat,                                                               \
    }
#define MCP(word)                                                                                                      \
    {                                                                                                                  \
        .name = word, .head = "[", .tail = "]", .rules = &mcti_rules_mcp, .shape = &mcti_model_mcp                     \
    }

const struct mcti_array_format mcti_array_formats[] = {
    CHAT("openai", "openai", MCT_STRICT_UNSAID, &mcti_rules_openai),
    CHAT("openai-strict", "openai-strict", MCT_STRICT_IF_ALL, &mcti_rules_openai),
    { .name = "openai-responses",
      .profile = "openai",
      .schema_key = "parameters",
      .head = "[",
      .tail = "]",
      .item_head = "{\"type\":\"function\"",
      .item_tail = "}",
      .rules = &mcti_rules_responses,
      .strict = MCT_STRICT_FALSE, /* an absent "strict" means true */
      .shape = &mcti_model_responses },
    { .name = "anthropic",
      .profile = "anthropic",
      .schema_key = "input_schema",
      .head = "[",
      .tail = "]",
      .item_head = "{",
      .item_tail = "}",
      .rules = &mcti_rules_anthropic,
      .shape = &mcti_model_anthropic },
    /* "parameters" has fixed members, and any other keyword is an error. "parametersJsonSchema" accepts any JSON;
     * Gemini ignores keywords that it does not know. */
    { .name = "gemini",
      .profile = "gemini",
      .schema_key = "parametersJsonSchema",
      .head = "[{\"functionDeclarations\":[",
      .tail = "]}]",
      .item_head = "{",
      .item_tail = "}",
      .rules = &mcti_rules_gemini,
      .shape = &mcti_model_gemini },
    CHAT("xai", "xai", MCT_STRICT_UNSAID, &mcti_rules_xai),
    CHAT("deepseek", "deepseek", MCT_STRICT_UNSAID, &mcti_rules_deepseek),
    CHAT("llamacpp", "llamacpp", MCT_STRICT_UNSAID, &mcti_rules_llamacpp),
    MCP("none"),
    MCP("mcp"),
    { 0 },
};

/* Other words for formats. */
static const struct {
    const char *alias, *name;
} array_aliases[] = {
    { "openai-chat", "openai" },     { "chat", "openai" },      { "responses", "openai-responses" },
    { "codex", "openai-responses" }, { "claude", "anthropic" }, { "google", "gemini" },
    { "vertex", "gemini" },          { "grok", "xai" },         { "llama.cpp", "llamacpp" },
};

const struct mcti_array_format *mcti_array_format_find(struct mcti_str name)
{
    for (size_t i = 0; i < sizeof array_aliases / sizeof *array_aliases; i++)
        if (mcti_str_is(name, array_aliases[i].alias))
            name = mcti_str_of(array_aliases[i].name);
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++)
        if (mcti_str_is(name, f->name))
            return f;
    return NULL;
}

void mcti_array_put_format_names(struct mcti_buf *to)
{
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++)
        mcti_buf_printf(to, "%s%s", f == mcti_array_formats ? "" : ", ", f->name);
}

static const struct mcti_schema_profile *profile_of(const struct mcti_array_format *f)
{
    return mcti_schema_profile_find(mcti_str_of(f->profile));
}

/* Returns the input schema of a tool; {} if it has none, which accepts any object. */
static struct mcti_str schema_of(struct mcti_str tool)
{
    struct mcti_str schema = mcti_json_get(tool, "inputSchema");
    return schema.p ? schema : MCT_STR("{}");
}

/* ---- names ---- */

/* Exposed names consist of letters, digits, '_' and '-', which all providers accept. Such a name is kept if it is short
 * enough and has a valid first character. */
int mcti_array_names(const struct mcti_array_format *f, const struct mcti_exposures *tools, char **ret)
{
    const struct mcti_naming naming = { .scheme = "bare",
                                        .prefix = MCT_PREFIX_NEVER,
                                        .max_length = f->rules->max_name,
                                        .letter_first = f->rules->letter_first };
    struct mcti_name_in *in = calloc(tools->n ? tools->n : 1, sizeof *in);
    if (!in)
        return -1;
    for (size_t i = 0; i < tools->n; i++) {
        const struct mcti_exposure *x = &tools->v[i];
        bool fixed = !f->rules->max_name; /* the provider accepts any name */
        in[i] = (struct mcti_name_in){ .server = mcti_str_of(x->provider->name),
                                       .raw = fixed ? x->name : mcti_item_id(x->item),
                                       .fixed = fixed,
                                       .preferred = x->name };
    }
    int r = mcti_names_assign(&naming, in, tools->n, ret, NULL);
    free(in);
    return r;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

/* Returns the names of the tools in the array; NULL when out of memory. */
static char **names_of(const struct mcti_array_format *f, const struct mcti_exposures *tools)
{
    char **names = calloc(tools->n ? tools->n : 1, sizeof *names);
    if (names && mcti_array_names(f, tools, names) < 0) {
        free(names);
        return NULL;
    }
    return names;
}

const struct mcti_exposure *mcti_array_find(const struct mcti_array_format *f, const struct mcti_exposures *tools,
                                            struct mcti_str name)
{
    const struct mcti_exposure *found = NULL;
    char **names = names_of(f, tools);
    for (size_t i = 0; names && !found && i < tools->n; i++)
        if (mcti_str_is(name, names[i]))
            found = &tools->v[i];
    free_names(names, tools->n);
    return found;
}

/* ---- schemas ---- */

struct array {
    const struct mcti_array_format *f;
    const struct mcti_schema_profile *profile; /* NULL: schemas are not changed */
    const struct mcti_exposures *tools;
    struct mcti_schema_cache *cache;
    const struct mcti_array_report *report;
    struct mcti_buf *to;
    struct mcti_buf schemas; /* the normalised schemas, concatenated */
    struct {
        size_t at, len;
    } * span; /* span of each tool's schema; len 0: the tool is left out */
    char **names;
};

static int model_array_normalise(struct array *a, struct mcti_str schema, struct mcti_schema_report *report,
                                 struct mct_error *err)
{
    struct mcti_str text;
    if (!a->cache)
        return mcti_schema_normalise(&a->schemas, schema, a->profile, report, err);
    if (mcti_schema_cache_get(a->cache, schema, a->profile, &text, report, err) < 0)
        return -1;
    mcti_buf_add(&a->schemas, text);
    return 0;
}

/* Appends the reasons why a schema cannot be sent; nothing if it can. */
static void put_violations(struct mcti_buf *to, struct mcti_str schema, const char *what)
{
    struct mcti_buf list;
    struct mcti_str place;
    mcti_buf_init(&list, MCT_LIMIT_SCHEMA_BYTES);
    bool any = mcti_schema_violations(&list, schema, what) > 0;
    struct mcti_json_iter it = mcti_json_open(any && mcti_buf_ok(&list) ? mcti_buf_str(&list) : MCT_STR_NONE);
    while (mcti_json_next_item(&it, &place)) {
        mcti_buf_addz(to, to->len ? "; " : "");
        mcti_json_unescape_any(place, to);
    }
    to->failed |= !mcti_buf_ok(&list);
    mcti_buf_done(&list);
}

static void make_schema(struct array *a, size_t i)
{
    const struct mcti_exposure *x = &a->tools->v[i];
    struct mcti_schema_report report = { 0 };
    struct mct_error err;
    struct mcti_buf why;
    size_t at = a->schemas.len;
    mcti_buf_init(&why, REASON_BYTES);
    if (model_array_normalise(a, schema_of(mcti_item_json(x->item)), &report, &err) < 0)
        mcti_buf_addz(&why, err.message);
    else
        put_violations(&why, (struct mcti_str){ a->schemas.p + at, a->schemas.len - at }, a->f->schema_key);
    bool good = !why.len && mcti_buf_ok(&why);
    a->span[i].at = at;
    a->span[i].len = good ? a->schemas.len - at : 0;
    mcti_buf_addc(&why, '\0');
    if (!good)
        a->report->left_out(a->report->data, x, mcti_buf_ok(&why) ? why.p : "too many errors in its schema");
    else if (report.cut)
        a->report->cut(a->report->data, x);
    mcti_buf_done(&why);
}

int mcti_array_make_schema(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str schema,
                           struct mct_error *err)
{
    struct mcti_buf why;
    size_t at = to->len;
    if (mcti_schema_normalise(to, schema.p ? schema : MCT_STR("{}"), profile_of(f), NULL, err) < 0)
        return -1;
    mcti_buf_init(&why, REASON_BYTES);
    put_violations(&why, (struct mcti_str){ to->p + at, to->len - at }, "inputSchema");
    int r = 0;
    if (why.len || !mcti_buf_ok(&why))
        r = mcti_fail(err, MCT_ERR_UNSUPPORTED, "no model provider accepts it: %.*s", MCT_STR_ARG(mcti_buf_str(&why)));
    mcti_buf_done(&why);
    return r;
}

static bool all_are_strict(const struct array *a)
{
    struct mcti_str *schemas = calloc(a->tools->n ? a->tools->n : 1, sizeof *schemas);
    size_t n = 0;
    for (size_t i = 0; schemas && i < a->tools->n; i++)
        if (a->span[i].len)
            schemas[n++] = (struct mcti_str){ a->schemas.p + a->span[i].at, a->span[i].len };
    bool strict = schemas && mcti_schema_strict_ok(schemas, n);
    free(schemas);
    return strict;
}

/* ---- the array ---- */

static void put_description(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_exposure *x)
{
    struct mcti_buf text;
    mcti_buf_init(&text, to->max);
    if (!mcti_describe_put(&text, mcti_json_get(mcti_item_json(x->item), "description"), f->rules->max_description) &&
        !mcti_describe_put(&text, mcti_json_get(mcti_item_json(x->item), "title"), f->rules->max_description))
        mcti_describe_put(&text, mcti_json_get(mcti_item_json(x->item), "name"), f->rules->max_description);
    mcti_json_put_member(to, "description", mcti_buf_str(&text));
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

static void model_array_put_tool(struct array *a, size_t i, bool strict)
{
    const struct mcti_array_format *f = a->f;
    mcti_buf_addz(a->to, f->item_head);
    mcti_json_put_member(a->to, "name", mcti_str_of(a->names[i]));
    put_description(a->to, f, &a->tools->v[i]);
    mcti_json_put_raw(a->to, f->schema_key, (struct mcti_str){ a->schemas.p + a->span[i].at, a->span[i].len });
    if (f->strict != MCT_STRICT_UNSAID)
        mcti_json_put_raw(a->to, "strict", strict ? MCT_STR("true") : MCT_STR("false"));
    mcti_buf_addz(a->to, f->item_tail);
}

static size_t model_array_put_all(struct array *a)
{
    bool strict = a->f->strict == MCT_STRICT_IF_ALL && all_are_strict(a);
    size_t n = 0;
    for (size_t i = 0; i < a->tools->n; i++) {
        if (a->profile && !a->span[i].len)
            continue;
        mcti_buf_addz(a->to, n++ ? "," : a->f->head);
        if (a->profile)
            model_array_put_tool(a, i, strict);
        else
            mcti_exposure_put(a->to, &a->tools->v[i], MCT_REV_LATEST);
    }
    mcti_buf_addz(a->to, n ? a->f->tail : "[]");
    return n;
}

int mcti_array_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_exposures *tools,
                   struct mcti_schema_cache *cache, const struct mcti_array_report *report, size_t *ret_n,
                   struct mct_error *err)
{
    struct array a = { .f = f,
                       .profile = f->profile ? profile_of(f) : NULL,
                       .tools = tools,
                       .cache = cache,
                       .report = report,
                       .to = to,
                       .names = names_of(f, tools) };
    size_t n = 0;
    mcti_buf_init(&a.schemas, MCT_LIMIT_ANSWER_FACTOR * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    a.span = calloc(tools->n ? tools->n : 1, sizeof *a.span);
    bool made = a.span && a.names;
    for (size_t i = 0; made && a.profile && i < tools->n; i++)
        make_schema(&a, i);
    if (made && mcti_buf_ok(&a.schemas))
        n = model_array_put_all(&a);
    bool good = made && mcti_buf_ok(&a.schemas) && mcti_buf_ok(to);
    free_names(a.names, tools->n);
    free(a.span);
    mcti_buf_done(&a.schemas);
    if (ret_n)
        *ret_n = n;
    if (good)
        return 0;
    return made ? mcti_fail(err, MCT_ERR_LIMIT, "the array of tools is too long") : mcti_no_memory(err);
}

int mcti_array_restore(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str schema,
                       struct mcti_str arguments, struct mct_error *err)
{
    if (f->profile)
        return mcti_schema_restore(to, schema.p ? schema : MCT_STR("{}"), arguments, profile_of(f), err);
    mcti_buf_add(to, arguments);
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "the arguments are too long");
}
