/* A workload presents a token of its platform (RFC 7523 section 2.1; draft extension auth/wif). There is exactly one
 * request: a refusal is not answered by another one. */
#include "auth/grant/machine.h"

static struct mcti_grant *workload_start(const struct mcti_grant_opts *opts, struct mct_error *err)
{
    const struct mcti_auth_settings *settings = opts->env->settings;
    char *assertion = mcti_machine_read(settings, settings->assertion, "assertion", err);
    struct mcti_machine_grant *m = assertion ? mcti_machine_new(sizeof *m, &mcti_grant_workload, opts, err) : NULL;
    struct mcti_buf form;
    int r = -1;
    mcti_buf_init_secret(&form, MCT_OAUTH_FORM_BYTES);
    if (m) {
        mcti_machine_put_assertion(&form, assertion);
        r = mcti_machine_send(m, &form, err);
    }
    mcti_buf_done(&form);
    mcti_secret_free(assertion);
    if (r == 0)
        return &m->grant;
    if (m)
        mcti_machine_free(m);
    return NULL;
}

const struct mcti_grant_ops mcti_grant_workload = {
    .word = "workload_identity",
    .extension = "io.modelcontextprotocol/auth/wif",
    .start = workload_start,
    .cancel = mcti_machine_cancel,
};
