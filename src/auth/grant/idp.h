/* The token endpoint of the company's identity provider, from its metadata. */
#ifndef MCT_AUTH_GRANT_IDP_H
#define MCT_AUTH_GRANT_IDP_H

#include "auth/auth.h"
#include "auth/wire/metadata.h"

struct mcti_idp;

/* Called once, from the loop, unless cancelled: with metadata that may be moved from, or with the reason. */
typedef void (*mcti_idp_fn)(void *data, struct mcti_issuer_metadata *found, const struct mct_error *err);

/* Gets the metadata of `issuer` and checks that it is its own. Returns NULL and sets *err on failure. */
struct mcti_idp *mcti_idp_start(const struct mcti_auth_net *net, const char *issuer, mcti_idp_fn done, void *data,
                                struct mct_error *err);
void mcti_idp_cancel(struct mcti_idp *p); /* NULL does nothing */

#endif
