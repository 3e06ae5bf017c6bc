#include "unit.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/table/map.h"

/* ---- str ---- */

static void globs(void **state)
{
    (void)state;
    assert_true(mcti_str_glob(MCT_STR("*"), MCT_STR("")));
    assert_true(mcti_str_glob(MCT_STR("a*c"), MCT_STR("abbbc")));
    assert_true(mcti_str_glob(MCT_STR("*_file"), MCT_STR("read_file")));
    assert_true(mcti_str_glob(MCT_STR("a?c*"), MCT_STR("abc")));
    assert_false(mcti_str_glob(MCT_STR("a*c"), MCT_STR("abbb")));
    assert_false(mcti_str_glob(MCT_STR(""), MCT_STR("x")));
    assert_false(mcti_str_glob(MCT_STR("a?c"), MCT_STR("ac")));
}

static void splits_and_trims(void **state)
{
    struct mcti_str rest = MCT_STR("a,,b"), part;
    (void)state;
    assert_true(mcti_str_split(&rest, ',', &part));
    assert_span(part, "a");
    assert_true(mcti_str_split(&rest, ',', &part));
    assert_span(part, "");
    assert_true(mcti_str_split(&rest, ',', &part));
    assert_span(part, "b");
    assert_false(mcti_str_split(&rest, ',', &part));
    assert_span(mcti_str_trim(MCT_STR(" \t x y\t")), "x y");
    assert_span(mcti_str_trim(MCT_STR("  ")), "");
    assert_span(mcti_str_trim(MCT_STR(" \nx\r ")), "\nx\r");
    assert_span(mcti_str_trim_white(MCT_STR(" \v\n\tx\n y\f\r\n ")), "x\n y");
    assert_span(mcti_str_trim_white(MCT_STR("\r\n")), "");
    assert_int_equal(mcti_str_trim_white((struct mcti_str){ " \0 ", 3 }).len, 1);
    assert_null(mcti_str_trim_white(MCT_STR_NONE).p);
}

static void secrets_compare_whole(void **state)
{
    (void)state;
    assert_true(mcti_str_eq_secret(MCT_STR("s3cret"), MCT_STR("s3cret")));
    assert_false(mcti_str_eq_secret(MCT_STR("s3cret"), MCT_STR("s3creT")));
    assert_false(mcti_str_eq_secret(MCT_STR("s3cret"), MCT_STR("s3cretX")));
    assert_false(mcti_str_eq_secret(MCT_STR("s3cret"), MCT_STR("")));
    assert_false(mcti_str_eq_secret(MCT_STR("aa"), MCT_STR("a")));
}

/* ---- buf ---- */

static void buffer_has_a_ceiling(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 10);
    mcti_buf_addz(&b, "12345");
    mcti_buf_addu(&b, 18446744073709551615u);
    assert_false(mcti_buf_ok(&b));
    assert_buf(&b, "12345");
    mcti_buf_addc(&b, 'x');
    assert_buf(&b, "12345");
    mcti_buf_clear(&b);
    mcti_buf_printf(&b, "%s-%d", "ab", 7);
    assert_buf(&b, "ab-7");
    mcti_buf_shift(&b, 3);
    assert_buf(&b, "7");
    char *z = mcti_buf_take(&b);
    assert_string_equal(z, "7");
    free(z);
}

/* ---- map ---- */

struct entry {
    struct mcti_map_node node;
    char key[16];
};

static void map_finds_what_was_put(void **state)
{
    enum { N = 1000 };
    static struct entry e[N];
    struct mcti_map m;
    (void)state;
    mcti_map_init(&m);
    for (int i = 0; i < N; i++) {
        snprintf(e[i].key, sizeof e[i].key, "key%d", i);
        assert_int_equal(mcti_map_put(&m, &e[i].node, mcti_str_of(e[i].key)), 0);
    }
    for (int i = 0; i < N; i += 2)
        mcti_map_remove(&m, &e[i].node);
    mcti_map_remove(&m, &e[0].node); /* twice does no harm */
    assert_int_equal(m.n, N / 2);
    for (int i = 0; i < N; i++)
        assert_ptr_equal(mcti_map_get(&m, mcti_str_of(e[i].key)), i % 2 ? &e[i].node : NULL);
    while (m.n)
        mcti_map_remove(&m, mcti_map_any(&m));
    assert_null(mcti_map_any(&m));
    mcti_map_done(&m);
}

/* ---- utf8, base64 ---- */

static void base64_goes_both_ways(void **state)
{
    static const char *const pairs[][2] = { { "", "" },        { "f", "Zg==" },        { "fo", "Zm8=" },
                                            { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "\xff\xfe", "//4=" } };
    static const char *const bad[] = { "Zg=", "Zg", "Zh==", "Zm9=", "Z===", "Zm 9", "=g==", "Zg==Zg==" };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mcti_buf_clear(&b);
        mcti_base64_put(&b, mcti_str_of(pairs[i][0]));
        assert_buf(&b, pairs[i][1]);
        mcti_buf_clear(&b);
        assert_int_equal(mcti_base64_get(&b, mcti_str_of(pairs[i][1])), 0);
        assert_buf(&b, pairs[i][0]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mcti_base64_get(&b, mcti_str_of(bad[i])), -1);
    mcti_buf_done(&b);
}

