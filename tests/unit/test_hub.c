#include "unit.h"

#include "model/degrade.h"
#include "hub/names/names.h"
#include "hub/names/template.h"
#include "json/write.h"
#include "mcp/era.h"

/* ---- names ---- */

static const struct mcti_naming plain_naming = { "double", NULL, MCT_PREFIX_ALWAYS, 64 };

static void check_names(const struct mcti_naming *naming, const struct mcti_name_in *in, size_t n,
                        const char *const *expected)
{
    char *got[16];
    assert_int_equal(mcti_names_assign(naming, in, n, got, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        if (expected[i])
            assert_string_equal(got[i], expected[i]);
        free(got[i]);
    }
}

static void names_are_prefixed_and_clean(void **state)
{
    const struct mcti_name_in in[] = { { MCT_STR("git"), MCT_STR("log") },
                                       { MCT_STR("my fs"), MCT_STR("a.b/c") },
                                       { MCT_STR("z"), MCT_STR("\xc3\xa9t\xc3\xa9") } };
    static const char *const expected[] = { "git__log", "my_fs__a_b_c", "z___t_" };
    (void)state;
    check_names(&plain_naming, in, 3, expected);
}

static void schemes_and_prefixes(void **state)
{
    const struct mcti_name_in in[] = { { MCT_STR("a"), MCT_STR("x") },
                                       { MCT_STR("b"), MCT_STR("x") },
                                       { MCT_STR("b"), MCT_STR("y") } };
    static const struct {
        struct mcti_naming naming;
        const char *expected[3];
    } rows[] = {
        { { "mcp", NULL, MCT_PREFIX_ALWAYS, 64 }, { "mcp__a__x", "mcp__b__x", "mcp__b__y" } },
        { { "nexo", NULL, MCT_PREFIX_ALWAYS, 64 }, { "mcp_a_x", "mcp_b_x", "mcp_b_y" } },
        { { "double", "-", MCT_PREFIX_ALWAYS, 64 }, { "a-x", "b-x", "b-y" } },
        { { "double", NULL, MCT_PREFIX_CONFLICT, 64 }, { "a__x", "b__x", "y" } },
        { { "bare", NULL, MCT_PREFIX_ALWAYS, 64 }, { "x_8b86bced1029", "x_e1707ddf36c1", "y" } },
        { { "double", NULL, MCT_PREFIX_NEVER, 64 }, { "x_8b86bced1029", "x_e1707ddf36c1", "y" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_names(&rows[i].naming, in, 3, rows[i].expected);
}

static bool is_hashed(const char *name, const char *head)
{
    size_t n = strlen(name);
    return n >= 13 && name[n - 13] == '_' && strspn(name + n - 12, "0123456789abcdef") == 12 &&
           !strncmp(name, head, strlen(head));
}

static void names_begin_with_a_letter(void **state)
{
    const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_NEVER, 32, true };
    const struct mcti_name_in in[] = {
        { MCT_STR("a"), MCT_STR("-x") },       { MCT_STR("a"), MCT_STR("1") },
        { MCT_STR("a"), MCT_STR("_1"), true }, { MCT_STR("a"), MCT_STR("y"), .wish = MCT_STR("9.y") },
        { MCT_STR("a"), MCT_STR("z") },        { MCT_STR("a"), MCT_STR("z"), .wish = MCT_STR("w") }
    };
    static const char *const heads[] = { "_-x_", "_1_", NULL, "_9_y_" };
    static const char *const expected[] = { NULL, NULL, "_1", NULL, "z", "w" };
    char *got[6];
    (void)state;
    check_names(&naming, in, 6, expected);
    assert_int_equal(mcti_names_assign(&naming, in, 6, got, NULL), 0);
    for (size_t i = 0; i < 6; i++) {
        assert_true(expected[i] || is_hashed(got[i], heads[i]));
        free(got[i]);
    }
}

static void overflow_and_collisions_get_a_hash(void **state)
{
    char long_name[200];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const struct mcti_name_in in[] = { { MCT_STR("s"), mcti_str_of(long_name) },
                                       { MCT_STR("s"), MCT_STR("a.b") },
                                       { MCT_STR("s"), MCT_STR("a_b") },
                                       { MCT_STR("s"), MCT_STR("a/b") } };
    char *got[4], *again[4];
    (void)state;
    assert_int_equal(mcti_names_assign(&plain_naming, in, 4, got, NULL), 0);
    assert_int_equal(strlen(got[0]), 64);
    assert_true(is_hashed(got[0], "s__nnnn"));
    assert_string_equal(got[1], "s__a_b"); /* "a.b" sorts first: '.' < '/' < '_' */
    assert_true(is_hashed(got[2], "s__a_b_"));
    assert_true(is_hashed(got[3], "s__a_b_"));
    assert_string_not_equal(got[2], got[3]);
    /* the order of arrival does not matter */
    const struct mcti_name_in turned[] = { in[3], in[2], in[1], in[0] };
    assert_int_equal(mcti_names_assign(&plain_naming, turned, 4, again, NULL), 0);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(got[i], again[3 - i]);
        free(got[i]);
    }
    for (int i = 0; i < 4; i++)
        free(again[i]);
}

static void who_stands_in_the_way_is_told(void **state)
{
    const struct mcti_name_in in[] = { { MCT_STR("a"), MCT_STR("x") },
                                       { MCT_STR("b"), MCT_STR("y") },
                                       { MCT_STR(""), MCT_STR("x"), .fixed = true },
                                       { MCT_STR("b"), MCT_STR("z") },
                                       { MCT_STR("c"), MCT_STR("z") } };
    const struct mcti_naming bare = { "bare", NULL, MCT_PREFIX_NEVER, 64 };
    const struct mcti_naming unique = { "double", NULL, MCT_PREFIX_CONFLICT, 64 };
    const struct mcti_name_in *lost_to[5];
    struct mcti_name_clashes clashes = { .lost_to = lost_to };
    char *got[5];
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mcti_names_assign(i ? &unique : &bare, in, 5, got, &clashes), 0);
        assert_ptr_equal(lost_to[0], &in[2]);
        assert_null(lost_to[1]);
        assert_null(lost_to[2]); /* it has its name, whoever else wanted it */
        assert_ptr_equal(lost_to[3], &in[4]);
        assert_ptr_equal(lost_to[4], &in[3]);
        mcti_contests_free(clashes.contests);
        for (int k = 0; k < 5; k++)
            free(got[k]);
    }
}

