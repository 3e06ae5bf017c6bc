/* Client authentication at the token endpoint. */
#include "faked.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>

static struct mcti_strings list_of(const char *words)
{
    struct mcti_strings list = { NULL };
    struct mcti_str rest = mcti_str_of(words), word;
    while (mcti_str_split(&rest, ' ', &word))
        mcti_strings_add(&list, word);
    return list;
}

static void methods_are_chosen(void **state)
{
    static const struct {
        const char *listed; /* NULL: nothing is listed */
        const char *returned, *secret;
        bool key;
        const char *method;
    } rows[] = {
        { NULL, NULL, NULL, false, "none" },
        { NULL, NULL, "s", false, "client_secret_basic" },
        { NULL, NULL, NULL, true, "private_key_jwt" },
        { NULL, NULL, "s", true, "private_key_jwt" },
        { NULL, "client_secret_post", "s", false, "client_secret_post" },
        { NULL, "none", "s", false, "none" },
        { NULL, "client_secret_post", NULL, false, "none" },
        { NULL, "private_key_jwt", NULL, false, "none" },
        { NULL, "tls_client_auth", "s", false, "client_secret_basic" },
        /* a registration returns a secret although the endpoint takes none */
        { "none", NULL, "s", false, "none" },
        { "none", "client_secret_basic", "s", false, "none" },
        { "none", NULL, NULL, true, "none" },
        { "client_secret_basic", NULL, "s", false, "client_secret_basic" },
        { "client_secret_post", NULL, "s", false, "client_secret_post" },
        { "client_secret_post client_secret_basic", NULL, "s", false, "client_secret_basic" },
        { "client_secret_post client_secret_basic", "client_secret_post", "s", false, "client_secret_post" },
        { "client_secret_basic", "client_secret_post", "s", false, "client_secret_basic" },
        { "none client_secret_post", NULL, "s", false, "client_secret_post" },
        { "client_secret_basic client_secret_post", NULL, NULL, false, "none" },
        { "private_key_jwt", NULL, NULL, true, "private_key_jwt" },
        { "private_key_jwt client_secret_post", NULL, "s", true, "private_key_jwt" },
        { "client_secret_post", NULL, "s", true, "client_secret_post" },
        { "tls_client_auth", NULL, "s", false, "client_secret_basic" },
        { "tls_client_auth", NULL, NULL, true, "private_key_jwt" },
        { "tls_client_auth", NULL, NULL, false, "none" },
        { "client_secret_jwt", NULL, "s", true, "private_key_jwt" },
        { "Client_Secret_Post", NULL, "s", false, "client_secret_basic" },
    };
    struct mcti_key *key = mcti_key_generate(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_strings listed = list_of(rows[i].listed);
        struct mcti_oauth_client c = {
            .id = "id", .secret = rows[i].secret, .auth_method = rows[i].returned, .key = rows[i].key ? key : NULL
        };
        struct mcti_oauth_endpoint at = { .lists_methods = rows[i].listed != NULL, .auth_methods = &listed };
        if (strcmp(mcti_oauth_client_method(&c, &at), rows[i].method))
            fail_msg("row %zu: %s", i, mcti_oauth_client_method(&c, &at));
        mcti_strings_clear(&listed);
    }
    mcti_key_free(key);
}

/* ---- what is sent ---- */

static void check_put(const struct mcti_oauth_client *c, const char *listed, const char *form, const char *headers)
{
    struct mcti_strings list = list_of(listed);
    struct mcti_oauth_endpoint at = { .issuer = "https://as", .lists_methods = true, .auth_methods = &list };
    struct mcti_oauth_post post;
    struct mct_error err = { MCT_ERR_NONE };
    mcti_oauth_post_init(&post);
    mcti_form_put(&post.form, "grant_type", MCT_STR("g"));
    assert_int_equal(mcti_oauth_put_client(c, &at, faked_time, &post, &err), 0);
    assert_true(mcti_oauth_post_ok(&post));
    assert_buf(&post.form, form);
    char lines[1000];
    snprintf(lines, sizeof lines, "%s%s", headers, *headers ? "\r\n" : "");
    assert_buf(&post.headers.text, lines);
    assert_true(post.form.secret && post.headers.text.secret);
    mcti_oauth_post_done(&post);
    mcti_strings_clear(&list);
}

