#include "auth/login/login.h"

#include "auth/login/impl.h"
#include "base/clock.h"

static int64_t login_now_s(void)
{
    return (int64_t)(mcti_clock_wall_ms() / 1000);
}

/* ---- the state ---- */

static const struct mcti_word login_words[] = {
    { "none", MCT_LOGIN_NONE },   { "needed", MCT_LOGIN_NEEDED },   { "running", MCT_LOGIN_RUNNING },
    { "ready", MCT_LOGIN_READY }, { "expired", MCT_LOGIN_EXPIRED }, { 0 },
};

const char *mcti_login_state_word(enum mcti_login_state state)
{
    return mcti_word_of(login_words, state);
}

enum mcti_login_state mcti_login_state(const struct mcti_login *l)
{
    if (l->sign_in.flow || l->sign_in.has_got || l->sign_in.told)
        return MCT_LOGIN_RUNNING;
    if (!l->keep.rec)
        return l->needed ? MCT_LOGIN_NEEDED : MCT_LOGIN_NONE;
    if (!l->token.refused && !mcti_token_expired(l, 0))
        return MCT_LOGIN_READY;
    return !mcti_token_can_renew(l) || (l->needed && l->token.refused) ? MCT_LOGIN_NEEDED : MCT_LOGIN_EXPIRED;
}

void mcti_login_describe(const struct mcti_login *l, struct mcti_login_facts *ret)
{
    const struct mcti_auth_record *rec = l->keep.rec;
    *ret = (struct mcti_login_facts){
        .state = mcti_login_state(l),
        .missing_scope = l->steps.missing,
    };
    if (l->why.kind && ret->state != MCT_LOGIN_READY)
        ret->why = &l->why;
    if (!rec)
        return;
    ret->issuer = rec->issuer;
    ret->client_id = rec->client_id;
    ret->scope = rec->scope ? rec->scope : rec->asked;
    ret->resource = rec->resource;
    ret->grant = rec->grant;
    ret->client_kind = rec->client_kind;
    ret->expires_at = rec->expires_at;
    ret->expired = mcti_token_expired(l, 0);
    ret->can_refresh = mcti_token_can_renew(l);
    ret->can_revoke = rec->revocation_endpoint != NULL;
    ret->bound = l->token.dpop != NULL;
}

static void login_on_change(void *data)
{
    struct mcti_login *l = data;
    enum mcti_login_state state = mcti_login_state(l);
    bool differs = state != l->shown;
    l->shown = state;
    if (differs && l->opts.changed)
        l->opts.changed(l->opts.data);
}

void mcti_login_note_change(struct mcti_login *l)
{
    if (!l->closing && mcti_login_state(l) != l->shown)
        mcti_task_post(mcti_login_sched(l), &l->change);
}

void mcti_login_meet(struct mcti_login *l, const struct mcti_fetch *fetch)
{
    l->peer = mcti_fetch_peer_is_public(fetch) ? PEER_PUBLIC : PEER_PRIVATE;
    l->env.net.allow_private = l->opts.settings->allow_private || l->peer == PEER_PRIVATE;
}

int mcti_login_fail_needed(const struct mcti_login *l, struct mct_error *err)
{
    mcti_fail(err, MCT_ERR_AUTH, "needs a login: run 'mcptools login %s'", l->opts.name);
    if (err)
        err->http_status = l->cause_status;
    return -1;
}

/* ---- wishes ---- */

int mcti_login_put_token(const struct mcti_login *l, struct mcti_buf *to, struct mct_error *err)
{
    if (!l->keep.rec)
        return mcti_login_fail_needed(l, err);
    if (mcti_token_expired(l, 0))
        return mcti_fail(err, MCT_ERR_AUTH, "the token has expired");
    mcti_buf_addz(to, l->keep.rec->access_token);
    return mcti_buf_ok(to) ? 0 : mcti_no_memory(err);
}

/* Writes why the token cannot be renewed. Returns false if it can. */
static bool login_refuses_renewal(struct mcti_login *l, struct mct_error *err)
{
    if (l->end.running || l->closing || (!l->grant->person && l->sign_in.running))
        mcti_fail(err, MCT_ERR_USAGE, "another login or logout is in progress");
    else if (mcti_login_sync(l, err))
        return true;
    else if (l->grant->person && !l->keep.rec)
        mcti_login_fail_needed(l, err);
    else if (l->grant->person && !l->keep.rec->refresh_token)
        mcti_fail(err, MCT_ERR_AUTH, "the login has no refresh token: run 'mcptools login %s'", l->opts.name);
    else
        return false;
    return true;
}

void mcti_login_refresh(struct mcti_login *l, mcti_login_done_fn done, void *data)
{
    struct mct_error err;
    struct mcti_login_told *told = mcti_told_new(done, data);
    const struct mcti_login_sign_in_opts opts = { .renews = true, .take_told = told };
    if (!told)
        return;
    if (login_refuses_renewal(l, &err)) {
        mcti_told_end(l, told, &err);
    } else if (!l->grant->person) {
        mcti_login_sign_in(l, &opts);
    } else {
        mcti_list_append(&l->renew.told, &told->node);
        mcti_login_renew(l, true);
    }
}

