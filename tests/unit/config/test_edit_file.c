/* Edits of real files, in a folder of their own. */
#include "unit.h"

#include "config/edit/edit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-edit-XXXXXX";

static const char *const key[] = { "a", NULL };

static int add_a(void *data, struct mcti_edit *e, struct mct_error *err)
{
    (void)data;
    return mcti_edit_set(e, key, MCT_STR("1"), err);
}

static const char *path_in(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_file(const char *path, const char *text)
{
    char is[256] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    is[fread(is, 1, sizeof is - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(is, text);
}

static int edit_file(const char *path, int (*edit)(void *, struct mcti_edit *, struct mct_error *), bool dry_run,
                     struct mct_error *err)
{
    struct mcti_edit_outcome o;
    struct mcti_edit_job job = { .path = path, .edit = edit, .dry_run = dry_run };
    int r = mcti_edit_file(&job, &o, err);
    int result = r < 0 ? r : o.created ? 2 : o.changed;
    mcti_edit_outcome_done(&o);
    return result;
}

static void a_new_file_and_its_folders_are_private(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(edit_file(path_in("x/y/new.json"), add_a, true, NULL), 2);
    assert_int_equal(stat(path_in("x"), &st), -1);
    assert_int_equal(edit_file(path_in("x/y/new.json"), add_a, false, NULL), 2);
    assert_file(path_in("x/y/new.json"), "{\n  \"a\": 1\n}\n");
    assert_int_equal(stat(path_in("x/y/new.json"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(stat(path_in("x"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(edit_file(path_in("x/y/new.json"), add_a, false, NULL), 0);
}

static void the_mode_stays_and_links_stay_links(void **state)
{
    struct stat st;
    char link[128];
    (void)state;
    snprintf(link, sizeof link, "%s", path_in("link.json"));
    write_file(path_in("real.json"), "{}");
    assert_int_equal(chmod(path_in("real.json"), 0640), 0);
    assert_int_equal(symlink("real.json", link), 0);
    assert_int_equal(edit_file(link, add_a, true, NULL), 1);
    assert_file(path_in("real.json"), "{}");
    assert_int_equal(edit_file(link, add_a, false, NULL), 1);
    assert_file(path_in("real.json"), "{\n  \"a\": 1\n}");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path_in("real.json"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
}

static int add_while_another_writes(void *data, struct mcti_edit *e, struct mct_error *err)
{
    write_file(path_in("race.json"), "{\"b\": 2}");
    return add_a(data, e, err);
}

static void a_file_that_changes_meanwhile_is_left_alone(void **state)
{
    struct mct_error err = { 0 };
    (void)state;
    write_file(path_in("race.json"), "{}");
    assert_int_equal(edit_file(path_in("race.json"), add_while_another_writes, false, &err), -1);
    assert_non_null(strstr(err.message, "another program has changed the file meanwhile"));
    assert_file(path_in("race.json"), "{\"b\": 2}");
}

static int check_lock(void *data, struct mcti_edit *e, struct mct_error *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    close(fd);
    return add_a(data, e, err);
}

static void the_folder_is_locked_meanwhile(void **state)
{
    (void)state;
    assert_int_equal(edit_file(path_in("locked.json"), check_lock, false, NULL), 2);
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    close(fd);
}

static void what_cannot_be_edited_is_named(void **state)
{
    struct mct_error err = { 0 };
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s", path_in("bad.json"));
    write_file(path, "{\n  \"a\" 1}");
    assert_int_equal(edit_file(path, add_a, false, &err), -1);
    assert_non_null(strstr(err.message, "bad.json:2:7: not valid JSON"));
    assert_file(path, "{\n  \"a\" 1}");
    assert_int_equal(edit_file(folder, add_a, false, &err), -1);
    assert_non_null(strstr(err.message, "is not a regular file"));
    assert_int_equal(symlink("nowhere", path_in("dangling.json")), 0);
    assert_int_equal(edit_file(path_in("dangling.json"), add_a, false, &err), -1);
    assert_non_null(strstr(err.message, "is a link to a file that does not exist"));
    assert_int_equal(edit_file(path_in("bad.json/x.json"), add_a, false, &err), -1);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_and_its_folders_are_private),
        cmocka_unit_test(the_mode_stays_and_links_stay_links),
        cmocka_unit_test(a_file_that_changes_meanwhile_is_left_alone),
        cmocka_unit_test(the_folder_is_locked_meanwhile),
        cmocka_unit_test(what_cannot_be_edited_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
