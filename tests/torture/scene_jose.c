/* Keys and tokens: reading, signing and verifying, with the allocations of OpenSSL. */
#include "scene.h"

#include "auth/jose/jwt.h"

static const char jwk[] = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\","
                          "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\",\"key_\\u006fps\":[]}"; /* RFC 8037 */
static const char pem[] = "-----BEGIN EC PRIVATE KEY-----\n"
                          "MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49\n"
                          "AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b\n"
                          "focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
                          "-----END EC PRIVATE KEY-----\n"; /* RFC 7515 appendix A.3 */

/* Signs with a key and verifies the token. `fixed`: the signature is always the same. */
static int put_key(struct mcti_buf *to, const char *text, const char *alg, bool fixed)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_buf token, public_jwk;
    struct mcti_key *k = mcti_key_read(mcti_str_of(text), &err);
    if (!k)
        return -1;
    mcti_buf_init(&token, 65536);
    mcti_buf_init(&public_jwk, 65536);
    mcti_jwt_put(&token, k, alg, mcti_str_of(fixed ? "{\"alg\":\"EdDSA\"}" : "{\"alg\":\"ES256\"}"), MCT_STR("{}"));
    mcti_key_put_public(&public_jwk, k);
    mcti_key_put_thumbprint(to, k);
    mcti_key_put_private(to, k);
    int r = mcti_buf_ok(&token) && mcti_buf_ok(&public_jwk)
                ? mcti_jwt_verify(mcti_buf_str(&token), mcti_buf_str(&public_jwk), &err)
                : -1;
    if (fixed)
        mcti_buf_add(to, mcti_buf_str(&token));
    mcti_buf_done(&token);
    mcti_buf_done(&public_jwk);
    mcti_key_free(k);
    return r;
}

int scene_jose(struct mcti_buf *to)
{
    return put_key(to, jwk, "EdDSA", true) < 0 || put_key(to, pem, "ES256", false) < 0 ? -1 : 0;
}
