#include "stored.h"

#include "auth/store/impl.h"

static char *read_file(size_t *ret_len)
{
    char *text = calloc(1, 65536);
    FILE *f = fopen(stored_path(".json"), "r");
    assert_non_null(f);
    *ret_len = fread(text, 1, 65536, f);
    fclose(f);
    return text;
}

static void write_file(const char *text, size_t len)
{
    FILE *f = fopen(stored_path(".json"), "w");
    assert_int_equal(fwrite(text, 1, len, f), len);
    fclose(f);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    while ((text = strstr(text, what))) {
        text += strlen(what);
        n++;
    }
    return n;
}

static void the_key_is_made_once(void **state)
{
    char key[64];
    size_t len;
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    struct mcti_auth_store *s = stored_open("secret-service");
    stored_save(s, stored_key, "a secret text");
    stored_expect(s, stored_key, "a secret text");
    stored_expect(s, stored_key, "a secret text"); /* the key was looked up once */
    mcti_auth_store_free(s);
    snprintf(key, sizeof key, "%s", stored_fake_text("secret"));
    assert_int_equal(strlen(key), 43);
    assert_null(strstr(stored_fake_text("arguments"), key));
    assert_int_equal(count(stored_fake_text("arguments"), "store "), 1);
    assert_int_equal(count(stored_fake_text("arguments"), "lookup "), 3); /* before the lock, under it, and to check */
    s = stored_open("secret-service");
    stored_expect(s, stored_key, "a secret text");
    mcti_auth_store_free(s);
    assert_int_equal(count(stored_fake_text("arguments"), "store "), 1);
    assert_int_equal(count(stored_fake_text("arguments"), "lookup "), 4);
    assert_string_equal(stored_fake_text("secret"), key);
    char *text = read_file(&len);
    assert_null(strstr(text, "secret text"));
    assert_null(strstr(text, key));
    free(text);
    assert_int_equal(stored_n_files(), 1); /* also the lock of the creation is gone */
}

static void two_seals_of_a_text_differ(void **state)
{
    size_t len;
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    struct mcti_auth_store *s = stored_open("secret-service");
    stored_save(s, stored_key, "text");
    char *one = read_file(&len);
    stored_save(s, stored_key, "text");
    char *two = read_file(&len);
    assert_string_not_equal(one, two);
    stored_save(s, stored_key, "");
    stored_expect(s, stored_key, "");
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR_NONE, NULL), 0);
    stored_expect(s, stored_key, NULL);
    assert_int_equal(stored_n_files(), 0);
    mcti_auth_store_free(s);
    free(one);
    free(two);
}

static void a_changed_file_is_refused(void **state)
{
    struct mct_error err;
    size_t len;
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    struct mcti_auth_store *s = stored_open("secret-service");
    stored_save(s, stored_key, "a secret text");
    char *text = read_file(&len);
    const char *body = strstr(text, "\"text\":\"") + 8;
    for (size_t n = sizeof MCT_SEALED_HEAD - 1; n < len; n++) { /* a shorter one is not taken for a sealed one */
        write_file(text, n);
        stored_refuses(s, stored_key, &err);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
        assert_non_null(strstr(err.message, "log in again"));
    }
    for (size_t i = (size_t)(body - text); i < len; i++) {
        char was = text[i];
        text[i] = was == 'A' ? 'B' : 'A';
        write_file(text, len);
        stored_refuses(s, stored_key, &err);
        text[i] = was;
    }
    write_file(text, len);
    stored_expect(s, stored_key, "a secret text");
    mcti_auth_store_free(s);
    free(text);
}

/* The file of one server is no login at another, and a key that has been replaced opens nothing. */
static void files_and_keys_belong_together(void **state)
{
    struct mct_error err;
    char key[MCT_AUTH_KEY_CHARS + 1], other[600];
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    struct mcti_auth_store *s = stored_open("secret-service");
    mcti_auth_key(key, MCT_STR("https://evil.example"), MCT_STR(""));
    stored_save(s, stored_key, "text");
    snprintf(other, sizeof other, "%s/%s.json", stored_folder, key);
    assert_int_equal(link(stored_path(".json"), other), 0);
    stored_refuses(s, key, &err);
    mcti_auth_store_free(s);
    stored_fake_tool("rm -f secret\n" SECRET_TOOL);
    stored_fake_tool("[ -f again ] || rm -f secret\n: > again\n" SECRET_TOOL);
    s = stored_open("secret-service");
    stored_refuses(s, stored_key, &err);
    assert_non_null(strstr(err.message, "no longer in the keyring"));
    stored_save(s, stored_key, "new");
    stored_expect(s, stored_key, "new");
    mcti_auth_store_free(s);
}

