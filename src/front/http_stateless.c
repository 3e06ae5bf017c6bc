/* The ladder of checks a 2026-07-28 request climbs before the gateway sees it ("Streamable HTTP":
 * standard headers; "Errors"). */
#include "front/http_impl.h"

#include "base/base64.h"
#include "base/limits.h"

static int mismatch(struct mct_error *err, const char *header, const char *what)
{
    mct_fail(err, MCT_ERR_PROTOCOL, "the header %s %s", header, what);
    err->code = MCT_RPC_HEADER_MISMATCH;
    return -1;
}

/* A header value as the body writes it: plain, or `=?base64?…?=`. */
static int decode(struct mct_str value, struct mct_buf *to)
{
    static const struct mct_str open = { "=?base64?", 9 };
    if (mct_str_starts(value, open) && value.len >= open.len + 2 &&
        !memcmp(value.p + value.len - 2, "?=", 2))
        return mct_base64_get(to, (struct mct_str){ value.p + open.len, value.len - open.len - 2 });
    mct_buf_add(to, value);
    return 0;
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
    else if (decode(value, &header) < 0)
        r = mismatch(err, "Mcp-Name", "is not well-formed base64");
    else if (!mct_str_eq(mct_buf_str(&header), mct_buf_str(&body)))
        r = mismatch(err, "Mcp-Name", "differs from the body");
    mct_buf_done(&header);
    mct_buf_done(&body);
    return r;
}

static int check(const struct mct_http_exchange *x, const struct mct_msg *msg,
                 const struct mct_msg_meta *meta, struct mct_buf *data, struct mct_error *err)
{
    struct mct_str version = mct_http_get(x, "mcp-protocol-version");
    struct mct_str method = mct_http_get(x, "mcp-method");
    enum mct_verb verb = mct_method_find(msg->method);
    if (!version.p)
        return mismatch(err, "MCP-Protocol-Version", "is missing");
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
    const char *subject = mct_method(verb)->subject;
    return subject ? check_name(x, msg, subject, err) : 0;
}

void handle_stateless(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x,
                      const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    struct mct_buf data;
    if (msg->kind == MCT_MSG_NOTIFICATION) { /* none has an effect over stateless HTTP */
        mct_http_reply(x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return;
    }
    mct_buf_init(&data, 8192);
    if (check(x, msg, meta, &data, &err) < 0) {
        int status = mct_error_rpc_code(&err) == MCT_RPC_METHOD_NOT_FOUND ? 404 : 400;
        reply_error(x, status, msg->id, &err, data.len ? mct_buf_str(&data) : MCT_STR_NONE);
    } else {
        struct lane *l = lane_new(f, x, e->stateless, NULL);
        if (l)
            mct_session_receive_msg(&e->stateless->session, msg, l);
    }
    mct_buf_done(&data);
}
