#include "unit.h"

#include "base/limits.h"
#include "hub/results/results.h"
#include "json/write.h"

static uint64_t now;

static uint64_t clock_now(void *data)
{
    (void)data;
    return now;
}

static struct mcti_sched sched;
static struct mcti_result_rules rules;
static struct mcti_results results;

static int set_up(void **state)
{
    (void)state;
    now = 1000;
    mcti_sched_init(&sched);
    sched.clock = clock_now;
    sched.now_ms = now;
    mcti_results_init(&results, &sched,
                      &(struct mcti_results_opts){ .rules = &rules, .bytes = 40000, .ttl_ms = 60000 });
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcti_results_done(&results);
    mcti_result_rules_done(&rules);
    return 0;
}

/* ---- budgets ---- */

static void budgets_have_units(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } rows[] = { { "25k tokens", 100000 },
                 { "500 tokens", 2000 },
                 { "64 KB", 64000 },
                 { "64KiB", 65536 },
                 { " 100000 ", 100000 },
                 { "2mb", 2000000 },
                 { "off", 0 },
                 { "499 tokens", 0 },
                 { "1999", 0 },
                 { "", 0 },
                 { "tokens", 0 },
                 { "-5", 0 },
                 { "1e9", 0 },
                 { "5 apples", 0 },
                 { "9999999999 mb", 9999999999000000 },
                 { "99999999999", 0 },
                 { "2000bytes more", 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t bytes = 1;
        bool good = mcti_result_budget_read(mcti_str_of(rows[i].text), &bytes);
        if (good != (rows[i].bytes || !strcmp(rows[i].text, "off")))
            print_error("'%s'\n", rows[i].text);
        assert_int_equal(good, rows[i].bytes || !strcmp(rows[i].text, "off"));
        assert_true(!good || bytes == rows[i].bytes);
    }
}

static void the_first_rule_decides(void **state)
{
    (void)state;
    rules.bytes = 5000;
    mcti_result_rules_add(&rules, MCT_STR("git.log"), 0);
    mcti_result_rules_add(&rules, MCT_STR("git.*"), 3000);
    mcti_result_rules_add(&rules, MCT_STR("fs"), 4000);
    mcti_result_rules_add(&rules, MCT_STR("*.read_*"), 6000);
    assert_int_equal(mcti_result_budget(&rules, "git", MCT_STR("log")), 0);
    assert_int_equal(mcti_result_budget(&rules, "git", MCT_STR("show.all")), 3000);
    assert_int_equal(mcti_result_budget(&rules, "fs", MCT_STR("read_file")), 4000);
    assert_int_equal(mcti_result_budget(&rules, "x", MCT_STR("read_file")), 6000);
    assert_int_equal(mcti_result_budget(&rules, "x", MCT_STR("other")), 5000);
}

/* ---- queries ---- */

static int query(struct mcti_result_query *q, const char *uri, struct mct_error *err)
{
    mcti_result_query_init(q);
    return mcti_result_query_read(q, mcti_str_of(uri), err);
}

static void uris_are_read(void **state)
{
    struct mcti_result_query q;
    struct mct_error err;
    (void)state;
    assert_int_equal(query(&q, "mcptools://result/abc?search=a%20b%2Bc+d&ignore_case=true&context=2&line=7", &err), 0);
    assert_buf(&q.id, "abc");
    assert_buf(&q.search, "a b+c d");
    assert_true(q.ignore_case && q.context == 2 && q.line == 7);
    mcti_result_query_done(&q);
    assert_int_equal(query(&q, "mcptools://result/abc#L10-L20", &err), 0);
    assert_true(q.line == 10 && q.lines == 11);
    mcti_result_query_done(&q);
    assert_int_equal(query(&q, "mcptools://result/abc#L10-12", &err), 0);
    assert_true(q.line == 10 && q.lines == 3);
    mcti_result_query_done(&q);
    assert_int_equal(query(&q, "mcptools://result/abc?path=", &err), 0);
    assert_true(q.has_path && !q.path.len);
    mcti_result_query_done(&q);
}

