/* POST, GET and DELETE of the MCP endpoint: which era, which session, which refusal. */
#include "front/http_impl.h"

#include "base/limits.h"
#include "json/write.h"

void reply_error(struct mct_http_exchange *x, int status, struct mct_str id, const struct mct_error *err,
                 struct mct_str data)
{
    struct mct_buf b;
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"jsonrpc\":\"2.0\",");
    if (id.p) {
        mct_buf_addz(&b, "\"id\":");
        mct_buf_add(&b, id);
        mct_buf_addc(&b, ',');
    }
    mct_buf_addz(&b, "\"error\":");
    mct_session_put_error(&b, err, data);
    mct_buf_addc(&b, '}');
    mct_http_reply(x, status, "application/json", MCT_STR_NONE, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void refuse(struct mct_http_exchange *x, int status, int code, struct mct_str id, const char *why)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_PROTOCOL, "%s", why);
    err.code = code;
    reply_error(x, status, id, &err, MCT_STR_NONE);
}

/* Whether one Accept line admits the type. */
static bool line_accepts(struct mct_str rest, const char *type)
{
    struct mct_str item, range, want = mct_str_of(type), main_type = want;
    mct_str_split(&want, '/', &main_type);
    while (mct_str_split(&rest, ',', &item)) {
        mct_str_split(&item, ';', &range);
        range = mct_str_trim(range);
        bool any_sub = range.len == main_type.len + 2 && range.p[range.len - 1] == '*' &&
                       mct_str_eq_nocase((struct mct_str){ range.p, main_type.len }, main_type);
        if (mct_str_is(range, "*/*") || any_sub || mct_str_eq_nocase(range, mct_str_of(type)))
            return true;
    }
    return false;
}

/* No Accept line admits everything, several count as one (RFC 9110 section 5.3). */
static bool accepts(const struct mct_http_exchange *x, const char *type)
{
    struct mct_str line = mct_http_get(x, "accept");
    bool any = !line.p;
    for (size_t n = 1; line.p && !any; n++) {
        any = line_accepts(line, type);
        line = mct_http_get_nth(x, "accept", n);
    }
    return any;
}

static bool is_json(const struct mct_http_exchange *x)
{
    struct mct_str rest = mct_http_get(x, "content-type"), type = MCT_STR("");
    mct_str_split(&rest, ';', &type);
    return mct_str_eq_nocase(mct_str_trim(type), MCT_STR("application/json"));
}

/* The session an exchange names; NULL when it was answered with an error. */
static struct http_session *named_session(struct mct_front_http *f, struct endpoint *e,
                                          struct mct_http_exchange *x, struct mct_str id)
{
    struct mct_str key = mct_http_get(x, "mcp-session-id");
    struct http_session *s = key.p ? session_find(f, key) : NULL;
    if (!key.p)
        refuse(x, 400, MCT_RPC_INVALID_REQUEST, id, "the header Mcp-Session-Id is missing: initialize first");
    else if (!s || s->endpoint != e)
        refuse(x, 404, -32001, id, "session not found: initialize again");
    else
        return s;
    return NULL;
}

static bool version_header_ok(const struct mct_http_exchange *x)
{
    struct mct_str v = mct_http_get(x, "mcp-protocol-version");
    enum mct_rev rev = mct_rev_find(v);
    return !v.p || (rev != MCT_REV_NONE && !mct_rev_is_stateless(rev));
}

