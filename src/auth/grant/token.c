/* Requests to the token endpoint: RFC 6749 section 3.2, with DPoP (RFC 9449 sections 5 and 8). */
#include "auth/grant/token.h"

#include "auth/jose/jwt.h"

#include <stdlib.h>

struct mcti_token_request {
    struct mcti_token_request_opts opts;
    struct mcti_buf form;        /* that was asked for */
    struct mcti_oauth_post post; /* that was sent */
    struct mcti_auth_request *request;
    bool has_nonce; /* the request has been repeated with a nonce */
};

static void token_request_free(struct mcti_token_request *r)
{
    mcti_buf_done(&r->form);
    mcti_oauth_post_done(&r->post);
    free(r);
}

void mcti_token_request_cancel(struct mcti_token_request *r)
{
    if (!r)
        return;
    mcti_auth_request_cancel(r->request);
    token_request_free(r);
}

static void token_request_end(struct mcti_token_request *r, const struct mcti_token_outcome *o)
{
    struct mcti_token_request_opts opts = r->opts;
    token_request_free(r);
    opts.done(opts.data, o);
}

static void token_request_fail(struct mcti_token_request *r, const struct mct_error *why)
{
    token_request_end(r, &(struct mcti_token_outcome){ .failed = why });
}

/* ---- answers ---- */

static bool token_type_is(const struct mcti_token_set *t, const char *type)
{
    return t->token_type && mcti_str_eq_nocase(mcti_str_of(t->token_type), mcti_str_of(type));
}

/* Returns true for a type that was asked for. The settings may insist on a proof; otherwise an authorization server
 * that ignores it has issued an ordinary token. */
static bool token_type_fits(const struct mcti_token_request_opts *opts, const struct mcti_token_set *t)
{
    if (opts->token_type)
        return token_type_is(t, opts->token_type);
    if (opts->dpop && token_type_is(t, "DPoP"))
        return true;
    return token_type_is(t, "Bearer") && !(opts->dpop && opts->env->settings->dpop == MCT_DPOP_REQUIRED);
}

static int token_type_wrong(const struct mcti_token_request_opts *opts, const struct mcti_token_set *t,
                            struct mct_error *err)
{
    const char *wanted = opts->token_type ? opts->token_type : opts->dpop ? "DPoP" : "Bearer";
    return mcti_fail(err, MCT_ERR_PROTOCOL, "%s %.200s returned a token of type \"%.32s\" instead of \"%s\"",
                     opts->at->what, opts->at->url, t->token_type ? t->token_type : "", wanted);
}

static void token_request_succeed(struct mcti_token_request *r, struct mcti_token_set *t, int status)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_token_outcome o = { .tokens = t, .status = status };
    if (!token_type_fits(&r->opts, t)) {
        token_type_wrong(&r->opts, t, &err);
        o = (struct mcti_token_outcome){ .status = status, .failed = &err };
    }
    token_request_end(r, &o);
    mcti_token_set_clear(t);
}

static void token_request_refuse(struct mcti_token_request *r, const struct mcti_auth_response *response)
{
    struct mcti_oauth_error refused;
    struct mct_error err = { MCT_ERR_NONE };
    mcti_oauth_refusal_read(response, r->opts.at, &r->post, &refused, &err);
    token_request_end(r, &(struct mcti_token_outcome){
                             .refused = *refused.error ? &refused : NULL, .status = response->status, .failed = &err });
}

/* An answer with status 200: tokens, or an error of servers that do not know the status of errors. */
static void token_request_read(struct mcti_token_request *r, const struct mcti_auth_response *response)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_token_set tokens;
    struct mcti_oauth_error refused;
    if (mcti_token_set_read(&tokens, response->body, &err) == 0) {
        token_request_succeed(r, &tokens, response->status);
        return;
    }
    mcti_oauth_error_read(&refused, response->body);
    if (err.kind == MCT_ERR_PROTOCOL && *refused.error) {
        token_request_refuse(r, response);
        return;
    }
    mcti_error_wrap(&err, "the answer of %s %.200s", r->opts.at->what, r->opts.at->url);
    token_request_end(r, &(struct mcti_token_outcome){ .status = response->status, .failed = &err });
}

