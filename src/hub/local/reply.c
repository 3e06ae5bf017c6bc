/* Answers of the program to calls of its definitions. */
#include "hub/local/def.h"

#include "base/base64.h"
#include "base/limits.h"

#include <stdlib.h>

/* Returns the request to answer; NULL if it has ended, which is logged. */
static struct mcti_local_request *reply_request(struct mct_tool_call *c)
{
    static const char *const words[MCT_KIND_N] = {
        [MCT_TOOL] = "tool", [MCT_RESOURCE] = "resource", [MCT_TEMPLATE] = "resource", [MCT_PROMPT] = "prompt"
    };
    struct mcti_local_request *r = c->request;
    c->answered = true;
    if (!r)
        mcti_log(c->def->provider->log, MCT_LOG_WARN, "%s '%s' answered a call that has already ended",
                 words[c->def->kind], c->def->name);
    return r;
}

/* Ends a call with an error of the program's: of a tool as a result, which models read. */
static void reply_error(struct mct_tool_call *c, struct mcti_local_request *r, struct mcti_str text)
{
    if (c->verb == MCT_VERB_TOOLS_CALL) {
        mcti_local_text_str(r, text, true);
        return;
    }
    char *message = mcti_str_dup(text);
    mcti_local_fail(r, MCT_RPC_INTERNAL, message ? message : MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    free(message);
}

/* Ends a call whose program has answered in a wrong way. */
static void reply_mistake(struct mct_tool_call *c, struct mcti_local_request *r, const char *mistake)
{
    struct mcti_buf b;
    mcti_buf_init(&b, strlen(c->def->name) + strlen(mistake) + 64);
    mcti_buf_printf(&b, "%s '%s' %s",
                    c->def->kind == MCT_TOOL     ? "tool"
                    : c->def->kind == MCT_PROMPT ? "prompt"
                                                 : "resource",
                    c->def->name, mistake);
    mcti_log(c->def->provider->log, MCT_LOG_WARN, "%.*s", MCT_STR_ARG(mcti_buf_str(&b)));
    reply_error(c, r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* ---- texts ---- */

static void reply_text(struct mct_tool_call *c, struct mcti_str text)
{
    struct mcti_local_request *r = reply_request(c);
    if (!r)
        return;
    if (c->verb == MCT_VERB_RESOURCES_READ)
        mcti_local_contents(r, c->def->mime_type ? c->def->mime_type : "text/plain", text);
    else if (c->verb == MCT_VERB_PROMPTS_GET)
        mcti_local_prompt_str(r, text);
    else if (c->verb == MCT_VERB_COMPLETE)
        reply_mistake(c, r, "answered a completion with a text: mct_tool_call_complete() answers it");
    else if (!c->def->output || mcti_local_check_result(c, MCT_STR_NONE))
        mcti_local_text_str(r, text, false);
}

void mct_tool_call_text(struct mct_tool_call *c, const char *text)
{
    reply_text(c, mcti_str_of(text));
}

void mct_tool_call_text_len(struct mct_tool_call *c, const char *text, size_t len)
{
    reply_text(c, (struct mcti_str){ text, len });
}

void mct_tool_call_error(struct mct_tool_call *c, const char *text)
{
    const char *reason = text ? text : "the tool failed";
    mct_tool_call_error_len(c, reason, strlen(reason));
}

void mct_tool_call_error_len(struct mct_tool_call *c, const char *text, size_t len)
{
    struct mcti_local_request *r = reply_request(c);
    if (r)
        reply_error(c, r, (struct mcti_str){ text, len });
}

/* ---- bytes ---- */

static void reply_bytes_of_tool(struct mct_tool_call *c, struct mcti_local_request *r, struct mcti_str mime_type,
                                struct mcti_str base64)
{
    bool image = mcti_str_starts(mime_type, MCT_STR("image/")), audio = mcti_str_starts(mime_type, MCT_STR("audio/"));
    struct mcti_buf b;
    if (!image && !audio) {
        reply_mistake(c, r, "answered with bytes that are neither an image nor audio");
        return;
    }
    mcti_buf_init(&b, base64.len + 6 * mime_type.len + 256);
    mcti_buf_printf(&b, "{\"content\":[{\"type\":\"%s\",\"data\":\"", image ? "image" : "audio");
    mcti_buf_add(&b, base64);
    mcti_buf_addc(&b, '"');
    mcti_json_put_member(&b, "mimeType", mime_type);
    mcti_buf_addz(&b, "}]}");
    if (mcti_local_check_result(c, mcti_buf_str(&b)))
        mcti_local_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mct_tool_call_blob(struct mct_tool_call *c, const char *mime_type, const void *bytes, size_t len)
{
    struct mcti_local_request *r = reply_request(c);
    const char *type = mime_type ? mime_type : c->def->mime_type ? c->def->mime_type : "application/octet-stream";
    struct mcti_buf b;
    if (!r)
        return;
    mcti_buf_init(&b, 2 * len + 16);
    mcti_base64_put(&b, (struct mcti_str){ bytes, len });
    if (!mcti_buf_ok(&b))
        mcti_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    else if (c->verb == MCT_VERB_RESOURCES_READ)
        mcti_local_blob(r, type, mcti_buf_str(&b));
    else if (c->verb == MCT_VERB_TOOLS_CALL)
        reply_bytes_of_tool(c, r, mcti_str_of(type), mcti_buf_str(&b));
    else
        reply_mistake(c, r, "answered with bytes");
    mcti_buf_done(&b);
}

/* ---- results ---- */

/* Returns why a result of the program is none of its method; NULL if it is. */
static const char *find_result_mistake(enum mcti_verb verb, struct mcti_str result)
{
    static const struct {
        enum mcti_verb verb;
        char type;
        const char *key, *mistake;
    } rows[] = {
        { MCT_VERB_TOOLS_CALL, '[', "content",
          "returned no CallToolResult: expected an object with the list \"content\"" },
        { MCT_VERB_RESOURCES_READ, '[', "contents",
          "returned no ReadResourceResult: expected an object with the list \"contents\"" },
        { MCT_VERB_PROMPTS_GET, '[', "messages",
          "returned no GetPromptResult: expected an object with the list \"messages\"" },
        { MCT_VERB_COMPLETE, '{', "completion",
          "returned no CompleteResult: expected an object with the object \"completion\"" },
    };
    size_t i = 0;
    while (rows[i].verb != verb)
        i++;
    bool good = mcti_json_valid(result, MCT_LIMIT_JSON_DEPTH, NULL, NULL) &&
                mcti_json_type(mcti_json_get(result, rows[i].key)) == rows[i].type;
    return good ? NULL : rows[i].mistake;
}

void mct_tool_call_result(struct mct_tool_call *c, const char *result)
{
    mct_tool_call_result_len(c, result, result ? strlen(result) : 0);
}

void mct_tool_call_result_len(struct mct_tool_call *c, const char *result, size_t len)
{
    struct mcti_local_request *r = reply_request(c);
    struct mcti_str text = { result, len };
    const char *mistake = r ? find_result_mistake(c->verb, text) : NULL;
    if (mistake)
        reply_mistake(c, r, mistake);
    else if (r && mcti_local_check_result(c, text))
        mcti_local_result(r, text);
}

void mct_tool_call_structured(struct mct_tool_call *c, const char *object)
{
    struct mcti_local_request *r = reply_request(c);
    struct mcti_str json;
    struct mcti_buf b;
    if (!r)
        return;
    if (c->verb != MCT_VERB_TOOLS_CALL || mcti_json_read_object(mcti_str_of(object), "result", &json, NULL) < 0) {
        reply_mistake(c, r, "returned no structured content: expected a JSON object");
        return;
    }
    mcti_buf_init(&b, 8 * json.len + 256);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":");
    mcti_json_put_string(&b, json);
    mcti_buf_addz(&b, "}],\"structuredContent\":");
    mcti_buf_add(&b, json);
    mcti_buf_addc(&b, '}');
    if (!mcti_buf_ok(&b))
        mcti_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    else if (mcti_local_check_result(c, mcti_buf_str(&b)))
        mcti_local_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mct_tool_call_complete(struct mct_tool_call *c, const char *const *candidates)
{
    static const char *const none[] = { NULL };
    struct mcti_local_request *r = reply_request(c);
    if (r && c->verb == MCT_VERB_COMPLETE)
        mcti_local_complete(r, candidates ? candidates : none);
    else if (r)
        reply_mistake(c, r, "answered with a completion, which was not asked for");
}

void mct_tool_call_not_found(struct mct_tool_call *c)
{
    struct mcti_local_request *r = reply_request(c);
    if (r)
        mcti_local_fail_unknown(r, c->verb == MCT_VERB_RESOURCES_READ ? "no such resource" : "not found");
}

void mct_tool_call_fail(struct mct_tool_call *c, int code, const char *message)
{
    struct mcti_local_request *r = reply_request(c);
    if (r)
        mcti_local_fail(r, code, message ? message : "the tool failed", MCT_STR_NONE);
}