static void deliver(struct mct_front_http *f, struct http_session *s, struct mct_http_exchange *x,
                    const struct mct_msg *msg)
{
    if (msg->kind == MCT_MSG_REQUEST) {
        struct lane *l = lane_new(f, x, s->peer, s);
        if (l)
            mct_session_receive_msg(&s->peer->session, msg, l);
        return;
    }
    mct_session_receive_msg(&s->peer->session, msg, NULL);
    mct_http_reply(x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
}

static void handle_initialize(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x,
                              const struct mct_msg *msg)
{
    struct http_session *s = session_new(f, e);
    struct lane *l = s ? lane_new(f, x, s->peer, s) : NULL;
    if (!s)
        refuse(x, 503, MCT_RPC_INTERNAL, msg->id, "too many sessions are open");
    if (!l)
        return;
    l->names_session = true;
    mct_session_receive_msg(&s->peer->session, msg, l);
}

static void handle_handshake(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x,
                             const struct mct_msg *msg)
{
    if (!accepts(x, "application/json") || !accepts(x, "text/event-stream")) {
        refuse(x, 406, -32000, msg->id, "Accept must admit application/json and text/event-stream");
    } else if (msg->kind == MCT_MSG_REQUEST && mct_str_is(msg->method, "initialize")) {
        handle_initialize(f, e, x, msg);
    } else {
        struct http_session *s = named_session(f, e, x, msg->id);
        if (!s)
            return;
        if (!version_header_ok(x)) {
            refuse(x, 400, -32000, msg->id, "MCP-Protocol-Version names a revision that is not supported");
            return;
        }
        session_touch(s);
        deliver(f, s, x, msg);
    }
}

/* Names the versions that are served instead (2026-07-28 "Versioning"). */
static void refuse_initialize(struct mct_http_exchange *x, const struct mct_msg *msg)
{
    struct mct_error err;
    struct mct_buf data;
    struct mct_str asked = MCT_STR("");
    mct_buf_init(&data, MCT_LIMIT_MESSAGE_BYTES);
    mct_json_plain(mct_json_get(msg->params, "protocolVersion"), &asked);
    mct_fail_version(asked, &data, &err);
    reply_error(x, 400, msg->id, &err, mct_buf_str(&data));
    mct_buf_done(&data);
}

/* Which era? The body decides; the header only where the body is silent. */
static void classify(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x,
                     const struct mct_msg *msg)
{
    struct mct_msg_meta meta = { 0 };
    struct mct_error err;
    bool header_stateless = mct_rev_is_stateless(mct_rev_find(mct_http_get(x, "mcp-protocol-version")));
    enum mct_era era = f->gateway->era;
    if (msg->method.p && mct_msg_read_meta(msg, &meta, &err) < 0)
        reply_error(x, 400, msg->id, &err, MCT_STR_NONE);
    else if (era == MCT_ERA_HANDSHAKE && (meta.version.p || header_stateless))
        refuse(x, 400, -32000, msg->id, "the protocol version is not supported");
    else if (era == MCT_ERA_STATELESS && !meta.version.p && mct_str_is(msg->method, "initialize"))
        refuse_initialize(x, msg);
    else if (meta.version.p || ((header_stateless || era == MCT_ERA_STATELESS) && msg->method.p))
        handle_stateless(f, e, x, msg, &meta);
    else
        handle_handshake(f, e, x, msg);
}

void handle_post(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x)
{
    struct mct_msg msg;
    struct mct_error err;
    if (!is_json(x))
        refuse(x, 415, -32000, MCT_STR_NONE, "Content-Type must be application/json");
    else if (mct_msg_parse(mct_http_body(x), &msg, &err) < 0)
        reply_error(x, 400, msg.id, &err, MCT_STR_NONE);
    else if (msg.kind == MCT_MSG_BATCH)
        refuse(x, 400, MCT_RPC_INVALID_REQUEST, MCT_STR_NONE, "JSON-RPC batches are not accepted");
    else
        classify(f, e, x, &msg);
}

void handle_get(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x)
{
    if (!mct_http_get(x, "mcp-session-id").p && !accepts(x, "text/event-stream")) {
        refuse(x, 406, -32000, MCT_STR_NONE, "this is an MCP endpoint: POST JSON-RPC messages to it");
        return;
    }
    struct http_session *s = named_session(f, e, x, MCT_STR_NONE);
    if (!s)
        return;
    if (!accepts(x, "text/event-stream")) {
        refuse(x, 406, -32000, MCT_STR_NONE, "Accept must admit text/event-stream");
    } else if (!version_header_ok(x)) {
        refuse(x, 400, -32000, MCT_STR_NONE, "MCP-Protocol-Version names a revision that is not supported");
    } else if (s->stream) {
        refuse(x, 409, -32000, MCT_STR_NONE, "this session has an open GET stream already");
    } else {
        struct lane *l = lane_new(f, x, s->peer, s);
        session_touch(s);
        if (!l)
            return;
        lane_open_stream(l, MCT_STR_NONE);
        session_attach(s, l);
    }
}

void handle_delete(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x)
{
    struct http_session *s = named_session(f, e, x, MCT_STR_NONE);
    if (!s)
        return;
    session_free(s);
    mct_http_reply(x, 204, NULL, MCT_STR_NONE, MCT_STR_NONE);
}
