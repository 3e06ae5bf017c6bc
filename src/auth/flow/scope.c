/* Chooses the scopes that an authorization asks for. */
#include "auth/flow/impl.h"

#include "base/limits.h"

struct wish {
    struct mcti_buf text;
    bool is_too_long;
};

/* Adds a list of scopes that are not in the wish yet; a malformed one is left out. */
static void wish_add(struct wish *w, const char *more)
{
    struct mcti_buf both;
    size_t len = more ? strlen(more) : 0;
    w->is_too_long |= w->text.len + len > MCT_LIMIT_AUTH_SCOPE_BYTES;
    if (!len || w->is_too_long || !mcti_buf_ok(&w->text) || !mcti_scope_is_valid(mcti_str_of(more)))
        return;
    mcti_buf_init(&both, w->text.max);
    mcti_scope_put_union(&both, mcti_buf_str(&w->text), mcti_str_of(more));
    mcti_buf_done(&w->text);
    w->text = both;
}

/* Adds the scopes that were asked for until now and those that the server has missed (2026-07-28 "Step-Up
 * Authorization Flow"): a new authorization replaces the granted scopes. */
static void wish_add_step_up(struct wish *w, const struct mcti_flow *f)
{
    const struct mcti_auth_record *before = mcti_flow_known(f);
    wish_add(w, before ? before->asked : NULL);
    wish_add(w, before ? before->scope : NULL);
    wish_add(w, f->env->settings->scopes);
    wish_add(w, f->wanted_scope);
    wish_add(w, f->challenge.scope);
}

static bool scope_is_step_up(const struct mcti_flow *f)
{
    const char *error = f->challenge.error;
    return f->wanted_scope || (error && !strcmp(error, "insufficient_scope"));
}

static void wish_add_listed(struct wish *w, const struct mcti_strings *scopes)
{
    for (size_t i = 0; i < scopes->n; i++)
        wish_add(w, scopes->v[i]);
}

/* Takes the first source that names scopes. */
static void wish_fill(struct wish *w, struct mcti_flow *f)
{
    if (f->opts.only_wanted)
        wish_add(w, f->wanted_scope);
    else if (scope_is_step_up(f))
        wish_add_step_up(w, f);
    else
        wish_add(w, f->env->settings->scopes);
    if (!w->text.len)
        wish_add(w, f->challenge.scope);
    f->scope_is_guess = !w->text.len && !f->without_guess;
    if (f->scope_is_guess)
        wish_add_listed(w, &f->found.prm.scopes);
}

/* Returns true if a refresh token is asked for with a scope. That scope never stands alone: a request without scopes
 * gets the default of the authorization server, and one scope would replace it. */
static bool scope_needs_offline(const struct mcti_flow *f)
{
    return f->ops->person && !(f->opts.only_wanted && f->wanted_scope) &&
           mcti_strings_has(&f->found.as.scopes, MCT_STR("offline_access"));
}

int mcti_flow_choose_scope(struct mcti_flow *f, struct mct_error *err)
{
    struct wish w = { .is_too_long = false };
    mcti_buf_init(&w.text, 2 * MCT_LIMIT_AUTH_SCOPE_BYTES);
    wish_fill(&w, f);
    if (w.text.len && scope_needs_offline(f))
        wish_add(&w, "offline_access");
    free(f->scope);
    f->scope = mcti_buf_take(&w.text);
    if (w.is_too_long)
        return mcti_fail(err, MCT_ERR_LIMIT,
                         "the scopes to ask for have more than %d characters: name fewer with \"auth\": "
                         "{\"scopes\": …}",
                         MCT_LIMIT_AUTH_SCOPE_BYTES);
    return f->scope ? 0 : mcti_no_memory(err);
}
