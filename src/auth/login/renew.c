/*
 * Renewing the token: one redemption of a refresh token for all requests and processes. The lock of the stored login is
 * held from reading the refresh token to writing the next one. The store is written before the request, too: a new
 * refresh token that cannot be stored would be lost with the process, and the old one may be worthless by then.
 */
#include "auth/login/impl.h"

static void renew_clear(struct mcti_login *l)
{
    struct mcti_login_renew *n = &l->renew;
    mcti_login_unlock(&n->lock);
    mcti_auth_record_clear(&n->from);
    mcti_strings_clear(&n->methods);
    mcti_key_free(n->key);
    mcti_key_free(n->dpop);
    n->key = n->dpop = NULL;
    n->request = NULL;
    n->running = n->forced = false;
}

static void renew_tell(struct mcti_login *l, const struct mct_error *err)
{
    MCT_LIST_EACH(it, &l->renew.told) {
        mcti_told_end(l, MCT_CONTAINER(it, struct mcti_login_told, node), err);
    }
}

/* What follows an attempt in any case. */
static void renew_end(struct mcti_login *l, const struct mct_error *err)
{
    renew_clear(l);
    renew_tell(l, err);
    mcti_waits_end(&l->ready, NULL);
    mcti_login_renew_plan(l);
    mcti_login_note_change(l);
    mcti_login_end_go_on(l);
    mcti_login_try_close(l);
}

static void renew_succeed(struct mcti_login *l)
{
    l->renew.pause.n = l->renew.postponed.n = 0;
    mcti_waits_end(&l->refused, NULL);
    renew_end(l, NULL);
}

/* The token could not be renewed, and everything is as before: it is tried again. */
static void renew_fail(struct mcti_login *l, const struct mct_error *why)
{
    struct mct_error err = *why;
    mcti_error_wrap(&err, "the token could not be renewed");
    mcti_log(l->opts.log, l->renew.pause.n ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s': %s", l->opts.name,
             err.message);
    err.kind = MCT_ERR_AUTH;
    err.http_status = l->cause_status;
    mcti_pause_begin(l, &l->renew.pause, &err);
    l->why = err;
    l->token.refused |= l->renew.forced && !mcti_list_empty(&l->refused.waiting);
    if (!l->sign_in.running)
        mcti_waits_end(&l->refused, &err);
    err.kind = why->kind;
    renew_end(l, &err);
}

/* The store cannot be written while the token still lasts. */
static void renew_postpone(struct mcti_login *l, const struct mct_error *why)
{
    struct mct_error err = *why;
    mcti_error_wrap(&err, "the token is not renewed as long as the login cannot be stored");
    if (!l->renew.postponed.n)
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': %s", l->opts.name, err.message);
    mcti_pause_begin(l, &l->renew.postponed, &err);
    renew_end(l, &err);
}

/* There is nothing to renew with: `why` tells the reason. Refused requests lead to a new authorization. */
static void renew_give_up(struct mcti_login *l, const struct mct_error *why, bool forget_registration)
{
    const struct mcti_login_sign_in_opts opts = {
        .person = l->opts.person,
        .forget_registration = forget_registration,
    };
    struct mct_error err;
    bool wanted = !mcti_list_empty(&l->refused.waiting) && !l->sign_in.running;
    mcti_login_fail_needed(l, &err);
    l->why = why ? *why : err;
    l->token.refused |= wanted;
    l->needed |= wanted;
    renew_clear(l);
    if (wanted && !l->closing && !l->end.running)
        mcti_login_sign_in(l, &opts);
    renew_end(l, &err);
}

/* ---- the answer ---- */

static void renew_move(char **to, char **from)
{
    if (!*from)
        return;
    mcti_secret_free(*to);
    *to = *from;
    *from = NULL;
}

/* Makes the renewed login of the old one, which needs no memory. */
static void renew_fill(struct mcti_login *l, struct mcti_auth_record *rec, struct mcti_token_set *tokens)
{
    renew_move(&rec->access_token, &tokens->access_token);
    renew_move(&rec->refresh_token, &tokens->refresh_token);
    renew_move(&rec->token_type, &tokens->token_type);
    renew_move(&rec->scope, &tokens->scope);
    rec->obtained_at = l->opts.now_s();
    rec->expires_at = tokens->expires_in_s < 0 ? 0 : rec->obtained_at + tokens->expires_in_s;
}

