/* What is stored of servers: what is written is read again, and nothing of a damaged file is used. */
#include "unit.h"

#include "base/limits.h"
#include "hub/catalogue/cache_file.h"
#include "hub/catalogue/catalogue.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char GOOD[] =
    "{\"format\":1,\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"n\"},"
    "\"instructions\":\"a\\nb\",\"tools\":[\n{\"name\":\"t\",\"x\":1e400},\n{\"name\":\"u\"}],\"resources\":[\n{"
    "\"uri\":\"r:1\"}],"
    "\"resourceTemplates\":[],\"prompts\":[]}\n";

static void catalogue_fill(struct mcti_provider *p)
{
    static const struct mcti_provider_ops ops = { .type = "still" };
    struct mcti_stored stored;
    assert_int_equal(mcti_provider_init(p, &ops, "a", NULL, NULL), 0);
    assert_int_equal(mcti_stored_parse(mcti_str_of(GOOD), &stored, NULL), 0);
    p->info = stored.info;
    memcpy(p->items, stored.items, sizeof p->items);
}

static void what_is_written_is_read(void **state)
{
    struct mcti_provider p;
    struct mcti_buf b;
    (void)state;
    catalogue_fill(&p);
    assert_int_equal(p.info.rev, mcti_rev_find(MCT_STR("2025-11-25")));
    assert_string_equal(p.info.instructions, "a\nb");
    assert_int_equal(p.items[MCT_TOOL].n, 2);
    assert_span(mcti_item_json(p.items[MCT_TOOL].v[0]), "{\"name\":\"t\",\"x\":1e400}");
    assert_span(mcti_item_id(p.items[MCT_RESOURCE].v[0]), "r:1");
    mcti_buf_init(&b, 4096);
    mcti_stored_put(&b, &p);
    assert_buf(&b, GOOD);
    mcti_buf_done(&b);
    mcti_provider_done(&p);
}

/* Each text differs from the good one by one replacement. */
static void damage_is_noticed(void **state)
{
    static const char *const rows[][2] = {
        { "{\"format\":1", "{\"format\":2" },
        { "{\"format\":1,", "{" },
        { "2025-11-25", "1999-01-01" },
        { "\"protocolVersion\":\"2025-11-25\",", "" },
        { "\"capabilities\":{\"tools\":{}}", "\"capabilities\":[]" },
        { "\"capabilities\":{\"tools\":{}},", "" },
        { "\"serverInfo\":{\"name\":\"n\"}", "\"serverInfo\":7" },
        { "\"prompts\":[]", "\"prompts\":{}" },
        { ",\"prompts\":[]", "" },
        { "{\"name\":\"u\"}", "{\"name\":\"t\"}" }, /* twice */
        { "{\"name\":\"u\"}", "{\"name\":\"\"}" },
        { "{\"name\":\"u\"}", "\"u\"" },
        { "{\"uri\":\"r:1\"}", "{\"uri\":1}" },
        { "[]}\n", "[]" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_stored stored;
        struct mct_error err;
        const char *at = strstr(GOOD, rows[i][0]);
        struct mcti_buf b;
        assert_non_null(at);
        mcti_buf_init(&b, 4096);
        mcti_buf_add(&b, mcti_str_range(GOOD, at));
        mcti_buf_addz(&b, rows[i][1]);
        mcti_buf_addz(&b, at + strlen(rows[i][0]));
        if (mcti_stored_parse(mcti_buf_str(&b), &stored, &err) == 0)
            fail_msg("%s: read", rows[i][1]);
        assert_null(stored.info.capabilities);
        for (int k = 0; k < MCT_KIND_N; k++)
            assert_int_equal(stored.items[k].n, 0);
        mcti_buf_done(&b);
    }
}

static size_t n_files(const char *folder)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    for (const struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static void files_are_private_and_whole(void **state)
{
    char folder[] = "/tmp/mct-catalogue-XXXXXX", path[128], other[128];
    struct mcti_catalogue c;
    struct mcti_stored stored;
    struct mcti_provider p;
    struct stat st, again;
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    mcti_catalogue_init(&c);
    assert_false(mcti_catalogue_get(&c, "k", NULL, &stored));
    catalogue_fill(&p);
    mcti_catalogue_put(&c, "k", &p);
    snprintf(path, sizeof path, "%s/mcptools/catalogue/k.json", folder);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    mcti_catalogue_put(&c, "k", &p); /* the same text is not written again */
    assert_int_equal(stat(path, &again), 0);
    assert_int_equal(st.st_ino, again.st_ino);
    assert_int_equal(n_files(c.folder), 1);
    assert_true(mcti_catalogue_get(&c, "k", NULL, &stored));
    assert_int_equal(stored.items[MCT_TOOL].n, 2);
    mcti_stored_clear(&stored);
    assert_int_equal(truncate(path, 100), 0);
    assert_false(mcti_catalogue_get(&c, "k", NULL, &stored));
    mcti_catalogue_put(&c, "k", &p); /* it is repaired */
    assert_true(mcti_catalogue_get(&c, "k", NULL, &stored));
    mcti_stored_clear(&stored);
    snprintf(other, sizeof other, "%s/mcptools/catalogue/old.json", folder);
    fclose(fopen(other, "w"));
    assert_int_equal(utimensat(AT_FDCWD, other, (struct timespec[]){ { 1 }, { 1 } }, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){ { 1 }, { 1 } }, 0), 0);
    mcti_catalogue_put(&c, "k", &p); /* it is in use */
    mcti_catalogue_put(&c, "l", &p); /* what was not for months is removed with the next new one */
    assert_int_equal(n_files(c.folder), 2);
    assert_int_equal(access(other, F_OK), -1);
    snprintf(other, sizeof other, "%s/mcptools/catalogue/l.json", folder);
    unlink(other);
    assert_int_equal(truncate(path, MCT_LIMIT_CATALOGUE_BYTES + 1), 0);
    assert_false(mcti_catalogue_get(&c, "k", NULL, &stored));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* it is not waited for */
    assert_false(mcti_catalogue_get(&c, "k", NULL, &stored));
    unlink(path);
    rmdir(c.folder);
    *strrchr(path, '/') = '\0';
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
    mcti_catalogue_done(&c);
    mcti_provider_done(&p);
}

static void without_a_folder_nothing_is_stored(void **state)
{
    struct mcti_catalogue c;
    struct mcti_stored stored;
    struct mcti_provider p;
    (void)state;
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    mcti_catalogue_init(&c);
    catalogue_fill(&p);
    mcti_catalogue_put(&c, "k", &p);
    assert_false(mcti_catalogue_get(&c, "k", NULL, &stored));
    mcti_catalogue_done(&c);
    mcti_provider_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(files_are_private_and_whole),
        cmocka_unit_test(without_a_folder_nothing_is_stored),
    };
    return cmocka_run_group_tests_name("catalogue", tests, NULL, NULL);
}
