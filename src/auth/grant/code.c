/*
 * The grant "authorization_code" with PKCE (2026-07-28 "Authorization", RFC 7636, RFC 8707, RFC 9207). What binds the
 * answer to the request - issuer, state, verifier, redirect URI, resource - is in one struct and leaves it only in the
 * requests. code_answer.c judges the answer.
 */
#include "auth/grant/code.h"

#include "auth/jose/jwt.h"
#include "auth/wire/form.h"
#include "auth/wire/url.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/rand.h"

enum { VERIFIER_BYTES = 32, STATE_BYTES = 16, URL_BYTES = 2 * MCT_AUTH_DOCUMENT_BYTES };

struct code {
    struct mcti_grant base;
    struct mcti_grant_opts opts;
    struct mcti_oauth_endpoint token;
    struct mcti_code_expected expected;
    char *verifier;
    bool is_invited; /* the person has been asked, and the answer has not arrived */
    struct mcti_token_request *request;
    struct mcti_task refused; /* tells `why`, outside of the call that brought the answer */
    struct mct_error why;
    struct mcti_oauth_error error;
};

static struct code *code_of(struct mcti_grant *g)
{
    return MCT_CONTAINER(g, struct code, base);
}

/* ---- the end ---- */

/* Tells the person that the invitation is over. */
static void code_uninvite(struct code *c)
{
    const struct mcti_auth_person *person = c->opts.env->person;
    if (c->is_invited && person->over)
        person->over(person->data);
    c->is_invited = false;
}

static void code_stop(struct code *c)
{
    code_uninvite(c);
    mcti_task_stop(&c->refused);
    mcti_token_request_cancel(c->request);
}

static void code_free(struct code *c)
{
    mcti_secret_free(c->expected.state);
    mcti_secret_free(c->verifier);
    free(c);
}

static void code_cancel(struct mcti_grant *g)
{
    code_stop(code_of(g));
    code_free(code_of(g));
}

static void code_end(struct code *c, const struct mcti_token_outcome *o)
{
    code_stop(c);
    c->opts.done(c->opts.data, o);
    code_free(c);
}

static void code_on_refused(void *data)
{
    struct code *c = data;
    const struct mcti_token_outcome outcome = { .failed = &c->why, .refused = *c->error.error ? &c->error : NULL };
    code_end(c, &outcome);
}

static void code_on_token(void *data, const struct mcti_token_outcome *o)
{
    struct code *c = data;
    c->request = NULL;
    code_end(c, o);
}

/* ---- the token request ---- */

static void code_put_form(struct mcti_buf *form, const struct code *c, const struct mcti_buf *code)
{
    mcti_form_put(form, "grant_type", MCT_STR("authorization_code"));
    mcti_form_put(form, "code", mcti_buf_str(code));
    mcti_form_put(form, "redirect_uri", mcti_str_of(c->opts.redirect_uri));
    mcti_form_put(form, "code_verifier", mcti_str_of(c->verifier));
    mcti_form_put(form, "resource", mcti_str_of(c->opts.resource));
}

static int code_redeem(struct code *c, const struct mcti_buf *code)
{
    struct mcti_buf form;
    mcti_buf_init_secret(&form, URL_BYTES);
    code_put_form(&form, c, code);
    const struct mcti_token_request_opts opts = { .env = c->opts.env,
                                                  .at = &c->token,
                                                  .client = c->opts.client,
                                                  .form = mcti_buf_str(&form),
                                                  .dpop = c->opts.dpop,
                                                  .nonces = c->opts.nonces,
                                                  .done = code_on_token,
                                                  .data = c };
    if (!mcti_buf_ok(&form))
        mcti_no_memory(&c->why);
    else
        c->request = mcti_token_request_start(&opts, &c->why);
    mcti_buf_done(&form);
    return c->request ? 0 : -1;
}

static int code_answer(struct mcti_grant *g, struct mcti_str query)
{
    struct code *c = code_of(g);
    struct mcti_buf code;
    mcti_buf_init_secret(&code, URL_BYTES);
    int r = c->is_invited ? mcti_code_judge(&c->expected, query, &code, &c->error, &c->why) : 0;
    if (r)
        code_uninvite(c);
    if (r > 0 && code_redeem(c, &code) < 0)
        r = -1;
    if (r < 0)
        mcti_task_post(&c->opts.env->net.loop->sched, &c->refused);
    mcti_buf_done(&code);
    return r;
}

/* ---- the authorization request ---- */