static void renew_take(struct mcti_login *l, struct mcti_token_set *tokens)
{
    struct mct_error err;
    if (!mcti_auth_records_find(&l->keep.records, l->renew.from.issuer)) { /* logged out by others, without the lock */
        renew_give_up(l, NULL, false);
        return;
    }
    renew_fill(l, &l->renew.from, tokens);
    if (mcti_login_keep(l, &l->renew.from, MCT_TOKEN_RENEWED, &err) && err.kind == MCT_ERR_NO_MEMORY) {
        renew_fail(l, &err);
        return;
    }
    mcti_log(l->opts.log, MCT_LOG_INFO, "server '%s': renewed the token", l->opts.name);
    renew_succeed(l);
}

/* Forgets exactly the refresh token that was sent. If the store has another one by now, that one is used. */
static void renew_forget_token(struct mcti_login *l, const struct mct_error *why)
{
    uint64_t stamp = l->token.stamp;
    mcti_login_sync(l, NULL);
    if (l->token.stamp != stamp && l->token.stamp) {
        renew_succeed(l);
        return;
    }
    struct mcti_auth_record *rec = mcti_auth_records_find(&l->keep.records, l->renew.from.issuer);
    if (rec && rec->refresh_token && !strcmp(rec->refresh_token, l->renew.from.refresh_token)) {
        mcti_secret_free(rec->refresh_token);
        rec->refresh_token = NULL;
        mcti_login_store(l, NULL);
    }
    mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the login cannot be renewed any more: %s", l->opts.name,
             why->message);
    renew_give_up(l, why, false);
}

/* The client is unknown: a registration is forgotten with its tokens; a configured client is for a person to correct.
 */
static void renew_forget_client(struct mcti_login *l, const struct mct_error *why)
{
    struct mcti_auth_record *rec = mcti_auth_records_find(&l->keep.records, l->renew.from.issuer);
    if (l->renew.from.client_kind != MCT_CLIENT_REGISTERED) {
        renew_fail(l, why);
        return;
    }
    if (rec && rec->client_id && !strcmp(rec->client_id, l->renew.from.client_id)) {
        mcti_auth_records_remove(&l->keep.records, rec);
        mcti_login_store(l, NULL);
        mcti_login_choose(l, MCT_TOKEN_STORED);
    }
    mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the registration is not known any more: %s", l->opts.name,
             why->message);
    renew_give_up(l, why, true);
}

static const struct {
    const char *error;
    void (*then)(struct mcti_login *l, const struct mct_error *why);
} renew_refusals[] = {
    { "invalid_grant", renew_forget_token },
    { "invalid_client", renew_forget_client },
    { "unauthorized_client", renew_forget_client },
    { NULL, renew_fail }, /* any other: kept */
};

static void renew_on_answer(void *data, const struct mcti_token_outcome *o)
{
    struct mcti_login *l = data;
    size_t i = 0;
    l->renew.request = NULL;
    if (o->tokens) {
        renew_take(l, o->tokens);
        return;
    }
    while (renew_refusals[i].error && (!o->refused || strcmp(o->refused->error, renew_refusals[i].error) != 0))
        i++;
    renew_refusals[i].then(l, o->failed);
}

/* ---- the request ---- */

static int renew_read_key(struct mcti_key **to, const char *text, struct mct_error *err)
{
    *to = text ? mcti_key_read(mcti_str_of(text), err) : NULL;
    return text && !*to ? -1 : 0;
}

/* Fills what the request refers to from a copy of the login, because the login may change meanwhile. */
static int renew_prepare(struct mcti_login *l, struct mct_error *err)
{
    struct mcti_login_renew *n = &l->renew;
    if (mcti_auth_record_copy(&n->from, l->keep.rec))
        return mcti_no_memory(err);
    if (renew_read_key(&n->key, l->opts.settings->private_key, err) || renew_read_key(&n->dpop, n->from.dpop_key, err))
        return -1;
    if (mcti_oauth_of_login(&n->from, l->opts.settings, n->key, &n->methods, &n->client, &n->at))
        return mcti_no_memory(err);
    return 0;
}

static void renew_send(struct mcti_login *l)
{
    struct mcti_login_renew *n = &l->renew;
    struct mct_error err;
    if (!renew_prepare(l, &err)) {
        const struct mcti_token_request_opts opts = {
            .env = &l->env,
            .at = &n->at,
            .client = &n->client,
            .dpop = n->dpop,
            .nonces = &l->nonces,
            .done = renew_on_answer,
            .data = l,
        };
        n->request = mcti_refresh_start(&opts, n->from.refresh_token, n->from.resource, &err);
    }
    if (!n->request)
        renew_fail(l, &err);
}

