/* POST to an MCP endpoint: finds the era and the session of a message, and delivers or refuses it. */
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/log.h"
#include "front/http/session.h"

#include "base/limits.h"
#include "json/write.h"

void mcti_http_error_put(struct mcti_buf *to, struct mcti_str id, const struct mct_error *err, struct mcti_str data)
{
    mcti_buf_addz(to, "{\"jsonrpc\":\"2.0\",");
    if (id.p) {
        mcti_buf_addz(to, "\"id\":");
        mcti_buf_add(to, id);
        mcti_buf_addc(to, ',');
    }
    mcti_buf_addz(to, "\"error\":");
    mcti_session_put_error(to, err, data);
    mcti_buf_addc(to, '}');
}

void mcti_http_reply_error(struct mcti_http_exchange *x, int status, struct mcti_str id, const struct mct_error *err,
                           struct mcti_str data)
{
    struct mcti_buf b;
    if (!id.p) /* clients before 2025-06-18 do not send MCP-Protocol-Version */
        id = mcti_rev_unknown_id(mcti_rev_find(mcti_http_get(x, "mcp-protocol-version")));
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_http_error_put(&b, id, err, data);
    mcti_http_reply(x, status, "application/json", MCT_STR_NONE, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_http_post_refuse(struct mcti_http_exchange *x, int status, int code, struct mcti_str id, const char *why)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_PROTOCOL, "%s", why);
    err.code = code;
    mcti_http_reply_error(x, status, id, &err, MCT_STR_NONE);
}

/* The media range of an Accept header that matches a type most exactly; it decides (RFC 9110 section 12.5.1). */
struct verdict {
    int exact; /* 0: no range matches; 1: any type; 2: any subtype of its type; 3: the type itself */
    bool admits;
};

static int post_fit(struct mcti_str range, struct mcti_str type)
{
    const char *slash = memchr(type.p, '/', type.len);
    size_t n = (size_t)(slash - type.p) + 1;
    if (mcti_str_eq_nocase(range, type))
        return 3;
    if (range.len == n + 1 && range.p[n] == '*' &&
        mcti_str_eq_nocase((struct mcti_str){ range.p, n }, (struct mcti_str){ type.p, n }))
        return 2;
    return mcti_str_is(range, "*/*");
}

/* Returns true if the parameters contain a weight of 0, as in "q=0" or "q=0.000". */
static bool is_unwanted(struct mcti_str params)
{
    struct mcti_str param, name;
    while (mcti_str_split(&params, ';', &param)) {
        if (!mcti_str_split(&param, '=', &name) || !mcti_str_eq_nocase(mcti_str_trim(name), MCT_STR("q")))
            continue;
        param = mcti_str_trim(param);
        size_t i = 0;
        while (i < param.len && (param.p[i] == '0' || param.p[i] == '.'))
            i++;
        return param.len && i == param.len;
    }
    return false;
}

static void read_accept(struct mcti_str line, struct mcti_str type, struct verdict *v)
{
    struct mcti_str item, range;
    while (mcti_str_split(&line, ',', &item)) {
        mcti_str_split(&item, ';', &range);
        int exact = post_fit(mcti_str_trim(range), type);
        bool admits = exact && !is_unwanted(item);
        if (exact > v->exact || (exact == v->exact && admits))
            *v = (struct verdict){ exact, admits };
    }
}

/* A request without Accept admits every type (RFC 9110 section 12.5.1). */
bool mcti_http_accepts(const struct mcti_http_exchange *x, const char *type)
{
    struct verdict v = { 0, false };
    size_t n = mcti_http_count(x, "accept");
    for (size_t i = 0; i < n; i++)
        read_accept(mcti_http_get_nth(x, MCT_STR("accept"), i), mcti_str_of(type), &v);
    return !n || v.admits;
}

/* Returns whether the client accepts what MCP asks it to accept; most write that as the specification does. */
static bool accepts_both(const struct mcti_http_exchange *x)
{
    return mcti_str_is(mcti_http_get(x, "accept"), "application/json, text/event-stream") ||
           (mcti_http_accepts(x, "application/json") && mcti_http_accepts(x, "text/event-stream"));
}

