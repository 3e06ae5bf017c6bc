/* Each block that is freed or moved while records and stores work is searched for a secret. */
#include "stored.h"

#include "auth/store/record.h"

#include <malloc.h>

#define SECRET "s3cr3t-marker"

/* volatile: the compiler knows free(), and that it changes none of them. */
static volatile bool watching;
static volatile unsigned n_found, n_freed;

static void search(const void *p)
{
    if (!watching || !p)
        return;
    n_freed++;
    n_found += memmem(p, malloc_usable_size((void *)p), SECRET, strlen(SECRET)) != NULL;
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
    search(p);
    __real_free(p);
}

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
    search(p);
    return __real_realloc(p, n);
}

static void begin(void)
{
    n_found = n_freed = 0;
    watching = true;
}

static void end(void)
{
    watching = false;
    assert_int_equal(n_found, 0);
    assert_true(n_freed > 0);
}

static void the_search_finds(void **state)
{
    char *volatile text = strdup("x" SECRET);
    (void)state;
    begin();
    free(text);
    watching = false;
    assert_int_equal(n_found, 1);
}

static struct mcti_auth_record secret_login(void)
{
    return (struct mcti_auth_record){ .issuer = strdup("i"),
                                      .client_secret = strdup(SECRET),
                                      .registration_token = strdup(SECRET " \"\n\xc3\xa4"),
                                      .access_token = strdup("a " SECRET),
                                      .refresh_token = strdup(SECRET),
                                      .dpop_key = strdup("-----\n" SECRET "\n-----\n") };
}

static void records_are_wiped(void **state)
{
    struct mcti_auth_records r = { .server = strdup("s"), .principal = strdup("") }, back;
    struct mcti_auth_record copy, login = secret_login(), again = secret_login();
    struct mct_error err;
    struct mcti_buf b;
    (void)state;
    begin();
    assert_int_equal(mcti_auth_records_set(&r, &login), 0);
    assert_int_equal(mcti_auth_records_set(&r, &again), 0); /* replaces it */
    mcti_buf_init_secret(&b, 1u << 20);
    mcti_auth_records_put(&b, &r);
    assert_int_equal(mcti_auth_records_read(&back, mcti_buf_str(&b), &err), 0);
    assert_int_equal(mcti_auth_record_copy(&copy, back.v), 0);
    mcti_auth_records_remove(&back, back.v);
    mcti_auth_records_clear(&back);
    assert_int_equal(mcti_auth_records_read(&back, (struct mcti_str){ b.p, b.len - 1 }, &err), -1);
    b.p[b.len - 2] = '}'; /* damage behind the secrets */
    assert_int_equal(mcti_auth_records_read(&back, mcti_buf_str(&b), &err), -1);
    mcti_auth_record_clear(&copy);
    mcti_auth_records_clear(&r);
    mcti_buf_done(&b);
    end();
}

static void stores_wipe(const char *kind)
{
    struct mcti_auth_store *s = stored_open(kind);
    struct mct_error err;
    struct mcti_buf b;
    begin();
    mcti_buf_init_secret(&b, MCT_LIMIT_AUTH_BYTES);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR(SECRET " one"), &err), 0);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR(SECRET " two"), &err), 0);
    assert_int_equal(s->ops->load(s, stored_key, &b, &err), 0);
    assert_buf(&b, SECRET " two");
    mcti_buf_done(&b);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR_NONE, &err), 0);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR(SECRET " three"), &err), 0);
    mcti_auth_store_free(s);
    end();
}

static void files_are_wiped(void **state)
{
    (void)state;
    stores_wipe("file");
}

static void memory_is_wiped(void **state)
{
    (void)state;
    stores_wipe("memory");
}

static void sealed_files_are_wiped(void **state)
{
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    stores_wipe("secret-service");
}

/* The key of sealed files is a secret as well: the fake keeps it in a file, where this test reads it. */
static void the_key_is_wiped(void **state)
{
    (void)state;
    stored_fake_tool("case $1 in lookup) printf 'czNjcjN0LW1hcmtlci1vZi0zMi1ieXRlcy1sb25nIS4';; esac"); /* base64url */
    begin();
    struct mcti_auth_store *s = stored_open("secret-service");
    mcti_auth_store_free(s);
    end();
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_finds),
        cmocka_unit_test(records_are_wiped),
        STORED(files_are_wiped),
        STORED(memory_is_wiped),
        STORED(sealed_files_are_wiped),
        STORED(the_key_is_wiped),
    };
    return cmocka_run_group_tests_name("wiped", tests, NULL, NULL);
}