static void plain_files_are_sealed_when_saved(void **state)
{
    struct mct_error err;
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    struct mcti_auth_store *plain = stored_open("file"), *s = stored_open("secret-service");
    stored_save(plain, stored_key, "{\"old\":1}");
    stored_expect(s, stored_key, "{\"old\":1}");
    stored_save(s, stored_key, "{\"new\":1}");
    stored_refuses(plain, stored_key, &err);
    assert_non_null(strstr(err.message, "is sealed"));
    assert_non_null(strstr(err.message, stored_path(".json")));
    stored_expect(s, stored_key, "{\"new\":1}");
    mcti_auth_store_free(s);
    mcti_auth_store_free(plain);
}

/* Processes that start at the same time must not replace each other's key. */
static void the_key_is_made_by_one_process(void **state)
{
    enum { N = 6 };
    pid_t pids[N];
    char url[32], key[MCT_AUTH_KEY_CHARS + 1];
    (void)state;
    stored_fake_tool(SECRET_TOOL);
    for (int i = 0; i < N; i++) {
        if ((pids[i] = fork()))
            continue;
        struct mcti_auth_store *s = mcti_auth_store_open("secret-service", stored_folder, NULL);
        snprintf(url, sizeof url, "%d", i);
        mcti_auth_key(key, mcti_str_of(url), MCT_STR(""));
        _exit(!s || s->ops->save(s, key, MCT_STR("text"), NULL) < 0);
    }
    for (int i = 0; i < N; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count(stored_fake_text("arguments"), "store "), 1);
    struct mcti_auth_store *s = stored_open("secret-service");
    for (int i = 0; i < N; i++) {
        snprintf(url, sizeof url, "%d", i);
        mcti_auth_key(key, mcti_str_of(url), MCT_STR(""));
        stored_expect(s, key, "text");
    }
    mcti_auth_store_free(s);
}

static void a_missing_keyring_is_told(void **state)
{
    static const struct {
        const char *script, *says;
    } rows[] = {
        { "echo 'Cannot autolaunch D-Bus without X11' >&2; exit 1", "Cannot autolaunch D-Bus" },
        { "exit 4", "exited with status 4" },
        { "echo 'no key'", "secret-tool clear service mcptools" },
        { "head -c 5000 /dev/zero", "wrote more than" },
        { "case $1 in lookup) exit 1;; *) echo 'is locked' >&2; exit 1;; esac", "is locked" },
        { "case $1 in lookup) exit 1;; esac", "has not kept the key" },
        { "kill -9 $$", "was killed" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err = { 0 };
        stored_fake_tool(rows[i].script);
        assert_null(mcti_auth_store_open("secret-service", stored_folder, &err));
        if (!strstr(err.message, rows[i].says))
            fail_msg("%s: %s", rows[i].script, err.message);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
    }
    struct mct_error err = { 0 };
    stored_fake_tool(rows[0].script);
    assert_null(mcti_auth_store_open("secret-service", stored_folder, &err));
    assert_non_null(strstr(err.message, "libsecret-tools"));
    assert_non_null(strstr(err.message, "use the store \"file\""));
    setenv("PATH", "/nonexistent", 1);
    assert_null(mcti_auth_store_open("secret-service", stored_folder, &err));
    assert_non_null(strstr(err.message, "not found in PATH"));
    assert_non_null(strstr(err.message, "libsecret-tools"));
    stored_fake_tool("exit 0");
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(the_key_is_made_once),
        STORED(two_seals_of_a_text_differ),
        STORED(a_changed_file_is_refused),
        STORED(files_and_keys_belong_together),
        STORED(plain_files_are_sealed_when_saved),
        STORED(the_key_is_made_by_one_process),
        STORED(a_missing_keyring_is_told),
    };
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
