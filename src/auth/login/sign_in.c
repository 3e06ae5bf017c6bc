/* Authorizing: one flow at a time for all requests. Without a person, only looks whether the server has a login. */
#include "auth/login/impl.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

/* ---- the end ---- */

static void sign_in_clear(struct mcti_login *l)
{
    struct mcti_login_sign_in *s = &l->sign_in;
    mcti_login_unlock(&s->lock);
    mcti_auth_records_clear(&s->known);
    mcti_auth_record_clear(&s->got);
    free(s->scope);
    free(s->issuer);
    s->scope = s->issuer = NULL;
    s->flow = NULL;
    s->discover = NULL;
    s->running = s->has_got = s->compares = s->renews = s->only_scope = s->forget_registration = false;
}

/* What follows in any case. `err` is for the one who asked for the authorization. */
static void sign_in_end(struct mcti_login *l, const struct mct_error *err)
{
    struct mcti_login_told *told = l->sign_in.told;
    l->sign_in.told = NULL;
    sign_in_clear(l);
    mcti_told_end(l, told, err);
    mcti_waits_end(&l->ready, NULL);
    mcti_login_renew_plan(l);
    mcti_login_note_change(l);
    mcti_login_end_go_on(l);
    mcti_login_try_close(l);
}

/* Writes the error for requests: the reason; the ordinary error if the server has no login. */
static void sign_in_explain(const struct mcti_login *l, const struct mct_error *why, struct mct_error *ret)
{
    if (why->kind == MCT_ERR_NOT_FOUND) {
        mcti_fail_refused(ret, l->cause_status, MCT_STR_NONE);
        return;
    }
    *ret = *why;
    if (why->kind != MCT_ERR_AUTH)
        mcti_error_wrap(ret, "signing in failed");
    ret->kind = MCT_ERR_AUTH;
    ret->http_status = l->cause_status;
}

static void sign_in_fail(struct mcti_login *l, const struct mct_error *why)
{
    struct mct_error err, raw = *why;
    sign_in_explain(l, why, &err);
    mcti_pause_begin(l, &l->sign_in.pause, &err);
    if (l->opts.person || why->kind == MCT_ERR_NOT_FOUND) /* a person is not asked again soon */
        l->sign_in.pause.until_ms = mcti_login_now(l) + MCT_BACKOFF_MAX_MS;
    if (why->kind == MCT_ERR_NOT_FOUND) {
        l->sign_in.pause.why.kind = MCT_ERR_NONE; /* the transport knows more about the answer */
    } else {
        l->token.refused |= !l->sign_in.renews && !l->sign_in.only_scope && !mcti_list_empty(&l->refused.waiting);
        l->needed |= !l->keep.rec || l->token.refused;
        l->why = err;
    }
    mcti_waits_end(&l->refused, &err);
    sign_in_end(l, &raw);
}

/* ---- storing ---- */

/* Adds what earlier authorizations at the same place asked for. */
static int sign_in_add_asked(struct mcti_login *l, struct mct_error *err)
{
    struct mcti_auth_record *got = &l->sign_in.got;
    const struct mcti_auth_record *old = mcti_auth_records_find(&l->keep.records, got->issuer);
    struct mcti_buf both;
    if (!old || !old->asked)
        return 0;
    mcti_buf_init(&both, MCT_LIMIT_AUTH_SCOPE_BYTES);
    mcti_scope_put_union(&both, mcti_str_of(old->asked), mcti_str_of(got->asked));
    if (!mcti_buf_ok(&both)) { /* too long: what was asked for now is enough */
        mcti_buf_done(&both);
        return 0;
    }
    char *asked = mcti_buf_take(&both);
    if (!asked)
        return mcti_no_memory(err);
    free(got->asked);
    got->asked = asked;
    return 0;
}

