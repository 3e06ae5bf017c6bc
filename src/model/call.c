#include "model/call.h"

#include "base/limits.h"
#include "model/array.h"
#include "model/degrade.h"
#include "json/write.h"

#include <stdlib.h>

struct mct_model_shape {
    const char *looks;       /* like this, for people */
    const char *type;        /* what its "type" says, where it says one; NULL: nothing is known of one */
    const char *inside;      /* the member with the name and the arguments; NULL: they stand in the call itself */
    bool may_be_bare;        /* that member may also come alone */
    const char *id, *arguments;
    void (*put)(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result);
};

/* ---- reading ---- */

static int read_arguments(struct mct_buf *to, struct mct_str value, struct mct_error *err)
{
    struct mct_json_fault fault = { 0, "it is too long" };
    struct mct_json_top top = { .value = MCT_STR("{}") };
    struct mct_buf text;
    int r = 0;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    if (mct_json_type(value) == '"' && mct_json_unescape(value, &text) < 0)
        r = mct_fail(err, MCT_ERR_USAGE, "its arguments are no text: they have an unpaired surrogate");
    else if (mct_json_type(value) != '"' && value.p && mct_json_type(value) != 'n')
        mct_buf_add(&text, value);
    struct mct_str trimmed = mct_str_trim(mct_buf_str(&text));
    if (r == 0 && (!mct_buf_ok(&text) || (trimmed.len && !mct_json_valid(trimmed, MCT_LIMIT_JSON_DEPTH, &top, &fault))))
        r = mct_fail(err, MCT_ERR_USAGE, "its arguments are not valid JSON at byte %zu: %s", fault.offset, fault.why);
    else if (r == 0 && mct_json_type(top.value) != '{')
        r = mct_fail(err, MCT_ERR_USAGE, "its arguments must be a JSON object");
    if (r == 0)
        mct_buf_add(to, top.value);
    mct_buf_done(&text);
    return r;
}

static int is_none(const struct mct_model_shape *s, struct mct_error *err)
{
    return mct_fail(err, MCT_ERR_USAGE, "it is no such call, which looks like %s", s->looks);
}

static int read_call(struct mct_model_call *ret, const struct mct_model_shape *s, struct mct_str call, struct mct_error *err)
{
    struct mct_str type = mct_json_get(call, "type"), inner = s->inside ? mct_json_get(call, s->inside) : call;
    if (!inner.p && s->may_be_bare)
        inner = call;
    struct mct_str name = mct_json_get(inner, "name"), id = mct_json_get(call, s->id);
    if ((s->type && type.p && !mct_json_is(type, s->type)) || mct_json_type(name) != '"')
        return is_none(s, err);
    if (!id.p)
        id = mct_json_get(inner, s->id);
    if (id.p && mct_json_type(id) != 'n')
        mct_buf_add(&ret->id, id);
    ret->name = mct_json_dup(name);
    return ret->name && *ret->name ? read_arguments(&ret->arguments, mct_json_get(inner, s->arguments), err)
                                   : mct_fail(err, MCT_ERR_USAGE, "its name can be no tool's");
}

int mct_model_call_read(struct mct_model_call *ret, const struct mct_array_format *f, struct mct_str text, struct mct_error *err)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    int r;
    *ret = (struct mct_model_call){ 0 };
    mct_buf_init(&ret->id, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&ret->arguments, MCT_LIMIT_MESSAGE_BYTES);
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        r = mct_fail(err, MCT_ERR_USAGE, "not valid JSON at byte %zu: %s", fault.offset, fault.why);
    else
        r = read_call(ret, f->shape, top.value, err);
    if (r == 0 && (!mct_buf_ok(&ret->id) || !mct_buf_ok(&ret->arguments)))
        r = mct_fail(err, MCT_ERR_LIMIT, "it is too long");
    return r < 0 ? mct_error_wrap(err, "the call for %s", f->name) : 0;
}

