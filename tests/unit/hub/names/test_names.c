#include "unit.h"

#include "hub/names/names.h"

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
        { MCT_STR("a"), MCT_STR("_1"), true }, { MCT_STR("a"), MCT_STR("y"), .preferred = MCT_STR("9.y") },
        { MCT_STR("a"), MCT_STR("z") },        { MCT_STR("a"), MCT_STR("z"), .preferred = MCT_STR("w") }
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

static void a_name_may_carry_its_server(void **state)
{
    const struct mcti_naming slashes = { "double", "/", MCT_PREFIX_ALWAYS, 64 };
    const struct {
        const struct mcti_naming *naming;
        const char *name;
        size_t len;
    } rows[] = {
        { &plain_naming, "git.log", 4 }, { &plain_naming, "git__log", 5 }, { &plain_naming, "git_log", 0 },
        { &plain_naming, "git", 0 },     { &plain_naming, "xgit.log", 0 }, { &slashes, "git/log", 4 },
        { &slashes, "git__log", 0 },     { &slashes, "git.log", 4 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(mcti_name_server_len(rows[i].naming, MCT_STR("git"), mcti_str_of(rows[i].name)), rows[i].len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_prefixed_and_clean),  cmocka_unit_test(schemes_and_prefixes),
        cmocka_unit_test(names_begin_with_a_letter),     cmocka_unit_test(overflow_and_collisions_get_a_hash),
        cmocka_unit_test(who_stands_in_the_way_is_told), cmocka_unit_test(servers_take_no_names),
        cmocka_unit_test(a_contested_name_stays_free),   cmocka_unit_test(heads_are_those_of_names),
        cmocka_unit_test(a_name_may_carry_its_server),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
