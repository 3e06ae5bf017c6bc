#include "mcp/message.h"

#include "base/limits.h"
#include "mcp/era.h"

#include <stdlib.h>

enum { F_JSONRPC, F_ID, F_METHOD, F_PARAMS, F_RESULT, F_ERROR, F_N };

static const struct mcti_str field_names[F_N] = { MCT_STR("jsonrpc"), MCT_STR("id"),     MCT_STR("method"),
                                                  MCT_STR("params"),  MCT_STR("result"), MCT_STR("error") };

static int message_refuse(struct mct_error *err, int code, const char *why)
{
    mcti_fail(err, MCT_ERR_PROTOCOL, "%s", why);
    if (err)
        err->code = code;
    return -1;
}

static int message_invalid(struct mct_error *err, const char *why)
{
    return message_refuse(err, MCT_RPC_INVALID_REQUEST, why);
}

static int message_collect(const struct mcti_json_top *top, struct mcti_str field[F_N], struct mct_error *err)
{
    if (top->n > MCT_JSON_TOP)
        return message_invalid(err, "too many members in a JSON-RPC message");
    for (size_t i = 0; i < top->n; i++) {
        size_t f = mcti_json_key_find(top->member[i].key, field_names, F_N);
        if (f == F_N)
            continue;
        if (field[f].p)
            return message_invalid(err, "duplicate member in the JSON-RPC message");
        field[f] = top->member[i].value;
    }
    return 0;
}

/* Keeps the members of the params that the scanner has found. */
static void message_keep_params(const struct mcti_json_top *top, struct mcti_msg *ret)
{
    ret->has_params = top->n_inner <= MCT_JSON_INNER;
    for (size_t i = 0; i < top->n_inner && ret->has_params; i++)
        if (top->member[top->inner[i].of].value.p == ret->params.p)
            ret->param[ret->n_params++] = top->inner[i].member;
}

static int message_check_id(struct mcti_str id, struct mct_error *err)
{
    char type = mcti_json_type(id);
    if (type != '"' && type != '0')
        return message_invalid(err, "the id must be a string or a number");
    if (id.len > MCT_LIMIT_ID_BYTES)
        return message_invalid(err, "the id is too long");
    return 0;
}

static int message_read_call(struct mcti_str field[F_N], struct mcti_msg *ret, struct mct_error *err)
{
    if (!mcti_json_plain(field[F_METHOD], &ret->method))
        return message_invalid(err, "the method must be a string without escapes");
    if (field[F_RESULT].p || field[F_ERROR].p)
        return message_invalid(err, "a message with a method must not have a result or error");
    if (field[F_PARAMS].p && mcti_json_type(field[F_PARAMS]) != '{')
        return message_invalid(err, "params must be an object");
    ret->params = field[F_PARAMS];
    ret->kind = field[F_ID].p ? MCT_MSG_REQUEST : MCT_MSG_NOTIFICATION;
    return 0;
}

static int message_read_answer(struct mcti_str field[F_N], struct mcti_msg *ret, struct mct_error *err)
{
    if (!field[F_RESULT].p == !field[F_ERROR].p)
        return message_invalid(err,
                               "neither a request nor a response: exactly one of method, result and error is required");
    ret->result = field[F_RESULT];
    ret->error = field[F_ERROR];
    ret->kind = ret->result.p ? MCT_MSG_RESULT : MCT_MSG_ERROR;
    if (mcti_json_type(ret->result.p ? ret->result : ret->error) != '{')
        return message_invalid(err, "result and error must be objects");
    if (!ret->id.p && ret->kind == MCT_MSG_RESULT)
        return message_invalid(err, "a result requires an id");
    return 0;
}

