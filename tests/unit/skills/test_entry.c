/* Entries of skills, their frontmatter and their files. */
#include "unit.h"

#include "json/scan.h"
#include "skills/frontmatter.h"
#include "skills/skill.h"
#include "skills/uri.h"

#define DIGEST "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define FRONTMATTER "\"frontmatter\":{\"name\":\"pdf\",\"description\":\"d\"}"
#define FILE_OF(path) "{\"uri\":\"skill://" path "\",\"digest\":\"" DIGEST "\",\"size\":4}"

static int open_entry(const char *entry, struct mct_error *err)
{
    struct mcti_skill s;
    assert_true(mcti_json_valid(mcti_str_of(entry), 64, NULL, NULL));
    int r = mcti_skill_open(mcti_str_of(entry), &s, err);
    mcti_skill_done(&s);
    return r;
}

static void entry_is_read(void **state)
{
    struct mcti_skill s;
    struct mct_error err;
    (void)state;
    assert_int_equal(
        mcti_skill_open(MCT_STR("{\"uri\":\"skill://a/pdf/SKILL.md\"," FRONTMATTER
                                ",\"resources\":[" FILE_OF("a/pdf/SKILL.md") "," FILE_OF("a/pdf/x/y.txt") "]}"),
                        &s, &err),
        0);
    assert_span(s.root, "skill://a/pdf/");
    assert_span(s.name, "pdf");
    assert_int_equal(s.n_files, 2);
    assert_int_equal(s.n_bytes, 8);
    assert_non_null(mcti_skill_find(&s, MCT_STR("skill://a/pdf/x/y.txt")));
    assert_null(mcti_skill_find(&s, MCT_STR("skill://a/pdf/x")));
    mcti_skill_done(&s);
}

static void bad_entries_are_refused(void **state)
{
    static const struct {
        const char *entry, *why;
    } rows[] = {
        { "{}", "has no \"uri\"" },
        { "{\"uri\":\"skill://pdf/README.md\"," FRONTMATTER ",\"resources\":\"dynamic\"}", "that of a SKILL.md" },
        { "{\"uri\":\"skill://other/SKILL.md\"," FRONTMATTER ",\"resources\":\"dynamic\"}", "last segment" },
        { "{\"uri\":\"skill://pdf/SKILL.md\",\"resources\":\"dynamic\"}", "no name" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER ",\"resources\":\"static\"}", "dynamic" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER ",\"resources\":[]}", "dynamic" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER ",\"resources\":[" FILE_OF("pdf/x") "]}",
          "SKILL.md is not" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[" FILE_OF("pdf/SKILL.md") "," FILE_OF("pdf/SKILL.md") "]}",
          "twice" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[" FILE_OF("pdf/SKILL.md") "," FILE_OF("pdf/../x") "]}",
          "inside" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[" FILE_OF("pdf/SKILL.md") "," FILE_OF("pdf/%2e%2E/x") "]}",
          "inside" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[" FILE_OF("pdf/SKILL.md") "," FILE_OF("other/x") "]}",
          "inside" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[{\"uri\":\"skill://pdf/SKILL.md\",\"digest\":\"sha256:AA\",\"size\":1}]}",
          "digest" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[{\"uri\":\"skill://pdf/SKILL.md\",\"digest\":\"" DIGEST "\",\"size\":16777217}]}",
          "size" },
        { "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
          ",\"resources\":[{\"uri\":\"skill://pdf/SKILL.md\",\"digest\":\"" DIGEST "\",\"size\":-1}]}",
          "size" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err = { .kind = MCT_ERR_NONE };
        assert_int_equal(open_entry(rows[i].entry, &err), -1);
        assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
        if (!strstr(err.message, rows[i].why))
            fail_msg("row %zu: %s", i, err.message);
    }
}

static void names_have_a_grammar(void **state)
{
    static const char *const good[] = { "a", "git-workflow", "a1-2b", "0" };
    static const char *const bad[] = { "", "-a", "a-", "a--b", "A", "a_b", "a.b", "\xc3\xa4" };
    char longest[66];
    (void)state;
    memset(longest, 'a', 65);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(mcti_skill_is_name(mcti_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_skill_is_name(mcti_str_of(bad[i])));
    assert_true(mcti_skill_is_name((struct mcti_str){ longest, 64 }));
    assert_false(mcti_skill_is_name((struct mcti_str){ longest, 65 }));
}

/* ---- frontmatter ---- */

#ifdef MCT_HAVE_YAML
static const bool has_yaml = true;
#else
static const bool has_yaml = false;
#endif

static void frontmatter_is_json_of_the_core_schema(void **state)
{
    static const struct {
        const char *yaml, *json;
    } rows[] = {
        { "a: 1\n", "{\"a\":1}" },
        { "a: 1.0\n", "{\"a\":1.0}" },
        { "a: 0x1F\n", "{\"a\":31}" },
        { "a: 0o17\n", "{\"a\":15}" },
        { "a: 007\n", "{\"a\":7}" },
        { "a: +5\n", "{\"a\":5}" },
        { "a: -.5\n", "{\"a\":-0.5}" },
        { "a: 1.\n", "{\"a\":1}" },
        { "a: 1e3\n", "{\"a\":1e3}" },
        { "a: yes\n", "{\"a\":\"yes\"}" },
        { "a: True\n", "{\"a\":true}" },
        { "a: ~\n", "{\"a\":null}" },
        { "a:\n", "{\"a\":null}" },
        { "a: '1'\n", "{\"a\":\"1\"}" },
        { "a: 1_000\n", "{\"a\":\"1_000\"}" },
        { "a: 0xg\n", "{\"a\":\"0xg\"}" },
        { "a: 1e\n", "{\"a\":\"1e\"}" },
        { "a: .\n", "{\"a\":\".\"}" },
        { "a: .inf\n", "{\"a\":\".inf\"}" },
        { "a: 2024-01-01\n", "{\"a\":\"2024-01-01\"}" },
        { "a: |\n  x\n  y\n", "{\"a\":\"x\\ny\\n\"}" },
        { "a: [b, {c: d}]\n", "{\"a\":[\"b\",{\"c\":\"d\"}]}" },
    };
    (void)state;
    if (!has_yaml)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        struct mct_error err;
        mcti_buf_init(&b, 4096);
        assert_int_equal(mcti_frontmatter_read(&b, mcti_str_of(rows[i].yaml), &err), 0);
        assert_buf(&b, rows[i].json);
        mcti_buf_done(&b);
    }
}

static void bad_frontmatter_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "# no frontmatter\n",
        "---\n",
        "---\nname: pdf\ndescription: d\n", /* no end */
        "---\nname: pdf\nname: pdf\ndescription: d\n---\n",
        "---\n- name\n---\n",
        "---\nname: pdf\n",
        "---\nname: pdf\ndescription: e\n---\n",
        "---\nname: pdf\ndescription: d\nextra: 1\n---\n",
        "---\nname: pdf\n---\n",
        "---\nname: \"pdf\ndescription: d\n---\n",
        "---\nname: &a [*a]\n---\n",
        " ---\nname: pdf\ndescription: d\n---\n",
    };
    (void)state;
    if (!has_yaml)
        skip();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mct_error err = { .kind = MCT_ERR_NONE };
        if (mcti_frontmatter_check(mcti_str_of(texts[i]), MCT_STR("{\"name\":\"pdf\",\"description\":\"d\"}"), &err) ==
            0)
            fail_msg("accepted: %s", texts[i]);
        assert_int_equal(err.kind, MCT_ERR_INTEGRITY);
    }
}