void mct_model_call_done(struct mct_model_call *call)
{
    mct_buf_done(&call->id);
    mct_buf_done(&call->arguments);
    free(call->name);
    call->name = NULL;
}

/* ---- what goes back ---- */

static void put_id(struct mct_buf *to, const char *key, const struct mct_model_call *call)
{
    if (call->id.len)
        mct_json_put_raw(to, key, mct_buf_str(&call->id));
}

/* "key": all of the result as text. */
static void put_text(struct mct_buf *to, const char *key, struct mct_str result)
{
    struct mct_buf text;
    mct_buf_init(&text, to->max);
    mct_degrade_result(&text, result);
    mct_json_put_member(to, key, mct_buf_str(&text));
    to->failed |= !mct_buf_ok(&text);
    mct_buf_done(&text);
}

static bool is_error(struct mct_str result)
{
    return mct_json_true(mct_json_get(result, "isError"));
}

static void put_chat(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result)
{
    mct_buf_addz(to, "{\"role\":\"tool\"");
    put_id(to, "tool_call_id", call);
    put_text(to, "content", result);
    mct_buf_addc(to, '}');
}

static void put_gemini(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result)
{
    mct_buf_addz(to, "{\"functionResponse\":{");
    put_id(to, "id", call);
    mct_json_put_member(to, "name", mct_str_of(call->name));
    mct_json_put_key(to, "response");
    mct_buf_addc(to, '{');
    put_text(to, is_error(result) ? "error" : "output", result);
    mct_buf_addz(to, "}}}");
}

static void put_mcp(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result)
{
    (void)call;
    mct_buf_add(to, result);
}

/* ---- lists of text and images ---- */

/* How one provider writes a block. Text is whole characters; `image` is one of degraded content. */
struct block_form {
    void (*text)(struct mct_buf *to, struct mct_str text);
    void (*image)(struct mct_buf *to, struct mct_str image);
};

/* The types of images that providers look at; others would make the whole request fail. */
static bool is_seen(struct mct_str image)
{
    static const char *const types[] = { "image/png", "image/jpeg", "image/gif", "image/webp" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mct_json_is(mct_json_get(image, "mimeType"), types[i]))
            return true;
    return false;
}

static void put_block(struct mct_buf *to, struct mct_str block, const struct block_form *form)
{
    struct mct_buf text;
    bool image = mct_json_is(mct_json_get(block, "type"), "image");
    if (image && is_seen(block)) {
        form->image(to, block);
        return;
    }
    mct_buf_init(&text, to->max);
    if (image)
        mct_degrade_block(&text, block);
    else
        mct_json_unescape_any(mct_json_get(block, "text"), &text);
    if (text.len) /* an empty one is an error to some */
        form->text(to, mct_buf_str(&text));
    to->failed |= !mct_buf_ok(&text);
    mct_buf_done(&text);
}

static void put_blocks(struct mct_buf *to, const char *key, struct mct_str result, const struct block_form *form)
{
    struct mct_buf content;
    struct mct_str block;
    mct_buf_init(&content, to->max);
    mct_degrade_content(&content, result);
    mct_json_put_key(to, key);
    mct_buf_addc(to, '[');
    size_t first = to->len;
    struct mct_json_iter it = mct_json_open(mct_buf_ok(&content) ? mct_buf_str(&content) : MCT_STR_NONE);
    while (mct_json_next_item(&it, &block)) {
        size_t before = to->len;
        mct_buf_addz(to, before > first ? "," : "");
        size_t from = to->len;
        put_block(to, block, form);
        if (to->len == from)
            to->len = before;
    }
    mct_buf_addc(to, ']');
    to->failed |= !mct_buf_ok(&content);
    mct_buf_done(&content);
}

static void anthropic_text(struct mct_buf *to, struct mct_str text)
{
    mct_buf_addz(to, "{\"type\":\"text\"");
    mct_json_put_member(to, "text", text);
    mct_buf_addc(to, '}');
}