/* Reads the message whose members the scanner has found. */
static int message_read(const struct mcti_json_top *top, struct mcti_msg *ret, struct mct_error *err)
{
    struct mcti_str field[F_N] = { 0 };
    ret->text = top->value;
    if (mcti_json_type(top->value) == '[') {
        ret->kind = MCT_MSG_BATCH;
        return 0;
    }
    if (mcti_json_type(top->value) != '{')
        return message_invalid(err, "a JSON-RPC message must be an object");
    if (message_collect(top, field, err) < 0)
        return -1;
    /* JSON-RPC: the request's id was not readable */
    bool null_id = field[F_ERROR].p && mcti_json_type(field[F_ID]) == 'n';
    if (field[F_ID].p && !null_id) {
        if (message_check_id(field[F_ID], err) < 0)
            return -1;
        ret->id = field[F_ID];
    }
    if (!mcti_json_is(field[F_JSONRPC], "2.0"))
        return message_invalid(err, "\"jsonrpc\":\"2.0\" is missing");
    if (!field[F_METHOD].p)
        return message_read_answer(field, ret, err);
    if (message_read_call(field, ret, err) < 0)
        return -1;
    message_keep_params(top, ret);
    return 0;
}

static bool message_is_json(struct mcti_str frame, struct mcti_chunk *chunk, struct mcti_json_top *ret,
                            struct mcti_json_fault *fault)
{
    struct mcti_json_scan *check = chunk && frame.p == chunk->p + chunk->text_at ? chunk->check : NULL;
    if (check && check->at <= frame.len)
        return mcti_json_scan_end(check, frame, ret, fault);
    return mcti_json_valid(frame, MCT_LIMIT_JSON_DEPTH, ret, fault);
}

int mcti_msg_parse(struct mcti_str frame, struct mcti_msg *ret, struct mct_error *err)
{
    return mcti_msg_parse_chunk(frame, NULL, ret, err);
}

int mcti_msg_parse_chunk(struct mcti_str frame, struct mcti_chunk *chunk, struct mcti_msg *ret, struct mct_error *err)
{
    struct mcti_json_fault fault = { 0, "empty message" };
    struct mcti_json_top top;
    *ret = (struct mcti_msg){ .text = frame, .chunk = chunk };
    if (message_is_json(frame, chunk, &top, &fault))
        return message_read(&top, ret, err);
    mcti_fail(err, MCT_ERR_PROTOCOL, "not valid JSON at byte %zu: %s", fault.offset, fault.why);
    if (err)
        err->code = MCT_RPC_PARSE;
    return -1;
}

/* Values to be found by their names, absent at first. */
struct message_wanted {
    const struct mcti_str *names;
    struct mcti_str *const *ret;
    size_t n;
};

/* Takes the value of a member that is wanted. Returns -1 if it is duplicated. */
static int message_take(const struct message_wanted *w, const struct mcti_json_member *m, struct mct_error *err)
{
    size_t i = mcti_json_key_find(m->key, w->names, w->n);
    if (i == w->n)
        return 0;
    if (w->ret[i]->p)
        return mcti_fail(err, MCT_ERR_USAGE, "duplicate parameter \"%s\"", w->names[i].p);
    *w->ret[i] = m->value;
    return 0;
}

/* Takes the values that are wanted from an object. */
static int message_pick(struct mcti_str object, const struct message_wanted *w, struct mct_error *err)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (message_take(w, &m, err) < 0)
            return -1;
    return 0;
}

int mcti_msg_param(const struct mcti_msg *msg, const char *name, struct mcti_str *ret, struct mct_error *err)
{
    const struct mcti_str names[] = { mcti_str_of(name) };
    const struct message_wanted wanted = { names, &ret, 1 };
    *ret = MCT_STR_NONE;
    if (!msg->has_params)
        return message_pick(msg->params, &wanted, err);
    for (size_t i = 0; i < msg->n_params; i++)
        if (message_take(&wanted, &msg->param[i], err) < 0)
            return -1;
    return 0;
}

static struct mcti_str message_part_in(const struct mcti_msg *msg, struct mcti_str part, const char *copy)
{
    return part.p ? (struct mcti_str){ copy + (part.p - msg->text.p), part.len } : part;
}

struct mcti_msg mcti_msg_in(const struct mcti_msg *request, const char *copy)
{
    return (struct mcti_msg){ .kind = request->kind,
                              .text = { copy, request->text.len },
                              .id = message_part_in(request, request->id, copy),
                              .method = message_part_in(request, request->method, copy),
                              .params = message_part_in(request, request->params, copy) };
}