static void hostile_uris_are_refused(void **state)
{
    static const char *const uris[] = {
        "",
        "mcptools://result/",
        "mcptools://result/?line=1",
        "mcptools://other/abc",
        "mcptools://result/abc?line=0",
        "mcptools://result/abc?line=-1",
        "mcptools://result/abc?line=99999999999999999999999999",
        "mcptools://result/abc?line=1e3",
        "mcptools://result/abc?line",
        "mcptools://result/abc?byte=1&line=1",
        "mcptools://result/abc?block=1&search=x",
        "mcptools://result/abc?block=1&path=",
        "mcptools://result/abc?context=21",
        "mcptools://result/abc?search=%",
        "mcptools://result/abc?search=%4",
        "mcptools://result/abc?search=%zz",
        "mcptools://result/abc?search=a%0Ab",
        "mcptools://result/abc?unknown=1",
        "mcptools://result/abc#L",
        "mcptools://result/abc#L0",
        "mcptools://result/abc#L5-L4",
        "mcptools://result/abc#x",
        "mcptools://result/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    (void)state;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        struct mcti_result_query q;
        struct mct_error err;
        if (query(&q, uris[i], &err) == 0)
            print_error("row %zu is accepted\n", i);
        mcti_result_query_done(&q);
        assert_int_equal(query(&q, uris[i], &err), -1);
        mcti_result_query_done(&q);
    }
}

/* ---- parts of a text ---- */

static const struct mcti_kept *find(struct mcti_str id, uint64_t authority)
{
    return mcti_results_find(&results, id, &authority);
}

static struct mcti_kept *keep_for(struct mcti_str result, uint64_t authority)
{
    struct mcti_result_job *job = mcti_result_job_new(&results, result, MCT_RESULT_LEAST, authority);
    mcti_result_job_run(job);
    struct mcti_kept *kept = mcti_result_job_kept(job);
    mcti_result_job_free(job);
    return kept;
}

static const struct mcti_kept *keep(const char *result)
{
    return keep_for(mcti_str_of(result), 7);
}

/* Checks the part of a result that a query gives, and how its note begins. */
static void check_part(const struct mcti_kept *k, const char *asked, size_t max, const char *part, const char *note)
{
    struct mcti_result_query q;
    struct mct_error err = { 0 };
    struct mcti_buf uri, text, said;
    mcti_buf_init(&uri, 2000);
    mcti_buf_init(&text, 100000);
    mcti_buf_init(&said, 1024);
    mcti_buf_printf(&uri, MCT_RESULT_URI "%s%s%c", k->id, asked, 0);
    int r = query(&q, uri.p, &err);
    q.max = max;
    if (r == 0)
        r = mcti_result_put_range(&text, &said, k, &q, &err);
    mcti_buf_addc(&text, '\0');
    mcti_buf_addc(&said, '\0');
    assert_string_equal(r < 0 ? err.message : text.p, part);
    if (r == 0 && note && strncmp(said.p, note, strlen(note)) != 0)
        assert_string_equal(said.p, note);
    mcti_result_query_done(&q);
    mcti_buf_done(&uri);
    mcti_buf_done(&text);
    mcti_buf_done(&said);
}

static void lines_and_bytes(void **state)
{
    const struct mcti_kept *k = keep("{\"content\":[{\"type\":\"text\",\"text\":\"one\\r\\ntwo\\n\\nf\\u00fcr\"}]}");
    (void)state;
    assert_non_null(k);
    assert_int_equal(k->n_lines, 4);
    check_part(k, "", 0, "one\r\ntwo\n\nf\xc3\xbcr", "Lines 1 to 4 of 4.");
    check_part(k, "?line=2", 0, "two\n\nf\xc3\xbcr", "Lines 2 to 4 of 4.");
    check_part(k, "?line=2&lines=1", 0, "two\n", "Lines 2 to 2 of 4. Go on with line=3.");
    check_part(k, "#L1-L2", 0, "one\r\ntwo\n", "Lines 1 to 2 of 4. Go on with line=3.");
    check_part(k, "?line=9", 0, "line 9 is behind the end: the text has 4 lines", NULL);
    check_part(k, "", 10, "one\r\ntwo\n\n", "Lines 1 to 3 of 4. Go on with line=4.");
    check_part(k, "?line=4", 2, "f", "The beginning of line 4, bytes 10 to 11 of 14. Go on with byte=11.");
    check_part(k, "?byte=10&bytes=2", 0, "f", "Bytes 10 to 11 of 14. Go on with byte=11.");
    check_part(k, "?byte=12&bytes=1", 0, "\xc3\xbc", "Bytes 11 to 13 of 14."); /* inside a character */
    check_part(k, "?byte=13", 0, "r", "Bytes 13 to 14 of 14.");
    check_part(k, "?byte=14", 0, "byte 14 is behind the end: the text has 14 bytes", NULL);
}

