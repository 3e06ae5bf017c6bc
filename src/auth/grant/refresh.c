#include "auth/grant/grant.h"
#include "auth/wire/form.h"

struct mcti_token_request *mcti_refresh_start(const struct mcti_token_request_opts *opts, const char *refresh_token,
                                              const char *resource, struct mct_error *err)
{
    struct mcti_token_request_opts with_form = *opts;
    struct mcti_buf form;
    mcti_buf_init_secret(&form, MCT_OAUTH_FORM_BYTES);
    mcti_form_put(&form, "grant_type", MCT_STR("refresh_token"));
    mcti_form_put(&form, "refresh_token", mcti_str_of(refresh_token));
    mcti_form_put(&form, "resource", mcti_str_of(resource));
    with_form.form = mcti_buf_str(&form);
    struct mcti_token_request *r = mcti_token_request_start(&with_form, err);
    mcti_buf_done(&form);
    return r;
}