static void anthropic_image(struct mct_buf *to, struct mct_str image)
{
    mct_buf_addz(to, "{\"type\":\"image\",\"source\":{\"type\":\"base64\"");
    mct_json_put_raw(to, "media_type", mct_json_get(image, "mimeType"));
    mct_json_put_raw(to, "data", mct_json_get(image, "data"));
    mct_buf_addz(to, "}}");
}

static void put_anthropic(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result)
{
    static const struct block_form form = { anthropic_text, anthropic_image };
    mct_buf_addz(to, "{\"type\":\"tool_result\"");
    put_id(to, "tool_use_id", call);
    put_blocks(to, "content", result, &form);
    mct_json_put_raw(to, "is_error", is_error(result) ? MCT_STR("true") : MCT_STR("false"));
    mct_buf_addc(to, '}');
}

static void responses_text(struct mct_buf *to, struct mct_str text)
{
    mct_buf_addz(to, "{\"type\":\"input_text\"");
    mct_json_put_member(to, "text", text);
    mct_buf_addc(to, '}');
}

static void responses_image(struct mct_buf *to, struct mct_str image)
{
    struct mct_buf url;
    mct_buf_init(&url, to->max);
    mct_buf_addz(&url, "data:");
    mct_json_unescape_any(mct_json_get(image, "mimeType"), &url);
    mct_buf_addz(&url, ";base64,");
    mct_json_unescape_any(mct_json_get(image, "data"), &url);
    mct_buf_addz(to, "{\"type\":\"input_image\"");
    mct_json_put_member(to, "image_url", mct_buf_str(&url));
    mct_buf_addc(to, '}');
    to->failed |= !mct_buf_ok(&url);
    mct_buf_done(&url);
}

static bool has_image(struct mct_str result)
{
    struct mct_str content = mct_json_get(result, "content"), block;
    struct mct_json_iter it = mct_json_open(mct_json_type(content) == '[' ? content : MCT_STR_NONE);
    while (mct_json_next_item(&it, &block))
        if (mct_json_is(mct_json_get(block, "type"), "image"))
            return true;
    return false;
}

static void put_responses(struct mct_buf *to, const struct mct_model_call *call, struct mct_str result)
{
    static const struct block_form form = { responses_text, responses_image };
    mct_buf_addz(to, "{\"type\":\"function_call_output\"");
    put_id(to, "call_id", call);
    if (has_image(result))
        put_blocks(to, "output", result, &form);
    else
        put_text(to, "output", result);
    mct_buf_addc(to, '}');
}

void mct_model_result_put(struct mct_buf *to, const struct mct_array_format *f, const struct mct_model_call *call,
                          struct mct_str result)
{
    f->shape->put(to, call, result);
}

/* ---- the providers ---- */

const struct mct_model_shape mct_model_chat = {
    .looks = "{\"id\",\"type\":\"function\",\"function\":{\"name\",\"arguments\":\"{…}\"}}", .type = "function", .inside = "function",
    .id = "id", .arguments = "arguments", .put = put_chat,
};
const struct mct_model_shape mct_model_responses = {
    .looks = "{\"type\":\"function_call\",\"call_id\",\"name\",\"arguments\":\"{…}\"}", .type = "function_call", .id = "call_id",
    .arguments = "arguments", .put = put_responses,
};
const struct mct_model_shape mct_model_anthropic = {
    .looks = "{\"type\":\"tool_use\",\"id\",\"name\",\"input\":{…}}", .type = "tool_use", .id = "id", .arguments = "input",
    .put = put_anthropic,
};
const struct mct_model_shape mct_model_gemini = {
    .looks = "{\"functionCall\":{\"name\",\"args\":{…}}}", .inside = "functionCall", .may_be_bare = true, .id = "id",
    .arguments = "args", .put = put_gemini,
};
const struct mct_model_shape mct_model_mcp = {
    .looks = "{\"name\",\"arguments\":{…}}", .id = "id", .arguments = "arguments", .put = put_mcp,
};
