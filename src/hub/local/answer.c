/* Answers of handlers. */
#include "hub/local/impl.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool local_answer_is_object(struct mcti_str json, struct mcti_json_top *ret_top)
{
    return mcti_json_valid(json, MCT_LIMIT_JSON_DEPTH, ret_top, NULL) && mcti_json_type(json) == '{';
}

/* Returns a member of the result, from `top` if possible: that saves scanning the result again. */
static struct mcti_str local_answer_member_of(struct mcti_str result, const struct mcti_json_top *top, const char *key)
{
    if (top->n > MCT_JSON_TOP)
        return mcti_json_get(result, key);
    for (size_t i = 0; i < top->n; i++)
        if (mcti_json_key_is(top->member[i].key, key))
            return top->member[i].value;
    return MCT_STR_NONE;
}

/* ---- results and errors ---- */

/* Appends `_meta` of the result with the name of this server (2026-07-28 "Results"). */
static void local_answer_put_meta(struct mcti_buf *to, const struct mcti_local_request *r, struct mcti_str meta)
{
    const struct mcti_json_set set = { MCT_META_SERVER_INFO, mcti_str_of(r->local->base.info.server_info) };
    mcti_json_put_object(to, meta, &set, mcti_json_get(meta, MCT_META_SERVER_INFO).p ? 0 : 1);
}

/* Appends the result with the members that 2026-07-28 requires of every result and of cacheable ones; members that the
 * handler has set stay. */
static void put_result(struct mcti_buf *to, const struct mcti_local_request *r, struct mcti_str result,
                       const struct mcti_json_top *top)
{
    struct mcti_buf meta;
    struct mcti_json_set sets[4] = { { "_meta", MCT_STR_NONE } };
    static const struct mcti_json_set defaults[] = { { "resultType", MCT_STR("\"complete\"") },
                                                     { "ttlMs", MCT_STR("0") },
                                                     { "cacheScope", MCT_STR("\"private\"") } };
    size_t n = 1, n_defaults = r->call->verb == MCT_VERB_RESOURCES_READ ? 3 : 1;
    struct mcti_str own = local_answer_member_of(result, top, "_meta");
    mcti_buf_init(&meta, own.len + MCT_LIMIT_MESSAGE_BYTES);
    local_answer_put_meta(&meta, r, own);
    sets[0].value = mcti_buf_str(&meta);
    for (size_t i = 0; i < n_defaults; i++)
        if (!local_answer_member_of(result, top, defaults[i].key).p)
            sets[n++] = defaults[i];
    mcti_json_put_object(to, result, sets, n);
    mcti_buf_done(&meta);
}

void mcti_local_result(struct mcti_local_request *r, struct mcti_str result)
{
    struct mcti_buf b;
    struct mcti_json_top top;
    struct mcti_outcome o = { .rev = r->local->base.info.rev };
    if (!local_answer_is_object(result, &top)) {
        mcti_local_fail(r, MCT_RPC_INTERNAL, "the result is not a JSON object", MCT_STR_NONE);
        return;
    }
    mcti_buf_init(&b, 2 * result.len + MCT_LIMIT_MESSAGE_BYTES);
    put_result(&b, r, result, &top);
    o.result = mcti_buf_str(&b);
    if (mcti_buf_ok(&b))
        mcti_local_finish(r, &o);
    else
        mcti_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    mcti_buf_done(&b);
}

void mcti_local_fail(struct mcti_local_request *r, int code, const char *message, struct mcti_str data)
{
    struct mct_error err;
    struct mcti_buf b;
    struct mcti_outcome o = { .rev = r->local->base.info.rev };
    mcti_fail(&err, MCT_ERR_SERVER, "%s", message);
    err.code = code;
    mcti_buf_init(&b, data.len + 8192);
    mcti_session_put_error(&b, &err, mcti_json_valid(data, MCT_LIMIT_JSON_DEPTH, NULL, NULL) ? data : MCT_STR_NONE);
    if (mcti_buf_ok(&b))
        o.error = mcti_buf_str(&b);
    else
        o.failed = &err;
    mcti_local_finish(r, &o);
    mcti_buf_done(&b);
}