static void secrets_are_sent_in_one_place(void **state)
{
    (void)state;
    const struct mcti_oauth_client c = { .id = "my app:1", .secret = "s:%/+ \xc3\xa9" };
    check_put(&c, "client_secret_post", "grant_type=g&client_secret=s%3A%25%2F%2B%20%C3%A9&client_id=my%20app%3A1", "");
    /* base64 of my%20app%3A1:s%3A%25%2F%2B%20%C3%A9 */
    check_put(&c, "client_secret_basic", "grant_type=g",
              "Authorization: Basic bXklMjBhcHAlM0ExOnMlM0ElMjUlMkYlMkIlMjAlQzMlQTk=");
    check_put(&c, "none", "grant_type=g&client_id=my%20app%3A1", "");
    check_put(NULL, "none", "grant_type=g", "");
    check_put(&(struct mcti_oauth_client){ .id = NULL }, "none", "grant_type=g", "");
}

static void basic_is_an_example_of_the_rfc(void **state)
{
    (void)state; /* RFC 6749 section 2.3.1 */
    const struct mcti_oauth_client c = { .id = "s6BhdRkqt3", .secret = "7Fjfp0ZBr1KtDRbnfVdmIw" };
    check_put(&c, "client_secret_basic", "grant_type=g",
              "Authorization: Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3");
}