static void equal_frontmatter_is_accepted(void **state)
{
    static const char *const texts[] = {
        "---\nname: pdf\ndescription: d\nn: 1.0\n---\nbody",
        "---\r\nn: 1\r\ndescription: \"d\"\r\nname: pdf\r\n---\r\nbody",
        "\xef\xbb\xbf--- \nname: pdf\ndescription: >-\n  d\nn: 0x1\n---",
    };
    (void)state;
    if (!has_yaml)
        skip();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mct_error err = { .message = "" };
        if (mcti_frontmatter_check(mcti_str_of(texts[i]),
                                   MCT_STR("{\"name\":\"pdf\",\"n\":1,\"description\":\"\\u0064\"}"), &err) < 0)
            fail_msg("row %zu: %s", i, err.message);
    }
}

static void body_follows_the_frontmatter(void **state)
{
    struct mcti_str yaml, body;
    (void)state;
    assert_int_equal(mcti_frontmatter_split(MCT_STR("---\na: 1\n---\n---\nb\n"), &yaml, &body, NULL), 0);
    assert_span(yaml, "a: 1\n");
    assert_span(body, "---\nb\n");
}

/* ---- files ---- */

#define TEXT "---\nname: pdf\ndescription: d\n---\nhello\n"

/* An entry of one file with the size and digest of TEXT. */
static void open_pdf(struct mcti_skill *s, size_t size)
{
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    struct mcti_buf b;
    struct mct_error err;
    assert_int_equal(mcti_skill_digest(MCT_STR(TEXT), digest), 0);
    mcti_buf_init(&b, 4096);
    mcti_buf_printf(&b,
                    "{\"uri\":\"skill://pdf/SKILL.md\"," FRONTMATTER
                    ",\"resources\":[{\"uri\":\"skill://pdf/SKILL.md\","
                    "\"digest\":\"%s\",\"size\":%zu}]}",
                    digest, size);
    assert_int_equal(mcti_skill_open(mcti_buf_str(&b), s, &err), 0);
    mcti_buf_done(&b);
}

