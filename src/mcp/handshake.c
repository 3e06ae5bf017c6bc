#include "mcp/handshake.h"

#include "json/write.h"
#include "mcp/extension.h"
#include "mcp/http_refusal.h"
#include "skills/skill.h"

#include <stdlib.h>

void mcti_server_info_clear(struct mcti_server_info *info)
{
    free(info->capabilities);
    free(info->server_info);
    free(info->instructions);
    free(info->meta);
    free(info->plugins);
    *info = (struct mcti_server_info){ 0 };
}

bool mcti_server_can(const struct mcti_server_info *info, const char *capability, const char *flag)
{
    struct mcti_str c = mcti_json_get(mcti_str_of(info->capabilities), capability);
    if (mcti_json_type(c) != '{')
        return false;
    return !flag || mcti_json_true(mcti_json_get(c, flag));
}

enum { DIGITS = 20 };

/* Writes a progress token to the end of `to`; returns absent for 0. */
static struct mcti_str put_token(char to[DIGITS], uint64_t n)
{
    size_t at = DIGITS;
    if (!n)
        return MCT_STR_NONE;
    for (; n; n /= 10)
        to[--at] = (char)('0' + n % 10);
    return (struct mcti_str){ to + at, DIGITS - at };
}

/* Writes `_meta` with the extension of tasks declared. */
static void put_with_tasks(struct mcti_buf *to, struct mcti_str extra, struct mcti_str client_info,
                           struct mcti_str capabilities, const struct mcti_meta_more *more)
{
    struct mcti_meta_more rest = *more;
    struct mcti_buf declared;
    mcti_buf_init(&declared, capabilities.len + 128);
    mcti_tasks_declare(&declared, capabilities);
    rest.tasks = false;
    mcti_meta_put_stateless(to, extra, client_info, mcti_buf_str(&declared), &rest);
    to->failed |= !mcti_buf_ok(&declared);
    mcti_buf_done(&declared);
}

void mcti_meta_put_stateless(struct mcti_buf *to, struct mcti_str extra, struct mcti_str client_info,
                             struct mcti_str capabilities, const struct mcti_meta_more *more)
{
    if (more->tasks) {
        put_with_tasks(to, extra, client_info, capabilities, more);
        return;
    }
    char token[DIGITS];
    struct mcti_json_set sets[6] = {
        { MCT_META_VERSION, MCT_STR("\"2026-07-28\"") },
        { MCT_META_CAPABILITIES, capabilities.p ? capabilities : MCT_STR("{}") },
        { MCT_META_CLIENT_INFO, client_info.p ? client_info : MCT_STR(MCT_IMPLEMENTATION) },
        { "progressToken", put_token(token, more->progress_token) },
    };
    size_t n = 4;
    if (more->log_level.p)
        sets[n++] = (struct mcti_json_set){ MCT_META_LOG_LEVEL, more->log_level };
    if (more->traceparent.p)
        sets[n++] = (struct mcti_json_set){ "traceparent", more->traceparent };
    mcti_json_put_object(to, extra, sets, n);
}

void mcti_meta_put_handshake(struct mcti_buf *to, struct mcti_str extra, const struct mcti_meta_more *more)
{
    char token[DIGITS];
    const struct mcti_json_set sets[] = {
        { "progressToken", put_token(token, more->progress_token) },
        { MCT_META_VERSION, MCT_STR_NONE },
        { MCT_META_CAPABILITIES, MCT_STR_NONE },
        { MCT_META_CLIENT_INFO, MCT_STR_NONE },
        { MCT_META_LOG_LEVEL, MCT_STR_NONE },
        { "traceparent", more->traceparent },
    };
    mcti_json_put_object(to, extra, sets, 5u + !!more->traceparent.p);
}

static unsigned time_left(const struct mcti_handshake *h)
{
    uint64_t now = mcti_sched_now(h->session->sched);
    return h->deadline_ms > now ? (unsigned)(h->deadline_ms - now) : 1;
}

/* The time of the probe begins when the server reads: until then it is starting, whatever its era. */
static bool handshake_has_more_time(struct mcti_outbound *o)
{
    struct mcti_handshake *h = MCT_CONTAINER(o, struct mcti_handshake, out);
    struct mcti_transport_facts facts = { 0 };
    bool was_starting = h->starting;
    if (!h->probing || time_left(h) <= o->timeout_ms)
        return false;
    mcti_transport_describe(h->transport, &facts);
    h->starting = facts.unread;
    return h->starting || was_starting; /* it has read since the last look */
}

/* The whole time is for a server that must be of the stateless era, or has said that it is. */
static int send_discover(struct mcti_handshake *h, struct mct_error *err)
{
    h->probing = h->probed = true;
    h->out.timeout_ms = h->era == MCT_ERA_STATELESS || h->retried ? time_left(h) : h->probe_ms;
    struct mcti_buf *b = mcti_session_begin(h->session, &h->out, "server/discover");
    mcti_buf_addz(b, "{\"_meta\":");
    mcti_meta_put_stateless(b, MCT_STR_NONE, MCT_STR_NONE, mcti_str_of(h->capabilities), &(struct mcti_meta_more){ 0 });
    mcti_buf_addc(b, '}');
    return mcti_session_send(h->session, &h->out, err);
}

