#include "unit.h"

#include "gateway/tasks/id.h"
#include "gateway/tasks/key.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY MCT_STR("0123456789abcdef0123456789abcdef")

/* Writes the id of a task of `principal` without its quotes. */
static char *id_of(const char *principal, const char *own)
{
    const struct mcti_task_id id = { (char[]){ "s \"1\"" }, (char[]){ "tool,\n" }, strdup(own) };
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_TASK_ID_BYTES);
    mcti_task_id_put(&b, KEY, mcti_str_of(principal), &id);
    assert_true(mcti_buf_ok(&b));
    assert_int_equal(b.p[0], '"');
    char *text = mcti_str_dup((struct mcti_str){ b.p + 1, b.len - 2 });
    mcti_buf_done(&b);
    free(id.own);
    return text;
}

static void ids_come_back(void **state)
{
    char *text = id_of("alice", "\"a\\u0062\\\"\"");
    struct mcti_task_id id;
    (void)state;
    for (const char *c = text; *c; c++)
        assert_non_null(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c));
    assert_int_equal(mcti_task_id_read(mcti_str_of(text), KEY, MCT_STR("alice"), &id), 0);
    assert_string_equal(id.server, "s \"1\"");
    assert_string_equal(id.tool, "tool,\n");
    assert_string_equal(id.own, "\"a\\u0062\\\"\"");
    mcti_task_id_done(&id);
    free(text);
}

static void ids_of_others_do_not(void **state)
{
    char *text = id_of("alice", "\"1\"");
    struct mcti_task_id id;
    (void)state;
    assert_int_equal(mcti_task_id_read(mcti_str_of(text), KEY, MCT_STR("alice "), &id), -1);
    assert_int_equal(mcti_task_id_read(mcti_str_of(text), KEY, MCT_STR("alic"), &id), -1);
    assert_int_equal(mcti_task_id_read(mcti_str_of(text), MCT_STR("another key"), MCT_STR("alice"), &id), -1);
    assert_int_equal(mcti_task_id_read(mcti_str_of(text + 5), KEY, MCT_STR("alice"), &id), -1);
    for (size_t i = 0; text[i]; i++) {
        char was = text[i];
        text[i] = was == 'A' ? 'B' : 'A';
        assert_int_equal(mcti_task_id_read(mcti_str_of(text), KEY, MCT_STR("alice"), &id), -1);
        text[i] = was;
    }
    assert_int_equal(mcti_task_id_read(MCT_STR(""), KEY, MCT_STR("alice"), &id), -1);
    free(text);
}

static void the_key_outlives_the_program(void **state)
{
    char folder[] = "/tmp/mcptools-task-key-XXXXXX", path[64];
    unsigned char key[2][MCT_SEAL_KEY_BYTES];
    struct mct_error err;
    struct stat st;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sub/tasks.key", folder);
    assert_int_equal(mcti_task_key_load(path, key[0], &err), 0);
    assert_int_equal(mcti_task_key_load(path, key[1], &err), 0);
    assert_memory_equal(key[0], key[1], sizeof key[0]);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_nlink, 1);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(mcti_task_key_load(path, key[1], &err), -1);
    assert_non_null(strstr(err.message, "other users may read it"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, 31), 0);
    assert_int_equal(mcti_task_key_load(path, key[1], &err), -1);
    assert_non_null(strstr(err.message, "it is no key"));
    unlink(path);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_int_equal(mcti_task_key_load(path, key[1], &err), -1);
    unlink(path);
    snprintf(path, sizeof path, "%s/sub", folder);
    rmdir(path);
    rmdir(folder);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(ids_of_others_do_not),
        cmocka_unit_test(the_key_outlives_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
