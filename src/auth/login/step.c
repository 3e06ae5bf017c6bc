/* Step-up: a request needs more scopes than the token has (2025-11-25 and 2026-07-28 "Scope Challenge Handling"). */
#include "auth/login/impl.h"

#include "base/hash.h"
#include "base/limits.h"

/* ---- step-ups without success ---- */

static uint64_t step_mark(const struct mcti_credential_refusal *r, const char *scope)
{
    return mcti_hash(mcti_hash(3, r->operation), mcti_str_of(scope));
}

static bool step_has_failed(const struct mcti_login *l, uint64_t mark)
{
    for (size_t i = 0; i < MCT_LOGIN_STEPS_KEPT; i++)
        if (l->steps.v[i].mark == mark && mcti_login_now(l) < l->steps.v[i].until_ms)
            return true;
    return false;
}

/* Counts a step-up as failed until the request succeeds: it does not come back then. */
static void step_remember(struct mcti_login *l, uint64_t mark)
{
    struct mcti_login_step *step = &l->steps.v[l->steps.next];
    l->steps.next = (l->steps.next + 1) % MCT_LOGIN_STEPS_KEPT;
    *step = (struct mcti_login_step){ mark, mcti_login_now(l) + MCT_LOGIN_STEP_MS };
}

/* Returns true if the token has the scopes, which are given. */
static bool step_is_granted(const struct mcti_login *l, const char *scope)
{
    const struct mcti_auth_record *rec = l->keep.rec;
    return scope && mcti_scope_covers(mcti_str_of(rec->scope ? rec->scope : rec->asked), mcti_str_of(scope));
}

void mcti_login_steps_review(struct mcti_login *l)
{
    bool found = step_is_granted(l, l->steps.missing);
    if (found || step_is_granted(l, l->sign_in.scope))
        memset(l->steps.v, 0, sizeof l->steps.v);
    if (!found)
        return;
    free(l->steps.missing);
    l->steps.missing = NULL;
}

/* ---- errors ---- */

/* Returns true if a shell takes the scopes, between double quotes, as they are: the server has chosen them, and a
 * person copies the command. */
static bool step_is_plain(const char *scope)
{
    return strspn(scope, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 :._/+-,=@~*%?&#") ==
           strlen(scope);
}

static bool step_fail(const struct mcti_credential_refusal *r, const char *scope, const char *why,
                      struct mct_error *err)
{
    mcti_fail(err, MCT_ERR_AUTH, "'%.*s' needs the scopes \"%s\"%s", MCT_STR_ARG(r->operation), scope, why);
    err->http_status = mcti_fetch_status(r->fetch);
    return false;
}

/* Nobody can be asked: names the command that a person runs with all scopes `needed`. */
static bool step_fail_alone(struct mcti_login *l, const struct mcti_credential_refusal *r, const char *needed,
                            struct mct_error *err)
{
    char *copy = strdup(needed);
    if (copy) {
        free(l->steps.missing);
        l->steps.missing = copy;
    }
    if (step_is_plain(needed))
        mcti_fail(err, MCT_ERR_AUTH, "'%.*s' needs more scopes: run 'mcptools login %s --scope \"%s\"'",
                  MCT_STR_ARG(r->operation), l->opts.name, needed);
    else
        step_fail(r, needed, ": log in again with these", err);
    err->http_status = mcti_fetch_status(r->fetch);
    return false;
}

/* ---- the step ---- */

/* Returns the scopes to ask for: those asked for before, those granted, and those of the challenge. NULL: out of
 * memory, or too many. */
static char *step_union(const struct mcti_login *l, const char *scope)
{
    const struct mcti_auth_record *rec = l->keep.rec;
    struct mcti_buf had, all;
    mcti_buf_init(&had, MCT_LIMIT_AUTH_SCOPE_BYTES);
    mcti_buf_init(&all, MCT_LIMIT_AUTH_SCOPE_BYTES);
    mcti_scope_put_union(&had, mcti_str_of(rec ? rec->asked : NULL), mcti_str_of(rec ? rec->scope : NULL));
    mcti_scope_put_union(&all, mcti_buf_str(&had), mcti_str_of(scope));
    mcti_buf_done(&had);
    char *text = mcti_buf_take(&all);
    mcti_buf_done(&all);
    return text;
}

/* Returns why no step-up is made; NULL: it is. */
static const char *step_objection(const struct mcti_login *l, const struct mcti_credential_refusal *r,
                                  const char *scope)
{
    unsigned n_steps = *r->n_tries / MCT_TRY_STEP;
    if (l->keep.rec && step_is_granted(l, scope))
        return ", which the token has";
    if (step_has_failed(l, step_mark(r, scope)))
        return ", which the authorization server does not grant";
    if (n_steps >= (l->grant->person ? MCT_LOGIN_STEPS : 1))
        return ", after others were granted for it";
    return NULL;
}

static bool step_begin(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                       struct mcti_credential_wait *w, struct mct_error *err)
{
    char *needed = step_union(l, c->scope);
    const struct mcti_login_sign_in_opts opts = { .scope = needed, .only_scope = true, .person = l->opts.person };
    bool waits = false;
    if (!needed) {
        step_fail(r, c->scope, ", which are too many to ask for", err);
    } else if (l->grant->person && !l->opts.person) {
        step_fail_alone(l, r, needed, err);
        mcti_login_note_cause(l, c, mcti_fetch_status(r->fetch));
    } else if (mcti_pause_lasts(l, &l->sign_in.pause) && l->sign_in.pause.why.kind) {
        *err = l->sign_in.pause.why;
    } else {
        step_remember(l, step_mark(r, c->scope));
        if ((*r->n_tries & MCT_TRY_MASK) == 1)
            l->sign_in.n_authorizations = 0;
        *r->n_tries += MCT_TRY_STEP;
        mcti_login_note_cause(l, c, mcti_fetch_status(r->fetch));
        mcti_waits_add(&l->refused, w);
        mcti_login_sign_in(l, &opts);
        waits = true;
    }
    free(needed);
    return waits;
}

bool mcti_login_step_up(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                        struct mcti_credential_wait *w, struct mct_error *err)
{
    if (l->token.stamp && l->token.stamp != r->stamp) {
        mcti_waits_pass(&l->ready, w);
        return true;
    }
    if (!c->scope || !*c->scope || !mcti_scope_is_valid(mcti_str_of(c->scope))) {
        mcti_fail(err, MCT_ERR_AUTH, "'%.*s' needs more scopes, which the server does not name",
                  MCT_STR_ARG(r->operation));
        return false;
    }
    if (l->sign_in.running) {
        mcti_waits_add(&l->refused, w);
        return true;
    }
    const char *objection = step_objection(l, r, c->scope);
    return objection ? step_fail(r, c->scope, objection, err) : step_begin(l, r, c, w, err);
}