const char *mcti_http_repeated_header(const struct mcti_http_exchange *x)
{
    static const char *const once[] = { "mcp-protocol-version", "mcp-method", "mcp-name" };
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (mcti_http_count(x, once[i]) > 1)
            return once[i];
    return NULL;
}

static bool is_json(const struct mcti_http_exchange *x)
{
    struct mcti_str rest = mcti_http_get(x, "content-type"), type = MCT_STR("");
    mcti_str_split(&rest, ';', &type);
    return mcti_str_eq_nocase(mcti_str_trim(type), MCT_STR("application/json"));
}

bool mcti_http_check_session_prefs(const struct mcti_http_visit *v, const struct mcti_http_session *s,
                                   struct mcti_str id)
{
    if (!v->prefs.read_only || s->peer->prefs.read_only)
        return true;
    mcti_http_post_refuse(
        v->x, 400, MCT_RPC_REFUSED, id,
        "the URL parameter read_only does not apply to an existing session: initialize again with it");
    return false;
}

struct mcti_http_session *mcti_http_leaving_session(const struct mcti_http_visit *v, struct mcti_str id)
{
    struct mcti_str key = mcti_http_get(v->x, "mcp-session-id");
    struct mcti_http_session *s = key.p ? mcti_http_session_find(v->front, key) : NULL;
    if (!key.p) {
        mcti_http_post_refuse(v->x, 400, MCT_RPC_INVALID_REQUEST, id,
                              "the header Mcp-Session-Id is missing: initialize first");
        return NULL;
    }
    if (!s || s->face->endpoint != v->endpoint || s->legacy || s->principal != v->principal) {
        mcti_http_post_refuse(v->x, 404, MCT_RPC_SESSION_NOT_FOUND, id, "session not found: initialize again");
        return NULL;
    }
    if (!mcti_http_check_session_prefs(v, s, id))
        return NULL;
    mcti_access_session(v->x, s);
    return s;
}

struct mcti_http_session *mcti_http_named_session(const struct mcti_http_visit *v, struct mcti_str id)
{
    struct mcti_http_session *s = mcti_http_leaving_session(v, id);
    if (!s || mcti_http_session_restore_face(s))
        return s;
    mcti_http_post_refuse(v->x, 503, MCT_RPC_REFUSED, id, mcti_faces_too_many);
    return NULL;
}

bool mcti_http_check_version(const struct mcti_http_visit *v, struct mcti_str id)
{
    struct mcti_str text = mcti_http_get(v->x, "mcp-protocol-version");
    enum mcti_rev rev = mcti_rev_find(text);
    if (!text.p || (rev != MCT_REV_NONE && !mcti_rev_is_stateless(rev)))
        return true;
    mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, id, "MCP-Protocol-Version names an unsupported revision");
    return false;
}

bool mcti_http_refuse_when_draining(const struct mcti_http_visit *v, struct mcti_str id)
{
    if (!v->front->draining)
        return false;
    mcti_http_post_refuse(v->x, 503, MCT_RPC_INTERNAL, id, "the gateway is shutting down");
    return true;
}

static void post_deliver(const struct mcti_http_visit *v, struct mcti_http_session *s, const struct mcti_msg *msg)
{
    if (msg->kind == MCT_MSG_REQUEST) {
        struct mcti_lane *l = mcti_lane_new(v, s->peer, s, 1);
        if (l)
            mcti_session_receive_msg(&s->peer->session, msg, l);
        return;
    }
    mcti_session_receive_msg(&s->peer->session, msg, NULL);
    mcti_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
}

static void handle_initialize(const struct mcti_http_visit *v, const struct mcti_msg *msg)
{
    struct mcti_http_visit own = *v;
    own.face = mcti_face_for_visit(v, msg->id);
    if (!own.face)
        return;
    struct mcti_http_session *s = mcti_http_session_new(&own, &mcti_http_session_peer_ops);
    struct mcti_lane *l = s ? mcti_lane_new(v, s->peer, s, 1) : NULL;
    if (!s)
        mcti_http_post_refuse(v->x, 503, MCT_RPC_INTERNAL, msg->id, "too many sessions are open");
    if (!l)
        return;
    l->names_session = true;
    mcti_session_receive_msg(&s->peer->session, msg, l);
}

