/* What a handshake server asks its client: answered by the provider's answerer. */
#include "hub/mcp_impl.h"

#include <stdlib.h>

struct question {
    struct mct_inbound in;
    struct mct_ask ask;
    struct mcp *owner;
    char *params;
};

static void release(struct question *q)
{
    q->owner->session.n_holds--;
    free(q->params);
    free(q);
}

static void on_answered(struct mct_ask *a, struct mct_str result, const struct mct_error *err)
{
    struct question *q = MCT_CONTAINER(a, struct question, ask);
    if (result.p)
        mct_inbound_result(&q->in, result);
    else
        mct_inbound_fail(&q->in, err, MCT_STR_NONE);
    release(q);
}

/* The server takes it back, or the connection has gone. */
static void on_cancelled(struct mct_inbound *in)
{
    struct question *q = MCT_CONTAINER(in, struct question, in);
    mct_ask_withdraw(&q->ask);
    release(q);
}

static void refuse(struct mcp *m, const struct mct_msg *msg, void *lane, const char *why)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "%s %.*s", why, MCT_STR_ARG(msg->method));
    mct_session_refuse(&m->session, msg, lane, &err, MCT_STR_NONE);
}

static void ask(struct mcp *m, enum mct_ask_kind kind, const struct mct_msg *msg, void *lane)
{
    struct question *q = calloc(1, sizeof *q);
    if (q && msg->params.p)
        q->params = mct_str_dup(msg->params);
    if (!q || (msg->params.p && !q->params) || m->session.n_inbound >= MCT_LIMIT_ASKS) {
        if (q)
            free(q->params);
        free(q);
        refuse(m, msg, lane, "too many questions are open for another");
        return;
    }
    if (mct_inbound_init(&q->in, &m->session, msg, MCT_STR_NONE, lane) < 0) {
        free(q->params);
        free(q);
        return;
    }
    q->owner = m;
    q->in.cancelled = on_cancelled;
    q->ask = (struct mct_ask){ .kind = kind, .params = mct_str_of(q->params), .server = m->base.name,
                               .answered = on_answered };
    m->session.n_holds++; /* a person may need longer than a call may take */
    mct_ask_start(&q->ask, m->opts.answerer);
}

void mcp_on_request(struct mcp *m, const struct mct_msg *msg, void *lane)
{
    struct mct_inbound in = { 0 };
    enum mct_ask_kind kind = mct_ask_find(msg->method);
    if (mcp_is_stateless(m))
        return; /* it may not ask this way, and we may not answer (2026-07-28, "Transports") */
    if (mct_str_is(msg->method, "ping")) {
        if (mct_inbound_init(&in, &m->session, msg, MCT_STR_NONE, lane) == 0)
            mct_inbound_result(&in, MCT_STR("{}"));
    } else if (kind != MCT_ASK_N) {
        ask(m, kind, msg, lane);
    } else {
        refuse(m, msg, lane, "this client does not offer");
    }
}