void mcti_login_reload(struct mcti_login *l)
{
    uint64_t stamp = l->token.stamp;
    struct mct_error err;
    if (mcti_login_sync(l, &err)) {
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': %s", l->opts.name, err.message);
        return;
    }
    if (l->token.stamp == stamp)
        return;
    if (!l->token.stamp || mcti_token_expired(l, 0))
        return;
    if (!l->sign_in.told)
        mcti_login_sign_in_stop(l, NULL);
    mcti_waits_end(&l->ready, NULL);
    mcti_waits_end(&l->refused, NULL);
}

/* ---- life ---- */

struct mcti_credentials *mcti_login_credentials(struct mcti_login *l)
{
    return &l->base;
}

/* Frees what login_init() made. */
static void login_done(struct mcti_login *l)
{
    mcti_waits_done(&l->ready);
    mcti_waits_done(&l->refused);
    mcti_login_renew_done(l);
    mcti_login_sign_in_done(l);
    mcti_login_end_done(l);
    mcti_login_keep_done(l);
    MCT_LIST_EACH(it, &l->tells) {
        mcti_list_remove(it);
        free(MCT_CONTAINER(it, struct mcti_login_told, node));
    }
    mcti_task_stop(&l->tell);
    mcti_task_stop(&l->change);
    mcti_task_stop(&l->close);
    mcti_nonces_clear(&l->nonces);
    mcti_challenge_clear(&l->cause);
    free(l->steps.missing);
    free((char *)l->opts.name);
    free((char *)l->opts.server_url);
    free((char *)l->opts.principal);
    free(l);
}

void mcti_login_free(struct mcti_login *l)
{
    if (l)
        login_done(l);
}

static void login_on_close(void *data)
{
    struct mcti_login *l = data;
    mcti_later_fn closed = l->closed;
    void *closed_data = l->closed_data;
    login_done(l);
    closed(closed_data);
}

void mcti_login_try_close(struct mcti_login *l)
{
    if (l->closing && !l->renew.request)
        mcti_task_post(mcti_login_sched(l), &l->close);
}

void mcti_login_close(struct mcti_login *l, mcti_later_fn closed, void *data)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CANCELLED, "the server is being closed");
    mcti_waits_done(&l->ready);
    mcti_waits_done(&l->refused);
    l->closing = true;
    l->closed = closed;
    l->closed_data = data;
    mcti_login_sign_in_stop(l, &err);
    mcti_login_try_close(l);
}

static void login_init(struct mcti_login *l)
{
    l->env = (struct mcti_auth_env){
        .net = { l->opts.loop, l->opts.http, l->opts.log, l->opts.settings->allow_private },
        .name = l->opts.name,
        .server_url = l->opts.server_url,
        .settings = l->opts.settings,
        .now_s = l->opts.now_s,
    };
    mcti_list_init(&l->tells);
    mcti_task_init(&l->tell, mcti_told_run, l);
    mcti_task_init(&l->change, login_on_change, l);
    mcti_task_init(&l->close, login_on_close, l);
    mcti_waits_init(&l->ready, l);
    mcti_waits_init(&l->refused, l);
    l->grant = mcti_grant_find(l->opts.settings->grant);
    if (!l->grant) /* the configuration knows the words */
        l->grant = mcti_grant_find(NULL);
    mcti_login_keep_init(l);
    mcti_login_renew_init(l);
    mcti_login_sign_in_init(l);
    mcti_login_end_init(l);
}

/* Copies the texts of the options. Returns -1 when out of memory. */
static int login_copy_texts(struct mcti_login *l, const struct mcti_login_opts *opts)
{
    l->opts.name = strdup(opts->name);
    l->opts.server_url = strdup(opts->server_url);
    l->opts.principal = strdup(opts->principal);
    return l->opts.name && l->opts.server_url && l->opts.principal ? 0 : -1;
}

struct mcti_login *mcti_login_new(const struct mcti_login_opts *opts)
{
    struct mct_error err;
    struct mcti_login *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.ops = &mcti_login_ops;
    l->opts = *opts;
    l->opts.now_s = opts->now_s ? opts->now_s : login_now_s;
    int r = login_copy_texts(l, opts);
    login_init(l);
    if (r || mcti_login_keep_begin(l)) {
        login_done(l);
        return NULL;
    }
    mcti_auth_key(l->key, mcti_str_of(l->opts.server_url), mcti_str_of(l->opts.principal));
    if (mcti_login_sync(l, &err)) {
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': %s", l->opts.name, err.message);
        l->why = err;
    }
    l->shown = mcti_login_state(l);
    return l;
}
