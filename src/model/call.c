#include "model/call.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "model/array.h"
#include "model/degrade.h"
#include "json/write.h"

#include <stdlib.h>

struct mcti_model_shape {
    const char *example; /* an example, for messages */
    const char *type;    /* value of its member "type", if present; NULL: not checked */
    const char *inside;  /* member that holds the name and the arguments; NULL: the call itself holds them */
    bool may_be_bare;    /* that member is also accepted alone */
    const char *id, *arguments;
    void (*put)(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result);
};

/* ---- reading ---- */

/* The model reads these messages; they begin as those of Codex. */
#define UNREADABLE "failed to parse function arguments: "

static int fail_syntax(struct mcti_str text, const struct mcti_json_fault *fault, struct mct_error *err)
{
    size_t line = 1, from = 0, at = fault->offset < text.len ? fault->offset : text.len;
    for (size_t i = 0; i < at; i++) {
        if (text.p[i] == '\n') {
            line++;
            from = i + 1;
        }
    }
    return mcti_fail(err, MCT_ERR_USAGE, UNREADABLE "%s at line %zu column %zu", fault->why, line,
                     at - from + (at < text.len ? 1 : 0));
}

/* Reads the object that is written in `text`. White space alone, and null, are an empty object. */
static int read_argument_text(struct mcti_buf *to, struct mcti_str text, struct mct_error *err)
{
    struct mcti_json_fault fault = { 0, "it is too long" };
    struct mcti_json_top top = { .value = MCT_STR("{}") };
    struct mcti_str words = mcti_utf8_trim(text);
    if (words.len && !mcti_json_valid(words, MCT_LIMIT_JSON_DEPTH, &top, &fault)) {
        fault.offset += (size_t)(words.p - text.p);
        return fail_syntax(text, &fault, err);
    }
    char type = mcti_json_type(top.value);
    if (type != '{' && type != 'n')
        return mcti_fail(err, MCT_ERR_USAGE, UNREADABLE "a JSON object was expected");
    mcti_buf_add(to, type == 'n' ? MCT_STR("{}") : top.value);
    return 0;
}

static int read_arguments(struct mcti_buf *to, struct mcti_str value, struct mct_error *err)
{
    struct mcti_buf text;
    int r = 0;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_json_type(value) == '"' && mcti_json_unescape(value, &text) < 0 && mcti_buf_ok(&text))
        r = mcti_fail(err, MCT_ERR_USAGE, UNREADABLE "unpaired surrogate");
    else if (mcti_json_type(value) != '"' && value.p)
        mcti_buf_add(&text, value);
    if (!mcti_buf_ok(&text))
        r = value.len > MCT_LIMIT_MESSAGE_BYTES ? mcti_fail(err, MCT_ERR_LIMIT, UNREADABLE "they are too long")
                                                : mcti_no_memory(err);
    else if (r == 0)
        r = read_argument_text(to, mcti_buf_str(&text), err);
    mcti_buf_done(&text);
    return r;
}

static int fail_shape(const struct mcti_model_shape *s, struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_USAGE, "not a tool call; expected %s", s->example);
}

static int model_call_read_call(struct mcti_model_call *ret, const struct mcti_model_shape *s, struct mcti_str call,
                                struct mct_error *err)
{
    struct mcti_str type = mcti_json_get(call, "type"), inner = s->inside ? mcti_json_get(call, s->inside) : call;
    if (!inner.p && s->may_be_bare)
        inner = call;
    struct mcti_str name = mcti_json_get(inner, "name"), id = mcti_json_get(call, s->id);
    if ((s->type && type.p && !mcti_json_is(type, s->type)) || mcti_json_type(name) != '"')
        return fail_shape(s, err);
    if (!id.p)
        id = mcti_json_get(inner, s->id);
    if (id.p && mcti_json_type(id) != 'n')
        mcti_buf_add(&ret->id, id);
    ret->name = mcti_json_dup(name);
    return ret->name && *ret->name ? read_arguments(&ret->arguments, mcti_json_get(inner, s->arguments), err)
                                   : mcti_fail(err, MCT_ERR_USAGE, "its name is empty or contains U+0000");
}

int mcti_model_call_read(struct mcti_model_call *ret, const struct mcti_array_format *f, struct mcti_str text,
                         struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    int r;
    *ret = (struct mcti_model_call){ 0 };
    mcti_buf_init(&ret->id, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&ret->arguments, MCT_LIMIT_MESSAGE_BYTES);
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        r = mcti_fail(err, MCT_ERR_USAGE, "not valid JSON at byte %zu: %s", fault.offset, fault.why);
    else
        r = model_call_read_call(ret, f->shape, top.value, err);
    if (r == 0 && (!mcti_buf_ok(&ret->id) || !mcti_buf_ok(&ret->arguments)))
        r = mcti_fail(err, MCT_ERR_LIMIT, "it is too long");
    bool is_answerable = ret->name && *ret->name; /* then the message goes to the model, which knows its own call */
    return r < 0 && !is_answerable ? mcti_error_wrap(err, "the call for %s", f->name) : r;
}

void mcti_model_call_done(struct mcti_model_call *call)
{
    mcti_buf_done(&call->id);
    mcti_buf_done(&call->arguments);
    free(call->name);
    call->name = NULL;
}

/* ---- results ---- */

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

static void put_chat(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result)
{
    mcti_buf_addz(to, "{\"role\":\"tool\"");
    put_id(to, "tool_call_id", call);
    model_call_put_text(to, "content", result);
    mcti_buf_addc(to, '}');
}

