#include "auth/grant/machine.h"

#include "auth/wire/form.h"
#include "auth/wire/text.h"

#include <stdlib.h>

enum { TOKEN_BYTES = 65536 };

void *mcti_machine_new(size_t size, const struct mcti_grant_ops *ops, const struct mcti_grant_opts *opts,
                       struct mct_error *err)
{
    struct mcti_machine_grant *m = calloc(1, size);
    if (!m) {
        mcti_no_memory(err);
        return NULL;
    }
    m->grant.ops = ops;
    m->opts = *opts;
    m->at = mcti_oauth_token_endpoint(opts->as);
    return m;
}

void mcti_machine_free(struct mcti_machine_grant *m)
{
    if (m->done)
        m->done(m);
    free(m);
}

void mcti_machine_cancel(struct mcti_grant *g)
{
    struct mcti_machine_grant *m = (struct mcti_machine_grant *)g;
    if (!m)
        return;
    mcti_token_request_cancel(m->request);
    mcti_machine_free(m);
}

void mcti_machine_end(struct mcti_machine_grant *m, const struct mcti_token_outcome *o)
{
    struct mcti_grant_opts opts = m->opts;
    mcti_machine_free(m);
    opts.done(opts.data, o);
}

void mcti_machine_fail(struct mcti_machine_grant *m, const struct mct_error *why)
{
    mcti_machine_end(m, &(struct mcti_token_outcome){ .failed = why });
}

static void machine_on_token(void *data, const struct mcti_token_outcome *o)
{
    mcti_machine_end(data, o);
}

int mcti_machine_send(struct mcti_machine_grant *m, struct mcti_buf *form, struct mct_error *err)
{
    const struct mcti_grant_opts *opts = &m->opts;
    mcti_form_put(form, "resource", mcti_str_of(opts->resource));
    if (opts->scope && *opts->scope)
        mcti_form_put(form, "scope", mcti_str_of(opts->scope));
    const struct mcti_token_request_opts request = {
        .env = opts->env,
        .at = &m->at,
        .client = opts->client,
        .form = mcti_buf_str(form),
        .dpop = opts->dpop,
        .nonces = opts->nonces,
        .done = machine_on_token,
        .data = m,
    };
    m->request = mcti_token_request_start(&request, err);
    return m->request ? 0 : -1;
}

char *mcti_machine_read(const struct mcti_auth_settings *settings, const char *text, const char *setting,
                        struct mct_error *err)
{
    if (!text) {
        mcti_fail(err, MCT_ERR_CONFIG, "this grant needs \"%s\" in \"auth\"", setting);
        return NULL;
    }
    char *read = settings->read ? settings->read(text, err) : mcti_str_dup(mcti_str_of(text));
    if (!read) {
        if (!settings->read)
            mcti_no_memory(err);
        mcti_error_wrap(err, "\"%s\" of \"auth\"", setting);
        return NULL;
    }
    struct mcti_str token = mcti_str_trim_white(mcti_str_of(read));
    memmove(read, token.p, token.len);
    explicit_bzero(read + token.len, strlen(read + token.len));
    if (token.len && token.len <= TOKEN_BYTES && mcti_text_is_visible(mcti_str_of(read), ""))
        return read;
    mcti_fail(err, MCT_ERR_CONFIG, "\"%s\" of \"auth\" is empty, longer than %d bytes, or not a token", setting,
              TOKEN_BYTES);
    mcti_secret_free(read);
    return NULL;
}

void mcti_machine_put_assertion(struct mcti_buf *form, const char *assertion)
{
    mcti_form_put(form, "grant_type", MCT_STR(MCT_GRANT_JWT_BEARER));
    mcti_form_put(form, "assertion", mcti_str_of(assertion));
}
