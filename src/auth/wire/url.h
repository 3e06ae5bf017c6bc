/*
 * URLs of OAuth, as text: no function changes the text of a URL, because issuers and resource identifiers are compared
 * and sent byte for byte (RFC 8707, RFC 9207).
 */
#ifndef MCT_AUTH_WIRE_URL_H
#define MCT_AUTH_WIRE_URL_H

#include "base/buf.h"
#include "base/error.h"

/* Checks a URL that OAuth uses: https, or http with a loopback host (127.0.0.0/8, [::1], localhost); a host; no
 * credentials, no fragment, only visible ASCII without `"`, `<`, `>` and `\`. Returns -1 and sets *err
 * (MCT_ERR_PROTOCOL), naming `what` and the reason. */
int mcti_auth_url_check(struct mcti_str url, const char *what, struct mct_error *err);

bool mcti_auth_url_is_loopback(struct mcti_str url);

/* Returns "scheme://host[:port]" of the URL, without a slash; absent if it is not an http(s) URL. */
struct mcti_str mcti_auth_url_origin(struct mcti_str url);

/* Returns true if scheme, host (case-insensitive) and port (with the scheme's default) are equal. */
bool mcti_auth_url_same_origin(struct mcti_str a, struct mcti_str b);

/* Returns true if the resource identifier covers `url`: the same origin, and its path is equal to the path of `url` or
 * a prefix of it that ends at a segment. */
bool mcti_auth_url_covers(struct mcti_str resource, struct mcti_str url);

/* Appends the n-th place (from 0) of the protected resource metadata of a server (RFC 9728 section 3.1): with its
 * path and query, then at the root. Returns false if there is no such place. */
bool mcti_auth_put_resource_place(struct mcti_buf *to, struct mcti_str server_url, unsigned n);

/* Appends the n-th place (from 0) of the metadata of an authorization server (RFC 8414 section 3.1, OpenID Connect
 * Discovery): two places for an issuer without a path, three for one with a path. Returns false if there is no such
 * place. */
bool mcti_auth_put_issuer_place(struct mcti_buf *to, struct mcti_str issuer, unsigned n);

/* Returns the part of a URL that messages show: a query and a fragment may be secrets. */
struct mcti_str mcti_auth_url_shown(struct mcti_str url);

/* Returns the URL without its fragment. */
struct mcti_str mcti_auth_url_without_fragment(struct mcti_str url);

/* Returns true for a client ID metadata document URL: https, a path other than "/", no fragment, no credentials, no
 * dot segments. */
bool mcti_auth_url_is_client_id(struct mcti_str url);

#endif
