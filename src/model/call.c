#include "model/call.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "model/array.h"
#include "model/shape.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Returns the object with the name and the arguments of a call; absent if `call` does not look like one. */
static struct mcti_str call_inside(const struct mcti_model_shape *s, struct mcti_str call)
{
    struct mcti_str type = mcti_json_get(call, "type"), inner = s->inside ? mcti_json_get(call, s->inside) : call;
    if (!inner.p && s->may_be_bare)
        inner = call;
    bool good =
        !(s->type && type.p && !mcti_json_is(type, s->type)) && mcti_json_type(mcti_json_get(inner, "name")) == '"';
    return good ? inner : MCT_STR_NONE;
}

static int model_call_read_call(struct mcti_model_call *ret, const struct mcti_model_shape *s, struct mcti_str call,
                                struct mct_error *err)
{
    struct mcti_str inner = call_inside(s, call), id = mcti_json_get(call, s->id);
    if (!id.p)
        id = mcti_json_get(inner, s->id);
    if (id.p && mcti_json_type(id) != 'n')
        mcti_buf_add(&ret->id, id);
    if (!inner.p)
        return fail_shape(s, err);
    ret->name = mcti_json_dup(mcti_json_get(inner, "name"));
    return ret->name && *ret->name ? read_arguments(&ret->arguments, mcti_json_get(inner, s->arguments), err)
                                   : mcti_fail(err, MCT_ERR_USAGE, "its name is empty or contains U+0000");
}

/* Reads a call whose JSON is valid. */
static int call_read_valid(struct mcti_model_call *ret, const struct mcti_array_format *f, struct mcti_str call,
                           struct mct_error *err)
{
    *ret = (struct mcti_model_call){ 0 };
    mcti_buf_init(&ret->id, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&ret->arguments, MCT_LIMIT_MESSAGE_BYTES);
    int r = model_call_read_call(ret, f->shape, call, err);
    if (r == 0 && (!mcti_buf_ok(&ret->id) || !mcti_buf_ok(&ret->arguments)))
        r = mcti_fail(err, MCT_ERR_LIMIT, "it is too long");
    bool is_answerable = ret->name && *ret->name; /* then the message goes to the model, which knows its own call */
    return r < 0 && !is_answerable ? mcti_error_wrap(err, "the call for %s", f->name) : r;
}

static int call_check_json(const struct mcti_array_format *f, struct mcti_str text, struct mcti_json_top *ret_top,
                           struct mct_error *err)
{
    struct mcti_json_fault fault;
    if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, ret_top, &fault))
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "the call for %s: not valid JSON at byte %zu: %s", f->name, fault.offset,
                     fault.why);
}

int mcti_model_call_read(struct mcti_model_call *ret, const struct mcti_array_format *f, struct mcti_str text,
                         struct mct_error *err)
{
    struct mcti_json_top top;
    *ret = (struct mcti_model_call){ 0 };
    return call_check_json(f, text, &top, err) < 0 ? -1 : call_read_valid(ret, f, top.value, err);
}

/* ---- several calls ---- */

/* Returns the value at a path such as "choices.0.message"; absent if there is none. */
static struct mcti_str model_call_at(struct mcti_str value, const char *path)
{
    struct mcti_str rest = mcti_str_of(path), step, item;
    while (value.p && mcti_str_split(&rest, '.', &step)) {
        char key[32];
        snprintf(key, sizeof key, "%.*s", MCT_STR_ARG(step));
        if (*key == '0') {
            struct mcti_json_iter it = mcti_json_open(mcti_json_type(value) == '[' ? value : MCT_STR_NONE);
            value = mcti_json_next_item(&it, &item) ? item : MCT_STR_NONE;
        } else {
            value = mcti_json_get(value, key);
        }
    }
    return value;
}

/* Returns the list of calls in a message; absent if it has none. */
static struct mcti_str call_list(const struct mcti_model_shape *s, struct mcti_str top)
{
    if (mcti_json_type(top) == '[')
        return top;
    for (const char *const *path = s->lists; *path && !call_inside(s, top).p; path++) {
        struct mcti_str list = model_call_at(top, *path);
        if (mcti_json_type(list) == '[')
            return list;
    }
    return MCT_STR_NONE;
}

