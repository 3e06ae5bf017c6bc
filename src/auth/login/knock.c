/* A request to the server itself, without credentials, where an authorization begins without a refused request. Its
 * refusal shows where the metadata is, and whether the server has a private address. */
#include "auth/login/impl.h"

static void knock_on_answer(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct mcti_login_knock *k = data;
    struct mcti_login *l = k->l;
    struct mcti_challenge c;
    k->request = NULL;
    if (err) {
        mcti_log(l->opts.log, MCT_LOG_DEBUG, "server '%s': %s", l->opts.name, err->message);
    } else {
        mcti_login_meet(l, r->fetch);
        if (r->status == 401 && !mcti_challenge_take(&c, r->fetch))
            mcti_login_note_cause(l, &c, r->status);
    }
    k->then(l);
}

/* A ping has no effect and ends a connection that a GET would leave open. */
static struct mcti_auth_request *knock_start(struct mcti_login_knock *k, struct mct_error *err)
{
    const struct mcti_auth_request_opts opts = {
        .method = "POST",
        .url = k->l->opts.server_url,
        .what = "the server",
        .type = "application/json",
        .body = MCT_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
    };
    k->net = k->l->env.net;
    k->net.allow_private = true; /* the configuration names it */
    return mcti_auth_request_start(&k->net, &opts, knock_on_answer, k, err);
}

void mcti_login_knock(struct mcti_login_knock *k, struct mcti_login *l, bool wants_cause,
                      void (*then)(struct mcti_login *l))
{
    struct mct_error err;
    k->l = l;
    k->then = then;
    bool needed = l->peer == PEER_UNKNOWN || (wants_cause && !l->cause_status);
    if (needed && (k->request = knock_start(k, &err)))
        return;
    then(l);
}

void mcti_login_knock_cancel(struct mcti_login_knock *k)
{
    mcti_auth_request_cancel(k->request);
    k->request = NULL;
}
