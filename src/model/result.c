/* Writes results in the forms in which providers pass them to their models. A block that the provider refuses is
 * replaced by a text that says so, because it would make the whole request fail. */
#include "model/degrade.h"
#include "model/image.h"
#include "model/schema/provider_rules.h"
#include "model/shape.h"

#include "json/write.h"

static void put_id(struct mcti_buf *to, const char *key, const struct mcti_model_call *call)
{
    if (call->id.len)
        mcti_json_put_raw(to, key, mcti_buf_str(&call->id));
}

/* Appends `"key":` and the whole result as text. */
static void model_call_put_text(struct mcti_buf *to, const char *key, struct mcti_str result)
{
    struct mcti_buf text;
    mcti_buf_init(&text, to->max);
    mcti_degrade_result(&text, result);
    mcti_json_put_member(to, key, mcti_buf_str(&text));
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

static bool is_error(struct mcti_str result)
{
    return mcti_json_true(mcti_json_get(result, "isError"));
}

MCT_MODEL_PUT(mcti_model_put_chat)
{
    (void)rules;
    mcti_buf_addz(to, "{\"role\":\"tool\"");
    put_id(to, "tool_call_id", call);
    model_call_put_text(to, "content", result);
    mcti_buf_addc(to, '}');
}

MCT_MODEL_PUT(mcti_model_put_gemini)
{
    (void)rules;
    mcti_buf_addz(to, "{\"functionResponse\":{");
    put_id(to, "id", call);
    mcti_json_put_member(to, "name", mcti_str_of(call->name ? call->name : ""));
    mcti_json_put_key(to, "response");
    mcti_buf_addc(to, '{');
    model_call_put_text(to, is_error(result) ? "error" : "output", result);
    mcti_buf_addz(to, "}}}");
}

MCT_MODEL_PUT(mcti_model_put_mcp)
{
    (void)rules;
    (void)call;
    mcti_buf_add(to, result);
}

/* ---- lists of text and images ---- */

/* How one provider writes a block. Texts are valid Unicode; `data` of an image is valid base64. */
struct block_form {
    void (*text)(struct mcti_buf *to, struct mcti_str text);
    void (*image)(struct mcti_buf *to, const char *mime, struct mcti_str data);
};

static void result_put_image(struct mcti_buf *to, const struct mcti_provider_rules *rules, struct mcti_str block,
                             const struct block_form *form)
{
    struct mcti_buf why, data;
    const char *mime;
    mcti_buf_init(&data, to->max);
    mcti_buf_init(&why, 4096);
    if (mcti_model_image_read(&data, rules, block, &mime, &why) == 0)
        form->image(to, mime, mcti_buf_str(&data));
    else
        form->text(to, mcti_buf_str(&why));
    to->failed |= !mcti_buf_ok(&data) || !mcti_buf_ok(&why);
    mcti_buf_done(&data);
    mcti_buf_done(&why);
}

static void model_call_put_block(struct mcti_buf *to, const struct mcti_provider_rules *rules, struct mcti_str block,
                                 const struct block_form *form)
{
    struct mcti_buf text;
    if (mcti_json_is(mcti_json_get(block, "type"), "image")) {
        result_put_image(to, rules, block, form);
        return;
    }
    mcti_buf_init(&text, to->max);
    mcti_json_unescape_any(mcti_json_get(block, "text"), &text);
    if (rules->no_blank_text && text.len && mcti_buf_ok(&text) && !mcti_str_trim_white(mcti_buf_str(&text)).len) {
        size_t n = text.len;
        mcti_buf_clear(&text);
        mcti_buf_printf(&text, "[Text result: %zu bytes of white space]", n);
    }
    if (text.len) /* some providers reject empty text */
        form->text(to, mcti_buf_str(&text));
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

static void put_blocks(struct mcti_buf *to, const struct mcti_provider_rules *rules, struct mcti_str result,
                       const struct block_form *form)
{
    struct mcti_buf content;
    struct mcti_str block;
    mcti_buf_init(&content, to->max);
    mcti_degrade_content(&content, result);
    mcti_buf_addc(to, '[');
    size_t first = to->len;
    struct mcti_json_iter it = mcti_json_open(mcti_buf_ok(&content) ? mcti_buf_str(&content) : MCT_STR_NONE);
    while (mcti_json_next_item(&it, &block)) {
        size_t before = to->len;
        mcti_buf_addz(to, before > first ? "," : "");
        size_t from = to->len;
        model_call_put_block(to, rules, block, form);
        if (to->len == from)
            to->len = before;
    }
    if (to->len == first && rules->no_blank_text && is_error(result))
        form->text(to, MCT_STR("[the tool reported an error without a message]"));
    mcti_buf_addc(to, ']');
    to->failed |= !mcti_buf_ok(&content);
    mcti_buf_done(&content);
}

static void anthropic_text(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, "{\"type\":\"text\"");
    mcti_json_put_member(to, "text", text);
    mcti_buf_addc(to, '}');
}

static void anthropic_image(struct mcti_buf *to, const char *mime, struct mcti_str data)
{
    mcti_buf_addz(to, "{\"type\":\"image\",\"source\":{\"type\":\"base64\"");
    mcti_json_put_member(to, "media_type", mcti_str_of(mime));
    mcti_json_put_member(to, "data", data);
    mcti_buf_addz(to, "}}");
}

MCT_MODEL_PUT(mcti_model_put_anthropic)
{
    static const struct block_form form = { anthropic_text, anthropic_image };
    mcti_buf_addz(to, "{\"type\":\"tool_result\"");
    put_id(to, "tool_use_id", call);
    mcti_json_put_key(to, "content");
    put_blocks(to, rules, result, &form);
    mcti_json_put_raw(to, "is_error", is_error(result) ? MCT_STR("true") : MCT_STR("false"));
    mcti_buf_addc(to, '}');
}

static void responses_text(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, "{\"type\":\"input_text\"");
    mcti_json_put_member(to, "text", text);
    mcti_buf_addc(to, '}');
}

static void responses_image(struct mcti_buf *to, const char *mime, struct mcti_str data)
{
    struct mcti_buf url;
    mcti_buf_init(&url, to->max);
    mcti_buf_printf(&url, "data:%s;base64,", mime);
    mcti_buf_add(&url, data);
    mcti_buf_addz(to, "{\"type\":\"input_image\"");
    mcti_json_put_member(to, "image_url", mcti_buf_str(&url));
    mcti_buf_addc(to, '}');
    to->failed |= !mcti_buf_ok(&url);
    mcti_buf_done(&url);
}

static bool has_image(struct mcti_str result)
{
    struct mcti_str content = mcti_json_get(result, "content"), block;
    struct mcti_json_iter it = mcti_json_open(mcti_json_type(content) == '[' ? content : MCT_STR_NONE);
    while (mcti_json_next_item(&it, &block))
        if (mcti_json_is(mcti_json_get(block, "type"), "image"))
            return true;
    return false;
}

MCT_MODEL_PUT(mcti_model_put_responses)
{
    static const struct block_form form = { responses_text, responses_image };
    mcti_buf_addz(to, "{\"type\":\"function_call_output\"");
    put_id(to, "call_id", call);
    if (has_image(result)) {
        mcti_json_put_key(to, "output");
        put_blocks(to, rules, result, &form);
    } else {
        model_call_put_text(to, "output", result);
    }
    mcti_buf_addc(to, '}');
}