static bool url_has(const struct mcti_buf *url, const char *name)
{
    struct mcti_str text = mcti_buf_str(url);
    const char *mark = text.len ? memchr(text.p, '?', text.len) : NULL;
    struct mcti_str query = mark ? mcti_str_range(mark + 1, text.p + text.len) : MCT_STR("");
    struct mcti_buf value;
    mcti_buf_init(&value, URL_BYTES);
    int n = mcti_form_get(query, name, &value);
    mcti_buf_done(&value);
    return n != 0;
}

/* Appends a parameter unless there is one of that name, because a doubled one makes the request invalid (RFC 6749
 * section 3.1). */
static void url_put_once(struct mcti_buf *url, const char *name, const char *value)
{
    if (value && !url_has(url, name))
        mcti_form_put(url, name, mcti_str_of(value));
}

static void url_put_challenge(struct mcti_buf *url, const char *verifier)
{
    struct mcti_buf challenge;
    mcti_buf_init(&challenge, MCT_LIMIT_AUTH_TEXT_BYTES);
    mcti_jwt_put_digest(&challenge, mcti_str_of(verifier));
    mcti_form_put(url, "code_challenge", mcti_buf_str(&challenge));
    mcti_form_put(url, "code_challenge_method", MCT_STR("S256"));
    mcti_buf_done(&challenge);
}

static void url_put_extra(struct mcti_buf *url, const struct mcti_pairs *extra)
{
    for (size_t i = 0; extra && i < extra->n; i++)
        url_put_once(url, extra->v[i].key, extra->v[i].value);
}

/* Writes the URL of the authorization request. The query of the endpoint stays (RFC 6749 section 3.1). */
static void code_put_url(struct mcti_buf *url, const struct code *c)
{
    const struct mcti_grant_opts *o = &c->opts;
    mcti_buf_addz(url, o->as->authorization_endpoint);
    if (!strchr(o->as->authorization_endpoint, '?'))
        mcti_buf_addc(url, '?');
    mcti_form_put(url, "response_type", MCT_STR("code"));
    mcti_form_put(url, "client_id", mcti_str_of(o->client->id));
    mcti_form_put(url, "redirect_uri", mcti_str_of(o->redirect_uri));
    url_put_challenge(url, c->verifier);
    mcti_form_put(url, "state", mcti_str_of(c->expected.state));
    mcti_form_put(url, "resource", mcti_str_of(o->resource));
    if (o->scope && *o->scope)
        mcti_form_put(url, "scope", mcti_str_of(o->scope));
    url_put_extra(url, o->env->settings->extra_params);
    url_put_once(url, "prompt", o->consent ? "consent" : NULL);
}

/* Returns random bytes in base64url, to free with mcti_secret_free(); NULL when out of memory. */
static char *random_text(size_t n_bytes)
{
    unsigned char bytes[VERIFIER_BYTES];
    struct mcti_buf text;
    mcti_buf_init_secret(&text, 4 * VERIFIER_BYTES);
    mcti_random(bytes, n_bytes);
    mcti_base64url_put(&text, (struct mcti_str){ (char *)bytes, n_bytes });
    explicit_bzero(bytes, sizeof bytes);
    return mcti_buf_take(&text);
}

static int code_invite(struct code *c, struct mct_error *err)
{
    const struct mcti_auth_person *person = c->opts.env->person;
    struct mcti_buf text;
    mcti_buf_init(&text, URL_BYTES);
    code_put_url(&text, c);
    char *url = mcti_buf_take(&text);
    const struct mcti_auth_invitation invitation = { .url = url, .can_paste = true };
    int r = url ? mcti_auth_url_check(mcti_str_of(url), "the authorization URL", err) : mcti_no_memory(err);
    if (r == 0)
        r = person->invite(person->data, &invitation, err);
    c->is_invited = r == 0;
    free(url);
    return r;
}

static struct mcti_grant *code_start(const struct mcti_grant_opts *opts, struct mct_error *err)
{
    struct code *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_no_memory(err);
        return NULL;
    }
    c->base.ops = &mcti_grant_code;
    c->opts = *opts;
    c->token = mcti_oauth_token_endpoint(opts->as);
    mcti_task_init(&c->refused, code_on_refused, c);
    c->verifier = random_text(VERIFIER_BYTES);
    c->expected = (struct mcti_code_expected){ .state = random_text(STATE_BYTES),
                                               .issuer = opts->as->issuer,
                                               .needs_iss = opts->as->sends_iss };
    if (!c->verifier || !c->expected.state)
        mcti_no_memory(err);
    else if (code_invite(c, err) == 0)
        return &c->base;
    code_cancel(&c->base);
    return NULL;
}

const struct mcti_grant_ops mcti_grant_code = { .word = "authorization_code",
                                                .person = true,
                                                .registers = true,
                                                .needs_client = true,
                                                .start = code_start,
                                                .answer = code_answer,
                                                .cancel = code_cancel };