/* Names that two servers would have belong to neither, also names with a hash that somebody has worked out. */
static void servers_take_no_names(void **state)
{
    static const struct mcti_naming nexo = { "nexo", NULL, MCT_PREFIX_ALWAYS, 64 };
    const struct mcti_name_in in[] = { { MCT_STR("git"), MCT_STR("hub_push") },
                                       { MCT_STR("git_hub"), MCT_STR("push") },
                                       { MCT_STR("git_hub"), MCT_STR("push_27997926b8f4") },
                                       { MCT_STR("git"), MCT_STR("log") } };
    static const char *const two[] = { "mcp_git_hub_push_27997926b8f4", "mcp_git_hub_push_1b1147a0247c" };
    static const char *const three[] = { "mcp_git_hub_push_9a9e3f65c04a", "mcp_git_hub_push_1b1147a0247c",
                                         "mcp_git_hub_push_27997926b8f4_aa513957c40b", "mcp_git_log" };
    const struct mcti_name_in same[] = { { MCT_STR("git"), MCT_STR("_x") }, { MCT_STR("git_"), MCT_STR("x") } };
    static const char *const neither[] = { "git___x_da2efd7ea928", "git___x_a2d7d5ab1207" };
    (void)state;
    check_names(&nexo, in, 2, two);
    check_names(&nexo, in, 4, three);
    check_names(&plain_naming, same, 2, neither);
}

/* Nor does a third get it; within a server the first raw name has it, unless another server wants it too. */
static void a_contested_name_stays_free(void **state)
{
    const struct mcti_name_in in[] = { { MCT_STR("a"), MCT_STR("x y") },
                                       { MCT_STR("a"), MCT_STR("x_y") },
                                       { MCT_STR("b"), MCT_STR("x_y") },
                                       { MCT_STR("c"), MCT_STR("x.y") },
                                       { MCT_STR("own"), MCT_STR("z"), .bare = true },
                                       { MCT_STR("c"), MCT_STR("z") } };
    const struct mcti_naming bare = { "bare", NULL, MCT_PREFIX_NEVER, 64 };
    struct mcti_name_clashes clashes = { 0 };
    unsigned seen = 0;
    char *got[6];
    (void)state;
    assert_int_equal(mcti_names_assign(&bare, in, 6, got, &clashes), 0);
    for (struct mcti_contest *c = clashes.contests; c; c = c->next) {
        assert_string_equal(c->name, "x_y");
        seen |= 1u << c->index;
    }
    assert_int_equal(seen & 13, 13); /* in[1] lost to in[0] before, or not */
    assert_int_equal(seen & ~15u, 0);
    for (int i = 0; i < 6; i++) {
        assert_true(i == 4 ? !strcmp(got[i], "z") : is_hashed(got[i], i == 5 ? "z_" : "x_y_"));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(got[i], got[k]);
    }
    for (int i = 0; i < 6; i++)
        free(got[i]);
    mcti_contests_free(clashes.contests);
}

