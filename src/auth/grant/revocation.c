/* Token revocation (RFC 7009). */
#include "auth/grant/token.h"
#include "auth/wire/form.h"

#include <stdlib.h>

enum { N_TOKENS = 2 };

struct mcti_revocation {
    const struct mcti_auth_env *env;
    struct mcti_auth_record login;
    struct mcti_key *key; /* of the settings; NULL: none */
    struct mcti_strings lists;
    struct mcti_oauth_client client;
    struct mcti_oauth_endpoint at;
    struct mcti_oauth_post post;
    struct mcti_auth_request *request;
    unsigned n_sent;        /* tokens */
    struct mct_error first; /* failure */
    void (*done)(void *data, const struct mct_error *err);
    void *data;
};

static void revocation_free(struct mcti_revocation *r)
{
    mcti_auth_record_clear(&r->login);
    mcti_key_free(r->key);
    mcti_strings_clear(&r->lists);
    mcti_oauth_post_done(&r->post);
    free(r);
}

void mcti_revocation_cancel(struct mcti_revocation *r)
{
    if (!r)
        return;
    mcti_auth_request_cancel(r->request);
    revocation_free(r);
}

static void revocation_note(struct mcti_revocation *r, const struct mct_error *err)
{
    if (!r->first.kind)
        r->first = *err;
}

static void revocation_on_answer(void *data, const struct mcti_auth_response *response, const struct mct_error *err);

static int revocation_send(struct mcti_revocation *r, const char *token, const char *hint, struct mct_error *err)
{
    mcti_oauth_post_done(&r->post);
    mcti_oauth_post_init(&r->post);
    mcti_form_put(&r->post.form, "token", mcti_str_of(token));
    mcti_form_put(&r->post.form, "token_type_hint", mcti_str_of(hint));
    if (mcti_oauth_put_client(&r->client, &r->at, r->env->now_s(), &r->post, err) < 0)
        return -1;
    if (!mcti_oauth_post_ok(&r->post))
        return mcti_no_memory(err);
    const struct mcti_auth_request_opts request = mcti_oauth_post_request(&r->post, &r->at);
    r->request = mcti_auth_request_start(&r->env->net, &request, revocation_on_answer, r, err);
    return r->request ? 0 : -1;
}

/* Sends the next token. Returns false if there are no more. */
static bool revocation_go_on(struct mcti_revocation *r)
{
    const char *const tokens[N_TOKENS][2] = { { r->login.refresh_token, "refresh_token" },
                                              { r->login.access_token, "access_token" } };
    struct mct_error err = { MCT_ERR_NONE };
    while (r->n_sent < N_TOKENS) {
        const char *const *row = tokens[r->n_sent++];
        if (!row[0])
            continue;
        if (revocation_send(r, row[0], row[1], &err) == 0)
            return true;
        revocation_note(r, &err);
    }
    return false;
}

static void revocation_on_answer(void *data, const struct mcti_auth_response *response, const struct mct_error *err)
{
    struct mcti_revocation *r = data;
    struct mcti_oauth_error refused;
    struct mct_error why = { MCT_ERR_NONE };
    r->request = NULL;
    if (!err && response->status / 100 != 2) {
        mcti_oauth_refusal_read(response, &r->at, &r->post, &refused, &why);
        err = &why;
    }
    if (err)
        revocation_note(r, err);
    if (revocation_go_on(r))
        return;
    void (*done)(void *data, const struct mct_error *err) = r->done;
    void *done_data = r->data;
    why = r->first;
    revocation_free(r);
    done(done_data, why.kind ? &why : NULL);
}

/* Reads the private key of the settings, if there is one. */
static int revocation_read_key(struct mcti_revocation *r, struct mct_error *err)
{
    const char *text = r->env->settings->private_key;
    if (text && !(r->key = mcti_key_read(mcti_str_of(text), err)))
        return mcti_error_wrap(err, "\"private_key\"");
    return 0;
}

static int revocation_fill(struct mcti_revocation *r, const struct mcti_auth_record *login, struct mct_error *err)
{
    if (mcti_auth_record_copy(&r->login, login) < 0)
        return mcti_no_memory(err);
    if (revocation_read_key(r, err) < 0)
        return -1;
    if (mcti_oauth_of_login(&r->login, r->env->settings, r->key, &r->lists, &r->client, &r->at) < 0)
        return mcti_no_memory(err);
    r->at.url = r->login.revocation_endpoint;
    r->at.what = "the revocation endpoint";
    if (revocation_go_on(r))
        return 0;
    if (err)
        *err = r->first;
    return -1;
}

struct mcti_revocation *mcti_revocation_start(const struct mcti_auth_env *env, const struct mcti_auth_record *login,
                                              void (*done)(void *data, const struct mct_error *err), void *data,
                                              struct mct_error *err)
{
    struct mcti_revocation *r = NULL;
    if (!login->revocation_endpoint)
        mcti_fail(err, MCT_ERR_UNSUPPORTED, "the authorization server %.200s has no revocation endpoint",
                  login->issuer ? login->issuer : "");
    else if (!login->refresh_token && !login->access_token)
        mcti_fail(err, MCT_ERR_UNSUPPORTED, "there is no token to revoke");
    else if (!(r = calloc(1, sizeof *r)))
        mcti_no_memory(err);
    if (!r)
        return NULL;
    *r = (struct mcti_revocation){ .env = env, .done = done, .data = data };
    mcti_oauth_post_init(&r->post);
    if (revocation_fill(r, login, err) == 0)
        return r;
    revocation_free(r);
    return NULL;
}