/* Stores the login; also without the lock, if others do not release it: a person has made it. */
static void sign_in_on_locked(struct mcti_login *l, const struct mct_error *err)
{
    struct mct_error why;
    bool asked = l->sign_in.told != NULL;
    if (err)
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': %s", l->opts.name, err->message);
    mcti_login_sync(l, NULL);
    int r = sign_in_add_asked(l, &why);
    if (!r) {
        r = mcti_login_keep(l, &l->sign_in.got, MCT_TOKEN_GRANTED, &why);
        l->sign_in.has_got = false;
    }
    if (r && why.kind == MCT_ERR_NO_MEMORY) {
        sign_in_fail(l, &why);
        return;
    }
    mcti_log(l->opts.log, MCT_LOG_INFO, "server '%s': signed in", l->opts.name);
    mcti_waits_end(&l->refused, NULL);
    if (r)
        mcti_error_wrap(&why, "the login is valid, but could not be stored");
    sign_in_end(l, r && asked ? &why : NULL);
}

static void sign_in_on_flow(void *data, struct mcti_auth_record *take_login, const struct mct_error *err,
                            const struct mcti_oauth_error *refused)
{
    struct mcti_login *l = data;
    (void)refused; /* the flow has drawn the conclusions, and the text says it */
    l->sign_in.flow = NULL;
    if (err) {
        sign_in_fail(l, err);
        return;
    }
    l->sign_in.got = *take_login;
    *take_login = (struct mcti_auth_record){ 0 };
    l->sign_in.has_got = true;
    mcti_login_lock(&l->sign_in.lock);
}

/* ---- the steps ---- */

static void sign_in_flow(struct mcti_login *l)
{
    struct mcti_login_sign_in *s = &l->sign_in;
    struct mct_error err;
    const struct mcti_flow_opts opts = {
        .env = &s->env,
        .challenge = l->cause_status ? &l->cause : NULL,
        .wanted_scope = s->scope,
        .only_wanted = s->only_scope,
        .known = &s->known,
        .issuer = s->issuer,
        .forget_registration = s->forget_registration,
        .nonces = &l->nonces,
        .n_authorizations = &s->n_authorizations,
        .done = sign_in_on_flow,
        .data = l,
    };
    s->flow = mcti_flow_start(&opts, &err);
    if (!s->flow)
        sign_in_fail(l, &err);
    else
        mcti_login_note_change(l);
}

/* Decides after a look at the metadata: whether there is a login, or whether it is at another place now. */
static void sign_in_on_discovery(void *data, struct mcti_discovery *take_found, const struct mct_error *err)
{
    struct mcti_login *l = data;
    struct mcti_login_sign_in *s = &l->sign_in;
    struct mct_error why;
    s->discover = NULL;
    const char *issuer = err ? NULL : take_found->as.issuer, *ours = l->keep.rec ? l->keep.rec->issuer : NULL;
    bool moved = !issuer || !ours || strcmp(issuer, ours) != 0;
    if (err)
        why = *err;
    else if (!take_found->has_resource_metadata && !take_found->has_issuer_metadata && !l->opts.settings->client_id)
        mcti_fail(&why, MCT_ERR_NOT_FOUND, "the server has no login");
    else if (s->compares && !moved)
        mcti_fail(&why, MCT_ERR_AUTH, "the server refuses a token that '%s' has just issued for it", issuer);
    else if (l->grant->person && !s->env.person)
        mcti_login_fail_needed(l, &why);
    else {
        sign_in_flow(l);
        return;
    }
    sign_in_fail(l, &why);
}

static void sign_in_discover(struct mcti_login *l)
{
    struct mct_error err;
    const struct mcti_discover_opts opts = {
        .env = &l->sign_in.env,
        .resource_metadata = l->cause.resource_metadata,
        .known = &l->sign_in.known,
        .done = sign_in_on_discovery,
        .data = l,
    };
    l->sign_in.discover = mcti_discover_start(&opts, &err);
    if (!l->sign_in.discover)
        sign_in_fail(l, &err);
}

static void sign_in_on_met(struct mcti_login *l)
{
    struct mcti_login_sign_in *s = &l->sign_in;
    s->env.net = l->env.net;
    if (s->compares || (l->grant->person && !s->env.person))
        sign_in_discover(l);
    else
        sign_in_flow(l);
}

static int sign_in_copy(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return text && !*to ? -1 : 0;
}

