/* The stored login: read when another process may have changed it, written under the lock. A login that cannot be
 * written is used from memory, and written as soon as that works. */
#include "auth/login/impl.h"

#include "auth/wire/url.h"
#include "base/hash.h"

#include <inttypes.h>

/* Returns true if the text is set to something else. */
static bool keep_differs(const char *wanted, const char *is)
{
    return wanted && (!is || strcmp(wanted, is) != 0);
}

/* Returns true if the login can be used with the settings of today. */
static bool keep_fits(const struct mcti_login *l, const struct mcti_auth_record *rec)
{
    const struct mcti_auth_settings *s = l->opts.settings;
    const struct mcti_grant_ops *grant = mcti_grant_find(rec->grant);
    if (!rec->issuer || !rec->access_token || !grant || grant->person != l->grant->person)
        return false;
    if (!grant->person && grant != l->grant)
        return false;
    if (keep_differs(s->issuer, rec->issuer) || (rec->client_id && keep_differs(s->client_id, rec->client_id)) ||
        (rec->client_kind == MCT_CLIENT_CONFIGURED && !s->client_id))
        return false;
    return !rec->resource || mcti_auth_url_covers(mcti_str_of(rec->resource), mcti_str_of(l->opts.server_url));
}

static struct mcti_auth_record *keep_find(struct mcti_login *l)
{
    struct mcti_auth_records *records = &l->keep.records;
    const char *issuer = l->opts.settings->issuer;
    struct mcti_auth_record *rec =
        issuer ? mcti_auth_records_find(records, issuer) : mcti_auth_records_current(records);
    return rec && keep_fits(l, rec) ? rec : NULL;
}

/* A new token ends all pauses: whatever failed may work with it. */
static void keep_begin(struct mcti_login *l, enum mcti_login_source source)
{
    if (mcti_token_begin(l, source)) {
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the key of the stored login cannot be used: log in again",
                 l->opts.name);
        l->keep.rec = NULL;
        mcti_token_begin(l, source);
    }
    mcti_login_renew_plan(l);
    if (!l->keep.rec)
        return;
    l->needed = false;
    l->why.kind = MCT_ERR_NONE;
    l->renew.pause.n = l->sign_in.pause.n = 0;
    mcti_login_steps_review(l);
}

void mcti_login_choose(struct mcti_login *l, enum mcti_login_source source)
{
    l->keep.rec = keep_find(l);
    if (source != MCT_TOKEN_STORED || mcti_token_mark(l->keep.rec) != l->token.mark)
        keep_begin(l, source);
    mcti_login_note_change(l);
}

int mcti_login_copy(const struct mcti_login *l, struct mcti_auth_records *to)
{
    const struct mcti_auth_records *from = &l->keep.records;
    struct mcti_auth_record one;
    *to = (struct mcti_auth_records){ .server = strdup(l->opts.server_url), .principal = strdup(l->opts.principal) };
    int r = to->server && to->principal ? 0 : -1;
    for (size_t i = 0; !r && i < from->n; i++) {
        r = mcti_auth_record_copy(&one, &from->v[i]);
        if (!r && (r = mcti_auth_records_set(to, &one)))
            mcti_auth_record_clear(&one);
    }
    to->current = from->current < to->n ? from->current : to->n;
    if (r)
        mcti_auth_records_clear(to);
    return r;
}

/* ---- reading ---- */

/* Replaces the document in memory. */
static void keep_adopt(struct mcti_login *l, struct mcti_auth_records *take)
{
    mcti_auth_records_clear(&l->keep.records);
    l->keep.records = *take;
    l->keep.unsaved = false;
    mcti_login_choose(l, MCT_TOKEN_STORED);
}

static bool keep_is_newer(const struct mcti_auth_record *theirs, const struct mcti_auth_record *ours)
{
    return theirs && theirs->obtained_at > ours->obtained_at;
}