static void an_empty_result(void **state)
{
    const struct mcti_kept *k = keep("{\"content\":[]}");
    (void)state;
    check_part(k, "", 0, "", "Lines 1 to 0 of 0.");
    check_part(k, "?byte=0", 0, "", "Bytes 0 to 0 of 0.");
    check_part(k, "?search=x", 0, "", "No line contains the text; the text has 0 lines.");
}

static void search(void **state)
{
    const struct mcti_kept *k =
        keep("{\"content\":[{\"type\":\"text\",\"text\":\"a\\nneedle\\r\\nb\\nc\\nNEEDLE\\nd\"},"
             "{\"type\":\"text\",\"text\":\"needle needle\"}]}");
    (void)state;
    check_part(k, "?search=needle", 0, "2:needle\n7:needle needle\n", "2 of 2 lines with the text.");
    check_part(k, "?search=Needle&ignore_case=true", 0, "2:needle\n5:NEEDLE\n7:needle needle\n", "3 of 3");
    check_part(k, "?search=needle&context=1", 0, "1-a\n2:needle\n3-b\n--\n6-d\n7:needle needle\n", "2 of 2");
    check_part(k, "?search=needle&line=3", 0, "7:needle needle\n", "1 of 1");
    check_part(k, "?search=needle&line=3&lines=2", 0, "", "No line contains the text");
    check_part(k, "?search=.*", 0, "", "No line contains the text; the text has 7 lines.");
    check_part(k, "?search=needle", 5, "2:needle\n", "1 of 2 lines with the text. Go on with line=7");
}

static void huge_lines_are_cut_around_a_match(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 20000);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 2000; i++)
        mcti_buf_addz(&b, "\xc3\xa4");
    mcti_buf_addz(&b, "needle");
    for (int i = 0; i < 2000; i++)
        mcti_buf_addz(&b, "\xc3\xb6");
    mcti_buf_addz(&b, "\"}]}");
    mcti_buf_addc(&b, '\0');
    const struct mcti_kept *k = keep(b.p);
    struct mcti_result_query q;
    struct mct_error err;
    struct mcti_buf text, note;
    mcti_buf_init(&text, 10000);
    mcti_buf_init(&note, 1000);
    assert_int_equal(query(&q, "mcptools://result/x?search=needle", &err), 0);
    assert_int_equal(mcti_result_put_range(&text, &note, k, &q, &err), 0);
    assert_in_range(text.len, 400, 700);
    assert_true(!memcmp(text.p, "1:\xe2\x80\xa6\xc3\xa4", 7));
    struct mcti_buf json;
    mcti_buf_init(&json, 10000);
    mcti_json_put_string(&json, mcti_buf_str(&text));
    assert_null(memmem(json.p, json.len, "\xef\xbf\xbd", 3)); /* no character was cut */
    mcti_result_query_done(&q);
    mcti_buf_done(&json);
    mcti_buf_done(&text);
    mcti_buf_done(&note);
    mcti_buf_done(&b);
}

