/*
 * Search mode: three fixed tools take the place of all others. With them a model finds a tool, reads its arguments and
 * calls it. A call of tool_call that names a tool does not arrive here: it becomes the call of that tool before policy,
 * listeners and the server see it (mcti_view_own.unwrap).
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "hub/view/rank.h"
#include "hub/core/untrusted.h"

#include <math.h>
#include <stdlib.h>

enum { FIND_DEFAULT = 5, FIND_MAX = 25, DESCRIPTION_BYTES = 300 };

static const char search_json[] = MCT_JSON({
    "name": "tool_search",
    "description": "Find tools by words, best match first; +word requires a word; select:NAME,NAME picks tools by name.",
    "inputSchema": { "type": "object", "properties": {
        "query": { "type": "string" },
        "max_results": { "type": "integer", "minimum": 1, "maximum": 25, "description": "Default: 5." } },
        "required": ["query"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char describe_json[] =
    MCT_JSON({
    "name": "tool_describe",
    "description": "Describe tools and their arguments. Call this before the first call of a tool.",
    "inputSchema": { "type": "object", "properties": {
        "names": { "type": "array", "items": { "type": "string" } } }, "required": ["names"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char call_json[] =
    MCT_JSON({
    "name": "tool_call",
    "description": "Call a tool that tool_search found.",
    "inputSchema": { "type": "object", "properties": {
        "name": { "type": "string" }, "arguments": { "type": "object" } }, "required": ["name"] }
});

/* ---- search ---- */

static void put_match(struct mcti_buf *to, const struct mcti_ranked *r, bool selected)
{
    struct mcti_buf text;
    mcti_buf_init(&text, DESCRIPTION_BYTES + 1);
    mcti_untrusted_put_json(&text, mcti_json_get(mcti_item_json(r->tool->item), "description"), DESCRIPTION_BYTES);
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", r->tool->name);
    if (!selected) {
        mcti_json_put_key(to, "score");
        mcti_json_put_double(to, round(r->score * 100) / 100);
    }
    mcti_json_put_member(to, "description", mcti_buf_str(&text));
    mcti_buf_addc(to, '}');
    mcti_buf_done(&text);
}

static void put_found(struct mcti_buf *to, const struct mcti_ranking *found, size_t n_tools)
{
    mcti_buf_addz(to, "{\"matches\":[");
    for (size_t i = 0; i < found->n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        put_match(to, &found->v[i], found->selects);
    }
    mcti_buf_addc(to, ']');
    for (size_t i = 0; i < found->n_missing; i++) {
        mcti_buf_addz(to, i ? "," : ",\"missing\":[");
        mcti_json_put_string(to, found->missing[i]);
    }
    mcti_buf_addz(to, found->n_missing ? "]" : "");
    mcti_buf_printf(to, ",\"total_tools\":%zu}", n_tools);
}

static void check_search(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    if (!mcti_dialect_has_text(c, "query"))
        mcti_buf_addz(refusal, "\"query\" must be words to look for");
}

static void run_search(struct mcti_dialect_call *c)
{
    struct mcti_ranking found;
    struct mct_error err;
    struct mcti_buf b;
    uint64_t max = FIND_DEFAULT;
    mcti_json_uint(mcti_json_get(c->args, "max_results"), &max);
    c->name = mcti_dialect_text(c, "query");
    if (mcti_rank(&found, &c->set->all, mcti_str_of(c->name),
                  max < 1          ? 1
                  : max > FIND_MAX ? FIND_MAX
                                   : max,
                  &err) < 0) {
        mcti_dialect_refuse(c, "%s", err.message);
    } else {
        mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
        put_found(&b, &found, mcti_view_items(&c->set->all, MCT_TOOL)->n);
        mcti_ranking_done(&found);
        mcti_dialect_answer(c, &b);
    }
}

/* ---- describe ---- */

static void search_put_tool(struct mcti_buf *to, const struct mcti_exposure *x)
{
    static const char *const keys[] = { "title", "description", "inputSchema", "outputSchema", "annotations" };
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", x->name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        mcti_dialect_put(to, keys[i], mcti_json_get(mcti_item_json(x->item), keys[i]), false);
    mcti_buf_addc(to, '}');
}

static void check_describe(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    if (mcti_json_type(mcti_json_get(c->args, "names")) != '[')
        mcti_buf_addz(refusal, "\"names\" must be an array of names");
}

static void run_describe(struct mcti_dialect_call *c)
{
    struct mcti_str item, names = mcti_json_get(c->args, "names");
    struct mcti_buf b, missing, name;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&missing, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&name, MCT_LIMIT_NAME_BYTES);
    mcti_buf_addz(&b, "{\"tools\":[");
    size_t n = 0, n_found = 0;
    for (struct mcti_json_iter it = mcti_json_open(names); n < MCT_RANK_NAMES && mcti_json_next_item(&it, &item); n++) {
        mcti_buf_clear(&name);
        const struct mcti_exposure *x = mcti_json_unescape(item, &name) == 0
                                            ? mcti_view_named(&c->set->all, MCT_TOOL, mcti_buf_str(&name), NULL)
                                            : NULL;
        if (x && mcti_view_is_for_model(x)) {
            mcti_buf_addz(&b, n_found++ ? "," : "");
            search_put_tool(&b, x);
        } else {
            mcti_buf_addz(&missing, missing.len ? "," : "");
            mcti_json_put_compact(&missing, item);
        }
    }
    mcti_buf_addc(&b, ']');
    if (missing.len)
        mcti_buf_addz(&b, ",\"missing\":[");
    mcti_buf_add(&b, mcti_buf_str(&missing));
    mcti_buf_addz(&b, missing.len ? "]}" : "}");
    mcti_buf_done(&missing);
    mcti_buf_done(&name);
    mcti_dialect_answer(c, &b);
}

/* ---- call ---- */

bool mcti_dialect_unwraps(struct mcti_str args)
{
    char given = mcti_json_type(mcti_json_get(args, "arguments"));
    return mcti_json_type(mcti_json_get(args, "name")) == '"' && (!given || given == '{');
}

static void check_call(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    if (!mcti_dialect_unwraps(c->args))
        mcti_buf_addz(refusal,
                      "\"name\" must be the name of a tool (tool_search finds them), and \"arguments\" an object");
}

static void search_run_call(struct mcti_dialect_call *c)
{
    mcti_dialect_refuse(c, "tool_call cannot be used here; call the tool by its own name");
}

static const struct mcti_dialect_tool tools[] = {
    { .json = search_json, .run = run_search, .check = check_search, .lists_all = true },
    { .json = describe_json, .run = run_describe, .check = check_describe, .lists_all = true },
    { .json = call_json, .run = search_run_call, .check = check_call, .wraps = true },
};
const struct mcti_dialect mcti_dialect_search = { .name = "search", .tools = tools, .n_tools = 3 };
