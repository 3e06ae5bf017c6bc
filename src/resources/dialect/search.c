/*
 * Search mode: instead of hundreds of tools three fixed ones, with which a model finds a tool, learns its arguments and
 * calls it. A call of tool_call that names a tool never gets here: it becomes the call of that tool before policy,
 * listeners and the server see it (mct_view_own.unwrap).
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "hub/view/rank.h"
#include "hub/core/untrusted.h"

#include <stdlib.h>

enum { FIND_DEFAULT = 5, FIND_MAX = 25, DESCRIPTION_BYTES = 300 };

static const char search_json[] = MCT_JSON({
    "name": "tool_search",
    "description": "Find tools. Words are ranked; +word must be there; select:NAME,NAME picks tools by name.",
    "inputSchema": { "type": "object", "properties": {
        "query": { "type": "string" },
        "max_results": { "type": "integer", "minimum": 1, "maximum": 25, "description": "5 if left out." } },
        "required": ["query"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char describe_json[] = MCT_JSON({
    "name": "tool_describe",
    "description": "What tools do and which arguments they take. Do this before the first call of a tool.",
    "inputSchema": { "type": "object", "properties": {
        "names": { "type": "array", "items": { "type": "string" } } }, "required": ["names"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char call_json[] = MCT_JSON({
    "name": "tool_call",
    "description": "Call a tool that was found.",
    "inputSchema": { "type": "object", "properties": {
        "name": { "type": "string" }, "arguments": { "type": "object" } }, "required": ["name"] }
});

/* ---- search ---- */

static void put_match(struct mct_buf *to, const struct mct_ranked *r, bool selected)
{
    struct mct_buf text;
    mct_buf_init(&text, DESCRIPTION_BYTES + 1);
    mct_untrusted_put_json(&text, mct_json_get(r->tool->item->json, "description"), DESCRIPTION_BYTES);
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "name", r->tool->name);
    if (!selected) {
        mct_json_put_key(to, "score");
        mct_buf_printf(to, "%.2f", r->score);
    }
    mct_json_put_member(to, "description", mct_buf_str(&text));
    mct_buf_addc(to, '}');
    mct_buf_done(&text);
}

static void put_found(struct mct_buf *to, const struct mct_ranking *found, size_t n_tools)
{
    mct_buf_addz(to, "{\"matches\":[");
    for (size_t i = 0; i < found->n; i++) {
        mct_buf_addz(to, i ? "," : "");
        put_match(to, &found->v[i], found->selects);
    }
    mct_buf_addc(to, ']');
    for (size_t i = 0; i < found->n_missing; i++) {
        mct_buf_addz(to, i ? "," : ",\"missing\":[");
        mct_json_put_string(to, found->missing[i]);
    }
    mct_buf_addz(to, found->n_missing ? "]" : "");
    mct_buf_printf(to, ",\"total_tools\":%zu}", n_tools);
}

static void check_search(const struct dialect_call *c, struct mct_buf *refusal)
{
    if (!dialect_has_text(c, "query"))
        mct_buf_addz(refusal, "\"query\" must be words to look for");
}

static void run_search(struct dialect_call *c)
{
    struct mct_ranking found;
    struct mct_error err;
    struct mct_buf b;
    uint64_t max = FIND_DEFAULT;
    mct_json_uint(mct_json_get(c->args, "max_results"), &max);
    c->name = dialect_text(c, "query");
    if (mct_rank(&found, &c->set->all, mct_str_of(c->name), max < 1 ? 1 : max > FIND_MAX ? FIND_MAX : max, &err) < 0) {
        dialect_refuse(c, "%s", err.message);
    } else {
        mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
        put_found(&b, &found, mct_view_items(&c->set->all, MCT_TOOL)->n);
        mct_ranking_done(&found);
        dialect_answer(c, &b);
    }
}

/* ---- describe ---- */

static void put_tool(struct mct_buf *to, const struct mct_exposure *x)
{
    static const char *const keys[] = { "title", "description", "inputSchema", "outputSchema", "annotations" };
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "name", x->name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        dialect_put(to, keys[i], mct_json_get(x->item->json, keys[i]), false);
    mct_buf_addc(to, '}');
}

static void check_describe(const struct dialect_call *c, struct mct_buf *refusal)
{
    if (mct_json_type(mct_json_get(c->args, "names")) != '[')
        mct_buf_addz(refusal, "\"names\" must be an array of names");
}

static void run_describe(struct dialect_call *c)
{
    struct mct_str item, names = mct_json_get(c->args, "names");
    struct mct_buf b, missing, name;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&missing, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&name, MCT_LIMIT_NAME_BYTES);
    mct_buf_addz(&b, "{\"tools\":[");
    size_t n = 0, n_found = 0;
    for (struct mct_json_iter it = mct_json_open(names); n < MCT_RANK_NAMES && mct_json_next_item(&it, &item); n++) {
        mct_buf_clear(&name);
        const struct mct_exposure *x = mct_json_unescape(item, &name) == 0
                                           ? mct_view_named(&c->set->all, MCT_TOOL, mct_buf_str(&name), NULL) : NULL;
        if (x) {
            mct_buf_addz(&b, n_found++ ? "," : "");
            put_tool(&b, x);
        } else {
            mct_buf_addz(&missing, missing.len ? "," : "");
            mct_json_put_compact(&missing, item);
        }
    }
    mct_buf_addc(&b, ']');
    if (missing.len)
        mct_buf_addz(&b, ",\"missing\":[");
    mct_buf_add(&b, mct_buf_str(&missing));
    mct_buf_addz(&b, missing.len ? "]}" : "}");
    mct_buf_done(&missing);
    mct_buf_done(&name);
    dialect_answer(c, &b);
}

/* ---- call ---- */

bool dialect_unwraps(struct mct_str args)
{
    char given = mct_json_type(mct_json_get(args, "arguments"));
    return mct_json_type(mct_json_get(args, "name")) == '"' && (!given || given == '{');
}

static void check_call(const struct dialect_call *c, struct mct_buf *refusal)
{
    if (!dialect_unwraps(c->args))
        mct_buf_addz(refusal, "\"name\" must be the name of a tool (tool_search finds them), and \"arguments\" an object");
}

static void run_call(struct dialect_call *c)
{
    dialect_refuse(c, "tools cannot be called through tool_call from here");
}

static const struct dialect_tool tools[] = {
    { .json = search_json, .run = run_search, .check = check_search, .tells_all = true },
    { .json = describe_json, .run = run_describe, .check = check_describe, .tells_all = true },
    { .json = call_json, .run = run_call, .check = check_call, .wraps = true },
};
const struct dialect dialect_search = { .name = "search", .tools = tools, .n_tools = 3 };