static void structured_content_and_blocks(void **state)
{
    const struct mcti_kept *k =
        keep("{\"content\":[{\"type\":\"text\",\"text\":\"t\"},{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":"
             "\"image/png\"}],\"structuredContent\":{\"a/b\":[{\"x~y\":\"deep\"}],\"n\":5}}");
    struct mct_error err;
    (void)state;
    check_part(k, "", 0, "t\n[image, 53 bytes of JSON, image/png; block=2]", NULL);
    check_part(k, "?path=/a~1b/0/x~0y", 0, "deep", NULL);
    check_part(k, "?path=/n", 0, "5", NULL);
    check_part(k, "?path=/a~1b/1", 0, "the structured content has nothing at the path '/a~1b/1'", NULL);
    check_part(k, "?path=n", 0, "the structured content has nothing at the path 'n'", NULL);
    assert_span(mcti_result_block(k, 2, &err), "{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":\"image/png\"}");
    assert_null(mcti_result_block(k, 1, &err).p);
    assert_null(mcti_result_block(k, 3, &err).p);
}

/* Keeps a text of lines "1", "2" … in a store that has room for it. */
static const struct mcti_kept *keep_lines(unsigned n)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64u << 20);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    for (unsigned i = 1; i <= n; i++)
        mcti_buf_printf(&b, "%u\\n", i);
    mcti_buf_addz(&b, "\"}]}");
    results.opts.bytes = 64u << 20;
    const struct mcti_kept *k = keep_for(mcti_buf_str(&b), 7);
    mcti_buf_done(&b);
    assert_non_null(k);
    return k;
}

static void lines_far_behind(void **state)
{
    const struct mcti_kept *k = keep_lines(20000);
    (void)state;
    check_part(k, "?line=4096&lines=2", 0, "4096\n4097\n", "Lines 4096 to 4097 of 20000. Go on with line=4098.");
    check_part(k, "?line=4097&lines=1", 0, "4097\n", NULL);
    check_part(k, "?line=12289&lines=1", 0, "12289\n", NULL);
    check_part(k, "?line=20000", 0, "20000\n", "Lines 20000 to 20000 of 20000.");
    check_part(k, "?line=20001", 0, "line 20001 is behind the end: the text has 20000 lines", NULL);
    check_part(k, "?line=9223372036854775807", 0, "\"line\" must be a whole number from 1 to 999999999999999", NULL);
    check_part(k, "?line=999999999999999", 0, "line 999999999999999 is behind the end: the text has 20000 lines", NULL);
    check_part(k, "?line=20000&lines=999999999999999", 0, "20000\n", NULL);
    check_part(k, "?search=19999", 0, "19999:19999\n", "1 of 1");
    check_part(k, "?search=19999&line=19000&context=1", 0, "19998-19998\n19999:19999\n20000-20000\n", "1 of 1");
}

/* Lines are counted 8 bytes at a time: empty ones and long ones, in every place of these bytes. */
static void empty_lines_are_counted(void **state)
{
    enum { N = 60 };
    (void)state;
    for (int len = 0; len < 20; len++) {
        struct mcti_buf json;
        char note[100], asked[100];
        mcti_buf_init(&json, 20000);
        mcti_buf_addz(&json, "{\"content\":[{\"type\":\"text\",\"text\":\"");
        for (int i = 0; i < N; i++)
            mcti_buf_printf(&json, "%.*s\\n", i % 3 ? len : 0, "aaaaaaaaaaaaaaaaaaaa");
        mcti_buf_addz(&json, "needle\"}]}");
        const struct mcti_kept *k = keep_for(mcti_buf_str(&json), 1);
        assert_non_null(k);
        assert_int_equal(k->n_lines, N + 1);
        snprintf(asked, sizeof asked, "?line=%d", N + 1);
        snprintf(note, sizeof note, "Lines %d to %d of %d.", N + 1, N + 1, N + 1);
        check_part(k, asked, 0, "needle", note);
        snprintf(note, sizeof note, "%d:needle\n", N + 1);
        check_part(k, "?search=needle", 0, note, "1 of 1 lines with the text.");
        mcti_buf_done(&json);
    }
}

/* A search ends after a part of the text, and says so. */
static void search_is_bounded(void **state)
{
    const struct mcti_kept *k = keep_lines(1000000);
    (void)state;
    check_part(
        k, "?search=999999", 0, "",
        "No line contains the text; the text has 1000000 lines. Lines 1 to 615059 of 1000000 were searched. Go on "
        "with line=615060 and the same search.");
    check_part(k, "?search=999999&line=615060", 0, "999999:999999\n", "1 of 1 lines with the text.");
    check_part(k, "?search=999999&line=5&lines=2", 0, "",
               "No line contains the text; the text has 1000000 lines. Lines 5 to 6 of 1000000 were searched.");
}

