/*
 * Signs and verifies for tests/interop/jose.mjs: "sign ALG" prints a JWT of a key, its public key and its thumbprint;
 * "verify JWK" reads a token; "proof" prints a DPoP proof. Keys and tokens come from stdin.
 */
#include "auth/jose/jwt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mct_error error;

static int tool_fail(void)
{
    fprintf(stderr, "%s\n", error.message);
    return 1;
}

static void tool_print(struct mcti_buf *b)
{
    printf("%.*s\n", MCT_STR_ARG(mcti_buf_str(b)));
    mcti_buf_clear(b);
}

static int tool_sign(struct mcti_str text, const char *alg)
{
    char header[64];
    struct mcti_buf b;
    struct mcti_key *k = mcti_key_read(text, &error);
    if (!k)
        return tool_fail();
    mcti_buf_init(&b, 65536);
    snprintf(header, sizeof header, "{\"alg\":\"%s\"}", alg);
    mcti_jwt_put(&b, k, alg, mcti_str_of(header), MCT_STR("{\"a\":1}"));
    tool_print(&b);
    mcti_key_put_public(&b, k);
    tool_print(&b);
    mcti_key_put_thumbprint(&b, k);
    tool_print(&b);
    mcti_buf_done(&b);
    mcti_key_free(k);
    return 0;
}

static int tool_proof(void)
{
    struct mcti_buf b;
    struct mcti_key *k = mcti_key_generate(&error);
    const struct mcti_proof p = {
        .method = "GET", .url = MCT_STR("https://rs.example/mcp?x"), .token = MCT_STR("token"), .now_s = 1
    };
    if (!k)
        return tool_fail();
    mcti_buf_init(&b, 65536);
    mcti_jwt_put_proof(&b, k, &p);
    tool_print(&b);
    mcti_buf_done(&b);
    mcti_key_free(k);
    return 0;
}

int main(int argc, char **argv)
{
    static char input[65536];
    const char *what = argc > 1 ? argv[1] : "";
    struct mcti_str text = { input, strcmp(what, "proof") ? fread(input, 1, sizeof input, stdin) : 0 };
    if (argc == 3 && !strcmp(what, "sign"))
        return tool_sign(text, argv[2]);
    if (argc == 3 && !strcmp(what, "verify"))
        return mcti_jwt_verify(text, mcti_str_of(argv[2]), &error) < 0 ? tool_fail() : 0;
    return strcmp(what, "proof") ? 2 : tool_proof();
}