void mcti_login_sign_in(struct mcti_login *l, const struct mcti_login_sign_in_opts *opts)
{
    struct mcti_login_sign_in *s = &l->sign_in;
    struct mct_error err;
    const char *scope = opts->scope;
    if (opts->renews && l->keep.rec) /* a step-up lasts beyond the token */
        scope = l->keep.rec->asked;
    s->running = true;
    s->compares = opts->compares;
    s->renews = opts->renews;
    s->only_scope = opts->only_scope;
    s->forget_registration = opts->forget_registration;
    s->told = opts->take_told;
    s->env = l->env;
    s->env.person = opts->person;
    if (sign_in_copy(&s->scope, scope) || sign_in_copy(&s->issuer, opts->issuer) || mcti_login_copy(l, &s->known)) {
        mcti_no_memory(&err);
        sign_in_fail(l, &err);
        return;
    }
    mcti_login_knock(&s->knock, l, s->told != NULL, sign_in_on_met);
}

/* ---- from outside ---- */

static void sign_in_cancel(struct mcti_login_sign_in *s)
{
    mcti_login_knock_cancel(&s->knock);
    mcti_discover_cancel(s->discover);
    mcti_flow_cancel(s->flow);
}

void mcti_login_sign_in_stop(struct mcti_login *l, const struct mct_error *why)
{
    struct mct_error err;
    if (!l->sign_in.running || l->sign_in.has_got)
        return;
    if (why) {
        err = *why;
        err.kind = MCT_ERR_AUTH;
        err.http_status = l->cause_status;
    }
    sign_in_cancel(&l->sign_in);
    mcti_waits_end(&l->refused, why ? &err : NULL);
    sign_in_end(l, why);
}

/* Ends an authorization that a refused request has caused. The requests wait for the one that begins now. */
static void sign_in_make_way(struct mcti_login *l)
{
    sign_in_cancel(&l->sign_in);
    sign_in_clear(l);
}

void mcti_login_begin(struct mcti_login *l, const struct mcti_login_wish *wish, mcti_login_done_fn done, void *data)
{
    struct mct_error err;
    struct mcti_login_told *told = mcti_told_new(done, data);
    const struct mcti_login_sign_in_opts opts = {
        .scope = wish->scope,
        .only_scope = wish->scope != NULL,
        .issuer = wish->issuer,
        .person = wish->person ? wish->person : l->opts.person,
        .take_told = told,
    };
    if (!told)
        return;
    if (l->sign_in.told || l->sign_in.has_got || l->end.running || l->closing) {
        mcti_fail(&err, MCT_ERR_USAGE, "another login or logout is in progress");
        mcti_told_end(l, told, &err);
        return;
    }
    if (mcti_login_sync(l, &err)) { /* what cannot be read now could not be kept later */
        mcti_told_end(l, told, &err);
        return;
    }
    sign_in_make_way(l);
    l->sign_in.n_authorizations = 0;
    mcti_login_sign_in(l, &opts);
}

int mcti_login_paste(struct mcti_login *l, struct mcti_str url, struct mct_error *err)
{
    if (!l->sign_in.flow)
        return mcti_fail(err, MCT_ERR_USAGE, "no login is in progress");
    return mcti_flow_paste(l->sign_in.flow, url, err);
}

void mcti_login_cancel(struct mcti_login *l)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CANCELLED, "the login was cancelled");
    mcti_login_sign_in_stop(l, &err);
}

void mcti_login_abandon(struct mcti_login *l, const void *data)
{
    bool is_ours = l->sign_in.told && l->sign_in.told->data == data;
    mcti_login_drop_done(l, data);
    if (is_ours)
        mcti_login_cancel(l);
}

void mcti_login_sign_in_init(struct mcti_login *l)
{
    mcti_login_lock_init(&l->sign_in.lock, l, sign_in_on_locked);
}

void mcti_login_sign_in_done(struct mcti_login *l)
{
    sign_in_cancel(&l->sign_in);
    if (l->sign_in.has_got) { /* it waits for the lock; a person has made it */
        mcti_login_sync(l, NULL);
        mcti_login_keep(l, &l->sign_in.got, MCT_TOKEN_GRANTED, NULL);
    }
    free(l->sign_in.told);
    sign_in_clear(l);
}