/* A deeply nested value neither fills memory with its indentation nor takes a long time to find. */
static void deep_values(void **state)
{
    enum { DEPTH = 400, ITEMS = 200000 };
    struct mcti_buf b;
    struct mcti_result_query q;
    struct mct_error err;
    struct mcti_buf text, note;
    (void)state;
    mcti_buf_init(&b, 8u << 20);
    mcti_buf_addz(&b, "{\"content\":[],\"structuredContent\":{\"a\":");
    for (int i = 0; i < DEPTH; i++)
        mcti_buf_addc(&b, '[');
    for (int i = 0; i < ITEMS; i++)
        mcti_buf_addz(&b, i ? ",0" : "0");
    for (int i = 0; i < DEPTH; i++)
        mcti_buf_addc(&b, ']');
    mcti_buf_addz(&b, "}}");
    results.opts.bytes = 64u << 20;
    const struct mcti_kept *k = keep_for(mcti_buf_str(&b), 7);
    mcti_buf_init(&text, 64u << 20);
    mcti_buf_init(&note, 1024);
    assert_true(!k || k->charged < 33u << 20); /* without content the text is the structured content */
    if (k) {
        assert_int_equal(query(&q, "mcptools://result/x?path=/a", &err), 0);
        assert_int_equal(mcti_result_put_range(&text, &note, k, &q, &err), 0);
        assert_in_range(text.len, 2 * ITEMS, 16u << 20);
        mcti_result_query_done(&q);
    }
    mcti_buf_done(&text);
    mcti_buf_done(&note);
    mcti_buf_done(&b);
}

/* ---- the store ---- */

static void others_do_not_find_it(void **state)
{
    const struct mcti_kept *k = keep("{\"content\":[]}");
    struct mcti_str id = mcti_str_of(k->id);
    (void)state;
    assert_true(find(id, 7) == k);
    assert_null(find(id, 8));
    assert_null(find(MCT_STR("00000000000000000000000000000000"), 7));
    now += 60000;
    assert_null(find(id, 7));
    mcti_sched_run(&sched, now);
    assert_int_equal(results.n, 0);
    assert_int_equal(results.bytes, 0);
}

static char *long_result(char fill)
{
    static char text[9000];
    memset(text, fill, sizeof text);
    memcpy(text, "{\"content\":[{\"type\":\"text\",\"text\":\"", 36);
    memcpy(text + sizeof text - 6, "\"}]}", 5);
    text[35] = fill;
    return text;
}

static void room_is_made_by_the_least_used(void **state)
{
    char first[33], second[33];
    (void)state;
    memcpy(first, keep_for(mcti_str_of(long_result('a')), 1)->id, 33);
    memcpy(second, keep_for(mcti_str_of(long_result('b')), 1)->id, 33);
    assert_non_null(find(mcti_str_of(first), 1));
    assert_non_null(keep_for(mcti_str_of(long_result('c')), 1)); /* over half: drops the second */
    assert_non_null(find(mcti_str_of(first), 1));
    assert_null(find(mcti_str_of(second), 1));
    for (uint64_t who = 2; who < 6; who++)
        assert_non_null(keep_for(mcti_str_of(long_result('d')), who));
    assert_in_range(results.bytes, 1, 40000);
}

static void what_does_not_fit_is_not_kept(void **state)
{
    (void)state;
    results.opts.bytes = 4000;
    assert_null(keep_for(mcti_str_of(long_result('a')), 1));
    assert_int_equal(results.n, 0);
}

