#include "stored.h"

#include "auth/store/impl.h"

static void texts_are_kept(void **state)
{
    struct mcti_auth_store *s = stored_open("file"), *other = stored_open("file");
    char key[MCT_AUTH_KEY_CHARS + 1];
    (void)state;
    mcti_auth_key(key, MCT_STR("https://example.com/mcp"), MCT_STR("guest"));
    assert_string_not_equal(key, stored_key);
    stored_expect(s, stored_key, NULL);
    assert_int_equal(access(stored_folder, F_OK), -1); /* reading creates nothing */
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR_NONE, NULL), 0);
    assert_int_equal(access(stored_folder, F_OK), -1); /* nor does forgetting */
    stored_save(s, stored_key, "one");
    stored_save(s, key, "guest's");
    stored_save(s, stored_key, "two, which is longer");
    stored_expect(other, stored_key, "two, which is longer");
    stored_expect(other, key, "guest's");
    assert_int_equal(other->ops->save(other, stored_key, MCT_STR_NONE, NULL), 0);
    stored_expect(s, stored_key, NULL);
    assert_int_equal(stored_n_files(), 1);
    mcti_auth_store_free(other);
    mcti_auth_store_free(s);
}

static void folder_and_files_are_private(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct stat st;
    mode_t before = umask(0);
    (void)state;
    stored_save(s, stored_key, "text");
    assert_int_equal(stat(stored_folder, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(stored_path(".json"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    assert_int_equal(stat(stored_path(".lock"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    s->ops->unlock(s, stored_key);
    umask(0777); /* of a careless program */
    stored_save(s, stored_key, "next");
    umask(before);
    assert_int_equal(stat(stored_path(".json"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    mcti_auth_store_free(s);
}

static void other_users_must_not_read_a_file(void **state)
{
    static const mode_t modes[] = { 0604, 0640, 0602, 0620, 0601, 0610, 0777 };
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    char command[600];
    (void)state;
    stored_save(s, stored_key, "text");
    snprintf(command, sizeof command, "run: chmod 600 %s", stored_path(".json"));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(stored_path(".json"), modes[i]);
        stored_refuses(s, stored_key, &err);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
        assert_non_null(strstr(err.message, command));
    }
    chmod(stored_path(".json"), 0400);
    stored_expect(s, stored_key, "text");
    chmod(stored_path(".json"), 0644);
    stored_save(s, stored_key, "new"); /* a new login repairs it */
    stored_expect(s, stored_key, "new");
    mcti_auth_store_free(s);
}

static void other_users_must_not_write_to_the_folder(void **state)
{
    static const mode_t modes[] = { 0770, 0707, 0777, 01777, 0720, 0702 };
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    (void)state;
    stored_save(s, stored_key, "text");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(stored_folder, modes[i]);
        stored_refuses(s, stored_key, &err);
        assert_non_null(strstr(err.message, "run: chmod 700 "));
        assert_non_null(strstr(err.message, stored_folder));
        assert_int_equal(s->ops->save(s, stored_key, MCT_STR("x"), &err), -1);
        assert_int_equal(s->ops->lock(s, stored_key, &err), -1);
    }
    chmod(stored_folder, 0755);
    stored_expect(s, stored_key, "text");
    mcti_auth_store_free(s);
}

static void another_owner_is_refused(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    (void)state;
    stored_save(s, stored_key, "text");
    if (chown(stored_path(".json"), 12345, (gid_t)-1) < 0) {
        mcti_auth_store_free(s);
        skip(); /* only root can give files away */
    }
    stored_refuses(s, stored_key, &err);
    assert_non_null(strstr(err.message, "12345"));
    assert_non_null(strstr(err.message, stored_path(".json")));
    assert_int_equal(chown(stored_path(".json"), 0, 0), 0);
    assert_int_equal(chown(stored_folder, 12345, (gid_t)-1), 0);
    stored_refuses(s, stored_key, &err);
    assert_non_null(strstr(err.message, "12345"));
    mcti_auth_store_free(s);
}

/* What stands at the place of a file is never followed, waited for, or changed. */
static void links_and_other_things_are_refused(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    struct stat st;
    char target[600];
    (void)state;
    stored_save(s, stored_key, "text");
    snprintf(target, sizeof target, "%s/target", stored_folder);
    assert_int_equal(rename(stored_path(".json"), target), 0);
    assert_int_equal(symlink(target, stored_path(".json")), 0);
    stored_refuses(s, stored_key, &err);
    assert_non_null(strstr(err.message, "symbolic link"));
    stored_save(s, stored_key, "new");
    assert_int_equal(lstat(stored_path(".json"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(symlink(target, stored_path(".lock")), 0);
    assert_int_equal(s->ops->lock(s, stored_key, &err), -1);
    unlink(stored_path(".json"));
    assert_int_equal(mkfifo(stored_path(".json"), 0600), 0);
    stored_refuses(s, stored_key, &err);
    unlink(stored_path(".json"));
    assert_int_equal(mkdir(stored_path(".json"), 0700), 0);
    stored_refuses(s, stored_key, &err);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR("x"), &err), -1);
    assert_int_equal(rmdir(stored_path(".json")), 0);
    mcti_auth_store_free(s);
}

static void sizes_are_limited(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    char *text = malloc(MCT_LIMIT_AUTH_BYTES + 2);
    (void)state;
    memset(text, 'x', MCT_LIMIT_AUTH_BYTES + 1);
    text[MCT_LIMIT_AUTH_BYTES] = '\0';
    stored_save(s, stored_key, text);
    stored_expect(s, stored_key, text);
    text[MCT_LIMIT_AUTH_BYTES] = 'x';
    assert_int_equal(s->ops->save(s, stored_key, (struct mcti_str){ text, MCT_LIMIT_AUTH_BYTES + 1 }, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    assert_int_equal(truncate(stored_path(".json"), (off_t)1 << 40), 0); /* a hole */
    stored_refuses(s, stored_key, &err);
    assert_non_null(strstr(err.message, "1 MiB"));
    free(text);
    mcti_auth_store_free(s);
}

static void keys_are_listed(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mcti_strings keys = { 0 };
    struct mct_error err;
    char path[600];
    (void)state;
    assert_int_equal(s->ops->list(s, &keys, &err), 0);
    assert_int_equal(keys.n, 0);
    stored_save(s, stored_key, "text");
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    snprintf(path, sizeof path, "%s/notes.json", stored_folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(s->ops->list(s, &keys, &err), 0);
    assert_int_equal(keys.n, 1);
    assert_string_equal(keys.v[0], stored_key);
    mcti_strings_clear(&keys);
    mcti_auth_store_free(s);
}

static void a_key_is_no_path(void **state)
{
    static const char *const keys[] = { "", "../../etc/passwd", "abc", "0123456789ABCDEF", "/" };
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        stored_refuses(s, keys[i], &err);
        assert_int_equal(s->ops->save(s, keys[i], MCT_STR("x"), &err), -1);
        assert_int_equal(s->ops->lock(s, keys[i], &err), -1);
    }
    mcti_auth_store_free(s);
}

static void the_folder_follows_the_environment(void **state)
{
    struct mct_error err;
    char *home = strdup(getenv("HOME") ? getenv("HOME") : "/"), path[600];
    struct mcti_auth_store *s;
    (void)state;
    *strstr(stored_folder, "/state/") = '\0';
    setenv("HOME", stored_folder, 1);
    setenv("XDG_STATE_HOME", "relative", 1); /* not valid: ignored */
    assert_non_null(s = mcti_auth_store_open("file", NULL, &err));
    stored_save(s, stored_key, "x");
    mcti_auth_store_free(s);
    snprintf(path, sizeof path, "%s/.local/state/mcptools/credentials/%s.json", stored_folder, stored_key);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/elsewhere", stored_folder);
    setenv("XDG_STATE_HOME", path, 1);
    assert_non_null(s = mcti_auth_store_open("file", NULL, &err));
    stored_save(s, stored_key, "x");
    mcti_auth_store_free(s);
    strcat(path, "/mcptools/credentials");
    assert_int_equal(access(path, F_OK), 0);
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_null(mcti_auth_store_open("file", NULL, &err));
    assert_non_null(strstr(err.message, "XDG_STATE_HOME"));
    setenv("HOME", home, 1);
    free(home);
    strcat(stored_folder, "/state/");
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    (void)state;
    *strstr(stored_folder, "/credentials") = '\0';
    close(open(stored_folder, O_CREAT | O_WRONLY, 0600)); /* a file in the way */
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR("x"), &err), -1);
    assert_non_null(strstr(err.message, "Not a directory"));
    assert_int_equal(s->ops->lock(s, stored_key, &err), -1);
    strcat(stored_folder, "/");
    mcti_auth_store_free(s);
}

static void an_unknown_kind_is_told(void **state)
{
    struct mct_error err;
    (void)state;
    assert_null(mcti_auth_store_open("vault", stored_folder, &err));
    assert_non_null(strstr(err.message, "'vault'"));
}

/* The kind "memory" has the same contract, without files. */
static void memory_keeps_texts(void **state)
{
    struct mcti_auth_store *s = stored_open("memory");
    struct mcti_strings keys = { 0 };
    char key[MCT_AUTH_KEY_CHARS + 1];
    (void)state;
    mcti_auth_key(key, MCT_STR("https://example.com/mcp"), MCT_STR("guest"));
    stored_expect(s, stored_key, NULL);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 0);
    assert_int_equal(s->ops->lock(s, key, NULL), 1);
    stored_save(s, stored_key, "one");
    stored_save(s, stored_key, "two");
    stored_expect(s, stored_key, "two");
    assert_int_equal(s->ops->list(s, &keys, NULL), 0);
    assert_int_equal(keys.n, 1);
    assert_string_equal(keys.v[0], stored_key);
    mcti_strings_clear(&keys);
    s->ops->unlock(s, stored_key);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR_NONE, NULL), 0);
    stored_expect(s, stored_key, NULL);
    assert_int_equal(stored_n_files(), 0);
    mcti_auth_store_free(s);
    mcti_auth_store_free(NULL);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(texts_are_kept),
        STORED(folder_and_files_are_private),
        STORED(other_users_must_not_read_a_file),
        STORED(other_users_must_not_write_to_the_folder),
        STORED(another_owner_is_refused),
        STORED(links_and_other_things_are_refused),
        STORED(sizes_are_limited),
        STORED(keys_are_listed),
        STORED(a_key_is_no_path),
        STORED(the_folder_follows_the_environment),
        STORED(a_folder_that_cannot_be_made_is_told),
        STORED(an_unknown_kind_is_told),
        STORED(memory_keeps_texts),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