static void base64_for_urls_has_no_padding(void **state)
{
    static const char *const pairs[][2] = { { "", "" },        { "f", "Zg" },         { "fo", "Zm8" },
                                            { "foo", "Zm9v" }, { "\xff\xfe", "__4" }, { "\xfb\xef\xbe", "----" } };
    static const char *const bad[] = { "Z", "Zg==", "Zh", "Zm9", "Zm9vZ", "//4", "Zm 9", "Zm9v\n" };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mcti_buf_clear(&b);
        mcti_base64url_put(&b, mcti_str_of(pairs[i][0]));
        assert_buf(&b, pairs[i][1]);
        mcti_buf_clear(&b);
        assert_int_equal(mcti_base64url_get(&b, mcti_str_of(pairs[i][1])), 0);
        assert_buf(&b, pairs[i][0]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mcti_base64url_get(&b, mcti_str_of(bad[i])), -1);
    mcti_buf_done(&b);
}

/* ---- error, log, random ---- */

static void every_kind_of_error_has_a_row(void **state)
{
    struct mct_error e = { 0 };
    (void)state;
    for (int kind = 0; kind < MCT_ERR_N_KINDS; kind++) {
        e.kind = (enum mct_error_kind)kind;
        assert_non_null(mct_error_word(e.kind));
        assert_int_equal(mcti_error_rpc_code(&e) < 0, kind != MCT_ERR_NONE);
        assert_int_equal(mcti_error_exit_status(e.kind) > 0, kind != MCT_ERR_NONE);
    }
}

static void memory_that_ran_out_is_a_kind_of_its_own(void **state)
{
    struct mct_error e;
    (void)state;
    assert_int_equal(mcti_no_memory(&e), -1);
    assert_string_equal(mct_error_word(e.kind), "no_memory");
    assert_string_equal(e.message, "out of memory");
    assert_int_equal(mcti_error_rpc_code(&e), -32603);
    assert_int_equal(mcti_error_exit_status(e.kind), 5);
}

static void errors_gather_context(void **state)
{
    struct mct_error e;
    char long_text[2000];
    (void)state;
    assert_int_equal(mcti_fail(&e, MCT_ERR_CONNECT, "no such %s", "file"), -1);
    assert_int_equal(mcti_error_wrap(&e, "server '%s'", "git"), -1);
    assert_string_equal(e.message, "server 'git': no such file");
    assert_int_equal(mcti_error_exit_status(e.kind), 4);
    assert_int_equal(mcti_error_rpc_code(&e), -32603);
    e.code = -32021;
    assert_int_equal(mcti_error_rpc_code(&e), -32021);
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    mcti_error_wrap(&e, "%s", long_text);
    mcti_error_wrap(&e, "front");
    assert_int_equal(strncmp(e.message, "front: xxx", 10), 0);
    assert_true(strlen(e.message) < sizeof e.message);
    assert_int_equal(mcti_fail(NULL, MCT_ERR_USAGE, "nobody listens"), -1);
}

/* Whatever the place of the end, no half of a character stands before it. */
static void long_messages_end_with_a_character(void **state)
{
    static const char *const letters[] = { "x", "\xc3\xa9", "\xe5\xbf\x99", "\xf0\x9f\x98\x80" };
    struct mct_error e;
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int before = 0; before < 5; before++) {
            struct mcti_buf b;
            size_t width = strlen(letters[i]), size = sizeof e.message;
            mcti_buf_init(&b, 10000);
            for (int k = 0; k < 600; k++)
                mcti_buf_addz(&b, k < before ? "y" : letters[i]);
            char *text = mcti_buf_take(&b);
            mcti_fail(&e, MCT_ERR_SERVER, "%s", text);
            assert_true((strlen(e.message) - (size_t)before) % width == 0 && strlen(e.message) + width >= size);
            mcti_error_wrap(&e, "z");
            assert_true((strlen(e.message) - (size_t)before - 3) % width == 0 && strlen(e.message) + width >= size);
            free(text);
        }
}

/* An object that keeps an error has a copy, and none of its own until then. */
static void errors_are_kept(void **state)
{
    const struct mct_error *kept = &mcti_error_none;
    struct mct_error e;
    (void)state;
    assert_int_equal(kept->kind, MCT_ERR_NONE);
    mcti_fail(&e, MCT_ERR_AUTH, "no");
    mcti_error_keep(&kept, &e);
    mcti_fail(&e, MCT_ERR_CONNECT, "changed");
    assert_int_equal(kept->kind, MCT_ERR_AUTH);
    assert_string_equal(kept->message, "no");
    mcti_error_keep(&kept, kept);
    assert_string_equal(kept->message, "no");
    mcti_error_keep_new(&kept, MCT_ERR_CONNECT, "100% gone");
    assert_string_equal(kept->message, "100% gone");
    mcti_error_keep(&kept, &mcti_error_none);
    assert_ptr_equal(kept, &mcti_error_none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs),
        cmocka_unit_test(splits_and_trims),
        cmocka_unit_test(secrets_compare_whole),
        cmocka_unit_test(buffer_has_a_ceiling),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(base64_goes_both_ways),
        cmocka_unit_test(base64_for_urls_has_no_padding),
        cmocka_unit_test(errors_gather_context),
        cmocka_unit_test(errors_are_kept),
        cmocka_unit_test(long_messages_end_with_a_character),
        cmocka_unit_test(every_kind_of_error_has_a_row),
        cmocka_unit_test(memory_that_ran_out_is_a_kind_of_its_own),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
