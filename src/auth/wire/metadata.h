/* Documents of OAuth discovery: protected resource metadata (RFC 9728) and authorization server metadata (RFC 8414,
 * OpenID Connect Discovery). Reading checks shapes only; flow/discover.c checks what they say. */
#ifndef MCT_AUTH_WIRE_METADATA_H
#define MCT_AUTH_WIRE_METADATA_H

#include "base/error.h"
#include "base/strings.h"

struct mcti_resource_metadata {
    char *resource; /* owned, as published */
    struct mcti_strings authorization_servers;
    bool has_scopes, has_bearer_methods; /* the list is there */
    struct mcti_strings scopes, bearer_methods;
    struct mcti_strings dpop_algs;
    bool dpop_required;
};

struct mcti_issuer_metadata {
    char *issuer; /* owned, as published */
    char *authorization_endpoint, *token_endpoint, *registration_endpoint, *revocation_endpoint,
        *introspection_endpoint, *device_authorization_endpoint, *jwks_uri; /* NULL: not there */
    bool takes_client_id_documents;                                         /* client_id_metadata_document_supported */
    bool sends_iss; /* authorization_response_iss_parameter_supported */
    bool has_scopes, has_grants, has_auth_methods, has_pkce_methods; /* the list is there */
    struct mcti_strings scopes, grants, response_types, pkce_methods;
    struct mcti_strings auth_methods, auth_algs; /* of the token endpoint */
    struct mcti_strings dpop_algs, grant_profiles;
};

/* Read a document. Members of an unexpected type or duplicate members make it unusable; unknown ones are ignored; null
 * and an empty text count as absent. On failure return -1 and set *err (MCT_ERR_PROTOCOL), naming the member; *ret is
 * then empty. */
int mcti_resource_metadata_read(struct mcti_resource_metadata *ret, struct mcti_str json, struct mct_error *err);
int mcti_issuer_metadata_read(struct mcti_issuer_metadata *ret, struct mcti_str json, struct mct_error *err);

void mcti_resource_metadata_clear(struct mcti_resource_metadata *m);
void mcti_issuer_metadata_clear(struct mcti_issuer_metadata *m);

#endif