static int token_request_send(struct mcti_token_request *r, struct mct_error *err);

/* Remembers the nonce of the answer. Returns true if the request has been sent again because the endpoint demands one:
 * once, and with a proof of its own (RFC 9449 section 8). */
static bool token_request_repeat(struct mcti_token_request *r, const struct mcti_auth_response *response)
{
    struct mcti_oauth_error refused;
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_str url = mcti_str_of(r->opts.at->url), nonce = mcti_fetch_header(response->fetch, "dpop-nonce");
    if (!r->opts.dpop)
        return false;
    mcti_nonces_set(r->opts.nonces, url, nonce);
    if (r->has_nonce || response->status / 100 != 4 || !nonce.len ||
        !mcti_str_eq(mcti_nonces_get(r->opts.nonces, url), nonce))
        return false;
    mcti_oauth_error_read(&refused, response->body);
    if (strcmp(refused.error, "use_dpop_nonce"))
        return false;
    r->has_nonce = true;
    if (token_request_send(r, &err) < 0)
        token_request_fail(r, &err);
    return true;
}

static void token_request_on_answer(void *data, const struct mcti_auth_response *response, const struct mct_error *err)
{
    struct mcti_token_request *r = data;
    r->request = NULL;
    if (err)
        token_request_fail(r, err);
    else if (token_request_repeat(r, response))
        return;
    else if (response->status == 200)
        token_request_read(r, response);
    else
        token_request_refuse(r, response);
}

/* ---- requests ---- */

static void token_request_put_proof(struct mcti_token_request *r)
{
    const struct mcti_token_request_opts *opts = &r->opts;
    struct mcti_str url = mcti_str_of(opts->at->url);
    const struct mcti_proof p = {
        .method = "POST", .url = url, .nonce = mcti_nonces_get(opts->nonces, url), .now_s = opts->env->now_s()
    };
    struct mcti_buf proof;
    mcti_buf_init(&proof, MCT_AUTH_DOCUMENT_BYTES);
    mcti_jwt_put_proof(&proof, opts->dpop, &p);
    mcti_headers_add(&r->post.headers, "DPoP", mcti_buf_str(&proof));
    mcti_buf_done(&proof);
}

/* Sends the form, with a new assertion and a new proof each time. */
static int token_request_send(struct mcti_token_request *r, struct mct_error *err)
{
    const struct mcti_token_request_opts *opts = &r->opts;
    mcti_oauth_post_done(&r->post);
    mcti_oauth_post_init(&r->post);
    mcti_buf_add(&r->post.form, mcti_buf_str(&r->form));
    if (mcti_oauth_put_client(opts->client, opts->at, opts->env->now_s(), &r->post, err) < 0)
        return -1;
    if (opts->dpop)
        token_request_put_proof(r);
    if (!mcti_oauth_post_ok(&r->post))
        return mcti_no_memory(err);
    const struct mcti_auth_request_opts request = mcti_oauth_post_request(&r->post, opts->at);
    r->request = mcti_auth_request_start(&opts->env->net, &request, token_request_on_answer, r, err);
    return r->request ? 0 : -1;
}

struct mcti_token_request *mcti_token_request_start(const struct mcti_token_request_opts *opts, struct mct_error *err)
{
    struct mcti_token_request *r = calloc(1, sizeof *r);
    if (!r) {
        mcti_no_memory(err);
        return NULL;
    }
    r->opts = *opts;
    mcti_buf_init_secret(&r->form, MCT_OAUTH_FORM_BYTES);
    mcti_oauth_post_init(&r->post);
    mcti_buf_add(&r->form, opts->form);
    if (token_request_send(r, err) == 0)
        return r;
    token_request_free(r);
    return NULL;
}