static void put_gemini(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result)
{
    mcti_buf_addz(to, "{\"functionResponse\":{");
    put_id(to, "id", call);
    mcti_json_put_member(to, "name", mcti_str_of(call->name));
    mcti_json_put_key(to, "response");
    mcti_buf_addc(to, '{');
    model_call_put_text(to, is_error(result) ? "error" : "output", result);
    mcti_buf_addz(to, "}}}");
}

static void put_mcp(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result)
{
    (void)call;
    mcti_buf_add(to, result);
}

/* ---- lists of text and images ---- */

/* How one provider writes a block. Texts are valid Unicode; images come from degraded content. */
struct block_form {
    void (*text)(struct mcti_buf *to, struct mcti_str text);
    void (*image)(struct mcti_buf *to, struct mcti_str image);
};

/* Returns true if providers accept the type of the image; any other type would make the whole request fail. */
static bool is_accepted_image(struct mcti_str image)
{
    static const char *const types[] = { "image/png", "image/jpeg", "image/gif", "image/webp" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mcti_json_is(mcti_json_get(image, "mimeType"), types[i]))
            return true;
    return false;
}

static void model_call_put_block(struct mcti_buf *to, struct mcti_str block, const struct block_form *form)
{
    struct mcti_buf text;
    bool image = mcti_json_is(mcti_json_get(block, "type"), "image");
    if (image && is_accepted_image(block)) {
        form->image(to, block);
        return;
    }
    mcti_buf_init(&text, to->max);
    if (image)
        mcti_degrade_block(&text, block);
    else
        mcti_json_unescape_any(mcti_json_get(block, "text"), &text);
    if (text.len) /* some providers reject empty text */
        form->text(to, mcti_buf_str(&text));
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

static void put_blocks(struct mcti_buf *to, const char *key, struct mcti_str result, const struct block_form *form)
{
    struct mcti_buf content;
    struct mcti_str block;
    mcti_buf_init(&content, to->max);
    mcti_degrade_content(&content, result);
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    size_t first = to->len;
    struct mcti_json_iter it = mcti_json_open(mcti_buf_ok(&content) ? mcti_buf_str(&content) : MCT_STR_NONE);
    while (mcti_json_next_item(&it, &block)) {
        size_t before = to->len;
        mcti_buf_addz(to, before > first ? "," : "");
        size_t from = to->len;
        model_call_put_block(to, block, form);
        if (to->len == from)
            to->len = before;
    }
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

static void anthropic_image(struct mcti_buf *to, struct mcti_str image)
{
    mcti_buf_addz(to, "{\"type\":\"image\",\"source\":{\"type\":\"base64\"");
    mcti_json_put_raw(to, "media_type", mcti_json_get(image, "mimeType"));
    mcti_json_put_raw(to, "data", mcti_json_get(image, "data"));
    mcti_buf_addz(to, "}}");
}

static void put_anthropic(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result)
{
    static const struct block_form form = { anthropic_text, anthropic_image };
    mcti_buf_addz(to, "{\"type\":\"tool_result\"");
    put_id(to, "tool_use_id", call);
    put_blocks(to, "content", result, &form);
    mcti_json_put_raw(to, "is_error", is_error(result) ? MCT_STR("true") : MCT_STR("false"));
    mcti_buf_addc(to, '}');
}

static void responses_text(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, "{\"type\":\"input_text\"");
    mcti_json_put_member(to, "text", text);
    mcti_buf_addc(to, '}');
}

static void responses_image(struct mcti_buf *to, struct mcti_str image)
{
    struct mcti_buf url;
    mcti_buf_init(&url, to->max);
    mcti_buf_addz(&url, "data:");
    mcti_json_unescape_any(mcti_json_get(image, "mimeType"), &url);
    mcti_buf_addz(&url, ";base64,");
    mcti_json_unescape_any(mcti_json_get(image, "data"), &url);
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

static void put_responses(struct mcti_buf *to, const struct mcti_model_call *call, struct mcti_str result)
{
    static const struct block_form form = { responses_text, responses_image };
    mcti_buf_addz(to, "{\"type\":\"function_call_output\"");
    put_id(to, "call_id", call);
    if (has_image(result))
        put_blocks(to, "output", result, &form);
    else
        model_call_put_text(to, "output", result);
    mcti_buf_addc(to, '}');
}

void mcti_model_result_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_model_call *call,
                           struct mcti_str result)
{
    f->shape->put(to, call, result);
}

/* ---- the providers ---- */

const struct mcti_model_shape mcti_model_chat = {
    .example = "{\"id\",\"type\":\"function\",\"function\":{\"name\",\"arguments\":\"{…}\"}}",
    .type = "function",
    .inside = "function",
    .id = "id",
    .arguments = "arguments",
    .put = put_chat,
};
const struct mcti_model_shape mcti_model_responses = {
    .example = "{\"type\":\"function_call\",\"call_id\",\"name\",\"arguments\":\"{…}\"}",
    .type = "function_call",
    .id = "call_id",
    .arguments = "arguments",
    .put = put_responses,
};
const struct mcti_model_shape mcti_model_anthropic = {
    .example = "{\"type\":\"tool_use\",\"id\",\"name\",\"input\":{…}}",
    .type = "tool_use",
    .id = "id",
    .arguments = "input",
    .put = put_anthropic,
};
const struct mcti_model_shape mcti_model_gemini = {
    .example = "{\"functionCall\":{\"name\",\"args\":{…}}}",
    .inside = "functionCall",
    .may_be_bare = true,
    .id = "id",
    .arguments = "args",
    .put = put_gemini,
};
const struct mcti_model_shape mcti_model_mcp = {
    .example = "{\"name\",\"arguments\":{…}}",
    .id = "id",
    .arguments = "arguments",
    .put = put_mcp,
};
