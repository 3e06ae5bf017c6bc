/* Checks of a 2026-07-28 request before the gateway gets it (2026-07-28 "Streamable HTTP", standard headers, and
 * "Errors"). */
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/lane.h"
#include "front/http/log.h"

#include "base/limits.h"
#include "mcp/http/headers.h"

static int stateless_mismatch(struct mct_error *err, const char *header, const char *what)
{
    mcti_fail(err, MCT_ERR_PROTOCOL, "the header %s %s", header, what);
    err->code = MCT_RPC_HEADER_MISMATCH;
    return -1;
}

static int stateless_check_name(const struct mcti_http_exchange *x, const struct mcti_msg *msg, const char *subject,
                                struct mct_error *err)
{
    struct mcti_buf header, body;
    struct mcti_str value = mcti_http_get(x, "mcp-name");
    int r = 0;
    mcti_buf_init(&header, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_buf_init(&body, MCT_LIMIT_HTTP_HEADER_BYTES);
    if (mcti_json_unescape(mcti_msg_get(msg, subject), &body) < 0)
        r = mcti_fail(err, MCT_ERR_USAGE, "the parameter \"%s\" must be a string", subject);
    else if (!value.p)
        r = stateless_mismatch(err, "Mcp-Name", "is missing");
    else if (mcti_header_value_get(&header, value) < 0)
        r = stateless_mismatch(err, "Mcp-Name", "is not well-formed base64");
    else if (!mcti_buf_ok(&header) || !mcti_str_eq(mcti_buf_str(&header), mcti_buf_str(&body)))
        r = stateless_mismatch(err, "Mcp-Name", "differs from the body");
    mcti_buf_done(&header);
    mcti_buf_done(&body);
    return r;
}

static struct mcti_str get_header(const void *x, const char *name, size_t *ret_count)
{
    *ret_count = mcti_http_count(x, name);
    return mcti_http_get(x, name);
}

/* Checks Mcp-Param-* against the arguments. Does nothing for an unknown tool: the gateway reports that. */
static int check_params(const struct mcti_http_visit *v, const struct mcti_msg *msg, struct mct_error *err)
{
    struct mcti_buf scratch;
    struct mcti_str raw = mcti_msg_get(msg, "name"), name = MCT_STR(""), arguments;
    mcti_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    if (!mcti_json_plain(raw, &name) && mcti_json_unescape(raw, &scratch) == 0)
        name = mcti_buf_str(&scratch);
    const struct mcti_exposure *tool = mcti_view_named(&v->face->view, MCT_TOOL, name, NULL);
    mcti_buf_done(&scratch);
    if (!tool || !tool->item->annotated)
        return 0;
    if (mcti_msg_param(msg, "arguments", &arguments, err) < 0)
        return -1;
    return mcti_headers_check_params(mcti_item_json(tool->item), arguments, get_header, v->x, err);
}

/* Checks Mcp-Name and Mcp-Param-*. */
static int check_subject(const struct mcti_http_visit *v, const struct mcti_msg *msg, enum mcti_verb verb,
                         struct mct_error *err)
{
    const char *subject = mcti_method(verb)->subject;
    if (subject && stateless_check_name(v->x, msg, subject, err) < 0)
        return -1;
    return verb == MCT_VERB_TOOLS_CALL ? check_params(v, msg, err) : 0;
}

static int stateless_check(const struct mcti_http_visit *v, const struct mcti_msg *msg,
                           const struct mcti_msg_meta *meta, struct mcti_buf *data, struct mct_error *err)
{
    const struct mcti_http_exchange *x = v->x;
    struct mcti_str version = mcti_http_get(x, "mcp-protocol-version");
    struct mcti_str method = mcti_http_get(x, "mcp-method");
    enum mcti_verb verb = mcti_method_find(msg->method);
    const char *repeated = mcti_http_repeated_header(x);
    if (repeated) {
        mcti_fail(err, MCT_ERR_PROTOCOL, "duplicate header %s", repeated);
        err->code = MCT_RPC_HEADER_MISMATCH;
        return -1;
    }
    if (!version.p)
        return stateless_mismatch(err, "MCP-Protocol-Version", "is missing");
    if (!meta->version.p && verb == MCT_VERB_INITIALIZE)
        return stateless_mismatch(err, "MCP-Protocol-Version", "names a revision that has no initialize");
    if (!meta->version.p || !meta->capabilities.p)
        return mcti_stateless_check(meta, data, err);
    if (!mcti_json_plain(meta->version, &(struct mcti_str){ 0 }) ||
        !mcti_str_eq(version, (struct mcti_str){ meta->version.p + 1, meta->version.len - 2 }))
        return stateless_mismatch(err, "MCP-Protocol-Version", "differs from the body");
    if (mcti_stateless_check(meta, data, err) < 0)
        return -1;
    if (!method.p)
        return stateless_mismatch(err, "Mcp-Method", "is missing");
    if (!mcti_str_eq(method, msg->method))
        return stateless_mismatch(err, "Mcp-Method", "differs from the body");
    if (!verb)
        return mcti_gateway_passes(v->front->gateway, &v->face->view, &v->prefs, msg, err);
    if (!mcti_method_in(verb, MCT_REV_LATEST))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    if (mcti_verb_is_task(verb) && mcti_gateway_admits_task(&v->face->view, msg, meta, data, err) < 0)
        return -1;
    return check_subject(v, msg, verb, err);
}

static void stateless_answer(const struct mcti_http_visit *v, const struct mcti_msg *msg,
                             const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    struct mcti_buf data;
    mcti_buf_init(&data, 8192);
    if (stateless_check(v, msg, meta, &data, &err) < 0) {
        int status = mcti_error_rpc_code(&err) == MCT_RPC_METHOD_NOT_FOUND ? 404 : 400;
        mcti_http_reply_error(v->x, status, msg->id, &err, data.len ? mcti_buf_str(&data) : MCT_STR_NONE);
    } else if (!mcti_http_refuse_when_draining(v, msg->id)) {
        struct mcti_lane *l = mcti_lane_new(v, v->face->stateless, NULL, 1);
        if (l)
            mcti_session_receive_msg(&v->face->stateless->session, msg, l);
    }
    mcti_buf_done(&data);
}

void mcti_http_handle_stateless(const struct mcti_http_visit *v, const struct mcti_msg *msg,
                                const struct mcti_msg_meta *meta)
{
    struct mcti_http_visit own = *v;
    if (msg->kind == MCT_MSG_NOTIFICATION &&
        !mcti_http_repeated_header(v->x)) { /* notifications have no effect over stateless HTTP */
        mcti_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return;
    }
    own.face = mcti_face_for_visit(v, msg->id);
    if (!own.face)
        return;
    mcti_access_name(v, &own.face->view, msg);
    stateless_answer(&own, msg, meta);
}