struct mcti_msg mcti_msg_with_params(const struct mcti_msg *msg, struct mcti_str params)
{
    struct mcti_msg other = *msg;
    other.params = params;
    other.has_params = false;
    other.n_params = 0;
    other.meta_read = NULL;
    return other;
}

struct mcti_str mcti_msg_get(const struct mcti_msg *msg, const char *name)
{
    for (size_t i = 0; i < msg->n_params; i++)
        if (mcti_json_key_is(msg->param[i].key, name))
            return msg->param[i].value;
    return msg->has_params ? MCT_STR_NONE : mcti_json_get(msg->params, name);
}

int mcti_msg_param_text(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *to,
                        struct mct_error *err)
{
    struct mcti_str v;
    if (mcti_msg_param(msg, name, &v, err) < 0)
        return -1;
    if (mcti_json_type(v) != '"' || v.len > max || mcti_json_unescape(v, to) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "the parameter \"%s\" must be a string%s", name,
                         v.len > max ? " of bounded length" : "");
    return 0;
}

int mcti_msg_read_meta(const struct mcti_msg *msg, struct mcti_msg_meta *ret, struct mct_error *err)
{
    static const struct mcti_str names[] = { MCT_STR("progressToken"), MCT_STR(MCT_META_VERSION),
                                             MCT_STR(MCT_META_CAPABILITIES), MCT_STR(MCT_META_CLIENT_INFO),
                                             MCT_STR(MCT_META_LOG_LEVEL) };
    struct mcti_str *const to[] = { &ret->progress_token, &ret->version, &ret->capabilities, &ret->client_info,
                                    &ret->log_level };
    if (msg->meta_read) {
        *ret = *msg->meta_read;
        return 0;
    }
    *ret = (struct mcti_msg_meta){ 0 };
    if (!msg->params.p)
        return 0;
    if (mcti_msg_param(msg, "_meta", &ret->meta, err) < 0)
        return -1;
    if (!ret->meta.p)
        return 0;
    if (mcti_json_type(ret->meta) != '{')
        return mcti_fail(err, MCT_ERR_USAGE, "\"_meta\" must be an object");
    if (message_pick(ret->meta, &(struct message_wanted){ names, to, sizeof to / sizeof *to }, err) < 0)
        return -1;
    char type = mcti_json_type(ret->progress_token);
    if (type && ((type != '"' && type != '0') || ret->progress_token.len > MCT_LIMIT_ID_BYTES))
        return mcti_fail(err, MCT_ERR_USAGE, "\"progressToken\" must be a short string or a number");
    return 0;
}

bool mcti_msg_id_eq(struct mcti_str a, struct mcti_str b)
{
    if (mcti_str_eq(a, b))
        return true;
    if (mcti_json_type(a) != '"' || mcti_json_type(b) != '"')
        return false;
    char *plain = mcti_json_dup(b);
    bool same = plain && mcti_json_is(a, plain);
    free(plain);
    return same;
}

void mcti_msg_error_parts(struct mcti_str error, int64_t *ret_code, struct mcti_str *ret_message)
{
    *ret_code = 0;
    mcti_json_int(mcti_json_get(error, "code"), ret_code);
    *ret_message = mcti_json_get(error, "message");
}

void mcti_msg_read_error(struct mcti_str error, struct mct_error *ret)
{
    struct mcti_str quoted;
    int64_t code = 0;
    mcti_msg_error_parts(error, &code, &quoted);
    char *message = mcti_json_dup(quoted);
    mcti_fail(ret, MCT_ERR_SERVER, "%s", message ? message : "an error without a message");
    ret->code = (int)code;
    free(message);
}

bool mcti_msg_read_relayed(struct mcti_str error, struct mct_error *ret)
{
    struct mcti_str kind;
    if (!mcti_json_plain(mcti_json_get(mcti_json_get(error, "data"), MCT_DATA_KIND), &kind))
        return false;
    mcti_msg_read_error(error, ret);
    ret->kind = mcti_error_kind_of(kind);
    ret->code = 0;
    return true;
}