/* Very many short results fill neither the store of others nor the time that making room takes. */
static void results_are_counted(void **state)
{
    char mine[33];
    (void)state;
    results.opts.bytes = 64u << 20;
    memcpy(mine, keep_for(MCT_STR("{\"content\":[]}"), 1)->id, 33);
    for (int i = 0; i < 3000; i++)
        assert_non_null(keep_for(MCT_STR("{\"content\":[]}"), 2));
    assert_int_equal(results.n, MCT_LIMIT_KEPT_RESULTS / 2 + 1);
    assert_int_equal(results.n_evicted, 3000 - MCT_LIMIT_KEPT_RESULTS / 2);
    assert_non_null(find(mcti_str_of(mine), 1));
}

/* ---- cutting ---- */

static void check_cut(const char *result, size_t budget, bool is_kept, struct mcti_buf *ret)
{
    results.opts.bytes = is_kept ? 40000 : 100;
    struct mcti_result_job *job = mcti_result_job_new(&results, mcti_str_of(result), budget, 7);
    mcti_result_job_run(job);
    assert_int_equal(mcti_result_job_kept(job) != NULL, is_kept);
    mcti_buf_init(ret, 100000);
    mcti_buf_add(ret, mcti_result_job_text(job));
    mcti_result_job_free(job);
    assert_true(mcti_buf_ok(ret));
    assert_true(mcti_json_valid(mcti_buf_str(ret), 10, NULL, NULL));
    assert_in_range(ret->len, 1, budget + 600);
    assert_true(!is_kept == !memmem(ret->p, ret->len, "resource_link", 13));
    mcti_buf_addc(ret, '\0');
}

static void the_beginning_ends_after_a_line(void **state)
{
    struct mcti_buf b, cut;
    (void)state;
    mcti_buf_init(&b, 20000);
    mcti_buf_addz(&b, "{\"isError\":true,\"content\":[{\"annotations\":{\"priority\":1},\"type\":\"text\",\"text\":\"");
    for (int i = 0; i < 700; i++)
        mcti_buf_addz(&b, "line \\u00e4\\n");
    mcti_buf_addz(&b, "\"},{\"type\":\"text\",\"text\":\"more\"}]}");
    mcti_buf_addc(&b, '\0');
    check_cut(b.p, 4000, true, &cut);
    assert_non_null(strstr(cut.p, "line \\u00e4\\n\"}"));
    assert_non_null(strstr(cut.p, "\"isError\":true"));
    assert_non_null(strstr(cut.p, "\"priority\":1"));
    assert_non_null(strstr(cut.p, "\\\"line\\\":"));
    assert_non_null(strstr(cut.p, "1 content blocks are left out."));
    mcti_buf_done(&cut);
    check_cut(b.p, 4000, false, &cut);
    assert_non_null(strstr(cut.p, "was not kept"));
    mcti_buf_done(&cut);
    mcti_buf_done(&b);
}

/* The cut is never inside an escape or a character, wherever it falls. */
static void cuts_keep_characters(void **state)
{
    struct mcti_buf b, cut;
    (void)state;
    for (size_t shift = 0; shift < 14; shift++) {
        mcti_buf_init(&b, 20000);
        mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"");
        for (size_t i = 0; i < shift; i++)
            mcti_buf_addc(&b, 'x');
        for (int i = 0; i < 300; i++)
            mcti_buf_addz(&b, "\\ud83d\\ude00\xf0\x9f\x98\x80\\\\");
        mcti_buf_addz(&b, "\"}]}");
        mcti_buf_addc(&b, '\0');
        check_cut(b.p, 3000, true, &cut);
        mcti_buf_done(&cut);
        mcti_buf_done(&b);
    }
}

static void structured_content_is_left_out(void **state)
{
    struct mcti_buf b, cut;
    (void)state;
    mcti_buf_init(&b, 20000);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"short\"}],\"structuredContent\":{\"x\":\"");
    for (int i = 0; i < 5000; i++)
        mcti_buf_addc(&b, 'y');
    mcti_buf_addz(&b, "\"}}");
    mcti_buf_addc(&b, '\0');
    check_cut(b.p, 3000, true, &cut);
    assert_non_null(strstr(cut.p, "\"short\""));
    assert_null(strstr(cut.p, "yyyy"));
    assert_non_null(strstr(cut.p, "structuredContent ("));
    mcti_buf_done(&cut);
    mcti_buf_done(&b);
}