static int calls_add(struct mcti_model_calls *to, const struct mcti_array_format *f, struct mcti_str call,
                     struct mct_error *err)
{
    if (to->n == MCT_LIMIT_MODEL_CALLS)
        return mcti_fail(err, MCT_ERR_LIMIT, "the message for %s has more than %d calls", f->name,
                         (int)MCT_LIMIT_MODEL_CALLS);
    struct mcti_model_asked *grown = realloc(to->v, (to->n + 1) * sizeof *grown);
    if (!grown)
        return mcti_no_memory(err);
    to->v = grown;
    struct mcti_model_asked *asked = &to->v[to->n++];
    asked->fault.kind = MCT_ERR_NONE;
    if (call_read_valid(&asked->call, f, call, &asked->fault) == 0)
        asked->fault.kind = MCT_ERR_NONE;
    return 0;
}

static int calls_read_list(struct mcti_model_calls *ret, const struct mcti_array_format *f, struct mcti_str list,
                           struct mct_error *err)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);)
        if ((f->shape->all_are_calls || call_inside(f->shape, item).p) && calls_add(ret, f, item, err) < 0)
            return -1;
    ret->is_list = true;
    return ret->n ? 0
                  : mcti_fail(err, MCT_ERR_USAGE, "the message for %s has no tool call; expected %s", f->name,
                              f->shape->example);
}

int mcti_model_calls_read(struct mcti_model_calls *ret, const struct mcti_array_format *f, struct mcti_str text,
                          struct mct_error *err)
{
    struct mcti_json_top top;
    *ret = (struct mcti_model_calls){ 0 };
    if (call_check_json(f, text, &top, err) < 0)
        return -1;
    struct mcti_str list = call_list(f->shape, top.value);
    if (list.p)
        return calls_read_list(ret, f, list, err);
    if (calls_add(ret, f, top.value, err) < 0)
        return -1;
    bool has_id = f->shape->all_are_calls && ret->v[0].call.id.len;
    if (!ret->v[0].fault.kind || ret->v[0].call.name || has_id)
        return 0;
    *err = ret->v[0].fault;
    return -1;
}

void mcti_model_calls_done(struct mcti_model_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++)
        mcti_model_call_done(&calls->v[i].call);
    free(calls->v);
    *calls = (struct mcti_model_calls){ 0 };
}

void mcti_model_call_done(struct mcti_model_call *call)
{
    mcti_buf_done(&call->id);
    mcti_buf_done(&call->arguments);
    free(call->name);
    call->name = NULL;
}

void mcti_model_result_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_model_call *call,
                           struct mcti_str result)
{
    f->shape->put(to, f->rules, call, result);
}

/* ---- the providers ---- */

const struct mcti_model_shape mcti_model_chat = {
    .example = "{\"id\",\"type\":\"function\",\"function\":{\"name\",\"arguments\":\"{…}\"}}",
    .type = "function",
    .inside = "function",
    .all_are_calls = true,
    .lists = { "tool_calls", "message.tool_calls", "choices.0.message.tool_calls" },
    .id = "id",
    .arguments = "arguments",
    .put = mcti_model_put_chat,
};
const struct mcti_model_shape mcti_model_responses = {
    .example = "{\"type\":\"function_call\",\"call_id\",\"name\",\"arguments\":\"{…}\"}",
    .type = "function_call",
    .lists = { "output", "response.output" },
    .id = "call_id",
    .arguments = "arguments",
    .put = mcti_model_put_responses,
};
const struct mcti_model_shape mcti_model_anthropic = {
    .example = "{\"type\":\"tool_use\",\"id\",\"name\",\"input\":{…}}",
    .type = "tool_use",
    .lists = { "content", "message.content" },
    .id = "id",
    .arguments = "input",
    .put = mcti_model_put_anthropic,
};
const struct mcti_model_shape mcti_model_gemini = {
    .example = "{\"functionCall\":{\"name\",\"args\":{…}}}",
    .inside = "functionCall",
    .may_be_bare = true,
    .lists = { "parts", "content.parts", "candidates.0.content.parts" },
    .id = "id",
    .arguments = "args",
    .put = mcti_model_put_gemini,
};
const struct mcti_model_shape mcti_model_mcp = {
    .example = "{\"name\",\"arguments\":{…}}",
    .id = "id",
    .arguments = "arguments",
    .put = mcti_model_put_mcp,
};