static void renew_on_locked(struct mcti_login *l, const struct mct_error *err)
{
    struct mct_error why;
    if (err && err->kind == MCT_ERR_TIMEOUT) {
        renew_fail(l, err);
        return;
    }
    bool safe = !err && !mcti_login_sync(l, &why);
    if (l->token.stamp != l->renew.stamp && !mcti_token_expired(l, 0)) { /* another process has renewed it */
        renew_succeed(l);
        return;
    }
    if (!l->keep.rec || !l->keep.rec->refresh_token) {
        renew_give_up(l, NULL, false);
        return;
    }
    safe = safe && !mcti_login_save(l, &why);
    if (!safe && !l->renew.forced && !mcti_token_expired(l, 0))
        renew_postpone(l, err ? err : &why);
    else
        renew_send(l);
}

static void renew_on_met(struct mcti_login *l)
{
    mcti_login_lock(&l->renew.lock);
}

void mcti_login_renew(struct mcti_login *l, bool forced)
{
    const struct mcti_login_sign_in_opts opts = { .person = l->opts.person, .renews = true };
    struct mcti_login_renew *n = &l->renew;
    if (!l->grant->person) {
        if (!l->sign_in.running)
            mcti_login_sign_in(l, &opts);
        return;
    }
    n->forced |= forced;
    if (n->running)
        return;
    n->running = true;
    n->stamp = l->token.stamp;
    mcti_login_knock(&n->knock, l, false, renew_on_met);
}

/* ---- by itself ---- */

/* Returns the time before which the token is not renewed. */
static uint64_t renew_not_before_ms(const struct mcti_login *l)
{
    const struct mcti_login_pause *pauses[] = { l->grant->person ? &l->renew.pause : &l->sign_in.pause,
                                                &l->renew.postponed };
    size_t n = mcti_token_expired(l, 0) ? 1 : 2; /* once it has expired, the store does not matter */
    uint64_t at_ms = l->token.source == MCT_TOKEN_STORED ? 0 : l->token.since_ms + MCT_LOGIN_LEAST_MS;
    for (size_t i = 0; i < n; i++)
        if (pauses[i]->n && pauses[i]->until_ms > at_ms)
            at_ms = pauses[i]->until_ms;
    return at_ms;
}

/* Without requests, a server that has not been met yet is left alone. */
static bool renew_is_possible(const struct mcti_login *l)
{
    return mcti_token_can_renew(l) && l->peer != PEER_UNKNOWN;
}

bool mcti_login_may_renew(const struct mcti_login *l)
{
    return mcti_token_can_renew(l) && mcti_login_now(l) >= renew_not_before_ms(l);
}

static void renew_on_time(void *data)
{
    struct mcti_login *l = data;
    bool due = mcti_login_now(l) >= l->token.renew_ms || mcti_token_expired(l, l->token.margin_s);
    mcti_login_note_change(l); /* the token may just have expired */
    if (due && renew_is_possible(l) && mcti_login_may_renew(l))
        mcti_login_renew(l, false);
    mcti_login_renew_plan(l);
}

void mcti_login_renew_plan(struct mcti_login *l)
{
    const struct mcti_login_token *t = &l->token;
    uint64_t now = mcti_login_now(l), at_ms = t->due_ms;
    mcti_timer_stop(mcti_login_sched(l), &l->renew.timer);
    if (!l->opts.background || !t->expires || l->renew.running || l->sign_in.running || l->end.running || l->closing)
        return;
    if (renew_is_possible(l))
        at_ms = t->renew_ms > renew_not_before_ms(l) ? t->renew_ms : renew_not_before_ms(l);
    else if (at_ms <= now)
        return; /* expired for good, or until the server has answered */
    uint64_t in_ms = at_ms > now ? at_ms - now : 0;
    mcti_timer_set(mcti_login_sched(l), &l->renew.timer, in_ms < MCT_LOGIN_CHECK_MS ? in_ms : MCT_LOGIN_CHECK_MS);
}

void mcti_login_renew_init(struct mcti_login *l)
{
    mcti_list_init(&l->renew.told);
    mcti_timer_init(&l->renew.timer, renew_on_time, l);
    mcti_login_lock_init(&l->renew.lock, l, renew_on_locked);
}

void mcti_login_renew_done(struct mcti_login *l)
{
    mcti_login_knock_cancel(&l->renew.knock);
    mcti_token_request_cancel(l->renew.request);
    mcti_timer_stop(mcti_login_sched(l), &l->renew.timer);
    renew_tell(l, NULL); /* to the list that is dropped */
    renew_clear(l);
}
