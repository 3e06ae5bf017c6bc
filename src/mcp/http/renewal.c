/* Renewal of a session that the server has lost: a new session is started, and pending requests are sent in it. */
#include "mcp/http/exchange.h"

#include <stdlib.h>

/* Drops the GET stream of the old session, which would keep the new one from opening its own. */
static void drop_stream(struct mcti_http *h)
{
    struct mcti_exchange *x = mcti_http_stream(h);
    if (!x)
        return;
    mcti_exchange_free(x);
    h->opening = NULL;
}

static void renewal_begin(struct mcti_http *h)
{
    struct mct_error err;
    const struct mcti_pieces *frame = &h->init_frame.pieces;
    struct mcti_exchange *x = frame->n ? mcti_exchange_new(h, MCT_EX_INITIALIZE, frame) : NULL;
    drop_stream(h);
    free(h->session_id);
    h->session_id = NULL;
    if (x) {
        mcti_http_post(x, true);
        return;
    }
    mcti_fail(&err, MCT_ERR_CONNECT, "the server has lost the session");
    mcti_http_give_up(h, &err);
}

void mcti_http_on_new_session(struct mcti_exchange *x, const struct mcti_msg *answer)
{
    const struct mcti_pieces initialized =
        mcti_pieces_one(MCT_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
    struct mcti_http *h = x->http;
    struct mct_error err;
    x->over = true;
    h->barrier = NULL;
    if (answer->kind != MCT_MSG_RESULT) {
        mcti_fail(&err, MCT_ERR_CONNECT, "the server has lost the session and refuses a new one: %.*s",
                  MCT_STR_ARG(answer->error));
        mcti_http_give_up(h, &err);
        return;
    }
    mcti_http_on_initialized(x, answer);
    struct mcti_exchange *notice = mcti_exchange_new(h, MCT_EX_NOTICE, &initialized);
    if (notice)
        mcti_http_post(notice, true);
    if (h->base.events.on_renewed)
        h->base.events.on_renewed(h->base.events.data, answer->text);
}

void mcti_http_on_session_lost(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    struct mct_error err;
    bool at_once = x == h->barrier; /* notifications/initialized: the server never knew this session */
    bool current = x->session == h->session_no;
    if (x->kind == MCT_EX_REQUEST && !x->resuming) {
        x->n_renewals++;
        mcti_http_queue(x); /* until the new session exists, unless it already does */
    } else {                /* answers and notifications of the old session are meaningless in the new one */
        mcti_fail(&err, MCT_ERR_CONNECT, "the server has lost the session%s",
                  x->resuming ? ", and the answer with it"
                  : at_once   ? " that it has just started"
                              : "");
        if (at_once)
            mcti_http_give_up(h, &err);
        mcti_http_on_ended(x, &err);
    }
    if (current && !h->barrier && !h->closing)
        renewal_begin(h);
    else
        mcti_http_release(h);
}
