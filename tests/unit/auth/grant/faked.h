/*
 * The network of the grants, faked: the linker puts the functions below in the place of those of auth/net (--wrap).
 * Requests are kept; a test reads them and answers. Everything that was started must be answered or cancelled.
 */
#ifndef MCT_TESTS_UNIT_AUTH_GRANT_FAKED_H
#define MCT_TESTS_UNIT_AUTH_GRANT_FAKED_H

#include "unit.h"

#include "auth/grant/grant.h"
#include "auth/jose/jwt.h"
#include "auth/wire/form.h"
#include "json/write.h"

#include <stdlib.h>

struct mcti_fetch {
    const char *nonce, *retry_after;
};

struct mcti_auth_request {
    char *method, *url, *what, *body, *headers; /* headers: "Name: value\n" each */
    bool has_type, allow_private;
    mcti_auth_response_fn done;
    void *data;
};

static struct {
    struct mcti_auth_request *now; /* the request that waits; NULL: none */
    unsigned n_started, n_cancelled;
    bool fails; /* nothing can be started */
    volatile bool
        inside; /* the network allocates, not what is tested; the compiler thinks that malloc() reads nothing */
} faked;

static const int64_t faked_time = 1700000000;

static inline int64_t faked_now_s(void)
{
    return faked_time;
}

static inline void faked_free(struct mcti_auth_request *r)
{
    free(r->method);
    free(r->url);
    free(r->what);
    free(r->body);
    free(r->headers);
    free(r);
}

struct mcti_auth_request *__wrap_mcti_auth_request_start(const struct mcti_auth_net *net,
                                                         const struct mcti_auth_request_opts *opts,
                                                         mcti_auth_response_fn done, void *data, struct mct_error *err);
void __wrap_mcti_auth_request_cancel(struct mcti_auth_request *r);
struct mcti_str __wrap_mcti_fetch_header(const struct mcti_fetch *f, const char *name);

struct mcti_auth_request *__wrap_mcti_auth_request_start(const struct mcti_auth_net *net,
                                                         const struct mcti_auth_request_opts *opts,
                                                         mcti_auth_response_fn done, void *data, struct mct_error *err)
{
    faked.n_started++;
    if (faked.fails) {
        mcti_fail(err, MCT_ERR_CONNECT, "the network fails");
        return NULL;
    }
    assert_null(faked.now);
    faked.inside = true;
    struct mcti_auth_request *r = calloc(1, sizeof *r);
    r->method = mcti_str_dup(mcti_str_of(opts->method));
    r->url = mcti_str_dup(mcti_str_of(opts->url));
    r->what = mcti_str_dup(mcti_str_of(opts->what));
    r->body = mcti_str_dup(opts->body.p ? opts->body : MCT_STR(""));
    r->has_type = opts->type && !strcmp(opts->type, "application/x-www-form-urlencoded");
    struct mcti_str headers = opts->headers ? mcti_buf_str(&opts->headers->text) : MCT_STR("");
    char *to = r->headers = mcti_str_dup(headers);
    for (const char *p = r->headers; *p; p++)
        if (*p != '\r')
            *to++ = *p;
    *to = '\0';
    r->allow_private = net->allow_private;
    r->done = done;
    r->data = data;
    faked.inside = false;
    return faked.now = r;
}

void __wrap_mcti_auth_request_cancel(struct mcti_auth_request *r)
{
    if (!r)
        return;
    assert_ptr_equal(r, faked.now);
    faked.now = NULL;
    faked.n_cancelled++;
    faked_free(r);
}

struct mcti_str __wrap_mcti_fetch_header(const struct mcti_fetch *f, const char *name)
{
    return mcti_str_of(!strcmp(name, "dpop-nonce") ? f->nonce : !strcmp(name, "retry-after") ? f->retry_after : NULL);
}

static inline void faked_answer_with(int status, const char *body, const struct mcti_fetch *fetch)
{
    struct mcti_auth_request *r = faked.now;
    assert_non_null(r);
    faked.now = NULL;
    /* a copy without a NUL behind it, for the sanitizer */
    size_t len = strlen(body);
    faked.inside = true;
    char *copy = malloc(len + !len);
    faked.inside = false;
    memcpy(copy, body, len);
    r->done(r->data, &(struct mcti_auth_response){ status, { copy, len }, fetch }, NULL);
    free(copy);
    faked_free(r);
}

static inline void faked_answer(int status, const char *body)
{
    faked_answer_with(status, body, &(struct mcti_fetch){ NULL });
}

static inline void faked_break(enum mct_error_kind kind, const char *why)
{
    struct mcti_auth_request *r = faked.now;
    struct mct_error err = { MCT_ERR_NONE };
    assert_non_null(r);
    faked.now = NULL;
    mcti_fail(&err, kind, "%s", why);
    r->done(r->data, NULL, &err);
    faked_free(r);
}

/* Appends a parameter of the form that was sent, with a NUL. Returns its text. */
static inline const char *faked_param(const char *name, struct mcti_buf *to)
{
    mcti_buf_init(to, 1u << 20);
    assert_int_equal(mcti_form_get(mcti_str_of(faked.now->body), name, to), 1);
    mcti_buf_addc(to, '\0');
    return to->p;
}

/* Returns the value of a header that was sent once, to free(). */
static inline char *faked_header(const char *name)
{
    char *line;
    assert_true(asprintf(&line, "%s: ", name) > 0);
    const char *at = strstr(faked.now->headers, line);
    assert_non_null(at);
    assert_null(strstr(at + 1, line));
    at += strlen(line);
    free(line);
    return mcti_str_dup((struct mcti_str){ at, strcspn(at, "\n") });
}

/* ---- outcomes ---- */

/* What done() got. */
static struct {
    unsigned n;
    int status;
    char *access_token, *refresh_token, *scope;
    int64_t expires_in_s;
    struct mct_error failed;
    struct mcti_oauth_error refused;
} outcome;

static inline void outcome_clear(void)
{
    free(outcome.access_token);
    free(outcome.refresh_token);
    free(outcome.scope);
    memset(&outcome, 0, sizeof outcome);
}

static inline char *outcome_move(char **text)
{
    char *moved = *text;
    *text = NULL;
    return moved;
}

static inline void outcome_keep(void *data, const struct mcti_token_outcome *o)
{
    assert_ptr_equal(data, &outcome);
    unsigned n = outcome.n + 1;
    outcome_clear();
    outcome.n = n;
    outcome.status = o->status;
    assert_true(!o->tokens == !!o->failed);
    assert_true(!o->refused || o->failed);
    if (o->tokens) {
        outcome.access_token = outcome_move(&o->tokens->access_token);
        outcome.refresh_token = outcome_move(&o->tokens->refresh_token);
        outcome.scope = outcome_move(&o->tokens->scope);
        outcome.expires_in_s = o->tokens->expires_in_s;
    }
    if (o->failed)
        outcome.failed = *o->failed;
    if (o->refused)
        outcome.refused = *o->refused;
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' has no '%s'", text, part);
}

static inline void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' has '%s'", text, part);
}

#endif
