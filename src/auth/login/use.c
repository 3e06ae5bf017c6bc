/* The table for transports: what a request carries, and what follows from its refusal. */
#include "auth/login/impl.h"

#include "auth/jose/jwt.h"
#include "auth/wire/url.h"
#include "base/limits.h"
#include "base/log/visible.h"

#include <strings.h>

static struct mcti_login *use_login(struct mcti_credentials *c)
{
    return MCT_CONTAINER(c, struct mcti_login, base);
}

/* ---- before a request ---- */

/* Returns true if a renewal must come first. */
static bool use_must_renew(const struct mcti_login *l)
{
    return l->keep.rec && mcti_token_expired(l, l->token.margin_s) && mcti_login_may_renew(l);
}

static bool use_ready(struct mcti_credentials *c, struct mcti_credential_wait *w)
{
    struct mcti_login *l = use_login(c);
    if (use_must_renew(l)) {
        mcti_waits_add(&l->ready, w);
        mcti_login_renew(l, false);
        return false;
    }
    if (l->keep.rec || !l->sign_in.running)
        return true;
    mcti_waits_add(&l->ready, w);
    return false;
}

static void use_put_proof(struct mcti_login *l, const struct mcti_credential_request *r, struct mcti_headers *to)
{
    struct mcti_buf proof;
    const struct mcti_proof p = {
        .method = r->method,
        .url = mcti_str_of(r->url),
        .token = mcti_str_of(l->keep.rec->access_token),
        .nonce = mcti_nonces_get(&l->nonces, mcti_str_of(r->url)),
        .body = r->body,
        .now_s = l->opts.now_s(),
    };
    mcti_buf_init(&proof, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_jwt_put_proof(&proof, l->token.dpop, &p);
    mcti_headers_add(to, "DPoP", mcti_buf_str(&proof));
    mcti_buf_done(&proof);
}

/* The token goes to the origin of the server only. */
static bool use_is_ours(const struct mcti_login *l, const char *url)
{
    return mcti_auth_url_same_origin(mcti_str_of(url), mcti_str_of(l->opts.server_url));
}

static uint64_t use_put(struct mcti_credentials *c, const struct mcti_credential_request *r, struct mcti_headers *to)
{
    struct mcti_login *l = use_login(c);
    const struct mcti_auth_record *rec = l->keep.rec;
    struct mcti_buf value;
    if (!rec || !use_is_ours(l, r->url))
        return 0;
    bool bound = l->token.dpop && rec->token_type && !strcasecmp(rec->token_type, "DPoP");
    mcti_buf_init_secret(&value, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_buf_addz(&value, bound ? "DPoP " : "Bearer ");
    mcti_buf_addz(&value, rec->access_token);
    mcti_headers_add(to, "Authorization", mcti_buf_str(&value));
    mcti_buf_done(&value);
    if (bound)
        use_put_proof(l, r, to);
    return l->token.stamp;
}

static void use_answered(struct mcti_credentials *c, const struct mcti_fetch *fetch, const char *url)
{
    struct mcti_login *l = use_login(c);
    int status = mcti_fetch_status(fetch);
    mcti_nonces_set(&l->nonces, mcti_str_of(url), mcti_fetch_header(fetch, "DPoP-Nonce"));
    if (l->peer == PEER_UNKNOWN) {
        mcti_login_meet(l, fetch);
        mcti_login_renew_plan(l);
    }
    if (status >= 200 && status < 300) {
        l->token.accepted = true;
        l->token.refused = false;
        mcti_login_note_change(l);
    }
}

/* ---- a refusal ---- */

enum { TELLING_BYTES = 8 }; /* where so many bytes of a token begin, the whole of it is hidden */

static void use_hide(struct mcti_credentials *c, char *text)
{
    const struct mcti_auth_record *rec = use_login(c)->keep.rec;
    const char *token = rec && rec->access_token ? rec->access_token : "";
    size_t n = strnlen(token, TELLING_BYTES);
    for (; n && *text; text++)
        for (size_t i = 0; (i || !strncmp(text, token, n)) && text[i] && text[i] == token[i]; i++)
            text[i] = '*';
}

static bool use_fail(struct mct_error *err, const char *what, const struct mcti_challenge *c)
{
    mcti_fail(err, MCT_ERR_AUTH, "%s%s%s", what, c->error_description ? ": " : "",
              c->error_description ? c->error_description : "");
    mcti_visible(err->message);
    return false;
}

/* Returns false with *err for a request that must not cause anything before a pause has ended. */
static bool use_refuse_paused(const struct mcti_login_pause *p, struct mct_error *err)
{
    *err = p->why;
    return false;
}

static bool use_pass(struct mcti_login *l, struct mcti_credential_wait *w)
{
    mcti_waits_pass(&l->ready, w);
    return true;
}

void mcti_login_note_cause(struct mcti_login *l, struct mcti_challenge *take_c, int status)
{
    mcti_challenge_clear(&l->cause);
    l->cause = *take_c;
    *take_c = (struct mcti_challenge){ 0 };
    l->cause_status = status;
}

/* Returns true if only the DPoP nonce is missing or old: the same request once more, with the one that came with the
 * answer (RFC 9449 section 9). That is no reason to authorize. */
static bool use_wants_nonce(const struct mcti_login *l, const struct mcti_credential_refusal *r,
                            const struct mcti_challenge *c)
{
    return l->token.dpop && r->stamp && c->error && !strcmp(c->error, "use_dpop_nonce") &&
           !(*r->n_tries & MCT_TRY_NONCE) && mcti_nonces_get(&l->nonces, mcti_str_of(r->url)).p;
}

/* Renews or authorizes because of a token that is refused, or missing. */
static bool use_replace(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                        struct mcti_credential_wait *w, struct mct_error *err)
{
    bool again = (*r->n_tries & MCT_TRY_MASK) > 1;
    bool fresh = r->stamp && l->token.source != MCT_TOKEN_STORED && (again || mcti_token_is_fresh(l));
    bool compares = fresh && l->token.source == MCT_TOKEN_GRANTED;
    bool renews = r->stamp && !fresh && l->grant->person && l->keep.rec->refresh_token;
    const struct mcti_login_pause *pause = renews ? &l->renew.pause : &l->sign_in.pause;
    const struct mcti_login_sign_in_opts opts = { .person = l->opts.person, .compares = compares };
    if (mcti_pause_lasts(l, pause))
        return use_refuse_paused(pause, err);
    if (compares && *r->n_tries & MCT_TRY_COMPARED)
        return use_fail(err, "the server refuses a token that was issued for it just now", c);
    *r->n_tries |= compares ? MCT_TRY_COMPARED : 0;
    if (!again)
        l->sign_in.n_authorizations = 0;
    mcti_login_note_cause(l, c, mcti_fetch_status(r->fetch));
    mcti_waits_add(&l->refused, w);
    if (renews)
        mcti_login_renew(l, true);
    else
        mcti_login_sign_in(l, &opts);
    return true;
}

static bool use_refused_token(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                              struct mcti_credential_wait *w, struct mct_error *err)
{
    if (l->token.stamp && l->token.stamp != r->stamp)
        return use_pass(l, w);
    if (l->sign_in.running || l->renew.running) {
        mcti_waits_add(&l->refused, w);
        return true;
    }
    mcti_login_sync(l, NULL); /* another process may have logged in; what it cannot read, it warns about */
    if (l->token.stamp && l->token.stamp != r->stamp)
        return use_pass(l, w);
    struct mcti_credential_refusal now = *r;
    now.stamp = l->token.stamp; /* 0: another process has logged out */
    return use_replace(l, &now, c, w, err);
}

static bool use_decide(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                       struct mcti_credential_wait *w, struct mct_error *err)
{
    int status = mcti_fetch_status(r->fetch);
    if (l->end.running) {
        mcti_login_fail_needed(l, err);
        return false;
    }
    if (use_wants_nonce(l, r, c)) {
        *r->n_tries |= MCT_TRY_NONCE;
        return use_pass(l, w);
    }
    *r->n_tries &= ~(unsigned)MCT_TRY_NONCE;
    if ((*r->n_tries & MCT_TRY_MASK) > MCT_LOGIN_TRIES)
        return use_fail(err, "the server refuses every token", c);
    if (c->error && !strcmp(c->error, "insufficient_scope") && (status == 403 || r->stamp))
        return mcti_login_step_up(l, r, c, w, err);
    return status == 401 && use_refused_token(l, r, c, w, err);
}

static bool use_refused(struct mcti_credentials *c, const struct mcti_credential_refusal *r,
                        struct mcti_credential_wait *w, struct mct_error *err)
{
    struct mcti_login *l = use_login(c);
    struct mcti_challenge challenge;
    err->kind = MCT_ERR_NONE;
    if (l->closing || !use_is_ours(l, r->url))
        return false;
    mcti_login_meet(l, r->fetch);
    *r->n_tries += MCT_TRY;
    bool waits = false;
    if (mcti_challenge_take(&challenge, r->fetch))
        mcti_no_memory(err);
    else
        waits = use_decide(l, r, &challenge, w, err);
    mcti_challenge_clear(&challenge);
    return waits;
}

const struct mcti_credentials_ops mcti_login_ops = {
    .ready = use_ready,
    .put = use_put,
    .answered = use_answered,
    .refused = use_refused,
    .hide = use_hide,
};
