/* The ladder of checks a 2026-07-28 request climbs before the gateway sees it ("Streamable HTTP":
 * standard headers; "Errors"). */
#include "front/http/impl.h"

#include "base/limits.h"
#include "mcp/http/headers.h"

static int mismatch(struct mct_error *err, const char *header, const char *what)
{
    mct_fail(err, MCT_ERR_PROTOCOL, "the header %s %s", header, what);
    err->code = MCT_RPC_HEADER_MISMATCH;
    return -1;
}

static int check_name(const struct mct_http_exchange *x, const struct mct_msg *msg, const char *subject,
                      struct mct_error *err)
{
    struct mct_buf header, body;
    struct mct_str value = mct_http_get(x, "mcp-name");
    int r = 0;
    mct_buf_init(&header, MCT_LIMIT_HTTP_HEADER_BYTES);
    mct_buf_init(&body, MCT_LIMIT_HTTP_HEADER_BYTES);
    if (mct_json_unescape(mct_json_get(msg->params, subject), &body) < 0)
        r = mct_fail(err, MCT_ERR_USAGE, "the parameter \"%s\" must be a string", subject);
    else if (!value.p)
        r = mismatch(err, "Mcp-Name", "is missing");
    else if (mct_header_value_get(&header, value) < 0)
        r = mismatch(err, "Mcp-Name", "is not well-formed base64");
    else if (!mct_buf_ok(&header) || !mct_str_eq(mct_buf_str(&header), mct_buf_str(&body)))
        r = mismatch(err, "Mcp-Name", "differs from the body");
    mct_buf_done(&header);
    mct_buf_done(&body);
    return r;
}

static struct mct_str get_header(const void *x, const char *name, size_t *ret_count)
{
    *ret_count = mct_http_count(x, name);
    return mct_http_get(x, name);
}

/* An unknown tool has no annotations; the gateway will say that it is unknown. */
static int check_params(const struct visit *v, const struct mct_msg *msg, struct mct_error *err)
{
    struct mct_buf scratch;
    struct mct_str raw = mct_json_get(msg->params, "name"), name = MCT_STR(""), arguments;
    mct_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    if (!mct_json_plain(raw, &name) && mct_json_unescape(raw, &scratch) == 0)
        name = mct_buf_str(&scratch);
    const struct mct_exposure *tool = mct_view_named(&v->face->view, MCT_TOOL, name, NULL);
    mct_buf_done(&scratch);
    if (!tool || !tool->item->annotated)
        return 0;
    if (mct_msg_param(msg, "arguments", &arguments, err) < 0)
        return -1;
    return mct_headers_check_params(tool->item->json, arguments, get_header, v->x, err);
}

/* Mcp-Name and Mcp-Param-*. */
static int check_subject(const struct visit *v, const struct mct_msg *msg, enum mct_verb verb, struct mct_error *err)
{
    const char *subject = mct_method(verb)->subject;
    if (subject && check_name(v->x, msg, subject, err) < 0)
        return -1;
    return verb == MCT_VERB_TOOLS_CALL ? check_params(v, msg, err) : 0;
}

static int check(const struct visit *v, const struct mct_msg *msg, const struct mct_msg_meta *meta,
                 struct mct_buf *data, struct mct_error *err)
{
    const struct mct_http_exchange *x = v->x;
    struct mct_str version = mct_http_get(x, "mcp-protocol-version");
    struct mct_str method = mct_http_get(x, "mcp-method");
    enum mct_verb verb = mct_method_find(msg->method);
    const char *twice = repeated_header(x);
    if (twice)
        return mismatch(err, twice, "is there twice");
    if (!version.p)
        return mismatch(err, "MCP-Protocol-Version", "is missing");
    if (!meta->version.p && verb == MCT_VERB_INITIALIZE)
        return mismatch(err, "MCP-Protocol-Version", "names a revision without initialize");
    if (!meta->version.p || !meta->capabilities.p)
        return mct_stateless_check(meta, data, err);
    if (!mct_json_plain(meta->version, &(struct mct_str){ 0 }) ||
        !mct_str_eq(version, (struct mct_str){ meta->version.p + 1, meta->version.len - 2 }))
        return mismatch(err, "MCP-Protocol-Version", "differs from the body");
    if (mct_stateless_check(meta, data, err) < 0)
        return -1;
    if (!method.p)
        return mismatch(err, "Mcp-Method", "is missing");
    if (!mct_str_eq(method, msg->method))
        return mismatch(err, "Mcp-Method", "differs from the body");
    if (!verb || !mct_method_in(verb, MCT_REV_LATEST))
        return mct_fail(err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    return check_subject(v, msg, verb, err);
}

static void answer(const struct visit *v, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    struct mct_buf data;
    mct_buf_init(&data, 8192);
    if (check(v, msg, meta, &data, &err) < 0) {
        int status = mct_error_rpc_code(&err) == MCT_RPC_METHOD_NOT_FOUND ? 404 : 400;
        reply_error(v->x, status, msg->id, &err, data.len ? mct_buf_str(&data) : MCT_STR_NONE);
    } else if (!refuse_late(v, msg->id)) {
        struct lane *l = lane_new(v, v->face->stateless, NULL, 1);
        if (l)
            mct_session_receive_msg(&v->face->stateless->session, msg, l);
    }
    mct_buf_done(&data);
}

void handle_stateless(const struct visit *v, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct visit own = *v;
    if (msg->kind == MCT_MSG_NOTIFICATION && !repeated_header(v->x)) { /* none has an effect over stateless HTTP */
        mct_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return;
    }
    own.face = face_of(v, msg->id);
    if (!own.face)
        return;
    access_name(v, &own.face->view, msg);
    answer(&own, msg, meta);
}
