/* POST to the MCP endpoint: which era, which session, which refusal. */
#include "front/http/impl.h"

#include "base/limits.h"
#include "json/write.h"

void put_error(struct mct_buf *to, struct mct_str id, const struct mct_error *err, struct mct_str data)
{
    mct_buf_addz(to, "{\"jsonrpc\":\"2.0\",");
    if (id.p) {
        mct_buf_addz(to, "\"id\":");
        mct_buf_add(to, id);
        mct_buf_addc(to, ',');
    }
    mct_buf_addz(to, "\"error\":");
    mct_session_put_error(to, err, data);
    mct_buf_addc(to, '}');
}

void reply_error(struct mct_http_exchange *x, int status, struct mct_str id, const struct mct_error *err,
                 struct mct_str data)
{
    struct mct_buf b;
    if (!id.p) /* clients before 2025-06-18 do not send the header */
        id = mct_rev_unknown_id(mct_rev_find(mct_http_get(x, "mcp-protocol-version")));
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    put_error(&b, id, err, data);
    mct_http_reply(x, status, "application/json", MCT_STR_NONE, mct_buf_str(&b));
    mct_buf_done(&b);
}

void refuse(struct mct_http_exchange *x, int status, int code, struct mct_str id, const char *why)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_PROTOCOL, "%s", why);
    err.code = code;
    reply_error(x, status, id, &err, MCT_STR_NONE);
}

/* What an Accept says of a type: the most exact range that fits counts (RFC 9110 section 12.5.1). */
struct verdict {
    int exact; /* 0: nothing fits; 1: any type; 2: any of its kind; 3: the type itself */
    bool admits;
};

static int fit(struct mct_str range, struct mct_str type)
{
    const char *slash = memchr(type.p, '/', type.len);
    size_t n = (size_t)(slash - type.p) + 1;
    if (mct_str_eq_nocase(range, type))
        return 3;
    if (range.len == n + 1 && range.p[n] == '*' &&
        mct_str_eq_nocase((struct mct_str){ range.p, n }, (struct mct_str){ type.p, n }))
        return 2;
    return mct_str_is(range, "*/*");
}

/* "q=0", "q=0.000": not this one. */
static bool is_unwanted(struct mct_str params)
{
    struct mct_str param, name;
    while (mct_str_split(&params, ';', &param)) {
        if (!mct_str_split(&param, '=', &name) || !mct_str_eq_nocase(mct_str_trim(name), MCT_STR("q")))
            continue;
        param = mct_str_trim(param);
        size_t i = 0;
        while (i < param.len && (param.p[i] == '0' || param.p[i] == '.'))
            i++;
        return param.len && i == param.len;
    }
    return false;
}

static void read_accept(struct mct_str line, struct mct_str type, struct verdict *v)
{
    struct mct_str item, range;
    while (mct_str_split(&line, ',', &item)) {
        mct_str_split(&item, ';', &range);
        int exact = fit(mct_str_trim(range), type);
        bool admits = exact && !is_unwanted(item);
        if (exact > v->exact || (exact == v->exact && admits))
            *v = (struct verdict){ exact, admits };
    }
}

/* No Accept line at all admits everything (RFC 9110 section 5.3). */
bool accepts(const struct mct_http_exchange *x, const char *type)
{
    struct verdict v = { 0, false };
    size_t n = mct_http_count(x, "accept");
    for (size_t i = 0; i < n; i++)
        read_accept(mct_http_get_nth(x, "accept", i), mct_str_of(type), &v);
    return !n || v.admits;
}

const char *repeated_header(const struct mct_http_exchange *x)
{
    static const char *const once[] = { "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name" };
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (mct_http_count(x, once[i]) > 1)
            return once[i];
    return NULL;
}

static bool is_json(const struct mct_http_exchange *x)
{
    struct mct_str rest = mct_http_get(x, "content-type"), type = MCT_STR("");
    mct_str_split(&rest, ';', &type);
    return mct_str_eq_nocase(mct_str_trim(type), MCT_STR("application/json"));
}

bool session_fits(const struct visit *v, const struct http_session *s, struct mct_str id)
{
    if (!v->prefs.read_only || s->peer->prefs.read_only)
        return true;
    refuse(v->x, 400, MCT_RPC_REFUSED, id, "the parameter read_only of the URL comes too late: initialize with it");
    return false;
}

struct http_session *leaving_session(const struct visit *v, struct mct_str id)
{
    struct mct_str key = mct_http_get(v->x, "mcp-session-id");
    struct http_session *s = key.p ? session_find(v->front, key) : NULL;
    if (!key.p) {
        refuse(v->x, 400, MCT_RPC_INVALID_REQUEST, id, "the header Mcp-Session-Id is missing: initialize first");
        return NULL;
    }
    if (!s || s->face->endpoint != v->endpoint || s->legacy || s->principal != v->principal) {
        refuse(v->x, 404, MCT_RPC_SESSION_NOT_FOUND, id, "session not found: initialize again");
        return NULL;
    }
    if (!session_fits(v, s, id))
        return NULL;
    access_session(v->x, s);
    return s;
}

