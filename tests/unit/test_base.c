#include "unit.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/map.h"
#include "base/rand.h"
#include "base/sched.h"
#include "base/seal.h"
#include "base/log/utf8.h"
#include "base/log/visible.h"

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

/* ---- sched ---- */

struct fired {
    int order[64], n;
};
static struct fired fired; /* of this test program alone */

static void note_timer(void *data)
{
    fired.order[fired.n++] = (int)(intptr_t)data;
}

static void timers_fire_in_order(void **state)
{
    static const unsigned due[] = { 50, 10, 40, 10, 30, 20, 60, 0 };
    enum { N = sizeof due / sizeof *due };
    struct mcti_timer t[N];
    struct mcti_sched s;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    assert_int_equal(mcti_sched_next_ms(&s), -1);
    for (int i = 0; i < N; i++) {
        mcti_timer_init(&t[i], note_timer, (void *)(intptr_t)due[i]);
        mcti_timer_set(&s, &t[i], due[i]);
    }
    mcti_timer_stop(&s, &t[2]);    /* 40 */
    mcti_timer_set(&s, &t[0], 15); /* 50 moves to 15 */
    assert_int_equal(mcti_sched_next_ms(&s), 0);
    mcti_sched_run(&s, 35);
    static const int expected[] = { 0, 10, 10, 50, 20, 30 };
    assert_int_equal(fired.n, 6);
    assert_memory_equal(fired.order, expected, sizeof expected);
    assert_int_equal(mcti_sched_next_ms(&s), 25);
    mcti_timer_stop(&s, &t[6]);
    assert_int_equal(mcti_sched_next_ms(&s), -1);
}

static void task_posted_twice_runs_once(void **state)
{
    struct mcti_sched s;
    struct mcti_task t;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    mcti_task_init(&t, note_timer, (void *)7);
    mcti_task_post(&s, &t);
    mcti_task_post(&s, &t);
    assert_int_equal(mcti_sched_next_ms(&s), 0);
    mcti_sched_run(&s, 1);
    mcti_sched_run(&s, 2);
    assert_int_equal(fired.n, 1);
}

/* A timer or a task that asks for its next run inside its own. */
struct restless {
    struct mcti_sched sched;
    struct mcti_timer timer;
    struct mcti_task task;
    int n_timer, n_task, n_deferred;
};

static void set_again(void *data)
{
    struct restless *r = data;
    if (++r->n_timer < 1000)
        mcti_timer_set(&r->sched, &r->timer, 0);
}

static void post_again(void *data)
{
    struct restless *r = data;
    if (++r->n_task < 1000)
        mcti_task_post(&r->sched, &r->task);
}

static void defer_again(void *data)
{
    struct restless *r = data;
    r->n_deferred++;
    mcti_task_defer(&r->sched, &r->task);
}

static void a_timer_that_is_set_again_waits_for_the_next_turn(void **state)
{
    struct restless r = { .n_timer = 0 };
    (void)state;
    mcti_sched_init(&r.sched);
    mcti_timer_init(&r.timer, set_again, &r);
    mcti_timer_set(&r.sched, &r.timer, 0);
    for (int turn = 1; turn <= 3; turn++) {
        mcti_sched_run(&r.sched, 5);
        assert_int_equal(r.n_timer, turn);
        assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    }
    mcti_timer_stop(&r.sched, &r.timer);
}

static void a_task_that_posts_itself_ends_the_turn(void **state)
{
    struct restless r = { .n_task = 0 };
    (void)state;
    mcti_sched_init(&r.sched);
    mcti_task_init(&r.task, post_again, &r);
    mcti_task_post(&r.sched, &r.task);
    for (int turn = 1; turn <= 3; turn++) {
        mcti_sched_run(&r.sched, 5);
        assert_int_equal(r.n_task, turn * MCT_TURN_ROUNDS);
        assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    }
    mcti_task_stop(&r.task);
}