/* Returns true if our login could not be written, and the stored one of its issuer is not newer. */
static bool keep_is_ahead(struct mcti_login *l, struct mcti_auth_records *stored)
{
    const struct mcti_auth_record *ours = l->keep.unsaved ? l->keep.rec : NULL;
    return ours && !keep_is_newer(mcti_auth_records_find(stored, ours->issuer), ours);
}

/* Puts our login, which is ahead, into the stored document, and goes on with the result in memory. A newer login at
 * another place remains the current one. */
static int keep_merge(struct mcti_login *l, struct mcti_auth_records *stored)
{
    struct mcti_auth_record ours;
    size_t current = stored->current;
    bool remains = keep_is_newer(mcti_auth_records_current(stored), l->keep.rec);
    if (mcti_auth_record_copy(&ours, l->keep.rec))
        return -1;
    if (mcti_auth_records_set(stored, &ours)) {
        mcti_auth_record_clear(&ours);
        return -1;
    }
    if (remains)
        stored->current = current;
    keep_adopt(l, stored);
    l->keep.unsaved = true;
    return 0;
}

/* Names the owner of a new document; one that was moved here from another server is no login of this one. */
static int keep_claim(const struct mcti_login *l, struct mcti_auth_records *r)
{
    if (r->server && r->principal && !strcmp(r->server, l->opts.server_url) && !strcmp(r->principal, l->opts.principal))
        return 0;
    mcti_auth_records_clear(r);
    *r = (struct mcti_auth_records){ .server = strdup(l->opts.server_url), .principal = strdup(l->opts.principal) };
    if (r->server && r->principal)
        return 0;
    mcti_auth_records_clear(r);
    return -1;
}

static int keep_take(struct mcti_login *l, struct mcti_str text, struct mct_error *err)
{
    struct mcti_auth_records r;
    struct mct_error why;
    if (mcti_auth_records_read(&r, text, &why)) {
        if (why.kind == MCT_ERR_NO_MEMORY)
            return mcti_no_memory(err);
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the stored login is damaged (%s): log in again", l->opts.name,
                 why.message);
    }
    if (keep_claim(l, &r))
        return mcti_no_memory(err);
    if (!keep_is_ahead(l, &r)) {
        keep_adopt(l, &r);
        return 0;
    }
    int done = keep_merge(l, &r);
    if (done)
        mcti_auth_records_clear(&r);
    return done ? mcti_no_memory(err) : 0;
}

/* The store will not read its text before it is written again. What is in memory is written then. */
static void keep_note_unreadable(struct mcti_login *l, const struct mct_error *why)
{
    if (!l->keep.unreadable)
        mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the stored login cannot be used: %s", l->opts.name,
                 why->message);
    l->keep.unreadable = true;
    l->keep.has_seen = false;
    l->keep.unsaved |= l->keep.rec != NULL;
    l->why = *why;
}

int mcti_login_sync(struct mcti_login *l, struct mct_error *err)
{
    struct mcti_buf text;
    struct mct_error why;
    mcti_buf_init_secret(&text, MCT_LIMIT_AUTH_BYTES);
    int r = l->opts.store->ops->load(l->opts.store, l->key, &text, &why);
    uint64_t mark = mcti_hash(2, mcti_buf_str(&text));
    if (r && why.kind == MCT_ERR_CONFIG) {
        keep_note_unreadable(l, &why);
        r = 0;
    } else if (r) {
        if (err)
            *err = why;
    } else if (!mcti_buf_ok(&text)) {
        r = mcti_no_memory(err);
    } else if (!l->keep.has_seen || mark != l->keep.seen) {
        r = keep_take(l, mcti_buf_str(&text), err);
        l->keep.has_seen = !r;
        l->keep.unreadable = false;
        l->keep.seen = mark;
    }
    mcti_buf_done(&text);
    l->keep.blind = r != 0;
    return r;
}

/* ---- writing ---- */

