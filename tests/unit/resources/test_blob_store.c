#include "unit.h"

#include "resources/blob_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOW_S = 1800000000, DAY_S = 86400 };

static char root[64], dir[128];
static struct mcti_blob_store store;

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/blobs.XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(dir, sizeof dir, "%s/new/folder", root);
    store = (struct mcti_blob_store){
        .dir = dir, .max_bytes = 1000, .max_files = 100, .max_age_s = 7 * DAY_S, .now_s = NOW_S
    };
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int try_put(const char *bytes, const char *mime_type, char **ret_path, struct mct_error *err)
{
    if (mcti_blob_store_open(&store, err) < 0)
        return -1;
    int r = mcti_blob_store_put(&store, mcti_str_of(bytes), mcti_str_of(mime_type), ret_path, err);
    mcti_blob_store_close(&store);
    return r;
}

static char *put(const char *bytes, const char *mime_type)
{
    char *path = NULL;
    struct mct_error err = { 0 };
    if (try_put(bytes, mime_type, &path, &err) < 0)
        fail_msg("%s", err.message);
    return path;
}

static int refusal(const char *bytes, struct mct_error *err)
{
    char *path = NULL;
    int r = try_put(bytes, "", &path, err);
    assert_null(path);
    return r;
}

static void assert_file(const char *path, const char *content)
{
    char text[2048];
    struct stat st;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_int_equal(n, strlen(content));
    assert_memory_equal(text, content, n);
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 07777, 0600);
}

static size_t count_files(void)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.' || e->d_name[1] == 'n';
    closedir(d);
    return n;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void the_same_content_is_one_file(void **state)
{
    struct stat st;
    (void)state;
    char *a = put("hello", "image/png"), *b = put("hello", "image/png; q=1"), *other = put("hello!", "");
    assert_string_equal(a, b);
    assert_string_not_equal(a, other);
    assert_file(a, "hello");
    assert_file(other, "hello!");
    assert_int_equal(count_files(), 2);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    free(a);
    free(b);
    free(other);
}

static void types_have_extensions(void **state)
{
    static const char *const rows[][2] = {
        { "image/png", ".png" },
        { "IMAGE/JPEG", ".jpg" },
        { " text/plain ; charset=utf-8", ".txt" },
        { "", ".bin" },
        { "application/x-unknown", ".bin" },
        { "../../etc/passwd", ".bin" },
        { "image/png/../x", ".bin" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = put("x", rows[i][0]);
        assert_string_equal(strrchr(path, '.'), rows[i][1]);
        assert_int_equal(strlen(strrchr(path, '/')), 1 + 32 + strlen(rows[i][1]));
        free(path);
    }
}

static void old_files_go(void **state)
{
    (void)state;
    char *old = put("old", ""), *used = put("used", "");
    store.now_s += 6 * DAY_S;
    free(put("used", ""));
    store.now_s += 2 * DAY_S;
    char *fresh = put("fresh", "");
    assert_false(exists(old));
    assert_true(exists(used)); /* it came again two days ago */
    assert_true(exists(fresh));
    free(old);
    free(used);
    free(fresh);
}

static void the_oldest_make_room(void **state)
{
    char text[5][301], *paths[5];
    (void)state;
    for (int i = 0; i < 5; i++) {
        memset(text[i], 'a' + i, 300);
        text[i][300] = '\0';
        paths[i] = put(text[i], "");
        store.now_s++;
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(exists(paths[i]), i >= 2);
    for (int i = 0; i < 5; i++)
        free(paths[i]);
}

/* However small they are: each costs a look at it. */
static void the_oldest_make_way_for_more(void **state)
{
    char text[8], *paths[10];
    (void)state;
    store.max_files = 3;
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "%d", i);
        paths[i] = put(text, "");
        store.now_s++;
        assert_true(count_files() <= 3);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(exists(paths[i]), i >= 7);
        free(paths[i]);
    }
}