struct http_session *named_session(const struct visit *v, struct mct_str id)
{
    struct http_session *s = leaving_session(v, id);
    if (!s || session_face(s))
        return s;
    refuse(v->x, 503, MCT_RPC_REFUSED, id, faces_too_many);
    return NULL;
}

bool version_fits(const struct visit *v, struct mct_str id)
{
    struct mct_str text = mct_http_get(v->x, "mcp-protocol-version");
    enum mct_rev rev = mct_rev_find(text);
    if (!text.p || (rev != MCT_REV_NONE && !mct_rev_is_stateless(rev)))
        return true;
    refuse(v->x, 400, MCT_RPC_REFUSED, id, "MCP-Protocol-Version names a revision that is not supported");
    return false;
}

bool refuse_late(const struct visit *v, struct mct_str id)
{
    if (!v->front->draining)
        return false;
    refuse(v->x, 503, MCT_RPC_INTERNAL, id, "the gateway is shutting down");
    return true;
}

static void deliver(const struct visit *v, struct http_session *s, const struct mct_msg *msg)
{
    if (msg->kind == MCT_MSG_REQUEST) {
        struct lane *l = lane_new(v, s->peer, s, 1);
        if (l)
            mct_session_receive_msg(&s->peer->session, msg, l);
        return;
    }
    mct_session_receive_msg(&s->peer->session, msg, NULL);
    mct_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
}

static void handle_initialize(const struct visit *v, const struct mct_msg *msg)
{
    struct visit own = *v;
    own.face = face_of(v, msg->id);
    if (!own.face)
        return;
    struct http_session *s = session_new(&own, &session_peer_ops);
    struct lane *l = s ? lane_new(v, s->peer, s, 1) : NULL;
    if (!s)
        refuse(v->x, 503, MCT_RPC_INTERNAL, msg->id, "too many sessions are open");
    if (!l)
        return;
    l->names_session = true;
    mct_session_receive_msg(&s->peer->session, msg, l);
}

static void handle_handshake(const struct visit *v, const struct mct_msg *msg)
{
    if (repeated_header(v->x)) {
        refuse(v->x, 400, MCT_RPC_REFUSED, msg->id, "a header of the protocol is there twice");
    } else if (!accepts(v->x, "application/json") || !accepts(v->x, "text/event-stream")) {
        refuse(v->x, 406, MCT_RPC_REFUSED, msg->id, "Accept must admit application/json and text/event-stream");
    } else if (msg->kind == MCT_MSG_BATCH) {
        handle_batch(v, msg);
    } else if (msg->kind == MCT_MSG_REQUEST && refuse_late(v, msg->id)) {
        return;
    } else if (msg->kind == MCT_MSG_REQUEST && mct_str_is(msg->method, "initialize")) {
        if (version_fits(v, msg->id))
            handle_initialize(v, msg);
    } else {
        struct http_session *s = named_session(v, msg->id);
        if (!s || !version_fits(v, msg->id))
            return;
        session_touch(s);
        access_name(v, s->peer->view, msg);
        deliver(v, s, msg);
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
static void classify(const struct visit *v, const struct mct_msg *msg)
{
    struct mct_msg_meta meta = { 0 };
    struct mct_error err;
    bool header_stateless = mct_rev_is_stateless(mct_rev_find(mct_http_get(v->x, "mcp-protocol-version")));
    enum mct_era era = v->front->gateway->era;
    if (msg->method.p && mct_msg_read_meta(msg, &meta, &err) < 0)
        reply_error(v->x, 400, msg->id, &err, MCT_STR_NONE);
    else if (era == MCT_ERA_HANDSHAKE && (meta.version.p || header_stateless))
        refuse(v->x, 400, MCT_RPC_REFUSED, msg->id, "the protocol version is not supported");
    else if (era == MCT_ERA_STATELESS && !meta.version.p && mct_str_is(msg->method, "initialize"))
        refuse_initialize(v->x, msg);
    else if (meta.version.p || ((header_stateless || era == MCT_ERA_STATELESS) && msg->method.p))
        handle_stateless(v, msg, &meta);
    else
        handle_handshake(v, msg);
}

void handle_post(const struct visit *v)
{
    struct mct_msg msg;
    struct mct_error err;
    if (!is_json(v->x)) {
        refuse(v->x, 415, MCT_RPC_REFUSED, MCT_STR_NONE, "Content-Type must be application/json");
    } else if (mct_msg_parse(mct_http_body(v->x), &msg, &err) < 0) {
        reply_error(v->x, 400, msg.id, &err, MCT_STR_NONE);
    } else {
        access_message(v->x, &msg);
        classify(v, &msg);
    }
}
