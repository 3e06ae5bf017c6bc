#include "mcp/handshake.h"

#include "json/write.h"
#include "mcp/http_refusal.h"

#include <stdio.h>
#include <stdlib.h>

void mct_server_info_clear(struct mct_server_info *info)
{
    free(info->capabilities);
    free(info->server_info);
    free(info->instructions);
    *info = (struct mct_server_info){ 0 };
}

bool mct_server_can(const struct mct_server_info *info, const char *capability, const char *flag)
{
    struct mct_str c = mct_json_get(mct_str_of(info->capabilities), capability);
    if (mct_json_type(c) != '{')
        return false;
    return !flag || mct_json_true(mct_json_get(c, flag));
}

void mct_meta_put_stateless(struct mct_buf *to, struct mct_str extra, struct mct_str client_info,
                            struct mct_str capabilities, struct mct_str log_level, uint64_t progress_token)
{
    char token[24];
    snprintf(token, sizeof token, "%llu", (unsigned long long)progress_token);
    const struct mct_json_set sets[] = {
        { MCT_META_VERSION, MCT_STR("\"2026-07-28\"") },
        { MCT_META_CAPABILITIES, capabilities.p ? capabilities : MCT_STR("{}") },
        { MCT_META_CLIENT_INFO, client_info.p ? client_info : MCT_STR(MCT_IMPLEMENTATION) },
        { "progressToken", progress_token ? mct_str_of(token) : MCT_STR_NONE },
        { MCT_META_LOG_LEVEL, log_level },
    };
    mct_json_put_object(to, extra, sets, log_level.p ? 5 : 4);
}

void mct_meta_put_handshake(struct mct_buf *to, struct mct_str extra, uint64_t progress_token)
{
    char token[24];
    snprintf(token, sizeof token, "%llu", (unsigned long long)progress_token);
    const struct mct_json_set sets[] = {
        { "progressToken", progress_token ? mct_str_of(token) : MCT_STR_NONE },
        { MCT_META_VERSION, MCT_STR_NONE },
        { MCT_META_CAPABILITIES, MCT_STR_NONE },
        { MCT_META_CLIENT_INFO, MCT_STR_NONE },
        { MCT_META_LOG_LEVEL, MCT_STR_NONE },
    };
    mct_json_put_object(to, extra, sets, 5);
}

static int send_discover(struct mct_handshake *h, struct mct_error *err)
{
    h->probing = h->probed = true;
    h->out.timeout_ms = h->era == MCT_ERA_STATELESS ? h->timeout_ms : h->probe_ms;
    struct mct_buf *b = mct_session_begin(h->session, &h->out, "server/discover");
    mct_buf_addz(b, "{\"_meta\":");
    mct_meta_put_stateless(b, MCT_STR_NONE, MCT_STR_NONE, mct_str_of(h->capabilities), MCT_STR_NONE, 0);
    mct_buf_addc(b, '}');
    return mct_session_send(h->session, &h->out, err);
}

static int send_initialize(struct mct_handshake *h, struct mct_error *err)
{
    enum mct_rev rev = h->rev && !mct_rev_is_stateless(h->rev) ? h->rev : MCT_REV_LATEST_HANDSHAKE;
    uint64_t now = mct_sched_now(h->session->sched);
    h->probing = false;
    h->out.timeout_ms = h->deadline_ms > now ? (unsigned)(h->deadline_ms - now) : 1;
    struct mct_buf *b = mct_session_begin(h->session, &h->out, "initialize");
    mct_buf_printf(b, "{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":%s}", mct_rev_text(rev),
                   h->capabilities ? h->capabilities : "{}", MCT_IMPLEMENTATION);
    return mct_session_send(h->session, &h->out, err);
}

static void finish(struct mct_handshake *h, const struct mct_error *err)
{
    if (err)
        mct_server_info_clear(&h->info);
    h->done(h, err);
}

static void fall_back(struct mct_handshake *h)
{
    struct mct_error err;
    if (h->era == MCT_ERA_STATELESS) {
        mct_fail(&err, MCT_ERR_PROTOCOL, "the server does not speak 2026-07-28 (\"protocol\" in the "
                 "configuration asks for it; \"auto\" would try the older revisions)");
        finish(h, &err);
        return;
    }
    if (send_initialize(h, &err) < 0)
        finish(h, &err);
}

static char *owned(struct mct_str span)
{
    return span.p ? mct_str_dup(span) : NULL;
}

static void keep(struct mct_handshake *h, enum mct_rev rev, struct mct_str result,
                 struct mct_str server_info)
{
    struct mct_str capabilities = mct_json_get(result, "capabilities");
    mct_server_info_clear(&h->info);
    h->info.rev = rev;
    h->info.capabilities = owned(mct_json_type(capabilities) == '{' ? capabilities : MCT_STR("{}"));
    h->info.server_info = owned(server_info);
    h->info.instructions = mct_json_dup(mct_json_get(result, "instructions"));
}

/* What a list of versions names. */
struct offer {
    enum mct_rev stateless; /* the newest stateless one we speak; MCT_REV_NONE: none */
    bool any, handshake;    /* any string at all; one of the handshake revisions */
};

static struct offer read_offer(struct mct_str versions)
{
    struct offer offer = { 0 };
    struct mct_str item, text;
    if (mct_json_type(versions) != '[')
        return offer;
    for (struct mct_json_iter it = mct_json_open(versions); mct_json_next_item(&it, &item);) {
        if (!mct_json_plain(item, &text))
            continue;
        enum mct_rev rev = mct_rev_find(text);
        offer.any = true;
        if (mct_rev_is_stateless(rev) && rev > offer.stateless)
            offer.stateless = rev;
        offer.handshake |= rev != MCT_REV_NONE && !mct_rev_is_stateless(rev);
    }
    return offer;
}

