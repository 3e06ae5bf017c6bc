/* The answers a handler can give. */
#include "hub/local/impl.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_object(struct mct_str json, struct mct_json_top *ret_top)
{
    return mct_json_valid(json, MCT_LIMIT_JSON_DEPTH, ret_top, NULL) && mct_json_type(json) == '{';
}

/* A member of the result; what was noted of it saves going through it again, which may be long. */
static struct mct_str member_of(struct mct_str result, const struct mct_json_top *top, const char *key)
{
    if (top->n > MCT_JSON_TOP)
        return mct_json_get(result, key);
    for (size_t i = 0; i < top->n; i++)
        if (mct_json_key_is(top->member[i].key, key))
            return top->member[i].value;
    return MCT_STR_NONE;
}

/* ---- results and errors ---- */

/* `_meta` of the result with who answers (2026-07-28 "Results"). */
static void put_meta(struct mct_buf *to, const struct mct_local_request *r, struct mct_str meta)
{
    const struct mct_json_set set = { MCT_META_SERVER_INFO, mct_str_of(r->local->base.info.server_info) };
    mct_json_put_object(to, meta, &set, mct_json_get(meta, MCT_META_SERVER_INFO).p ? 0 : 1);
}

/* The result with what 2026-07-28 demands of all, and of contents that might be kept; what the handler says itself
 * stays. */
static void put_result(struct mct_buf *to, const struct mct_local_request *r, struct mct_str result,
                       const struct mct_json_top *top)
{
    struct mct_buf meta;
    struct mct_json_set sets[4] = { { "_meta", MCT_STR_NONE } };
    static const struct mct_json_set defaults[] = { { "resultType", MCT_STR("\"complete\"") },
                                                    { "ttlMs", MCT_STR("0") },
                                                    { "cacheScope", MCT_STR("\"private\"") } };
    size_t n = 1, n_defaults = r->call->verb == MCT_VERB_RESOURCES_READ ? 3 : 1;
    struct mct_str own = member_of(result, top, "_meta");
    mct_buf_init(&meta, own.len + MCT_LIMIT_MESSAGE_BYTES);
    put_meta(&meta, r, own);
    sets[0].value = mct_buf_str(&meta);
    for (size_t i = 0; i < n_defaults; i++)
        if (!member_of(result, top, defaults[i].key).p)
            sets[n++] = defaults[i];
    mct_json_put_object(to, result, sets, n);
    mct_buf_done(&meta);
}

void mct_local_result(struct mct_local_request *r, struct mct_str result)
{
    struct mct_buf b;
    struct mct_json_top top;
    struct mct_outcome o = { .rev = r->local->base.info.rev };
    if (!is_object(result, &top)) {
        mct_local_fail(r, MCT_RPC_INTERNAL, "the result is not a JSON object", MCT_STR_NONE);
        return;
    }
    mct_buf_init(&b, 2 * result.len + MCT_LIMIT_MESSAGE_BYTES);
    put_result(&b, r, result, &top);
    o.result = mct_buf_str(&b);
    if (mct_buf_ok(&b))
        local_finish(r, &o);
    else
        mct_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    mct_buf_done(&b);
}

void mct_local_fail(struct mct_local_request *r, int code, const char *message, struct mct_str data)
{
    struct mct_error err;
    struct mct_buf b;
    struct mct_outcome o = { .rev = r->local->base.info.rev };
    mct_fail(&err, MCT_ERR_SERVER, "%s", message);
    err.code = code;
    mct_buf_init(&b, data.len + 8192);
    mct_session_put_error(&b, &err, mct_json_valid(data, MCT_LIMIT_JSON_DEPTH, NULL, NULL) ? data : MCT_STR_NONE);
    if (mct_buf_ok(&b))
        o.error = mct_buf_str(&b);
    else
        o.failed = &err;
    local_finish(r, &o);
    mct_buf_done(&b);
}

/* Answers with what was written. */
static void send_result(struct mct_local_request *r, struct mct_buf *b)
{
    if (mct_buf_ok(b))
        mct_local_result(r, mct_buf_str(b));
    else
        mct_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
    mct_buf_done(b);
}

/* ---- texts ---- */

/* head, the text as a JSON string, tail. */
static void send_text(struct mct_local_request *r, const char *head, const char *tail, const char *fmt, va_list ap)
{
    struct mct_buf b;
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    mct_buf_init(&b, (text ? strlen(text) * 6 : 0) + 256);
    mct_buf_addz(&b, head);
    mct_json_put_string(&b, mct_str_of(text ? text : ""));
    mct_buf_addz(&b, tail);
    free(text);
    send_result(r, &b);
}

void mct_local_text(struct mct_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_text(r, "{\"content\":[{\"type\":\"text\",\"text\":", "}]}", fmt, ap);
    va_end(ap);
}

void mct_local_text_error(struct mct_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_text(r, "{\"content\":[{\"type\":\"text\",\"text\":", "}],\"isError\":true}", fmt, ap);
    va_end(ap);
}

void mct_local_prompt(struct mct_local_request *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    send_text(r, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":", "}}]}", fmt, ap);
    va_end(ap);
}

