#include "auth/wire/nonce.h"

#include "auth/wire/text.h"
#include "auth/wire/url.h"

#include <stdlib.h>

/* Returns the entry of the URL's origin, or n->n. */
static size_t nonce_find(const struct mcti_nonces *n, struct mcti_str url)
{
    size_t i = 0;
    while (i < n->n && !mcti_auth_url_same_origin(mcti_str_of(n->v[i].origin), url))
        i++;
    return i;
}

/* Puts an origin into a free entry, or into the one that was filled first. Returns the entry, or MCT_LIMIT_NONCES when
 * out of memory or if the URL has no origin. */
static size_t nonce_add(struct mcti_nonces *n, struct mcti_str url)
{
    struct mcti_str origin = mcti_auth_url_origin(url);
    char *copy = origin.p ? mcti_str_dup(origin) : NULL;
    if (!copy)
        return MCT_LIMIT_NONCES;
    size_t at = n->n < MCT_LIMIT_NONCES ? n->n++ : n->next++;
    n->next %= MCT_LIMIT_NONCES;
    free(n->v[at].origin);
    free(n->v[at].nonce);
    n->v[at].origin = copy;
    n->v[at].nonce = NULL;
    return at;
}

bool mcti_nonces_set(struct mcti_nonces *n, struct mcti_str url, struct mcti_str nonce)
{
    if (!nonce.len || nonce.len > MCT_LIMIT_NONCE_BYTES || !mcti_text_is_visible(nonce, ""))
        return false;
    size_t i = nonce_find(n, url);
    if (i < n->n && n->v[i].nonce && mcti_str_is(nonce, n->v[i].nonce))
        return false;
    char *copy = mcti_str_dup(nonce);
    if (copy && i == n->n)
        i = nonce_add(n, url);
    if (!copy || i == MCT_LIMIT_NONCES) {
        free(copy);
        return false;
    }
    free(n->v[i].nonce);
    n->v[i].nonce = copy;
    return true;
}

struct mcti_str mcti_nonces_get(const struct mcti_nonces *n, struct mcti_str url)
{
    size_t i = nonce_find(n, url);
    return i < n->n ? mcti_str_of(n->v[i].nonce) : MCT_STR_NONE;
}

void mcti_nonces_clear(struct mcti_nonces *n)
{
    for (size_t i = 0; i < n->n; i++) {
        free(n->v[i].origin);
        free(n->v[i].nonce);
    }
    *n = (struct mcti_nonces){ 0 };
}