static char *assertion_of(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at)
{
    struct mcti_oauth_post post;
    struct mcti_buf jwt;
    mcti_oauth_post_init(&post);
    mcti_buf_init(&jwt, 65536);
    assert_int_equal(mcti_oauth_put_client(c, at, faked_time, &post, NULL), 0);
    assert_true(mcti_oauth_post_ok(&post));
    assert_int_equal(mcti_form_get(mcti_buf_str(&post.form), "client_assertion_type", &jwt), 1);
    assert_buf(&jwt, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    mcti_buf_clear(&jwt);
    assert_int_equal(mcti_form_get(mcti_buf_str(&post.form), "client_id", &jwt), 0);
    assert_int_equal(mcti_form_get(mcti_buf_str(&post.form), "client_secret", &jwt), 0);
    assert_int_equal(mcti_form_get(mcti_buf_str(&post.form), "client_assertion", &jwt), 1);
    assert_int_equal(post.headers.text.len, 0);
    mcti_oauth_post_done(&post);
    return mcti_buf_take(&jwt);
}

static void assertions_are_for_the_issuer(void **state)
{
    struct mcti_key *key = mcti_key_generate(NULL);
    struct mcti_strings algs = list_of("RS256 ES256");
    struct mcti_oauth_client c = { .id = "app", .secret = "s", .key = key, .key_id = "k1" };
    struct mcti_oauth_endpoint at = { .issuer = "https://as/", .url = "https://as/token", .auth_algs = &algs };
    struct mcti_buf header, claims, jwk;
    (void)state;
    mcti_buf_init(&header, 65536);
    mcti_buf_init(&claims, 65536);
    mcti_buf_init(&jwk, 65536);
    mcti_key_put_public(&jwk, key);
    char *one = assertion_of(&c, &at), *two = assertion_of(&c, &at);
    assert_int_equal(mcti_jwt_verify(mcti_str_of(one), mcti_buf_str(&jwk), NULL), 0);
    assert_int_equal(mcti_jwt_decode(mcti_str_of(one), &header, &claims, NULL), 0);
    assert_buf(&header, "{\"typ\":\"JWT\",\"alg\":\"ES256\",\"kid\":\"k1\"}");
    claims.len -= 42; /* ,"jti":"…"} */
    assert_buf(&claims,
               "{\"iss\":\"app\",\"sub\":\"app\",\"aud\":\"https://as/\",\"iat\":1700000000,\"exp\":1700000120");
    assert_string_not_equal(one, two);
    free(one);
    free(two);
    mcti_buf_done(&header);
    mcti_buf_done(&claims);
    mcti_buf_done(&jwk);
    mcti_strings_clear(&algs);
    mcti_key_free(key);
}

static void keys_that_do_not_fit_are_told(void **state)
{
    struct mcti_key *key = mcti_key_generate(NULL);
    struct mcti_strings algs = list_of("RS256 HS256 none");
    struct mcti_oauth_client c = { .id = "app", .key = key };
    struct mcti_oauth_endpoint at = {
        .issuer = "https://as", .url = "https://as/token", .what = "the token endpoint", .auth_algs = &algs
    };
    struct mcti_oauth_post post;
    struct mct_error err = { MCT_ERR_NONE };
    (void)state;
    mcti_oauth_post_init(&post);
    assert_int_equal(mcti_oauth_put_client(&c, &at, 0, &post, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_has(err.message, "the token endpoint https://as/token supports no signature algorithm of the private key");
    c.alg = "PS256";
    assert_int_equal(mcti_oauth_put_client(&c, &at, 0, &post, &err), -1);
    assert_has(err.message, "cannot sign with \"PS256\"");
    mcti_oauth_post_done(&post);
    mcti_strings_clear(&algs);
    mcti_key_free(key);
}

/* ---- stored logins ---- */

static void secrets_of_the_settings_are_for_their_client_only(void **state)
{
    struct mcti_key *key = mcti_key_generate(NULL);
    const struct mcti_auth_settings settings = { .client_id = "mine", .client_secret = "conf", .key_id = "k" };
    struct {
        enum mcti_client_kind kind;
        const char *id, *registered, *secret;
        bool key;
    } rows[] = {
        { MCT_CLIENT_CONFIGURED, "mine", NULL, "conf", true },
        { MCT_CLIENT_CONFIGURED, "former", NULL, NULL, false },
        { MCT_CLIENT_REGISTERED, "mine", "reg", "reg", false },
        { MCT_CLIENT_REGISTERED, "dyn", NULL, NULL, false },
        { MCT_CLIENT_DOCUMENT, "https://me/doc", NULL, NULL, true },
        { MCT_CLIENT_NONE, NULL, NULL, NULL, false },
    };
    struct mcti_strings lists;
    struct mcti_oauth_client c;
    struct mcti_oauth_endpoint at;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mcti_auth_record login = { .client_kind = rows[i].kind,
                                                .client_id = (char *)(uintptr_t)rows[i].id,
                                                .client_secret = (char *)(uintptr_t)rows[i].registered,
                                                .issuer = "https://as",
                                                .token_endpoint = "https://as/t",
                                                .auth_methods = i ? " none  client_secret_post" : NULL };
        assert_int_equal(mcti_oauth_of_login(&login, &settings, key, &lists, &c, &at), 0);
        assert_ptr_equal(c.id, rows[i].id);
        assert_true(c.secret == rows[i].secret || !strcmp(c.secret, rows[i].secret));
        assert_ptr_equal(c.key, rows[i].key ? key : NULL);
        assert_int_equal(at.lists_methods, i > 0);
        assert_int_equal(lists.n, i ? 2 : 0);
        assert_string_equal(at.url, "https://as/t");
        assert_string_equal(at.issuer, "https://as");
        mcti_strings_clear(&lists);
    }
    mcti_key_free(key);
}

/* A refresh signs with an algorithm that the endpoint takes, as the login did. */
static void stored_logins_keep_the_algorithms(void **state)
{
    static const struct {
        const char *methods, *algs, *alg;
    } rows[] = {
        { NULL, NULL, "RS256" },
        { "private_key_jwt", NULL, "RS256" },
        { "private_key_jwt client_secret_basic", "ES256 PS256 RS256", "PS256" },
        { NULL, "PS384", "PS384" },
    };
    const struct mcti_auth_settings settings = { .client_id = "mine" };
    EVP_PKEY *pkey = EVP_RSA_gen(2048);
    BIO *bio = BIO_new(BIO_s_mem());
    char *p;
    (void)state;
    assert_int_equal(PEM_write_bio_PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL), 1);
    long len = BIO_get_mem_data(bio, &p);
    struct mcti_key *key = mcti_key_read((struct mcti_str){ p, (size_t)len }, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mcti_auth_record login = { .client_kind = MCT_CLIENT_CONFIGURED,
                                                .client_id = "mine",
                                                .issuer = "https://as",
                                                .token_endpoint = "https://as/t",
                                                .auth_methods = (char *)(uintptr_t)rows[i].methods,
                                                .auth_algs = (char *)(uintptr_t)rows[i].algs };
        struct mcti_strings lists;
        struct mcti_oauth_client c;
        struct mcti_oauth_endpoint at;
        assert_int_equal(mcti_oauth_of_login(&login, &settings, key, &lists, &c, &at), 0);
        char *jwt = assertion_of(&c, &at);
        struct mcti_buf header, claims;
        mcti_buf_init(&header, 65536);
        mcti_buf_init(&claims, 65536);
        assert_int_equal(mcti_jwt_decode(mcti_str_of(jwt), &header, &claims, NULL), 0);
        assert_true(mcti_json_is(mcti_json_get(mcti_buf_str(&header), "alg"), rows[i].alg));
        mcti_buf_done(&header);
        mcti_buf_done(&claims);
        free(jwt);
        mcti_strings_clear(&lists);
    }
    mcti_key_free(key);
    BIO_free(bio);
    EVP_PKEY_free(pkey);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_chosen),
        cmocka_unit_test(secrets_are_sent_in_one_place),
        cmocka_unit_test(basic_is_an_example_of_the_rfc),
        cmocka_unit_test(assertions_are_for_the_issuer),
        cmocka_unit_test(keys_that_do_not_fit_are_told),
        cmocka_unit_test(secrets_of_the_settings_are_for_their_client_only),
        cmocka_unit_test(stored_logins_keep_the_algorithms),
    };
    return cmocka_run_group_tests_name("oauth client", tests, NULL, NULL);
}