/* Answers with the result in *b. */
static void local_answer_send_result(struct mcti_local_request *r, struct mcti_buf *b)
{
    if (mcti_buf_ok(b))
        mcti_local_result(r, mcti_buf_str(b));
    else
        mcti_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    mcti_buf_done(b);
}

/* ---- texts ---- */

#define TEXT_HEAD "{\"content\":[{\"type\":\"text\",\"text\":"
#define TEXT_TAIL "}]}"
#define ERROR_TAIL "}],\"isError\":true}"

/* Answers with `head`, the text as a JSON string, and `tail`. */
static void send_text(struct mcti_local_request *r, const char *head, const char *tail, struct mcti_str text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * text.len + 256);
    mcti_buf_addz(&b, head);
    mcti_json_put_string(&b, text);
    mcti_buf_addz(&b, tail);
    local_answer_send_result(r, &b);
}

static void send_formatted(struct mcti_local_request *r, const char *head, const char *tail, const char *fmt,
                           va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    send_text(r, head, tail, mcti_str_of(text ? text : ""));
    free(text);
}

void mcti_local_text_str(struct mcti_local_request *r, struct mcti_str text, bool is_error)
{
    send_text(r, TEXT_HEAD, is_error ? ERROR_TAIL : TEXT_TAIL, text);
}

void mcti_local_text(struct mcti_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_formatted(r, TEXT_HEAD, TEXT_TAIL, fmt, ap);
    va_end(ap);
}

void mcti_local_text_error(struct mcti_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_formatted(r, TEXT_HEAD, ERROR_TAIL, fmt, ap);
    va_end(ap);
}

#define PROMPT_HEAD "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"

void mcti_local_prompt_str(struct mcti_local_request *r, struct mcti_str text)
{
    send_text(r, PROMPT_HEAD, "}}]}", text);
}

void mcti_local_prompt(struct mcti_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_formatted(r, PROMPT_HEAD, "}}]}", fmt, ap);
    va_end(ap);
}

static void send_contents(struct mcti_local_request *r, const char *mime_type, const char *member, struct mcti_str text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * (text.len + r->subject.len + strlen(mime_type)) + 256);
    mcti_buf_addz(&b, "{\"contents\":[{");
    mcti_json_put_member(&b, "uri", r->subject);
    mcti_json_put_member(&b, "mimeType", mcti_str_of(mime_type));
    mcti_json_put_member(&b, member, text);
    mcti_buf_addz(&b, "}]}");
    local_answer_send_result(r, &b);
}

void mcti_local_contents(struct mcti_local_request *r, const char *mime_type, struct mcti_str text)
{
    send_contents(r, mime_type, "text", text);
}

void mcti_local_blob(struct mcti_local_request *r, const char *mime_type, struct mcti_str base64)
{
    send_contents(r, mime_type, "blob", base64);
}

/* ---- completions ---- */

enum { MAX_VALUES = 100 }; /* 2025-11-25 "Completion" */

static bool begins_with(const char *text, struct mcti_str typed)
{
    return strlen(text) >= typed.len && mcti_str_eq_nocase((struct mcti_str){ text, typed.len }, typed);
}

void mcti_local_complete(struct mcti_local_request *r, const char *const *candidates)
{
    struct mcti_str value = mcti_json_get(mcti_json_get(r->params, "argument"), "value");
    struct mcti_buf typed, b;
    unsigned n = 0;
    mcti_buf_init(&typed, value.len + 1);
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_json_unescape(value, &typed);
    mcti_buf_addz(&b, "{\"completion\":{\"values\":[");
    for (; *candidates; candidates++) {
        if (!begins_with(*candidates, mcti_buf_str(&typed)))
            continue;
        if (n && n < MAX_VALUES)
            mcti_buf_addc(&b, ',');
        if (n++ < MAX_VALUES)
            mcti_json_put_string(&b, mcti_str_of(*candidates));
    }
    mcti_buf_printf(&b, "],\"total\":%u,\"hasMore\":%s}}", n, n > MAX_VALUES ? "true" : "false");
    mcti_buf_done(&typed);
    local_answer_send_result(r, &b);
}

