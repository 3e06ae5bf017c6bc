/* Logging out: revokes tokens, then forgets them. The lock is held meanwhile, so that no process renews them. */
#include "auth/login/impl.h"

static void end_finish(struct mcti_login *l, const struct mct_error *err)
{
    struct mcti_login_end *e = &l->end;
    struct mcti_login_told *told = e->told;
    mcti_login_unlock(&e->lock);
    mcti_auth_records_clear(&e->list);
    e->told = NULL;
    e->running = false;
    mcti_told_end(l, told, err);
    mcti_login_renew_plan(l);
    mcti_login_note_change(l);
}

static void end_forget_tokens(struct mcti_auth_record *rec)
{
    char **const texts[] = { &rec->access_token, &rec->refresh_token, &rec->dpop_key };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mcti_secret_free(*texts[i]);
        *texts[i] = NULL;
    }
    rec->obtained_at = rec->expires_at = 0;
}

/* Forgets the tokens of the current login, or all logins with their registrations. */
static void end_forget(struct mcti_login *l)
{
    struct mcti_auth_records *records = &l->keep.records;
    struct mct_error err;
    struct mcti_auth_record *rec = l->keep.rec ? l->keep.rec : mcti_auth_records_current(records);
    while (l->end.all && records->n)
        mcti_auth_records_remove(records, &records->v[0]);
    if (!l->end.all && rec)
        end_forget_tokens(rec);
    int r = mcti_login_store(l, &err);
    mcti_login_choose(l, MCT_TOKEN_STORED);
    l->needed = false;
    l->why.kind = MCT_ERR_NONE;
    if (r) {
        mcti_error_wrap(&err, "the login could not be removed from the store");
        end_finish(l, &err);
    } else {
        end_finish(l, l->end.told->err.kind ? &l->end.told->err : NULL);
    }
}

static void end_revoke_next(struct mcti_login *l);

static void end_on_revoked(void *data, const struct mct_error *err)
{
    struct mcti_login *l = data;
    l->end.revocation = NULL;
    if (err && !l->end.told->err.kind) {
        l->end.told->err = *err;
        mcti_error_wrap(&l->end.told->err, "the login is forgotten, but could not be revoked");
    }
    end_revoke_next(l);
}

/* Revokes the next login of the list; an authorization server without the endpoint is no failure. */
static void end_revoke_next(struct mcti_login *l)
{
    struct mcti_login_end *e = &l->end;
    struct mct_error err;
    while (e->at < e->list.n) {
        size_t i = e->at++;
        const struct mcti_auth_record *rec = &e->list.v[i];
        if (!rec->access_token || (!e->all && i != e->only))
            continue;
        e->revocation = mcti_revocation_start(&l->env, rec, end_on_revoked, l, &err);
        if (e->revocation)
            return;
        if (err.kind != MCT_ERR_UNSUPPORTED) {
            end_on_revoked(l, &err);
            return;
        }
    }
    end_forget(l);
}

/* Goes on without the lock if others do not release it: whoever logs out wants that now. */
static void end_on_locked(struct mcti_login *l, const struct mct_error *err)
{
    struct mct_error why;
    if (err)
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': %s", l->opts.name, err->message);
    if (mcti_login_sync(l, &why)) {
        end_finish(l, &why);
        return;
    }
    if (mcti_login_copy(l, &l->end.list)) {
        mcti_no_memory(&why);
        end_finish(l, &why);
        return;
    }
    if (!l->keep.records.n) {
        end_finish(l, NULL);
        return;
    }
    l->end.at = 0;
    l->end.only = l->keep.rec ? (size_t)(l->keep.rec - l->keep.records.v) : l->keep.records.current;
    end_revoke_next(l);
}

static void end_on_met(struct mcti_login *l)
{
    mcti_login_lock(&l->end.lock);
}

/* Returns true if there may be something to revoke, for which the address of the server must be known. */
static bool end_may_revoke(const struct mcti_login *l)
{
    for (size_t i = 0; i < l->keep.records.n; i++)
        if (l->keep.records.v[i].access_token && l->keep.records.v[i].revocation_endpoint)
            return true;
    return false;
}

void mcti_login_end_go_on(struct mcti_login *l)
{
    if (l->end.running && !l->end.started && !l->renew.running && !l->sign_in.running) {
        l->end.started = true;
        if (end_may_revoke(l))
            mcti_login_knock(&l->end.knock, l, false, end_on_met);
        else
            end_on_met(l);
    }
}

void mcti_login_end(struct mcti_login *l, bool all, mcti_login_done_fn done, void *data)
{
    struct mct_error err;
    struct mcti_login_told *told = mcti_told_new(done, data);
    if (!told)
        return;
    if (l->end.running || l->closing) {
        mcti_fail(&err, MCT_ERR_USAGE, "another logout is in progress");
        mcti_told_end(l, told, &err);
        return;
    }
    l->end.running = true;
    l->end.started = false;
    l->end.all = all;
    l->end.told = told;
    mcti_login_cancel(l);
    mcti_login_end_go_on(l);
}

void mcti_login_end_init(struct mcti_login *l)
{
    mcti_login_lock_init(&l->end.lock, l, end_on_locked);
}

void mcti_login_end_done(struct mcti_login *l)
{
    mcti_login_knock_cancel(&l->end.knock);
    mcti_revocation_cancel(l->end.revocation);
    mcti_login_unlock(&l->end.lock);
    mcti_auth_records_clear(&l->end.list);
    free(l->end.told);
}