/* The folder is looked through once for all that is put, not for each. */
static void what_goes_goes_at_the_end(void **state)
{
    struct mct_error err;
    char text[8], *path = NULL;
    (void)state;
    store.max_files = 3;
    assert_int_equal(mcti_blob_store_open(&store, &err), 0);
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(mcti_blob_store_put(&store, mcti_str_of(text), MCT_STR(""), &path, &err), 0);
        free(path);
    }
    assert_int_equal(count_files(), 10);
    mcti_blob_store_close(&store);
    assert_int_equal(count_files(), 3);
}

static void what_is_too_large_is_refused(void **state)
{
    char text[1002];
    struct mct_error err;
    (void)state;
    char *kept = put("kept", "");
    memset(text, 'x', 1001);
    text[1001] = '\0';
    assert_int_equal(refusal(text, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    assert_true(exists(kept));
    free(kept);
}

/* Somebody may have named a folder that has other things in it. */
static void files_of_others_stay(void **state)
{
    static const char *const names[] = { "notes.txt", "0123456789abcdef0123456789abcdef",
                                         "0123456789abcdef0123456789abcdef.b.c",
                                         "g123456789abcdef0123456789abcdef.bin" };
    char path[256], left[256];
    struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    (void)state;
    free(put("x", ""));
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, i < 4 ? names[i] : ".new-left-behind");
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        assert_true(fd >= 0 && futimens(fd, long_ago) == 0 && close(fd) == 0);
    }
    snprintf(left, sizeof left, "%s", path);
    free(put("y", ""));
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_true(exists(path));
    }
    assert_false(exists(left));
}

static void links_are_not_followed(void **state)
{
    char victim[256], link_path[256];
    struct mct_error err;
    (void)state;
    char *path = put("hello", "");
    snprintf(victim, sizeof victim, "%s/victim", root);
    FILE *f = fopen(victim, "w");
    assert_true(f && fputs("mine!", f) >= 0 && fclose(f) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(victim, path), 0);
    char *again = put("hello", ""); /* of the same length, too */
    assert_string_equal(path, again);
    assert_file(again, "hello");
    f = fopen(victim, "r");
    assert_true(f && fgetc(f) == 'm' && fclose(f) == 0);
    snprintf(link_path, sizeof link_path, "%s/link", root);
    assert_int_equal(symlink(dir, link_path), 0);
    store.dir = link_path;
    assert_int_equal(refusal("x", &err), -1);
    free(path);
    free(again);
}

static void a_folder_others_write_to_is_refused(void **state)
{
    struct mct_error err;
    (void)state;
    free(put("x", ""));
    assert_int_equal(chmod(dir, 0770), 0);
    assert_int_equal(refusal("y", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_POLICY);
    assert_int_equal(chmod(dir, 0755), 0);
    free(put("y", ""));
    store.dir = "/proc/no/such/folder";
    assert_int_equal(refusal("y", &err), -1);
}

static void the_default_is_in_the_cache(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", "/c", 1);
    setenv("HOME", "/h", 1);
    char *path = mcti_blob_store_default();
    assert_string_equal(path, "/c/mcptools/resources");
    free(path);
    setenv("XDG_CACHE_HOME", "relative", 1);
    path = mcti_blob_store_default();
    assert_string_equal(path, "/h/.cache/mcptools/resources");
    free(path);
    unsetenv("HOME");
    assert_null(mcti_blob_store_default());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_same_content_is_one_file),
        TEST(types_have_extensions),
        TEST(old_files_go),
        TEST(the_oldest_make_room),
        TEST(the_oldest_make_way_for_more),
        TEST(what_goes_goes_at_the_end),
        TEST(what_is_too_large_is_refused),
        TEST(files_of_others_stay),
        TEST(links_are_not_followed),
        TEST(a_folder_others_write_to_is_refused),
        TEST(the_default_is_in_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