int mcti_login_save(struct mcti_login *l, struct mct_error *err)
{
    struct mcti_buf text;
    if (l->keep.blind)
        return mcti_fail(err, MCT_ERR_INTERNAL, "the stored login cannot be read");
    mcti_buf_init_secret(&text, MCT_LIMIT_AUTH_BYTES);
    if (l->keep.records.n)
        mcti_auth_records_put(&text, &l->keep.records);
    struct mcti_str s = mcti_buf_str(&text);
    int r = mcti_buf_ok(&text) ? l->opts.store->ops->save(l->opts.store, l->key, s.len ? s : MCT_STR_NONE, err)
                               : mcti_no_memory(err);
    if (!r) {
        l->keep.seen = mcti_hash(2, s);
        l->keep.has_seen = true;
        l->keep.unsaved = false;
        l->keep.pause.n = 0;
    }
    mcti_buf_done(&text);
    return r;
}

static void keep_plan(struct mcti_login *l, const struct mct_error *why)
{
    mcti_pause_begin(l, &l->keep.pause, why);
    mcti_timer_set(mcti_login_sched(l), &l->keep.timer, l->keep.pause.until_ms - mcti_login_now(l));
}

int mcti_login_store(struct mcti_login *l, struct mct_error *err)
{
    struct mct_error why;
    if (!mcti_login_save(l, &why))
        return 0;
    mcti_log(l->opts.log, MCT_LOG_WARN, "server '%s': the login cannot be stored and is kept in memory: %s",
             l->opts.name, why.message);
    l->keep.unsaved = true;
    keep_plan(l, &why);
    if (err)
        *err = why;
    return -1;
}

static void keep_on_locked(struct mcti_login *l, const struct mct_error *err)
{
    struct mct_error why;
    int r = err ? -1 : mcti_login_sync(l, &why);
    if (!r && l->keep.unsaved)
        r = mcti_login_save(l, &why);
    mcti_login_unlock(&l->keep.lock);
    if (r)
        keep_plan(l, err ? err : &why);
    else
        mcti_log(l->opts.log, MCT_LOG_INFO, "server '%s': the login is stored again", l->opts.name);
}

static void keep_again(void *data)
{
    struct mcti_login *l = data;
    if (l->keep.unsaved)
        mcti_login_lock(&l->keep.lock);
}

int mcti_login_keep(struct mcti_login *l, struct mcti_auth_record *take_rec, enum mcti_login_source source,
                    struct mct_error *err)
{
    struct mcti_auth_records *records = &l->keep.records;
    size_t current = records->current;
    if (mcti_auth_records_set(records, take_rec)) {
        mcti_auth_record_clear(take_rec);
        mcti_login_choose(l, MCT_TOKEN_STORED);
        return mcti_no_memory(err);
    }
    const struct mcti_auth_record *kept = mcti_auth_records_current(records);
    if (source == MCT_TOKEN_RENEWED) /* another login may have become the current one meanwhile */
        records->current = current;
    int r = mcti_login_store(l, err); /* before the token is used: an old refresh token may be worthless now */
    mcti_login_choose(l, keep_find(l) == kept ? source : MCT_TOKEN_STORED);
    return r;
}

void mcti_login_keep_init(struct mcti_login *l)
{
    mcti_timer_init(&l->keep.timer, keep_again, l);
    mcti_login_lock_init(&l->keep.lock, l, keep_on_locked);
}

int mcti_login_keep_begin(struct mcti_login *l)
{
    return keep_claim(l, &l->keep.records);
}

void mcti_login_keep_done(struct mcti_login *l)
{
    if (l->keep.unsaved && l->opts.store->ops->lock(l->opts.store, l->key, NULL) > 0) {
        l->keep.lock.held = true;
        keep_on_locked(l, NULL);
    }
    if (l->keep.unsaved)
        mcti_log(l->opts.log, MCT_LOG_ERROR, "server '%s': the login could not be stored and is lost", l->opts.name);
    mcti_login_unlock(&l->keep.lock);
    mcti_timer_stop(mcti_login_sched(l), &l->keep.timer);
    mcti_key_free(l->token.dpop);
    mcti_auth_records_clear(&l->keep.records);
}
