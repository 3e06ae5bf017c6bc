/* One connection: its transport and session, and what their events mean for the server. */
#include "hub/server/branch.h"
#include "hub/server/call.h"
#include "hub/server/connect.h"
#include "hub/server/listen.h"
#include "hub/server/question.h"

#include "hub/guard/related.h"

/* ---- session events ---- */

static int server_on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct mcti_server *m = data;
    (void) final;
    return m->transport ? m->transport->ops->send(m->transport, frame, lane) : -1;
}

static int server_on_send_pieces(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    struct mcti_server *m = data;
    (void)lane;
    (void) final;
    return m->transport ? m->transport->ops->send_pieces(m->transport, frame) : -1;
}

static void server_on_request(void *data, struct mcti_session *s, const struct mcti_msg *msg, void *lane)
{
    (void)s;
    mcti_server_on_request(data, msg, lane);
}

static void server_on_notification(void *data, struct mcti_session *s, const struct mcti_msg *msg)
{
    (void)s;
    mcti_server_on_notification(data, msg);
}

static void server_on_request_over(void *data, uint64_t id, bool answered)
{
    struct mcti_server *m = data;
    if (!m->transport)
        return;
    m->transport->wanted |= answered;
    if (m->transport->ops->request_over)
        m->transport->ops->request_over(m->transport, id, answered);
}

static void server_on_bad_frame(void *data, const struct mcti_msg *msg, const struct mct_error *err)
{
    mcti_server_on_bad_message(data, msg->text, err);
}

static struct mcti_outbound *server_on_succeeds(void *data, uint64_t token)
{
    struct mcti_call *call = mcti_related_to_token(&((struct mcti_server *)data)->calls, token);
    return call ? &call->out : NULL;
}

static const struct mcti_session_ops session_ops = {
    .send = server_on_send,
    .send_pieces = server_on_send_pieces,
    .on_request = server_on_request,
    .on_notification = server_on_notification,
    .succeeds = server_on_succeeds,
    .request_over = server_on_request_over,
    .on_bad_frame = server_on_bad_frame,
};

/* ---- transport events ---- */

static void server_on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct mcti_server *m = data;
    m->heard_ms = mcti_sched_now(m->opts.sched);
    if (m->open)
        mcti_session_receive_chunk(&m->session, frame, m->transport->chunk, lane);
}

static bool server_on_hold(void *data, size_t *charged, size_t n)
{
    struct mcti_server *m = data;
    return !mcti_account_set(&m->answers, MCT_HELD_CALL, charged, n);
}

static void server_on_dropped(void *data, size_t max_bytes, struct mcti_str head)
{
    struct mcti_server *m = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_LIMIT, "the answer is larger than limits.message_bytes (%zu)", max_bytes);
    mcti_log(m->base.log, MCT_LOG_WARN, "server '%s': a message was dropped: %s", m->base.name, err.message);
    if (m->open)
        mcti_session_lost_message(&m->session, head, &err);
}

/* The server is busy: holds back other calls as well. A call whose time limit ends earlier fails at once. */
static bool server_on_busy(void *data, struct mcti_str id, unsigned ms)
{
    struct mcti_server *m = data;
    uint64_t n;
    const struct mcti_outbound *o = m->open && mcti_json_uint(id, &n) ? mcti_session_find(&m->session, n) : NULL;
    mcti_gate_hold(mcti_gate_of(&m->base), ms);
    return o && !(o->timer.set && o->timer.due_ms < mcti_sched_now(m->opts.sched) + ms);
}

static void server_on_lost(void *data, struct mcti_str id, const struct mct_error *why)
{
    struct mcti_server *m = data;
    if (m->open)
        mcti_session_fail(&m->session, id, why);
}

/* Logs a message that could not be delivered: as a warning the first time that the server accepts nothing, otherwise as
 * debug, because servers commonly refuse notifications. */
static void server_on_send_failed(void *data, const struct mct_error *why)
{
    struct mcti_server *m = data;
    bool accepts_nothing = why->kind == MCT_ERR_TIMEOUT || why->kind == MCT_ERR_LIMIT;
    mcti_log(m->base.log, accepts_nothing && !m->warned_of_undelivered ? MCT_LOG_WARN : MCT_LOG_DEBUG,
             "server '%s': could not deliver an answer or notification: %s", m->base.name, why->message);
    m->warned_of_undelivered |= accepts_nothing;
}

