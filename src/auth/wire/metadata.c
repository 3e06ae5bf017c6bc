#include "auth/wire/metadata.h"

#include "auth/wire/members.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- RFC 9728 section 2 ---- */

#define AT(member) offsetof(struct mcti_resource_metadata, member)
static const struct mcti_member_row resource_rows[] = {
    { "resource", MCT_MEMBER_TEXT, AT(resource), .needed = true },
    { "authorization_servers", MCT_MEMBER_STRINGS, AT(authorization_servers), .needed = true },
    { "scopes_supported", MCT_MEMBER_SCOPES, AT(scopes), .flag = AT(has_scopes) },
    { "bearer_methods_supported", MCT_MEMBER_STRINGS, AT(bearer_methods), .flag = AT(has_bearer_methods) },
    { "dpop_signing_alg_values_supported", MCT_MEMBER_STRINGS, AT(dpop_algs) },
    { "dpop_bound_access_tokens_required", MCT_MEMBER_BOOL, AT(dpop_required) },
};
#undef AT

int mcti_resource_metadata_read(struct mcti_resource_metadata *ret, struct mcti_str json, struct mct_error *err)
{
    *ret = (struct mcti_resource_metadata){ 0 };
    int ok = mcti_members_read(ret, resource_rows, COUNT(resource_rows), json, err);
    if (ok < 0)
        mcti_resource_metadata_clear(ret);
    return ok;
}

void mcti_resource_metadata_clear(struct mcti_resource_metadata *m)
{
    mcti_members_clear(m, resource_rows, COUNT(resource_rows));
    *m = (struct mcti_resource_metadata){ 0 };
}

/* ---- RFC 8414 section 2 ---- */

#define AT(member) offsetof(struct mcti_issuer_metadata, member)
static const struct mcti_member_row issuer_rows[] = {
    { "issuer", MCT_MEMBER_TEXT, AT(issuer), .needed = true },
    { "authorization_endpoint", MCT_MEMBER_TEXT, AT(authorization_endpoint) },
    { "token_endpoint", MCT_MEMBER_TEXT, AT(token_endpoint) },
    { "registration_endpoint", MCT_MEMBER_TEXT, AT(registration_endpoint) },
    { "revocation_endpoint", MCT_MEMBER_TEXT, AT(revocation_endpoint) },
    { "introspection_endpoint", MCT_MEMBER_TEXT, AT(introspection_endpoint) },
    { "device_authorization_endpoint", MCT_MEMBER_TEXT, AT(device_authorization_endpoint) },
    { "jwks_uri", MCT_MEMBER_TEXT, AT(jwks_uri) },
    { "client_id_metadata_document_supported", MCT_MEMBER_BOOL, AT(takes_client_id_documents) },
    { "authorization_response_iss_parameter_supported", MCT_MEMBER_BOOL, AT(sends_iss) },
    { "scopes_supported", MCT_MEMBER_SCOPES, AT(scopes), .flag = AT(has_scopes) },
    { "grant_types_supported", MCT_MEMBER_STRINGS, AT(grants), .flag = AT(has_grants) },
    { "response_types_supported", MCT_MEMBER_STRINGS, AT(response_types) },
    { "code_challenge_methods_supported", MCT_MEMBER_STRINGS, AT(pkce_methods), .flag = AT(has_pkce_methods) },
    { "token_endpoint_auth_methods_supported", MCT_MEMBER_STRINGS, AT(auth_methods), .flag = AT(has_auth_methods) },
    { "token_endpoint_auth_signing_alg_values_supported", MCT_MEMBER_STRINGS, AT(auth_algs) },
    { "dpop_signing_alg_values_supported", MCT_MEMBER_STRINGS, AT(dpop_algs) },
    { "authorization_grant_profiles_supported", MCT_MEMBER_STRINGS, AT(grant_profiles) },
};
#undef AT

int mcti_issuer_metadata_read(struct mcti_issuer_metadata *ret, struct mcti_str json, struct mct_error *err)
{
    *ret = (struct mcti_issuer_metadata){ 0 };
    int ok = mcti_members_read(ret, issuer_rows, COUNT(issuer_rows), json, err);
    if (ok < 0)
        mcti_issuer_metadata_clear(ret);
    return ok;
}

void mcti_issuer_metadata_clear(struct mcti_issuer_metadata *m)
{
    mcti_members_clear(m, issuer_rows, COUNT(issuer_rows));
    *m = (struct mcti_issuer_metadata){ 0 };
}
