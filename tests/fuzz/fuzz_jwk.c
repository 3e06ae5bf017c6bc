/*
 * Keys of other parties: any JSON as a public and as a private key. A key that is read signs what it verifies, has an
 * algorithm and a thumbprint, and is read again from its own public form; its private form is read again.
 */
#include "auth/jose/impl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_public(const struct mcti_key *k)
{
    struct mcti_buf jwk, thumbprint;
    mcti_buf_init(&jwk, 1u << 16);
    mcti_buf_init(&thumbprint, 64);
    mcti_key_put_public(&jwk, k);
    mcti_key_put_thumbprint(&thumbprint, k);
    struct mcti_key again;
    if (mcti_jwk_read(&again, mcti_buf_str(&jwk), false, NULL) < 0 || EVP_PKEY_eq(k->pkey, again.pkey) != 1 ||
        thumbprint.len != 43)
        abort();
    EVP_PKEY_free(again.pkey);
    mcti_buf_done(&jwk);
    mcti_buf_done(&thumbprint);
}

static void check_private(const struct mcti_key *k)
{
    struct mcti_buf jwk;
    mcti_buf_init_secret(&jwk, 1u << 16);
    mcti_key_put_private(&jwk, k);
    struct mcti_key *again = mcti_key_read(mcti_buf_str(&jwk), NULL);
    if (!again || EVP_PKEY_eq(k->pkey, again->pkey) != 1 || !mcti_key_alg(k, NULL, NULL))
        abort();
    mcti_key_free(again);
    mcti_buf_done(&jwk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size }, object;
    struct mcti_key k, *own = mcti_key_read(text, NULL);
    if (own) {
        check_public(own);
        check_private(own);
    }
    mcti_key_free(own);
    if (mcti_jose_object(text, "x", MCT_ERR_CONFIG, &object, NULL) < 0 || mcti_jwk_read(&k, object, false, NULL) < 0)
        return 0;
    if (!mcti_jose_key_check(&k, false, NULL))
        check_public(&k);
    EVP_PKEY_free(k.pkey);
    return 0;
}
