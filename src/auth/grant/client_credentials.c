/* The client itself is authorized (RFC 6749 section 4.4; extension oauth-client-credentials). */
#include "auth/grant/machine.h"
#include "auth/wire/form.h"

static struct mcti_grant *client_credentials_start(const struct mcti_grant_opts *opts, struct mct_error *err)
{
    struct mcti_machine_grant *m = mcti_machine_new(sizeof *m, &mcti_grant_client_credentials, opts, err);
    struct mcti_buf form;
    if (!m)
        return NULL;
    mcti_buf_init(&form, MCT_OAUTH_FORM_BYTES);
    mcti_form_put(&form, "grant_type", MCT_STR("client_credentials"));
    int r = mcti_machine_send(m, &form, err);
    mcti_buf_done(&form);
    if (r == 0)
        return &m->grant;
    mcti_machine_free(m);
    return NULL;
}

const struct mcti_grant_ops mcti_grant_client_credentials = {
    .word = "client_credentials",
    .extension = "io.modelcontextprotocol/oauth-client-credentials",
    .needs_client = true,
    .start = client_credentials_start,
    .cancel = mcti_machine_cancel,
};
