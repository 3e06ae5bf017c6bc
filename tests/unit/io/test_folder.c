/* Folders that are made, and what is said if that fails. */
#include "unit.h"

#include "io/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char folder[] = "/tmp/mcptools-folder-XXXXXX";

static void the_first_failure_is_told(void **state)
{
    char path[sizeof folder + 16];
    bool is_root = geteuid() == 0;
    (void)state;
    snprintf(path, sizeof path, "%s/a/b/c", folder);
    assert_int_equal(chmod(folder, 0555), 0);
    if (is_root)
        assert_int_equal(seteuid(NOBODY), 0); /* whom modes bind */
    int r = mcti_folder_make(path), why = errno;
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_true(r == -1 && why == EACCES);
}

static void folders_are_made_once(void **state)
{
    char path[sizeof folder + 16];
    struct stat st;
    (void)state;
    snprintf(path, sizeof path, "%s/a/b/", folder);
    assert_int_equal(mcti_folder_make(path), 0);
    assert_int_equal(mcti_folder_make(path), 0);
    assert_true(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
    assert_int_equal(rmdir(path), 0);
    path[sizeof folder + 1] = '\0'; /* the folder "a" */
    assert_int_equal(rmdir(path), 0);
}

static void a_file_is_no_folder(void **state)
{
    (void)state;
    assert_int_equal(mcti_folder_make("/dev/null/a"), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(mcti_folder_make("/dev/null"), -1);
    assert_int_equal(errno, ENOTDIR);
}

static int folder_setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_teardown(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(folders_are_made_once),
        cmocka_unit_test(a_file_is_no_folder),
    };
    return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
