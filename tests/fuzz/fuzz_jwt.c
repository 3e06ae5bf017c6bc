/*
 * Tokens of other parties: any bytes as a JWT, and with the bytes behind the first line break as the key. A token that
 * is decoded consists of valid JSON objects; one that verifies does not with its signature changed.
 */
#include "auth/jose/jwt.h"
#include "json/scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_changed(struct mcti_str token, struct mcti_str jwk)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_buf_add(&b, token);
    char *p = &b.p[token.len - 8];
    *p = *p == 'A' ? 'B' : 'A';
    if (!mcti_jwt_verify(mcti_buf_str(&b), jwk, NULL))
        abort();
    mcti_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str jwk = { (const char *)data, size }, token;
    struct mcti_buf header, claims;
    mcti_str_split(&jwk, '\n', &token);
    mcti_buf_init(&header, 1u << 16);
    mcti_buf_init(&claims, 1u << 16);
    bool decoded = !mcti_jwt_decode(token, &header, &claims, NULL);
    if (decoded && (mcti_json_type(mcti_buf_str(&header)) != '{' || mcti_json_type(mcti_buf_str(&claims)) != '{' ||
                    !mcti_json_valid(mcti_buf_str(&claims), 64, NULL, NULL)))
        abort();
    if (!mcti_jwt_verify(token, jwk, NULL)) {
        if (!decoded)
            abort();
        check_changed(token, jwk);
    }
    mcti_buf_done(&header);
    mcti_buf_done(&claims);
    return 0;
}