static int send_initialize(struct mcti_handshake *h, struct mct_error *err)
{
    enum mcti_rev rev = h->rev && !mcti_rev_is_stateless(h->rev) ? h->rev : MCT_REV_LATEST_HANDSHAKE;
    h->probing = false;
    h->out.timeout_ms = time_left(h);
    struct mcti_buf *b = mcti_session_begin(h->session, &h->out, "initialize");
    mcti_buf_printf(b, "{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":%s}", mcti_rev_text(rev),
                    h->capabilities ? h->capabilities : "{}", MCT_IMPLEMENTATION);
    return mcti_session_send(h->session, &h->out, err);
}

static void handshake_finish(struct mcti_handshake *h, const struct mct_error *err)
{
    if (err)
        mcti_server_info_clear(&h->info);
    h->done(h, err);
}

static void fall_back(struct mcti_handshake *h)
{
    struct mct_error err;
    if (h->era == MCT_ERA_STATELESS) {
        mcti_fail(&err, MCT_ERR_PROTOCOL,
                  "the server does not support 2026-07-28, which \"protocol\" in the configuration requires; set it to "
                  "\"auto\" to try older revisions");
        handshake_finish(h, &err);
        return;
    }
    if (send_initialize(h, &err) < 0)
        handshake_finish(h, &err);
}

static char *handshake_owned(struct mcti_str span)
{
    return span.p ? mcti_str_dup(span) : NULL;
}

static void handshake_keep(struct mcti_handshake *h, enum mcti_rev rev, struct mcti_str result,
                           struct mcti_str server_info)
{
    struct mcti_str capabilities = mcti_json_get(result, "capabilities");
    mcti_server_info_clear(&h->info);
    h->info.rev = rev;
    h->info.capabilities = handshake_owned(mcti_json_type(capabilities) == '{' ? capabilities : MCT_STR("{}"));
    h->info.tasks = mcti_rev_is_stateless(rev) && mcti_tasks_declared(capabilities);
    h->info.tasks_2025 = rev == MCT_REV_2025_11_25 && mcti_tasks_offered_2025(capabilities);
    h->info.skills = mcti_skills_declared(capabilities);
    h->info.server_info = handshake_owned(server_info);
    h->info.instructions = mcti_json_dup(mcti_json_get(result, "instructions"));
    h->info.meta = handshake_owned(mcti_json_get(result, "_meta"));
}

/* Revisions in a server's list of versions. */
struct offer {
    enum mcti_rev stateless; /* newest stateless revision we support; MCT_REV_NONE: none */
    bool any, handshake;     /* any: the list contains a string; handshake: it contains a handshake revision */
};

static struct offer read_offer(struct mcti_str versions)
{
    struct offer offer = { 0 };
    struct mcti_str item, text;
    if (mcti_json_type(versions) != '[')
        return offer;
    for (struct mcti_json_iter it = mcti_json_open(versions); mcti_json_next_item(&it, &item);) {
        if (!mcti_json_plain(item, &text))
            continue;
        enum mcti_rev rev = mcti_rev_find(text);
        offer.any = true;
        if (mcti_rev_is_stateless(rev) && rev > offer.stateless)
            offer.stateless = rev;
        offer.handshake |= rev != MCT_REV_NONE && !mcti_rev_is_stateless(rev);
    }
    return offer;
}

/* Ends the handshake with an error: the server is of the stateless era, so initialize cannot be used, and we support
 * none of its revisions. */
static void fail_disjoint(struct mcti_handshake *h)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_PROTOCOL, "the server supports no protocol revision that this client supports");
    handshake_finish(h, &err);
}

/* The server says that it is of the stateless era: sends server/discover once more. */
static void discover_again(struct mcti_handshake *h)
{
    struct mct_error err;
    h->retried = true;
    if (send_discover(h, &err) < 0)
        handshake_finish(h, &err);
}

static void handshake_on_discovered(struct mcti_handshake *h, const struct mcti_msg *answer)
{
    struct mcti_str meta = mcti_json_get(answer->result, "_meta");
    struct mcti_str info = mcti_json_get(meta, MCT_META_SERVER_INFO);
    struct offer offer = read_offer(mcti_json_get(answer->result, "supportedVersions"));
    if (offer.stateless == MCT_REV_NONE) {
        offer.any && !offer.handshake ? fail_disjoint(h) : fall_back(h);
        return;
    }
    handshake_keep(h, offer.stateless, answer->result, info.p ? info : mcti_json_get(answer->result, "serverInfo"));
    handshake_finish(h, NULL);
}

/* Handles an error. -32022 lists the server's revisions; any other error only means that the server is not stateless.
 */