/* ---- questions ---- */

/* Adds the capability that this question requires of the client to *need. */
static void local_answer_require(struct mcti_answerer *need, enum mcti_ask_kind kind, struct mcti_str params)
{
    bool url = kind == MCT_ASK_ELICITATION && mcti_json_is(mcti_json_get(params, "mode"), "url");
    need->ask_roots |= kind == MCT_ASK_ROOTS;
    need->url |= url;
    need->form |= kind == MCT_ASK_ELICITATION && !url;
    need->sampling |= kind == MCT_ASK_SAMPLING;
    need->sampling_tools |= kind == MCT_ASK_SAMPLING && mcti_json_get(params, "tools").p;
}

/* Returns the number of questions that the client does not support, and collects the required capabilities in
 * *ret_need. Returns -1 if one of the questions is invalid. */
static int count_lacking(const struct mcti_local_request *r, struct mcti_str questions, struct mcti_answerer *ret_need)
{
    struct mcti_json_member m;
    int n = 0;
    for (struct mcti_json_iter it = mcti_json_open(questions); mcti_json_next_member(&it, &m);) {
        struct mcti_str method = MCT_STR_NONE, params = mcti_json_get(m.value, "params");
        enum mcti_ask_kind kind =
            mcti_json_plain(mcti_json_get(m.value, "method"), &method) ? mcti_ask_find(method) : MCT_ASK_N;
        if (kind == MCT_ASK_N)
            return -1;
        if (mcti_answerer_can(&r->can, kind, params))
            continue;
        local_answer_require(ret_need, kind, params);
        n++;
    }
    return n;
}

static void fail_lacking(struct mcti_local_request *r, const struct mcti_answerer *need)
{
    struct mcti_buf data;
    mcti_buf_init(&data, 1024);
    mcti_buf_addz(&data, "{\"requiredCapabilities\":");
    mcti_capabilities_put(&data, need);
    mcti_buf_addc(&data, '}');
    mcti_local_fail(r, MCT_RPC_MISSING_CAPABILITY, "this request needs a capability that the client has not declared",
                    mcti_buf_str(&data));
    mcti_buf_done(&data);
}

static void put_state(struct mcti_buf *to, const struct mcti_local_request *r, struct mcti_str state)
{
    struct mcti_buf text;
    mcti_buf_init(&text, r->subject.len + state.len + 64);
    mcti_local_put_state_head(&text, r);
    mcti_buf_add(&text, state);
    mcti_json_put_key(to, "requestState");
    mcti_buf_addc(to, '"');
    mcti_seal(to, (struct mcti_str){ r->local->key, sizeof r->local->key }, mcti_buf_str(&text));
    mcti_buf_addc(to, '"');
    mcti_buf_done(&text);
}

void mcti_local_ask(struct mcti_local_request *r, struct mcti_str questions, struct mcti_str state)
{
    struct mcti_answerer need = { 0 };
    int lacking = local_answer_is_object(questions, NULL) && r->call->verb != MCT_VERB_COMPLETE
                      ? count_lacking(r, questions, &need)
                      : -1;
    struct mcti_buf b;
    if (lacking < 0) {
        mcti_local_fail(r, MCT_RPC_INTERNAL,
                        "invalid questions: expected an object of sampling, elicitation or roots requests",
                        MCT_STR_NONE);
        return;
    }
    if (lacking) {
        fail_lacking(r, &need);
        return;
    }
    mcti_buf_init(&b, questions.len + 2 * (r->subject.len + state.len) + 1024);
    mcti_buf_addz(&b, "{\"resultType\":\"input_required\"");
    mcti_json_put_raw(&b, "inputRequests", questions);
    if (state.p)
        put_state(&b, r, state);
    mcti_buf_addc(&b, '}');
    local_answer_send_result(r, &b);
}