/* ---- jobs ---- */

struct shortened {
    struct mcti_result_job *job;
    struct mcti_buf result;
    unsigned turn; /* in which it was done; 0: not yet */
};

static unsigned turn;

static void on_shortened(void *data)
{
    struct shortened *s = data;
    s->turn = turn;
}

static void begin_job(struct shortened *s, unsigned n_lines)
{
    mcti_buf_init(&s->result, 8u << 20);
    mcti_buf_addz(&s->result, "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/x\",\"data\":\"");
    for (unsigned i = 0; i < n_lines; i++)
        mcti_buf_addz(&s->result, "0123456789abcdef");
    mcti_buf_addz(&s->result, "\"},{\"type\":\"text\",\"text\":\"");
    for (unsigned i = 1; i <= n_lines; i++)
        mcti_buf_printf(&s->result, "line %u\\n", i);
    mcti_buf_addz(&s->result, "\"}],\"isError\":false}");
    s->turn = 0;
    s->job = mcti_result_job_new(&results, mcti_buf_str(&s->result), 4000, 7);
    assert_true(mcti_result_job_start(s->job, s->result.len, on_shortened, s));
}

static void end_job(struct shortened *s)
{
    mcti_result_job_free(s->job);
    mcti_buf_done(&s->result);
}

/* Long results take many turns, one after the other, and hold their memory until they are over. */
static void long_results_take_turns(void **state)
{
    enum { LINES = 50000, TURNS = 1000 };
    struct mcti_account whole = { .rule = NULL };
    struct shortened first, second, third;
    (void)state;
    results.opts.bytes = 64u << 20;
    results.opts.account = &whole;
    begin_job(&first, LINES);
    begin_job(&second, LINES);
    begin_job(&third, LINES);
    assert_int_equal(whole.held, first.result.len + second.result.len + third.result.len);
    for (turn = 1; turn < TURNS && !first.turn; turn++)
        mcti_sched_run(&sched, now);
    assert_in_range(first.turn, 10, TURNS - 1);
    end_job(&second); /* its call is cancelled */
    for (; turn < TURNS && !third.turn; turn++)
        mcti_sched_run(&sched, now);
    assert_in_range(third.turn, first.turn + 10, TURNS - 1);
    const struct mcti_kept *k = mcti_result_job_kept(first.job);
    assert_non_null(k);
    assert_int_equal(k->n_lines, LINES + 1); /* with that of the image */
    check_part(k, "?line=49000&lines=2", 0, "line 48999\nline 49000\n", NULL);
    check_part(k, "?line=1&lines=1", 0, "[image, 800047 bytes of JSON, image/x; block=1]\n", NULL);
    assert_true(mcti_json_valid(mcti_result_job_text(first.job), 10, NULL, NULL));
    end_job(&first);
    end_job(&third);
    assert_int_equal(results.n, 2);
    assert_int_equal(whole.held, results.bytes);
    mcti_results_done(&results);
    assert_int_equal(whole.held, 0);
    set_up(NULL);
}

static void no_job_waits_without_memory(void **state)
{
    const struct mcti_account_rule rule = { .share = 1000 };
    struct mcti_account whole = { .rule = &rule };
    (void)state;
    results.opts.account = &whole;
    struct mcti_result_job *job = mcti_result_job_new(&results, MCT_STR("{\"content\":[]}"), 4000, 7);
    assert_false(mcti_result_job_start(job, 2000, on_shortened, NULL));
    mcti_result_job_free(job);
    assert_int_equal(whole.held, 0);
    assert_int_equal(mcti_sched_next_ms(&sched), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(budgets_have_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_rule_decides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(uris_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_uris_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_and_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_result, set_up, tear_down),
        cmocka_unit_test_setup_teardown(search, set_up, tear_down),
        cmocka_unit_test_setup_teardown(huge_lines_are_cut_around_a_match, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structured_content_and_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_far_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(empty_lines_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(search_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_do_not_find_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(room_is_made_by_the_least_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_beginning_ends_after_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_keep_characters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structured_content_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_results_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_job_waits_without_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
