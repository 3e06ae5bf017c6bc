/* Each allocation of a grant fails once (--wrap): the grant says so, or succeeds with nothing left out. */
#include "faked.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static unsigned long count, fail_at; /* fail_at 0: nothing is counted */
static bool has_failed;

static bool memory_fails(void)
{
    bool fails = fail_at && !faked.inside && ++count == fail_at;
    has_failed |= fails;
    return fails;
}

void *__wrap_malloc(size_t n)
{
    return memory_fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return memory_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return memory_fails() ? NULL : __real_realloc(p, n);
}

/* ---- what runs ---- */

static struct mcti_key *key;
static struct mcti_nonces nonces;
static struct mcti_auth_settings settings = { .assertion = "a.b.c",
                                              .id_token = "i.d.t",
                                              .idp_issuer = "https://idp",
                                              .idp_client_id = "i",
                                              .idp_client_secret = "s" };
static struct mcti_auth_env env = { .settings = &settings, .now_s = faked_now_s };
static struct mcti_issuer_metadata as = { .issuer = "https://as", .token_endpoint = "https://as/token" };
static struct mcti_oauth_client client = { .kind = MCT_CLIENT_CONFIGURED, .id = "app", .secret = "secret" };

static const struct exchange {
    const struct mcti_grant_ops *ops;
    const char *secret;
    bool key, dpop;
    struct {
        const char *asked; /* a part of the body or headers that must be there */
        int status;
        const char *body, *nonce;
    } v[4];
} exchanges[] = {
    { &mcti_grant_client_credentials,
      "secret",
      false,
      true,
      { { "Authorization: Basic YXBwOnNlY3JldA==", 400, "{\"error\":\"use_dpop_nonce\"}", "n" },
        { "DPoP: ey", 200, "{\"access_token\":\"at\",\"token_type\":\"DPoP\"}", NULL } } },
    { &mcti_grant_client_credentials,
      NULL,
      true,
      false,
      { { "client_assertion=ey", 400, "{\"error\":\"invalid_client\",\"error_description\":\"no\"}", NULL } } },
    { &mcti_grant_workload,
      NULL,
      false,
      false,
      { { "assertion=a.b.c&resource=r", 200, "{\"access_token\":\"at\",\"token_type\":\"Bearer\"}", NULL } } },
    { &mcti_grant_enterprise,
      "secret",
      false,
      false,
      { { "", 404, "", NULL },
        { "", 200,
          "{\"issuer\":\"https://idp\",\"token_endpoint\":\"https://idp/t\",\"token_endpoint_auth_methods_supported\":"
          "[\"client_secret_post\"]}",
          NULL },
        { "client_secret=s&client_id=i", 200,
          "{\"access_token\":\"jag\",\"token_type\":\"N_A\",\"issued_token_type\":\"urn:ietf:params:oauth:token-type:"
          "id-"
          "jag\"}",
          NULL },
        { "assertion=jag&resource=r", 200, "{\"access_token\":\"at\",\"token_type\":\"Bearer\"}", NULL } } },
};

static void exchange_run(const struct exchange *x, struct mct_error *err)
{
    struct mcti_oauth_client c = client;
    const struct mcti_grant_opts opts = { .env = &env,
                                          .as = &as,
                                          .client = x->secret || x->key ? &c : NULL,
                                          .resource = "r",
                                          .dpop = x->dpop ? key : NULL,
                                          .nonces = &nonces,
                                          .done = outcome_keep,
                                          .data = &outcome };
    c.secret = x->secret;
    c.key = x->key ? key : NULL;
    if (!x->ops->start(&opts, err))
        return;
    for (size_t i = 0; i < 4 && faked.now; i++) {
        if (!strstr(faked.now->body, x->v[i].asked) && !strstr(faked.now->headers, x->v[i].asked))
            fail_msg("request %zu: %s %s", i, faked.now->body, faked.now->headers);
        faked_answer_with(x->v[i].status, x->v[i].body, &(struct mcti_fetch){ .nonce = x->v[i].nonce });
    }
}

static void failing_memory_is_told(void **state)
{
    (void)state;
    key = mcti_key_generate(NULL);
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        has_failed = true;
        for (unsigned long at = 1; has_failed; at++) {
            struct mct_error err = { MCT_ERR_NONE };
            outcome_clear();
            mcti_nonces_clear(&nonces);
            count = 0;
            has_failed = false;
            fail_at = at;
            exchange_run(&exchanges[i], &err);
            fail_at = 0;
            assert_null(faked.now);
            assert_int_equal(outcome.n + (err.kind != MCT_ERR_NONE), 1);
            assert_true(!err.kind || err.kind == MCT_ERR_NO_MEMORY);
            if (has_failed)
                continue;
            assert_true(at > 5);
            assert_true(i == 1 ? !strcmp(outcome.refused.error, "invalid_client") : !!outcome.access_token);
        }
    }
    outcome_clear();
    mcti_nonces_clear(&nonces);
    mcti_key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_memory_is_told),
    };
    return cmocka_run_group_tests_name("grant memory", tests, NULL, NULL);
}
