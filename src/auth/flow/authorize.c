/* The grant of a flow: whether tokens are bound, the request itself, and what follows from its outcome. */
#include "auth/flow/impl.h"

/* ---- DPoP ---- */

static const char alg[] = "ES256"; /* of the keys that mcti_key_generate() makes */

/* Returns true if the server itself shows that it takes bound tokens. That an authorization server lists algorithms is
 * not enough: many list them for all resources, and a server that knows Bearer only would refuse a bound token. */
static bool server_takes_dpop(const struct mcti_flow *f)
{
    const struct mcti_challenge *c = &f->challenge;
    bool in_challenge = c->dpop && (!c->algs || mcti_scope_covers(mcti_str_of(c->algs), MCT_STR("ES256")));
    return in_challenge || mcti_strings_has(&f->found.prm.dpop_algs, mcti_str_of(alg));
}

int mcti_flow_choose_dpop(struct mcti_flow *f, struct mct_error *err)
{
    enum mcti_dpop mode = f->env->settings->dpop;
    const struct mcti_strings *listed = &f->found.as.dpop_algs;
    bool needed = mode == MCT_DPOP_REQUIRED || f->found.prm.dpop_required;
    bool can = mcti_strings_has(listed, mcti_str_of(alg));
    if (f->dpop)
        return 0;
    if (mode == MCT_DPOP_NEVER && f->found.prm.dpop_required)
        return mcti_fail(err, MCT_ERR_AUTH,
                         "the server requires tokens that are bound to a key, which \"auth\": {\"dpop\": \"never\"} "
                         "forbids");
    if (needed && listed->n && !can)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                         "tokens must be bound to a key, but the authorization server %s does not support %s for that",
                         f->found.as.issuer, alg);
    if (mode == MCT_DPOP_NEVER || !(needed || (can && server_takes_dpop(f))))
        return 0;
    f->dpop = mcti_key_generate(err);
    return f->dpop ? 0 : -1;
}

/* ---- the outcome ---- */

static int again_with_registration(struct mcti_flow *f)
{
    if (!f->is_stored || f->forgets_registration)
        return 0;
    f->forgets_registration = true;
    mcti_flow_go_on(f);
    return 1;
}

static int again_with_default_scope(struct mcti_flow *f)
{
    if (!f->scope_is_guess || !*f->scope || f->without_guess)
        return 0;
    f->without_guess = true;
    *f->scope = '\0';
    mcti_flow_authorize(f);
    return 1;
}

/* A client may be registered for the scopes that it asked for first. */
static int again_with_scope(struct mcti_flow *f)
{
    return again_with_registration(f) || again_with_default_scope(f);
}

static int authorize_again(struct mcti_flow *f)
{
    if (f->is_again)
        return 0;
    f->is_again = true;
    mcti_flow_authorize(f);
    return 1;
}

/* Errors of a person's authorization after which it is tried once more in another way. The functions return 0 if
 * nothing is left to try. */
static const struct {
    const char *error;
    int (*retry)(struct mcti_flow *f);
} authorize_retries[] = {
    { "invalid_client", again_with_registration },
    { "unauthorized_client", again_with_registration },
    { "invalid_scope", again_with_scope },
    { "invalid_grant", authorize_again },
};

static bool authorize_retry(struct mcti_flow *f, const char *error)
{
    for (size_t i = 0; f->ops->person && i < sizeof authorize_retries / sizeof *authorize_retries; i++)
        if (!strcmp(error, authorize_retries[i].error))
            return authorize_retries[i].retry(f);
    return false;
}

static void authorize_on_done(void *data, const struct mcti_token_outcome *o)
{
    struct mcti_flow *f = data;
    struct mcti_oauth_error refused = { .error = "" };
    struct mct_error err;
    f->grant = NULL;
    if (o->tokens) {
        bool is_complete = mcti_flow_complete(f, o->tokens) == 0;
        mcti_flow_end(f, is_complete ? NULL : (mcti_no_memory(&err), &err), NULL);
        return;
    }
    err = *o->failed;
    refused = o->refused ? *o->refused : refused;
    if (!authorize_retry(f, refused.error))
        mcti_flow_end(f, &err, o->refused ? &refused : NULL);
}

/* ---- the request ---- */

static int authorize_count(struct mcti_flow *f, struct mct_error *err)
{
    unsigned *n = f->opts.n_authorizations;
    if (n && *n >= MCT_AUTH_REQUESTS)
        return mcti_fail(err, MCT_ERR_AUTH,
                         "%d authorizations were not enough for the server: it refuses each token that it asks for",
                         MCT_AUTH_REQUESTS);
    if (n)
        ++*n;
    return 0;
}

/* The codes of the device flow expire by themselves, unless the person wants to wait less. */
static void authorize_set_deadline(struct mcti_flow *f)
{
    struct mcti_sched *sched = &f->env->net.loop->sched;
    if (f->ops == &mcti_grant_device && !f->env->person->wait_ms)
        mcti_timer_stop(sched, &f->deadline);
    else
        mcti_timer_set(sched, &f->deadline, mcti_flow_wait_ms(f));
}

void mcti_flow_authorize(struct mcti_flow *f)
{
    struct mct_error err;
    f->client = mcti_flow_client(f);
    const struct mcti_grant_opts opts = { .env = f->env,
                                          .as = &f->found.as,
                                          .client = f->client.id ? &f->client : NULL,
                                          .resource = f->found.resource,
                                          .scope = f->scope,
                                          .consent =
                                              mcti_scope_covers(mcti_str_of(f->scope), MCT_STR("offline_access")),
                                          .redirect_uri = f->redirect_uri,
                                          .dpop = f->dpop,
                                          .nonces = f->opts.nonces,
                                          .done = authorize_on_done,
                                          .data = f };
    mcti_flow_step(f, f->ops->person ? "waiting for a person to authorize" : "asking for a token");
    if (authorize_count(f, &err) < 0 || !(f->grant = f->ops->start(&opts, &err)))
        mcti_flow_end(f, &err, NULL);
    else
        authorize_set_deadline(f);
}