/* The server is of the stateless era, but of no revision we know: initialize would be wrong. */
static void fail_disjoint(struct mct_handshake *h)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_PROTOCOL, "the server speaks only revisions of the protocol that this client "
             "does not");
    finish(h, &err);
}

static void on_discovered(struct mct_handshake *h, const struct mct_msg *answer)
{
    struct mct_str meta = mct_json_get(answer->result, "_meta");
    struct mct_str info = mct_json_get(meta, MCT_META_SERVER_INFO);
    struct offer offer = read_offer(mct_json_get(answer->result, "supportedVersions"));
    if (offer.stateless == MCT_REV_NONE) {
        offer.any && !offer.handshake ? fail_disjoint(h) : fall_back(h);
        return;
    }
    keep(h, offer.stateless, answer->result, info.p ? info : mct_json_get(answer->result, "serverInfo"));
    finish(h, NULL);
}

/* -32022 names what the server speaks; every other error says only that this is not a stateless one. */
static void on_discover_refused(struct mct_handshake *h, struct mct_str error)
{
    struct mct_error err;
    struct mct_str message;
    int64_t code;
    mct_msg_error_parts(error, &code, &message);
    struct offer offer = read_offer(mct_json_get(mct_json_get(error, "data"), "supported"));
    if (code != MCT_RPC_UNSUPPORTED_VERSION || !offer.any) {
        fall_back(h);
    } else if (offer.stateless != MCT_REV_NONE && !h->retried) {
        h->retried = true;
        if (send_discover(h, &err) < 0)
            finish(h, &err);
    } else if (offer.stateless != MCT_REV_NONE) {
        mct_fail(&err, MCT_ERR_PROTOCOL, "the server refuses the revision it says it supports");
        finish(h, &err);
    } else {
        offer.handshake ? fall_back(h) : fail_disjoint(h);
    }
}

static void on_initialized(struct mct_handshake *h, const struct mct_msg *answer)
{
    struct mct_error err;
    struct mct_str version = MCT_STR_NONE;
    mct_json_plain(mct_json_get(answer->result, "protocolVersion"), &version);
    enum mct_rev rev = mct_rev_find(version);
    if (rev == MCT_REV_NONE || mct_rev_is_stateless(rev)) {
        mct_fail(&err, MCT_ERR_PROTOCOL, "the server answered initialize with protocol version '%.*s', "
                 "which this client does not speak", MCT_STR_ARG(version));
        finish(h, &err);
        return;
    }
    keep(h, rev, answer->result, mct_json_get(answer->result, "serverInfo"));
    mct_session_notify(h->session, "notifications/initialized", MCT_STR_NONE, NULL);
    finish(h, NULL);
}

static void on_initialize_refused(struct mct_handshake *h, struct mct_str error)
{
    struct mct_error err;
    struct mct_str message;
    int64_t code;
    mct_msg_error_parts(error, &code, &message);
    mct_fail(&err, MCT_ERR_SERVER, "initialize was refused: %.*s (code %lld)", MCT_STR_ARG(message),
             (long long)code);
    finish(h, &err);
}

/* Silence, an HTTP refusal that is not about credentials or load, and an answer that makes no sense: a
 * server that does not know the method. What keeps us from talking to it at all says nothing. */
static bool says_handshake(const struct mct_handshake *h, const struct mct_error *err)
{
    return (err->kind == MCT_ERR_TIMEOUT && h->silence_tells) || mct_http_says_other(err->http_status) ||
           (err->kind == MCT_ERR_PROTOCOL && !err->http_status);
}

/* Names the whole time to start, of which the probe has taken a part, and the key that sets it. */
static void explain(const struct mct_handshake *h, struct mct_error *err)
{
    const char *method = h->probing ? "server/discover" : "initialize";
    bool is_late = err->kind == MCT_ERR_TIMEOUT && mct_sched_now(h->session->sched) >= h->deadline_ms;
    if (is_late)
        mct_fail(err, MCT_ERR_TIMEOUT, "no answer to %s within %.4g s; %s raise start_timeout", method, h->timeout_ms / 1000.0,
                 h->silence_tells ? "a slow first start (npx install)?" : "if it is only slow,");
    else
        mct_error_wrap(err, "%s", method);
}

static void on_done(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_handshake *h = MCT_CONTAINER(o, struct mct_handshake, out);
    struct mct_error wrapped;
    if (!answer && h->probing && h->era != MCT_ERA_STATELESS && says_handshake(h, err)) {
        fall_back(h);
    } else if (!answer) {
        wrapped = *err;
        explain(h, &wrapped);
        finish(h, &wrapped);
    } else if (h->probing) {
        if (answer->kind == MCT_MSG_RESULT)
            on_discovered(h, answer);
        else
            on_discover_refused(h, answer->error);
    } else if (answer->kind == MCT_MSG_RESULT) {
        on_initialized(h, answer);
    } else {
        on_initialize_refused(h, answer->error);
    }
}

int mct_handshake_start(struct mct_handshake *h, struct mct_error *err)
{
    h->out = (struct mct_outbound){ .done = on_done, .silent = true };
    h->retried = h->probed = false;
    h->deadline_ms = mct_sched_now(h->session->sched) + h->timeout_ms;
    h->info = (struct mct_server_info){ 0 };
    return h->era == MCT_ERA_HANDSHAKE ? send_initialize(h, err) : send_discover(h, err);
}

void mct_handshake_stop(struct mct_handshake *h)
{
    mct_session_cancel(&h->out, NULL);
    mct_server_info_clear(&h->info);
}