/* Handles a new session on the same connection: sends the subscriptions again and fetches the lists. */
static void server_on_renewed(void *data, struct mcti_str answer)
{
    struct mcti_server *m = data;
    struct mcti_msg msg;
    struct mct_error err;
    struct mcti_str version = MCT_STR_NONE;
    mcti_log(m->base.log, MCT_LOG_DEBUG, "server '%s' lost the session: started a new one", m->base.name);
    if (!m->up || mcti_msg_parse(answer, &msg, NULL) < 0)
        return;
    mcti_json_plain(mcti_json_get(msg.result, "protocolVersion"), &version);
    char *capabilities = mcti_str_dup(mcti_json_get(msg.result, "capabilities"));
    if (mcti_rev_find(version) != m->session.rev || !capabilities) {
        free(capabilities);
        mcti_fail(&err, MCT_ERR_CONNECT, "the new session uses another protocol revision");
        mcti_server_abandon(m, &err);
        return;
    }
    free(m->base.info.capabilities);
    m->base.info.capabilities = capabilities;
    mcti_server_listen_begin(m);
    mcti_server_report_outdated(m);
    mcti_lists_refetch(&m->lists, (1u << MCT_KIND_N) - 1);
}

static void server_put_headers(void *data, struct mcti_str params, struct mcti_headers *to)
{
    mcti_server_put_param_headers(data, params, to);
}

static void server_on_closed(void *data, const struct mct_error *why)
{
    struct mcti_server *m = data;
    struct mct_error err;
    bool probed = m->open && m->handshake.probed && m->handshake.out.session;
    bool connecting = m->open && !m->up;
    bool reported = !m->open; /* mcti_server_abandon() has reported the error, or it sleeps */
    if (why)
        err = *why;
    else
        mcti_fail(&err, MCT_ERR_CONNECT, "it was stopped");
    bool url = m->transport->ops->http, relays = m->transport->ops->relays;
    if (connecting && !m->stopping && url &&
        (mcti_server_try_without_verdict(m, &err) || mcti_server_try_next_variant(m, &err)))
        return;
    if (connecting && m->first_error->kind)
        err = *mcti_server_best_error(m, &err);
    mcti_server_take_down(m, &err);
    mcti_server_drop_transport(m);
    if (m->again)
        mcti_timer_set(m->opts.sched, &m->restart, 0);
    if (m->stopping) {
        mcti_server_stopped(m);
    } else if (!reported && !(probed && mcti_server_try_handshake_era(m))) {
        if (connecting && !url && !relays)
            mcti_error_wrap(&err, "it ended before it was ready");
        mcti_server_failed(m, &err);
    }
}

/* ---- the beginning ---- */

void mcti_server_begin(struct mcti_server *m)
{
    struct mct_error err;
    if (m->base.standby)
        mcti_provider_set_standby(&m->base, MCT_STANDBY_STARTING);
    else
        mcti_provider_set_state(&m->base, MCT_CONNECTING, NULL);
    free(m->err_out.line);
    m->err_out = (struct mcti_server_stderr){ 0 };
    m->answers.parent = &(m->base.origin ? m->base.origin : &m->base)->payer.account;
    m->transport = m->opts.connect(m->opts.data, m->variant, &err);
    if (!m->transport) {
        mcti_server_failed(m, &err);
        return;
    }
    m->transport->sending = &m->session.sending;
    m->base.transport = m->transport->ops->name;
    m->base.by_process = !m->transport->ops->http;
    m->transport->events = (struct mcti_transport_events){
        .on_frame = server_on_frame,
        .on_dropped = server_on_dropped,
        .on_hold = server_on_hold,
        .on_lost = server_on_lost,
        .on_busy = server_on_busy,
        .on_send_failed = server_on_send_failed,
        .on_renewed = server_on_renewed,
        .put_headers = server_put_headers,
        .on_stderr = mcti_server_on_stderr,
        .on_closed = server_on_closed,
        .data = m,
    };
    if (m->transport->ops->open(m->transport, &err) < 0) {
        mcti_transport_free(m->transport);
        m->transport = NULL;
        mcti_server_failed(m, &err);
        return;
    }
    mcti_session_init(&m->session, &session_ops, m, m->opts.sched, m->opts.message_bytes);
    m->open = true;
    mcti_server_start_handshake(m);
}
