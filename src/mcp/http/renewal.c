/* A session that the server has forgotten is begun again, and what was under way is sent in the new one. */
#include "mcp/http/exchange.h"

#include <stdlib.h>

/* The stream of the old session would keep the new one from getting its own. */
static void drop_stream(struct mct_http *h)
{
    MCT_LIST_EACH(it, &h->exchanges) {
        if (mct_exchange_of(it)->kind != MCT_EX_STREAM)
            continue;
        mct_exchange_free(mct_exchange_of(it));
        h->opening = NULL;
        return; /* there is one at most */
    }
}

static void begin_again(struct mct_http *h)
{
    struct mct_error err;
    struct mct_str frame = { h->init_frame, h->init_len };
    struct mct_exchange *x = frame.p ? mct_exchange_new(h, MCT_EX_BEGIN, frame) : NULL;
    drop_stream(h);
    free(h->session_id);
    h->session_id = NULL;
    if (x) {
        mct_http_post(x, true);
        return;
    }
    mct_fail(&err, MCT_ERR_CONNECT, "the server has forgotten the session");
    mct_http_give_up(h, &err);
}

void mct_http_on_begun(struct mct_exchange *x, const struct mct_msg *answer)
{
    static const struct mct_str initialized = MCT_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    struct mct_http *h = x->http;
    struct mct_error err;
    x->over = true;
    h->barrier = NULL;
    if (answer->kind != MCT_MSG_RESULT) {
        mct_fail(&err, MCT_ERR_CONNECT, "the server has forgotten the session and refuses another: %.*s",
                 MCT_STR_ARG(answer->error));
        mct_http_give_up(h, &err);
        return;
    }
    mct_http_on_initialized(x, answer);
    struct mct_exchange *notice = mct_exchange_new(h, MCT_EX_NOTICE, initialized);
    if (notice)
        mct_http_post(notice, true);
    if (h->base.events.on_renewed)
        h->base.events.on_renewed(h->base.events.data, answer->text);
}

void mct_http_forgotten(struct mct_exchange *x)
{
    struct mct_http *h = x->http;
    struct mct_error err;
    bool at_once = x == h->barrier; /* notifications/initialized: it never knew it */
    bool current = x->session == h->session_no;
    if (x->kind == MCT_EX_REQUEST && !x->resuming) {
        x->n_renewals++;
        mct_http_hold(x); /* until the new session is there, if it is not already */
    } else { /* what was said in the old session means nothing in the new one */
        mct_fail(&err, MCT_ERR_CONNECT, "the server has forgotten the session%s", x->resuming ? ", and the answer with it"
                                        : at_once ? " it has just begun" : "");
        if (at_once)
            mct_http_give_up(h, &err);
        mct_http_ended(x, &err);
    }
    if (current && !h->barrier && !h->closing)
        begin_again(h);
    else
        mct_http_release(h);
}
