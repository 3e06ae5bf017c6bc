#include "hub/shape.h"

#include "json/write.h"
#include "mcp/handshake.h"

static bool has_hints(enum mct_verb verb)
{
    return verb == MCT_VERB_RESOURCES_READ || verb == MCT_VERB_DISCOVER ||
           (verb >= MCT_VERB_TOOLS_LIST && verb <= MCT_VERB_PROMPTS_LIST);
}

/* `_meta` with the gateway's serverInfo, unless the server has put its own. */
static void put_server_info(struct mct_buf *to, struct mct_str meta)
{
    const struct mct_json_set set = { MCT_META_SERVER_INFO, MCT_STR(MCT_IMPLEMENTATION) };
    mct_json_put_object(to, meta, &set, 1);
}

static void to_stateless(struct mct_buf *to, enum mct_verb verb, struct mct_str result)
{
    struct mct_str meta = mct_json_get(result, "_meta");
    struct mct_buf with_info;
    mct_buf_init(&with_info, meta.len + 1024);
    put_server_info(&with_info, meta);
    const struct mct_json_set sets[] = {
        { "resultType", MCT_STR("\"complete\"") },
        { "_meta", mct_buf_str(&with_info) },
        { "ttlMs", MCT_STR("0") },
        { "cacheScope", MCT_STR("\"private\"") },
    };
    mct_json_put_object(to, result, sets, has_hints(verb) ? 4 : 2);
    mct_buf_done(&with_info);
}

static void to_handshake(struct mct_buf *to, struct mct_str result)
{
    struct mct_str meta = mct_json_get(result, "_meta");
    const struct mct_json_set no_info = { MCT_META_SERVER_INFO, MCT_STR_NONE };
    struct mct_buf without;
    mct_buf_init(&without, meta.len + 16);
    if (meta.p)
        mct_json_put_object(&without, meta, &no_info, 1);
    const struct mct_json_set sets[] = {
        { "resultType", MCT_STR_NONE },
        { "ttlMs", MCT_STR_NONE },
        { "cacheScope", MCT_STR_NONE },
        { "_meta", without.len > 2 ? mct_buf_str(&without) : MCT_STR_NONE },
    };
    mct_json_put_object(to, result, sets, 4);
    mct_buf_done(&without);
}

void mct_shape_result(struct mct_buf *to, enum mct_verb verb, struct mct_str result, enum mct_rev from,
                      enum mct_rev to_rev, bool wraps)
{
    (void)wraps;
    if (mct_rev_is_stateless(from) == mct_rev_is_stateless(to_rev))
        mct_buf_add(to, result);
    else if (mct_rev_is_stateless(to_rev))
        to_stateless(to, verb, result);
    else
        to_handshake(to, result);
}

bool mct_shape_is_complete(struct mct_str result)
{
    struct mct_str type = mct_json_get(result, "resultType");
    return !type.p || mct_json_is(type, "complete");
}

void mct_shape_error(struct mct_buf *to, enum mct_verb verb, struct mct_str error, enum mct_rev to_rev)
{
    int64_t code = 0;
    mct_json_int(mct_json_get(error, "code"), &code);
    const struct mct_json_set set = { "code", MCT_STR("-32602") };
    bool rename = mct_rev_is_stateless(to_rev) && code == MCT_RPC_RESOURCE_NOT_FOUND &&
                  verb == MCT_VERB_RESOURCES_READ;
    if (rename)
        mct_json_put_object(to, error, &set, 1);
    else
        mct_buf_add(to, error);
}

bool mct_shape_wraps(struct mct_str schema) { (void)schema; return false; }
int mct_shape_ask(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str params, enum mct_rev to_rev, struct mct_error *err)
{ (void)kind;(void)to_rev;(void)err; mct_buf_add(to, params.p ? params : MCT_STR("{}")); return 0; }
int mct_shape_reply(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str reply, enum mct_rev to_rev, struct mct_error *err)
{ (void)kind;(void)to_rev;(void)err; mct_buf_add(to, reply); return 0; }
bool mct_shape_progress(struct mct_buf *to, struct mct_str params, enum mct_rev to_rev) { (void)to;(void)params;(void)to_rev; return false; }
void mct_shape_tool_says(struct mct_buf *to, struct mct_str text)
{ mct_buf_addz(to, "{\"content\":[{\"type\":\"text\""); mct_json_put_member(to, "text", text); mct_buf_addz(to, "}],\"isError\":true}"); }