static void send_contents(struct mct_local_request *r, const char *mime_type, const char *member, struct mct_str text)
{
    struct mct_buf b;
    mct_buf_init(&b, 6 * (text.len + r->subject.len + strlen(mime_type)) + 256);
    mct_buf_addz(&b, "{\"contents\":[{");
    mct_json_put_member(&b, "uri", r->subject);
    mct_json_put_member(&b, "mimeType", mct_str_of(mime_type));
    mct_json_put_member(&b, member, text);
    mct_buf_addz(&b, "}]}");
    send_result(r, &b);
}

void mct_local_contents(struct mct_local_request *r, const char *mime_type, struct mct_str text)
{
    send_contents(r, mime_type, "text", text);
}

void mct_local_blob(struct mct_local_request *r, const char *mime_type, struct mct_str base64)
{
    send_contents(r, mime_type, "blob", base64);
}

/* ---- completions ---- */

enum { MAX_VALUES = 100 }; /* 2025-11-25 "Completion" */

static bool begins_with(const char *text, struct mct_str typed)
{
    return strlen(text) >= typed.len && mct_str_eq_nocase((struct mct_str){ text, typed.len }, typed);
}

void mct_local_complete(struct mct_local_request *r, const char *const *candidates)
{
    struct mct_str value = mct_json_get(mct_json_get(r->params, "argument"), "value");
    struct mct_buf typed, b;
    unsigned n = 0;
    mct_buf_init(&typed, value.len + 1);
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_json_unescape(value, &typed);
    mct_buf_addz(&b, "{\"completion\":{\"values\":[");
    for (; *candidates; candidates++) {
        if (!begins_with(*candidates, mct_buf_str(&typed)))
            continue;
        if (n && n < MAX_VALUES)
            mct_buf_addc(&b, ',');
        if (n++ < MAX_VALUES)
            mct_json_put_string(&b, mct_str_of(*candidates));
    }
    mct_buf_printf(&b, "],\"total\":%u,\"hasMore\":%s}}", n, n > MAX_VALUES ? "true" : "false");
    mct_buf_done(&typed);
    send_result(r, &b);
}

/* ---- questions ---- */

/* What a client would have to be able to do to be asked this. */
static void require(struct mct_answerer *need, enum mct_ask_kind kind, struct mct_str params)
{
    bool url = kind == MCT_ASK_ELICITATION && mct_json_is(mct_json_get(params, "mode"), "url");
    need->ask_roots |= kind == MCT_ASK_ROOTS;
    need->url |= url;
    need->form |= kind == MCT_ASK_ELICITATION && !url;
    need->sampling |= kind == MCT_ASK_SAMPLING;
    need->sampling_tools |= kind == MCT_ASK_SAMPLING && mct_json_get(params, "tools").p;
}

/* How many of the questions the client cannot be asked, or -1 when one is no question at all. */
static int count_lacking(const struct mct_local_request *r, struct mct_str questions, struct mct_answerer *ret_need)
{
    struct mct_json_member m;
    int n = 0;
    for (struct mct_json_iter it = mct_json_open(questions); mct_json_next_member(&it, &m);) {
        struct mct_str method = MCT_STR_NONE, params = mct_json_get(m.value, "params");
        enum mct_ask_kind kind = mct_json_plain(mct_json_get(m.value, "method"), &method) ? mct_ask_find(method)
                                                                                         : MCT_ASK_N;
        if (kind == MCT_ASK_N)
            return -1;
        if (mct_answerer_can(&r->can, kind, params))
            continue;
        require(ret_need, kind, params);
        n++;
    }
    return n;
}

static void fail_lacking(struct mct_local_request *r, const struct mct_answerer *need)
{
    struct mct_buf data;
    mct_buf_init(&data, 1024);
    mct_buf_addz(&data, "{\"requiredCapabilities\":");
    mct_capabilities_put(&data, need);
    mct_buf_addc(&data, '}');
    mct_local_fail(r, MCT_RPC_MISSING_CAPABILITY, "this needs something that the client has not declared it can be "
                   "asked for", mct_buf_str(&data));
    mct_buf_done(&data);
}

static void put_state(struct mct_buf *to, const struct mct_local_request *r, struct mct_str state)
{
    struct mct_buf text;
    mct_buf_init(&text, r->subject.len + state.len + 64);
    local_put_state_head(&text, r);
    mct_buf_add(&text, state);
    mct_json_put_key(to, "requestState");
    mct_buf_addc(to, '"');
    mct_seal(to, (struct mct_str){ r->local->key, sizeof r->local->key }, mct_buf_str(&text));
    mct_buf_addc(to, '"');
    mct_buf_done(&text);
}

void mct_local_ask(struct mct_local_request *r, struct mct_str questions, struct mct_str state)
{
    struct mct_answerer need = { 0 };
    int lacking = is_object(questions, NULL) && r->call->verb != MCT_VERB_COMPLETE ? count_lacking(r, questions, &need) : -1;
    struct mct_buf b;
    if (lacking < 0) {
        mct_local_fail(r, MCT_RPC_INTERNAL, "these are no questions that could be asked", MCT_STR_NONE);
        return;
    }
    if (lacking) {
        fail_lacking(r, &need);
        return;
    }
    mct_buf_init(&b, questions.len + 2 * (r->subject.len + state.len) + 1024);
    mct_buf_addz(&b, "{\"resultType\":\"input_required\"");
    mct_json_put_raw(&b, "inputRequests", questions);
    if (state.p)
        put_state(&b, r, state);
    mct_buf_addc(&b, '}');
    send_result(r, &b);
}