static void a_deferred_task_runs_once_a_turn_and_first(void **state)
{
    struct restless r = { .n_task = 0 };
    struct mcti_task other;
    (void)state;
    mcti_sched_init(&r.sched);
    fired.n = 0;
    mcti_task_init(&r.task, defer_again, &r);
    mcti_task_defer(&r.sched, &r.task);
    mcti_sched_run(&r.sched, 1);
    mcti_sched_run(&r.sched, 1);
    assert_int_equal(r.n_deferred, 2);
    assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    mcti_task_stop(&r.task);
    mcti_task_init(&r.task, note_timer, (void *)1);
    mcti_task_init(&other, note_timer, (void *)2);
    mcti_task_post(&r.sched, &other);
    mcti_task_defer(&r.sched, &r.task);
    mcti_sched_run(&r.sched, 1);
    assert_int_equal(fired.n, 2);
    assert_int_equal(fired.order[0], 1);
    assert_int_equal(fired.order[1], 2);
    assert_int_equal(mcti_sched_next_ms(&r.sched), -1);
}

static void timers_of_one_moment_run_as_they_were_set(void **state)
{
    enum { N = 40 };
    struct mcti_timer t[N];
    struct mcti_sched s;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    for (int i = 0; i < N; i++) {
        mcti_timer_init(&t[i], note_timer, (void *)(intptr_t)i);
        mcti_timer_set(&s, &t[i], 7);
    }
    mcti_sched_run(&s, 7);
    assert_int_equal(fired.n, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(fired.order[i], i);
}

/* ---- utf8, base64 ---- */

static void utf8_is_strict(void **state)
{
    static const char *const good[] = {
        "", "a", "\xc2\x80", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80"
    };
    static const char *const bad[] = { "\x80",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x9f\xbf",
                                       "\xed\xa0\x80",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xe2\x82",
                                       "\xff",
                                       "a\xe2(\xa1" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(mcti_utf8_valid(mcti_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_utf8_valid(mcti_str_of(bad[i])));
}

/* Every scalar value at the edges of the lengths is read as it is written. */
static void utf8_counts_characters(void **state)
{
    static const unsigned points[] = { 0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff };
    enum { N = sizeof points / sizeof *points };
    size_t ends[N + 1] = { 0 }, n;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    for (size_t i = 0; i < N; i++) {
        mcti_utf8_put(&b, points[i]);
        assert_int_equal(mcti_utf8_at(b.p + ends[i], b.len - ends[i]), points[i]);
        ends[i + 1] = b.len;
    }
    for (size_t i = 0; i <= N; i++) {
        assert_int_equal(mcti_utf8_head(mcti_buf_str(&b), i, &n).len, ends[i]);
        assert_int_equal(n, i);
    }
    assert_int_equal(mcti_utf8_head(mcti_buf_str(&b), SIZE_MAX, &n).len, b.len);
    assert_int_equal(n, N);
    assert_int_equal(mcti_utf8_head(MCT_STR("\xe8\xb5x"), 2, &n).len, 2);
    mcti_buf_done(&b);
}

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

/* ---- seals ---- */

static void hmac_is_that_of_the_rfc(void **state)
{
    char key[131], hex[65]; /* RFC 4231, cases 2 and 6 */
    unsigned char mac[32];
    (void)state;
    assert_int_equal(mcti_hmac_sha256(MCT_STR("Jefe"), MCT_STR("what do ya want for nothing?"), mac), 0);
    mcti_hex(mac, 32, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    assert_int_equal(mcti_hmac_sha256((struct mcti_str){ key, sizeof key },
                                      MCT_STR("Test Using Larger Than Block-Size Key - Hash Key First"), mac),
                     0);
    mcti_hex(mac, 32, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* Whether `sealed` opens with `key`, to `text`. */
static void check_unseal(struct mcti_str key, struct mcti_str sealed, const char *text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1000);
    mcti_buf_addz(&b, "before");
    assert_int_equal(mcti_unseal(&b, key, sealed), text ? 0 : -1);
    assert_span(((struct mcti_str){ b.p + 6, b.len - 6 }), text ? text : "");
    mcti_buf_done(&b);
}

static void seals_hold(void **state)
{
    static const char *const texts[] = { "", "{\"round\":2}", "three bytes more" };
    struct mcti_str key = MCT_STR("0123456789abcdef0123456789abcdef"),
                    other = MCT_STR("0123456789abcdef0123456789abcdeg");
    static const char *const foreign[] = { "", ".", "e30", "e30.", "e30.e30", ".e30" };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mcti_buf_clear(&b);
        mcti_seal(&b, key, mcti_str_of(texts[i]));
        assert_true(mcti_buf_ok(&b));
        check_unseal(key, mcti_buf_str(&b), texts[i]);
        check_unseal(other, mcti_buf_str(&b), NULL);
        for (size_t at = 0; at < b.len; at++) {
            check_unseal(key, (struct mcti_str){ b.p, at }, NULL);
            b.p[at] ^= 1;
            check_unseal(key, mcti_buf_str(&b), NULL);
            b.p[at] ^= 1;
        }
        mcti_buf_addc(&b, 'A');
        check_unseal(key, mcti_buf_str(&b), NULL);
    }
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        check_unseal(key, mcti_str_of(foreign[i]), NULL);
    check_unseal(key, MCT_STR_NONE, NULL);
    mcti_buf_done(&b);
    mcti_buf_init(&b, 20);
    mcti_seal(&b, key, MCT_STR("too long"));
    assert_false(mcti_buf_ok(&b));
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

static void keep_line(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    strcpy(data, line);
}

static void log_hides_control_characters(void **state)
{
    char got[1024] = "";
    struct mcti_log log = { MCT_LOG_WARN, keep_line, got };
    (void)state;
    mcti_log(&log, MCT_LOG_INFO, "quiet");
    assert_string_equal(got, "");
    mcti_log(&log, MCT_LOG_ERROR, "a\x1b[31mb\nc");
    assert_string_equal(got, "a?[31mb?c");
}

static void check_visible(const char *text, enum mcti_visible_form form, const char *expected)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_visible_put(&b, mcti_str_of(text), form);
    assert_buf(&b, expected);
    mcti_buf_done(&b);
}

static void foreign_text_is_made_visible(void **state)
{
    static const char text[] = "a\x1b[2J\tb\r\n\rc\xc2\x9b\xd8\x9c\xe2\x80\xae\x7f\xc3\xa9\x9b\xf0\x9f\x98\x80\xe2\x80";
    char line[sizeof text];
    (void)state;
    check_visible(text, MCT_VISIBLE_LINE, "a?[2J?b???c????\xc3\xa9?\xf0\x9f\x98\x80??");
    check_visible(text, MCT_VISIBLE_TEXT, "a?[2J\tb\r\n?c????\xc3\xa9?\xf0\x9f\x98\x80??");
    check_visible("{\"a\":\t\"\xc2\x9b\xe2\x81\xa6\x7f\xc3\xa9\"}\n", MCT_VISIBLE_JSON,
                  "{\"a\":\t\"\\u009b\\u2066\\u007f\xc3\xa9\"}\n");
    memcpy(line, text, sizeof line);
    mcti_visible(line);
    assert_string_equal(line, "a?[2J?b???c????\xc3\xa9?\xf0\x9f\x98\x80??");
}

static void digest_separates_its_parts(void **state)
{
    unsigned char a[32], b[32];
    char hex[65];
    (void)state;
    assert_int_equal(mcti_sha256_pair(MCT_STR("ab"), MCT_STR("c"), a), 0);
    assert_int_equal(mcti_sha256_pair(MCT_STR("a"), MCT_STR("bc"), b), 0);
    assert_memory_not_equal(a, b, 32);
    /* printf 'ab\0c' | sha256sum */
    mcti_hex(a, 32, hex);
    assert_string_equal(hex, "6c032e631d39a14d85aff7e319546af701e26c97b57ca95fbfe9c6ba855f67bf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs),
        cmocka_unit_test(splits_and_trims),
        cmocka_unit_test(secrets_compare_whole),
        cmocka_unit_test(buffer_has_a_ceiling),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(timers_fire_in_order),
        cmocka_unit_test(task_posted_twice_runs_once),
        cmocka_unit_test(utf8_is_strict),
        cmocka_unit_test(a_timer_that_is_set_again_waits_for_the_next_turn),
        cmocka_unit_test(a_task_that_posts_itself_ends_the_turn),
        cmocka_unit_test(a_deferred_task_runs_once_a_turn_and_first),
        cmocka_unit_test(timers_of_one_moment_run_as_they_were_set),
        cmocka_unit_test(utf8_counts_characters),
        cmocka_unit_test(base64_goes_both_ways),
        cmocka_unit_test(base64_for_urls_has_no_padding),
        cmocka_unit_test(hmac_is_that_of_the_rfc),
        cmocka_unit_test(seals_hold),
        cmocka_unit_test(errors_gather_context),
        cmocka_unit_test(every_kind_of_error_has_a_row),
        cmocka_unit_test(memory_that_ran_out_is_a_kind_of_its_own),
        cmocka_unit_test(log_hides_control_characters),
        cmocka_unit_test(foreign_text_is_made_visible),
        cmocka_unit_test(digest_separates_its_parts),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