static void handle_handshake(const struct mcti_http_visit *v, const struct mcti_msg *msg)
{
    const char *repeated = mcti_http_repeated_header(v->x);
    if (repeated) {
        char why[64];
        snprintf(why, sizeof why, "duplicate header %s", repeated);
        mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, msg->id, why);
    } else if (!accepts_both(v->x)) {
        mcti_http_post_refuse(v->x, 406, MCT_RPC_REFUSED, msg->id,
                              "Accept must admit application/json and text/event-stream");
    } else if (msg->kind == MCT_MSG_BATCH) {
        mcti_http_handle_batch(v, msg);
    } else if (msg->kind == MCT_MSG_REQUEST && mcti_http_refuse_when_draining(v, msg->id)) {
        return;
    } else if (msg->kind == MCT_MSG_REQUEST && mcti_str_is(msg->method, "initialize")) {
        if (mcti_http_check_version(v, msg->id))
            handle_initialize(v, msg);
    } else {
        struct mcti_http_session *s = mcti_http_named_session(v, msg->id);
        if (!s || !mcti_http_check_version(v, msg->id))
            return;
        mcti_http_session_touch(s);
        mcti_access_name(v, s->peer->view, msg);
        post_deliver(v, s, msg);
    }
}

/* Refuses initialize on a 2026-07-28 endpoint with the supported versions as data (2026-07-28 "Versioning"). */
static void refuse_initialize(struct mcti_http_exchange *x, const struct mcti_msg *msg)
{
    struct mct_error err;
    struct mcti_buf data;
    struct mcti_str asked = MCT_STR("");
    mcti_buf_init(&data, MCT_LIMIT_MESSAGE_BYTES);
    mcti_json_plain(mcti_json_get(msg->params, "protocolVersion"), &asked);
    mcti_fail_version(asked, &data, &err);
    mcti_http_reply_error(x, 400, msg->id, &err, mcti_buf_str(&data));
    mcti_buf_done(&data);
}

/* Finds the era of the message: `_meta` decides, the header only if the message has no version there. */
static void post_classify(const struct mcti_http_visit *v, struct mcti_msg *msg)
{
    struct mcti_msg_meta meta = { 0 };
    struct mct_error err;
    bool header_stateless = mcti_rev_is_stateless(mcti_rev_find(mcti_http_get(v->x, "mcp-protocol-version")));
    enum mcti_era era = v->front->gateway->era;
    if (msg->method.p && mcti_msg_read_meta(msg, &meta, &err) < 0) {
        mcti_http_reply_error(v->x, 400, msg->id, &err, MCT_STR_NONE);
        return;
    }
    msg->meta_read = &meta;
    if (era == MCT_ERA_HANDSHAKE && (meta.version.p || header_stateless))
        mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, msg->id, "unsupported protocol version");
    else if (era == MCT_ERA_STATELESS && !meta.version.p && mcti_str_is(msg->method, "initialize"))
        refuse_initialize(v->x, msg);
    else if (meta.version.p || ((header_stateless || era == MCT_ERA_STATELESS) && msg->method.p))
        mcti_http_handle_stateless(v, msg, &meta);
    else
        handle_handshake(v, msg);
}

void mcti_http_handle_post(const struct mcti_http_visit *v)
{
    struct mcti_msg msg;
    struct mct_error err;
    if (!is_json(v->x)) {
        mcti_http_post_refuse(v->x, 415, MCT_RPC_REFUSED, MCT_STR_NONE, "Content-Type must be application/json");
    } else if (mcti_msg_parse_chunk(mcti_http_body(v->x), mcti_http_body_chunk(v->x), &msg, &err) < 0) {
        mcti_http_reply_error(v->x, 400, msg.id, &err, MCT_STR_NONE);
    } else {
        mcti_access_message(v->x, &msg);
        post_classify(v, &msg);
    }
}