static void heads_are_those_of_names(void **state)
{
    const struct mcti_naming nexo = { "nexo", NULL, MCT_PREFIX_ALWAYS, 64 },
                             never = { "nexo", NULL, MCT_PREFIX_NEVER, 64 };
    (void)state;
    assert_true(mcti_name_is_under(&plain_naming, MCT_STR("my \xc3\xa9"), MCT_STR("my____x")));
    assert_true(mcti_name_is_under(&plain_naming, MCT_STR("git"), MCT_STR("git__")));
    assert_false(mcti_name_is_under(&plain_naming, MCT_STR("git"), MCT_STR("git_")));
    assert_false(mcti_name_is_under(&plain_naming, MCT_STR("git"), MCT_STR("xgit__a")));
    assert_true(mcti_name_is_under(&nexo, MCT_STR("git"), MCT_STR("mcp_git_hub_push")));
    assert_false(mcti_name_is_under(&never, MCT_STR("git"), MCT_STR("mcp_git_hub_push")));
}

/* ---- templates ---- */

static void templates_match(void **state)
{
    static const struct {
        const char *template, *uri;
        bool match;
    } rows[] = {
        { "demo://greeting/{name}", "demo://greeting/Ada", true },
        { "demo://greeting/{name}", "demo://greeting/", true },
        { "demo://greeting/{name}", "demo://greeting/a/b", false },
        { "demo://greeting/{name}", "demo://greetings/Ada", false },
        { "file:///{+path}", "file:///a/b/c", true },
        { "file:///{path*}", "file:///a/b/c", true },
        { "x://{a}/mid/{b}.txt", "x://1/mid/2.txt", true },
        { "x://{a}/mid/{b}.txt", "x://1/mid/2.md", false },
        { "x://{a}-{b}", "x://1-2-3", true },
        { "x://q{?a,b}", "x://q?a=1&b=2", true },
        { "x://fixed", "x://fixed", true },
        { "x://fixed", "x://fixed2", false },
        { "x://{unclosed", "x://y", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_template_matches(mcti_str_of(rows[i].template), mcti_str_of(rows[i].uri)) != rows[i].match)
            fail_msg("%s against %s", rows[i].template, rows[i].uri);
}

/* ---- the degraded view ---- */

static const struct {
    const char *result, *text, *content; /* `content` NULL: one block with that text */
} degraded[] = {
    { "{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"text\",\"text\":\"c\"}]}", "a\nb\nc",
      "[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"text\",\"text\":\"c\"}]" },
    { "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]}",
      "[Image result: image/png, 3B]", "[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]" },
    { "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AA==\"}]}",
      "[Audio result: audio/wav, 1B]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"text\":\"inline\"}}]}", "inline" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"blob\":\"AA==\"}}]}",
      "[Resource: x://y]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"text\":\"\"}}]}", "[Resource: x://y]" },
    { "{\"content\":[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"x://y\"}]}", "[n] x://y" },
    { "{\"content\":[{\"type\":\"new\",\"x\":1}]}", "{\"type\":\"new\",\"x\":1}" },
    { "{\"content\":[],\"structuredContent\":{\"a\":1}}", "{\"a\":1}" },
    { "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"a\":1}}", "t" },
    { "{\"content\":[{\"type\":\"text\",\"text\":\"\\u00e9 "
      "\\ud800\",\"annotations\":{\"audience\":[\"user\"]},\"_meta\":{\"a\":1}}]}",
      "\"\\u00e9 \\ud800\"", "[{\"type\":\"text\",\"text\":\"\\u00e9 \\ud800\"}]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"mimeType\":\"image/"
      "png\",\"blob\":\"AAAA\"}}]}",
      "[Resource: x://y]" },
    { "{\"content\":[{ \"type\" : \"new\", \"x\" : [ 1.0 ] }]}", "{\"type\":\"new\",\"x\":[1.0]}" },
    { "{\"content\":[{\"x\":1}]}", "{\"x\":1}" },
    { "{\"content\":[{\"type\":\"text\"}]}", "{\"type\":\"text\"}" },
    { "{\"content\":[{\"type\":\"text\",\"text\":7}]}", "{\"type\":\"text\",\"text\":7}" },
    { "{\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}]}", "{\"type\":\"image\",\"data\":\"AAAA\"}" },
    { "{\"content\":[{\"type\":\"image\",\"data\":null,\"mimeType\":\"image/png\"}]}",
      "{\"type\":\"image\",\"data\":null,\"mimeType\":\"image/png\"}" },
    { "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\"}]}",
      "{\"type\":\"audio\",\"mimeType\":\"audio/wav\"}" },
    { "{\"content\":[{\"type\":\"resource\"}]}", "{\"type\":\"resource\"}" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"\"}}]}",
      "{\"type\":\"resource\",\"resource\":{\"text\":\"\"}}" },
    { "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x://y\"}]}",
      "{\"type\":\"resource_link\",\"uri\":\"x://y\"}" },
    { "{\"content\":[{\"type\":[\"text\"],\"text\":\"a\"}]}", "{\"type\":[\"text\"],\"text\":\"a\"}" },
    { "{\"content\":[null,\"a\",[]]}", "null\n\"a\"\n[]",
      "[{\"type\":\"text\",\"text\":\"null\"},{\"type\":\"text\",\"text\":\"\\\"a\\\"\"},{\"type\":\"text\",\"text\":"
      "\"[]\"}]" },
    { "{\"content\":{\"type\":\"text\"},\"structuredContent\":{\"a\":1}}", "{\"type\":\"text\"}" },
    { "{\"structuredContent\":{ \"a\" : 1 }}", "{\"a\":1}" },
    { "{\"content\":null,\"structuredContent\":{\"a\":1}}", "{\"a\":1}" },
    { "{\"content\":[],\"structuredContent\":{\"type\":\"text\",\"text\":\"a\"}}",
      "{\"type\":\"text\",\"text\":\"a\"}" },
    { "{\"content\":[],\"structuredContent\":null}", "", "[]" },
    { "{\"content\":[]}", "", "[]" },
    { "{}", "", "[]" },
    { "7", "", "[]" },
};

static void content_degrades(void **state)
{
    struct mcti_buf b, one;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_buf_init(&one, 1000);
    for (size_t i = 0; i < sizeof degraded / sizeof *degraded; i++) {
        struct mcti_str result = mcti_str_of(degraded[i].result);
        mcti_buf_clear(&b);
        mcti_degrade_result(&b, result);
        assert_buf(&b, degraded[i].text);
        mcti_buf_clear(&b);
        mcti_degrade_content(&b, result);
        mcti_buf_clear(&one);
        mcti_buf_addz(&one, "[{\"type\":\"text\"");
        mcti_json_put_member(&one, "text", mcti_str_of(degraded[i].text));
        mcti_buf_add(&one, MCT_STR("}]\0"));
        assert_buf(&b, degraded[i].content ? degraded[i].content : one.p);
    }
    mcti_buf_done(&b);
    mcti_buf_done(&one);
}

static void degraded_content_is_bounded(void **state)
{
    struct mcti_buf b;
    (void)state;
    for (size_t max = 0; max < 60; max++) {
        mcti_buf_init(&b, max);
        mcti_degrade_content(&b, MCT_STR("{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"four\"}},{"
                                         "\"type\":\"text\",\"text\":\"four\"}]}"));
        assert_false(mcti_buf_ok(&b));
        mcti_buf_done(&b);
    }
}

static void sizes_are_decimal(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = { { 0, "0B" },          { 999, "999B" },   { 1000, "1KB" },       { 24000, "24KB" },
                 { 1500000, "1.5MB" }, { 999999, "1MB" }, { 3000000000u, "3GB" } };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcti_buf_clear(&b);
        mcti_degrade_size(&b, rows[i].bytes);
        assert_buf(&b, rows[i].text);
    }
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_prefixed_and_clean),
        cmocka_unit_test(schemes_and_prefixes),
        cmocka_unit_test(names_begin_with_a_letter),
        cmocka_unit_test(overflow_and_collisions_get_a_hash),
        cmocka_unit_test(who_stands_in_the_way_is_told),
        cmocka_unit_test(servers_take_no_names),
        cmocka_unit_test(a_contested_name_stays_free),
        cmocka_unit_test(heads_are_those_of_names),
        cmocka_unit_test(templates_match),
        cmocka_unit_test(content_degrades),
        cmocka_unit_test(degraded_content_is_bounded),
        cmocka_unit_test(sizes_are_decimal),
    };
    return cmocka_run_group_tests_name("hub", tests, NULL, NULL);
}