static void files_are_compared_with_the_entry(void **state)
{
    struct mcti_skill s;
    struct mct_error err;
    struct mcti_str uri = MCT_STR("skill://pdf/SKILL.md");
    (void)state;
    if (!has_yaml)
        skip();
    open_pdf(&s, sizeof TEXT - 1);
    assert_int_equal(mcti_skill_check(&s, uri, MCT_STR(TEXT), &err), 0);
    assert_int_equal(mcti_skill_check(&s, uri, MCT_STR(TEXT " "), &err), -1);
    assert_int_equal(err.kind, MCT_ERR_INTEGRITY);
    assert_int_equal(mcti_skill_check(&s, uri, MCT_STR("---\nname: pdf\ndescription: d\n---\nhullo\n"), &err), -1);
    assert_non_null(strstr(err.message, "digest"));
    assert_int_equal(mcti_skill_check(&s, MCT_STR("skill://pdf/x"), MCT_STR(TEXT), &err), -1);
    mcti_skill_done(&s);
    open_pdf(&s, sizeof TEXT);
    assert_int_equal(mcti_skill_check(&s, uri, MCT_STR(TEXT), &err), -1);
    assert_non_null(strstr(err.message, "bytes"));
    mcti_skill_done(&s);
}

static void bytes_are_text_or_base64(void **state)
{
    static const struct {
        const char *result, *bytes; /* bytes NULL: refused */
    } rows[] = {
        { "{\"contents\":[{\"uri\":\"skill://a\",\"text\":\"x\\ny\"}]}", "x\ny" },
        { "{\"contents\":[{\"uri\":\"skill://a\",\"blob\":\"eHk=\"}]}", "xy" },
        { "{\"contents\":[{\"uri\":\"skill://b\",\"text\":\"b\"},{\"uri\":\"skill://a\",\"text\":\"a\"}]}", "a" },
        { "{\"contents\":[{\"uri\":\"SKILL://A\",\"text\":\"a\"}]}", "a" },
        { "{\"contents\":[{\"uri\":\"skill://b\",\"text\":\"b\"},{\"uri\":\"skill://c\",\"text\":\"a\"}]}", NULL },
        { "{\"contents\":[{\"uri\":\"skill://a\",\"blob\":\"e\"}]}", NULL },
        { "{\"contents\":[{\"uri\":\"skill://a\",\"text\":1}]}", NULL },
        { "{\"contents\":[]}", NULL },
        { "{}", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        struct mct_error err;
        mcti_buf_init(&b, 4096);
        int r = mcti_skill_put_bytes(&b, mcti_str_of(rows[i].result), MCT_STR("skill://a"), &err);
        assert_int_equal(r, rows[i].bytes ? 0 : -1);
        if (rows[i].bytes)
            assert_buf(&b, rows[i].bytes);
        mcti_buf_done(&b);
    }
}

static void paths_stay_below_their_folder(void **state)
{
    static const struct {
        const char *uri, *path; /* path NULL: refused */
    } rows[] = {
        { "skill://git-workflow/SKILL.md", "git-workflow/SKILL.md" },
        { "skill://a/b%20c/d", "a/b c/d" },
        { "github://o/r/SKILL.md", "github/o/r/SKILL.md" },
        { "file:///a/SKILL.md", "file/a/SKILL.md" },
        { "skill://a/100%/x", "a/100%/x" },
        { "skill:///a", NULL },
        { "skill://a//b", NULL },
        { "skill://a/./b", NULL },
        { "skill://a/../../b", NULL },
        { "skill://a/%2e%2e/b", NULL },
        { "skill://a/b%2fc", NULL },
        { "skill://a/b%5cc", NULL },
        { "skill://a/b%00c", NULL },
        { "skill://a/b\nc", NULL },
        { "skill://a/", NULL },
        { "../x", NULL },
        { "..:x", NULL },
        { "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        if (mcti_skill_put_path(&b, mcti_str_of(rows[i].uri)) != (rows[i].path ? 0 : -1))
            fail_msg("%s", rows[i].uri);
        if (rows[i].path)
            assert_buf(&b, rows[i].path);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_is_read),
        cmocka_unit_test(bad_entries_are_refused),
        cmocka_unit_test(names_have_a_grammar),
        cmocka_unit_test(frontmatter_is_json_of_the_core_schema),
        cmocka_unit_test(bad_frontmatter_is_refused),
        cmocka_unit_test(equal_frontmatter_is_accepted),
        cmocka_unit_test(body_follows_the_frontmatter),
        cmocka_unit_test(files_are_compared_with_the_entry),
        cmocka_unit_test(bytes_are_text_or_base64),
        cmocka_unit_test(paths_stay_below_their_folder),
    };
    return cmocka_run_group_tests_name("skills: entries", tests, NULL, NULL);
}