static void handshake_on_discover_refused(struct mcti_handshake *h, struct mcti_str error)
{
    struct mct_error err;
    struct mcti_str message;
    int64_t code;
    mcti_msg_error_parts(error, &code, &message);
    struct offer offer = read_offer(mcti_json_get(mcti_json_get(error, "data"), "supported"));
    if (code != MCT_RPC_UNSUPPORTED_VERSION || !offer.any) {
        fall_back(h);
    } else if (offer.stateless != MCT_REV_NONE && !h->retried) {
        discover_again(h);
    } else if (offer.stateless != MCT_REV_NONE) {
        mcti_fail(&err, MCT_ERR_PROTOCOL, "the server rejects a revision that it lists as supported");
        handshake_finish(h, &err);
    } else {
        offer.handshake ? fall_back(h) : fail_disjoint(h);
    }
}

static void handshake_on_initialized(struct mcti_handshake *h, const struct mcti_msg *answer)
{
    struct mct_error err;
    struct mcti_str version = MCT_STR_NONE;
    mcti_json_plain(mcti_json_get(answer->result, "protocolVersion"), &version);
    enum mcti_rev rev = mcti_rev_find(version);
    if (rev == MCT_REV_NONE || mcti_rev_is_stateless(rev)) {
        mcti_fail(&err, MCT_ERR_PROTOCOL, "the server answered initialize with unsupported protocol version '%.*s'",
                  MCT_STR_ARG(version));
        handshake_finish(h, &err);
        return;
    }
    handshake_keep(h, rev, answer->result, mcti_json_get(answer->result, "serverInfo"));
    mcti_session_notify(h->session, "notifications/initialized", MCT_STR_NONE, NULL);
    handshake_finish(h, NULL);
}

/* A stateless server that starts slowly answers the probe too late, and then refuses initialize with -32022. */
static void handshake_on_initialize_refused(struct mcti_handshake *h, struct mcti_str error)
{
    struct mct_error err;
    struct mcti_str message;
    int64_t code;
    mcti_msg_error_parts(error, &code, &message);
    struct offer offer = read_offer(mcti_json_get(mcti_json_get(error, "data"), "supported"));
    if (code == MCT_RPC_UNSUPPORTED_VERSION && offer.stateless != MCT_REV_NONE && h->era == MCT_ERA_AUTO &&
        !h->retried) {
        discover_again(h);
        return;
    }
    mcti_fail(&err, MCT_ERR_SERVER, "initialize was refused: %.*s (code %lld)", MCT_STR_ARG(message), (long long)code);
    handshake_finish(h, &err);
}

/* Returns true if a failed probe means that the server does not know server/discover: no answer, an HTTP refusal that
 * is not about credentials or load, or a malformed answer. Connection errors do not count. */
static bool means_handshake(const struct mcti_handshake *h, const struct mct_error *err)
{
    return (err->kind == MCT_ERR_TIMEOUT && h->silence_is_handshake) || mcti_http_is_unsupported(err->http_status) ||
           (err->kind == MCT_ERR_PROTOCOL && !err->http_status);
}

/* Describes a timeout with the total time to start, part of which the probe has used, and the setting to change. */
static void handshake_explain(const struct mcti_handshake *h, struct mct_error *err)
{
    const char *method = h->probing ? "server/discover" : "initialize";
    bool is_late = err->kind == MCT_ERR_TIMEOUT && mcti_sched_now(h->session->sched) >= h->deadline_ms;
    if (is_late)
        mcti_fail(err, MCT_ERR_TIMEOUT, "no answer to %s within %.4g s; %s raise start_timeout", method,
                  h->timeout_ms / 1000.0,
                  h->silence_is_handshake ? "a slow first start (npx install)?" : "if it is only slow,");
    else if (err->kind != MCT_ERR_AUTH) /* which no method is to blame for */
        mcti_error_wrap(err, "%s", method);
}

static void handshake_on_done(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_handshake *h = MCT_CONTAINER(o, struct mcti_handshake, out);
    struct mct_error wrapped;
    if (!answer && h->probing && h->era != MCT_ERA_STATELESS && !h->retried && means_handshake(h, err)) {
        fall_back(h);
    } else if (!answer) {
        wrapped = *err;
        handshake_explain(h, &wrapped);
        handshake_finish(h, &wrapped);
    } else if (h->probing) {
        if (answer->kind == MCT_MSG_RESULT)
            handshake_on_discovered(h, answer);
        else
            handshake_on_discover_refused(h, answer->error);
    } else if (answer->kind == MCT_MSG_RESULT) {
        handshake_on_initialized(h, answer);
    } else {
        handshake_on_initialize_refused(h, answer->error);
    }
}

int mcti_handshake_start(struct mcti_handshake *h, struct mct_error *err)
{
    h->out = (struct mcti_outbound){ .done = handshake_on_done, .more_time = handshake_has_more_time, .silent = true };
    h->retried = h->probed = h->starting = false;
    h->deadline_ms = mcti_sched_now(h->session->sched) + h->timeout_ms;
    h->info = (struct mcti_server_info){ 0 };
    return h->era == MCT_ERA_HANDSHAKE ? send_initialize(h, err) : send_discover(h, err);
}

void mcti_handshake_stop(struct mcti_handshake *h)
{
    mcti_session_cancel(&h->out, NULL);
    mcti_server_info_clear(&h->info);
}
