/* The journal of a provider: what is kept, what leaves it, and who is told. */
#include "unit.h"

#include "base/limits.h"
#include "hub/core/registry.h"

static void journal_put_line(void *data, const struct mcti_journal_line *line)
{
    struct mcti_buf *to = data;
    mcti_buf_printf(to, "%llu %s %.*s\n", (unsigned long long)line->seq, mcti_said_word(line->by),
                    MCT_STR_ARG(line->text));
}

static void lines_are_numbered(void **state)
{
    struct mcti_journal j;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 4096);
    mcti_journal_init(&j);
    assert_non_null(mcti_journal_add(&j, MCT_SAID_GATEWAY, MCT_STR("starting")));
    assert_non_null(mcti_journal_add(&j, MCT_SAID_STDERR, MCT_STR("  hello\x1b[2J")));
    assert_non_null(mcti_journal_add(&j, MCT_SAID_STDERR, MCT_STR_NONE));
    mcti_journal_each(&j, 0, journal_put_line, &b);
    assert_buf(&b, "1 gateway starting\n2 stderr   hello\x1b[2J\n3 stderr \n");
    mcti_buf_clear(&b);
    mcti_journal_each(&j, 2, journal_put_line, &b);
    assert_buf(&b, "3 stderr \n");
    mcti_journal_done(&j);
    assert_int_equal(j.bytes, 0);
    mcti_buf_done(&b);
}

/* Returns the seq of the oldest kept line. */
static uint64_t oldest(const struct mcti_journal *j)
{
    return MCT_CONTAINER(j->lines.next, struct mcti_journal_line, node)->seq;
}

static void old_lines_leave(void **state)
{
    struct mcti_journal j;
    char long_line[4 * MCT_LIMIT_JOURNAL_LINE];
    (void)state;
    memset(long_line, 'x', sizeof long_line);
    mcti_journal_init(&j);
    for (int i = 0; i < MCT_LIMIT_JOURNAL_LINES + 7; i++)
        mcti_journal_add(&j, MCT_SAID_STDERR, MCT_STR("short"));
    assert_int_equal(j.n, MCT_LIMIT_JOURNAL_LINES);
    assert_int_equal(oldest(&j), 8);
    for (int i = 0; i < MCT_LIMIT_JOURNAL_LINES; i++)
        mcti_journal_add(&j, MCT_SAID_STDERR, (struct mcti_str){ long_line, sizeof long_line });
    assert_in_range(j.bytes, MCT_LIMIT_JOURNAL_BYTES / 2, MCT_LIMIT_JOURNAL_BYTES);
    assert_in_range(j.n, 50, MCT_LIMIT_JOURNAL_LINES - 1);
    assert_int_equal(j.last_seq - oldest(&j) + 1, j.n);
    mcti_journal_done(&j);
    assert_int_equal(j.bytes, 0);
}

/* What stderr said since the start, without the frames of traces. */
static void the_reason_is_found(void **state)
{
    static const char *const said[] = { "loader.js:1", "  throw err;", "Error: no 'x'", "    at f (y.js:1)", "\tat g" };
    struct mcti_journal j;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 4096);
    mcti_journal_init(&j);
    mcti_journal_add(&j, MCT_SAID_STDERR, MCT_STR("of an earlier start"));
    j.start_seq = j.last_seq;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        mcti_journal_add(&j, MCT_SAID_STDERR, mcti_str_of(said[i]));
    mcti_journal_add(&j, MCT_SAID_GATEWAY, MCT_STR("failed"));
    assert_int_equal(mcti_journal_put_stderr(&j, &b, 2), 3);
    assert_buf(&b, "  throw err;\nError: no 'x'\n");
    mcti_buf_clear(&b);
    assert_int_equal(mcti_journal_put_stderr(&j, &b, 8), 2);
    assert_buf(&b, "loader.js:1\n  throw err;\nError: no 'x'\n");
    mcti_journal_done(&j);
    mcti_buf_done(&b);
}

/* ---- states ---- */

static void still_free(struct mcti_provider *p)
{
    mcti_provider_done(p);
}

struct journal_listener {
    struct mcti_watcher w;
    struct mcti_buf heard;
};

static void journal_on_said(struct mcti_watcher *w, struct mcti_provider *p, const struct mcti_journal_line *line)
{
    struct mcti_buf *to = &MCT_CONTAINER(w, struct journal_listener, w)->heard;
    mcti_buf_printf(to, "%s ", p->name);
    journal_put_line(to, line);
}

static void states_are_noted(void **state)
{
    static const struct mcti_provider_ops ops = { .type = "still", .free = still_free };
    struct mcti_sched sched;
    struct mcti_registry r;
    struct mcti_provider p, branch;
    struct journal_listener listener = { .w = { .said = journal_on_said } };
    struct mct_error err;
    (void)state;
    mcti_sched_init(&sched);
    mcti_registry_init(&r, &sched);
    mcti_buf_init(&listener.heard, 4096);
    assert_int_equal(mcti_provider_init(&p, &ops, "a", &sched, NULL), 0);
    assert_int_equal(mcti_provider_init(&branch, &ops, "a", &sched, NULL), 0);
    assert_int_equal(mcti_registry_add(&r, &p), 0);
    branch.origin = &p;
    mcti_registry_watch(&r, &listener.w);
    mcti_provider_set_state(&p, MCT_CONNECTING, NULL);
    mcti_provider_set_state(&p, MCT_CONNECTING, NULL); /* another transport of the same attempt */
    mcti_fail(&err, MCT_ERR_CONNECT, "no such program");
    mcti_provider_set_state(&p, MCT_FAILED, &err);
    mcti_provider_set_state(&branch, MCT_CONNECTING, NULL);
    mcti_provider_set_state(&p, MCT_CONNECTED, NULL);
    mcti_fail(&err, MCT_ERR_CONNECT, "the process ended");
    mcti_provider_set_state(&p, MCT_FAILED, &err);
    mcti_provider_set_state(&p, MCT_DISCONNECTED, NULL);
    assert_buf(&listener.heard, "a 1 gateway starting\n"
                                "a 2 gateway failed to connect: no such program\n"
                                "a 3 gateway further connection: starting\n"
                                "a 4 gateway ready\n"
                                "a 5 gateway the connection ended: the process ended\n"
                                "a 6 gateway stopped\n");
    assert_int_equal(branch.journal.n, 0);
    mcti_watcher_remove(&listener.w);
    mcti_provider_done(&branch);
    mcti_registry_done(&r);
    mcti_buf_done(&listener.heard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_numbered),
        cmocka_unit_test(old_lines_leave),
        cmocka_unit_test(the_reason_is_found),
        cmocka_unit_test(states_are_noted),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
