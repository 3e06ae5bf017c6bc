/* The token in use and its times. Wall-clock time is stored; the monotonic clock guards against jumps of the other, and
 * the wall clock against time that the monotonic one does not count while a computer is suspended. */
#include "auth/login/impl.h"

#include "base/hash.h"

enum { LONGEST_S = 315360000 }; /* ten years */

/* Returns the life of a token that `left_s` seconds are left of; longer ones are due to a damaged record. */
static int64_t token_life_s(const struct mcti_auth_record *rec, int64_t left_s)
{
    int64_t life_s =
        rec->obtained_at && rec->obtained_at <= rec->expires_at ? rec->expires_at - rec->obtained_at : left_s;
    return life_s < 0 ? 0 : life_s < LONGEST_S ? life_s : LONGEST_S;
}

static int64_t token_left_s(const struct mcti_login *l)
{
    const struct mcti_auth_record *rec = l->keep.rec;
    int64_t now_s = l->opts.now_s();
    return now_s < rec->expires_at ? rec->expires_at - now_s : 0;
}

/* The renewal in the background begins at 80 % of the life, and at least 30 seconds before its end. */
static void token_set_times(struct mcti_login *l)
{
    struct mcti_login_token *t = &l->token;
    t->expires = l->keep.rec->expires_at > 0;
    if (!t->expires)
        return;
    int64_t left_s = token_left_s(l), life_s = token_life_s(l->keep.rec, left_s);
    if (left_s > life_s) /* the clock has been set back since the token was obtained */
        left_s = life_s;
    int64_t early_s = life_s / 5 > MCT_LOGIN_MARGIN_S ? life_s / 5 : MCT_LOGIN_MARGIN_S;
    if (early_s > life_s / 2)
        early_s = life_s / 2;
    t->margin_s = life_s / 5 < MCT_LOGIN_MARGIN_S ? life_s / 5 : MCT_LOGIN_MARGIN_S;
    t->due_ms = t->since_ms + (uint64_t)left_s * 1000;
    t->renew_ms = left_s > early_s ? t->due_ms - (uint64_t)early_s * 1000 : t->since_ms;
}

uint64_t mcti_token_mark(const struct mcti_auth_record *rec)
{
    return rec ? mcti_hash((uint64_t)rec->expires_at, mcti_str_of(rec->access_token)) : 0;
}

int mcti_token_begin(struct mcti_login *l, enum mcti_login_source source)
{
    struct mcti_login_token *t = &l->token;
    const struct mcti_auth_record *rec = l->keep.rec;
    uint64_t now = mcti_login_now(l);
    bool quick = source == MCT_TOKEN_RENEWED && t->stamp && now < t->since_ms + MCT_LOGIN_LEAST_MS;
    mcti_key_free(t->dpop);
    *t = (struct mcti_login_token){
        .source = source, .since_ms = now, .n_stamps = t->n_stamps, .n_quick = quick ? t->n_quick + 1 : 0
    };
    if (!rec)
        return 0;
    if (rec->dpop_key && !(t->dpop = mcti_key_read(mcti_str_of(rec->dpop_key), NULL)))
        return -1;
    t->stamp = ++t->n_stamps;
    t->mark = mcti_token_mark(rec);
    token_set_times(l);
    return 0;
}

bool mcti_token_expired(const struct mcti_login *l, int64_t margin_s)
{
    const struct mcti_login_token *t = &l->token;
    if (!l->keep.rec || !l->keep.rec->access_token)
        return true;
    return t->expires && (mcti_login_now(l) + (uint64_t)margin_s * 1000 >= t->due_ms || token_left_s(l) <= margin_s);
}

bool mcti_token_can_renew(const struct mcti_login *l)
{
    return l->keep.rec && (!l->grant->person || l->keep.rec->refresh_token);
}

bool mcti_token_is_fresh(const struct mcti_login *l)
{
    const struct mcti_login_token *t = &l->token;
    uint64_t ms = !t->accepted ? MCT_LOGIN_FRESH_MS : t->n_quick >= MCT_LOGIN_QUICK ? MCT_LOGIN_LEAST_MS : 0;
    return t->source != MCT_TOKEN_STORED && mcti_login_now(l) < t->since_ms + ms;
}
