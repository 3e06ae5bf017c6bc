#include "auth/grant/idp.h"

#include "auth/wire/url.h"
#include "base/limits.h"

#include <stdlib.h>

static const char idp_what[] = "the metadata of the identity provider";

struct mcti_idp {
    const struct mcti_auth_net *net;
    const char *issuer;
    unsigned place;
    struct mcti_auth_request *request;
    mcti_idp_fn done;
    void *data;
};

void mcti_idp_cancel(struct mcti_idp *p)
{
    if (p)
        mcti_auth_request_cancel(p->request);
    free(p);
}

static void idp_end(struct mcti_idp *p, struct mcti_issuer_metadata *found, const struct mct_error *err)
{
    mcti_idp_fn done = p->done;
    void *data = p->data;
    free(p);
    done(data, found, err);
}

static int idp_check(const char *issuer, const struct mcti_issuer_metadata *m, struct mct_error *err)
{
    if (!m->issuer || strcmp(m->issuer, issuer))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "%s %.150s is that of another issuer: %.150s", idp_what, issuer,
                         m->issuer ? m->issuer : "");
    if (!m->token_endpoint)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "%s %.200s names no token endpoint", idp_what, issuer);
    return mcti_auth_url_check(mcti_str_of(m->token_endpoint), "the token endpoint of the identity provider", err);
}

static void idp_read(struct mcti_idp *p, struct mcti_str body)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_issuer_metadata m;
    if (mcti_issuer_metadata_read(&m, body, &err) < 0) {
        mcti_error_wrap(&err, "%s %.200s", idp_what, p->issuer);
        idp_end(p, NULL, &err);
        return;
    }
    if (idp_check(p->issuer, &m, &err) < 0)
        idp_end(p, NULL, &err);
    else
        idp_end(p, &m, NULL);
    mcti_issuer_metadata_clear(&m);
}

static int idp_ask(struct mcti_idp *p, struct mct_error *err);

static void idp_on_answer(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct mcti_idp *p = data;
    struct mct_error why = { MCT_ERR_NONE };
    p->request = NULL;
    if (err) {
        idp_end(p, NULL, err);
    } else if (r->status == 200) {
        idp_read(p, r->body);
    } else if (r->status / 100 == 4 || r->status == 502) {
        p->place++;
        if (idp_ask(p, &why) < 0)
            idp_end(p, NULL, &why);
    } else {
        mcti_fail(&why, MCT_ERR_CONNECT, "%s %.200s: HTTP %d", idp_what, p->issuer, r->status);
        idp_end(p, NULL, &why);
    }
}

/* Asks at the next place. Returns -1 and sets *err if there are no more. */
static int idp_ask(struct mcti_idp *p, struct mct_error *err)
{
    struct mcti_buf url;
    mcti_buf_init(&url, MCT_LIMIT_URI_BYTES);
    bool more = mcti_auth_put_issuer_place(&url, mcti_str_of(p->issuer), p->place);
    mcti_buf_addc(&url, '\0');
    const struct mcti_auth_request_opts opts = { .method = "GET", .url = url.p, .what = idp_what };
    if (!more)
        mcti_fail(err, MCT_ERR_NOT_FOUND,
                  "the identity provider %.200s publishes no metadata; set \"idp_token_endpoint\"", p->issuer);
    else if (!mcti_buf_ok(&url))
        mcti_no_memory(err);
    else
        p->request = mcti_auth_request_start(p->net, &opts, idp_on_answer, p, err);
    mcti_buf_done(&url);
    return p->request ? 0 : -1;
}

struct mcti_idp *mcti_idp_start(const struct mcti_auth_net *net, const char *issuer, mcti_idp_fn done, void *data,
                                struct mct_error *err)
{
    struct mcti_idp *p = NULL;
    if (mcti_auth_url_check(mcti_str_of(issuer), "the identity provider", err) < 0)
        return NULL;
    if (!(p = calloc(1, sizeof *p))) {
        mcti_no_memory(err);
        return NULL;
    }
    *p = (struct mcti_idp){ .net = net, .issuer = issuer, .done = done, .data = data };
    if (idp_ask(p, err) == 0)
        return p;
    free(p);
    return NULL;
}
