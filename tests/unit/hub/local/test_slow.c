#include "unit.h"

#include "world.h"
#include "hub/call/start.h"
#include "hub/local/local.h"

static void step(struct mcti_local_request *r, void *data)
{
    unsigned *n = data;
    if (*n == 2)
        mcti_local_progress(r, 1, 3, NULL); /* no progress */
    ++*n;
    mcti_local_progress(r, *n, 3, *n == 1 ? "one" : NULL);
    if (*n < 3)
        mcti_local_later(r, 10, step, n);
    else
        mcti_local_text(r, "%u", *n);
}

static void note_cancel(struct mcti_local_request *r, void *data)
{
    (void)r;
    assert_ptr_equal(data, &w);
    w.n_cancelled++;
}

static void slow(struct mcti_local_request *r, void *data)
{
    unsigned *n = mcti_local_memory(r, sizeof *n);
    (void)data;
    assert_int_equal(*n, 0);
    assert_ptr_equal(mcti_local_memory(r, sizeof *n), n);
    mcti_local_on_cancel(r, note_cancel, &w);
    mcti_local_later(r, 10, step, n);
}

static void steps_are_turns_of_the_loop(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(12);
    assert_string_equal(x.progress, "{\"progressToken\":0,\"progress\":1,\"total\":3,\"message\":\"one\"}");
    advance(30);
    assert_int_equal(x.n_progress, 3);
    assert_int_equal(x.n_done, 1);
    assert_int_equal(w.n_cancelled, 0);
    wish_clear(&x);
}

static void progress_starts_the_time_anew(void **state)
{
    static const struct {
        unsigned timeout_ms, own_ms; /* of the call, and of the provider for those that name none */
        bool late;
    } rows[] = { { 15, 0, false }, { 9, 0, true }, { 0, 9, true }, { 15, 9, false }, { 0, 0, false } };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish x = { .call.timeout_ms = rows[i].timeout_ms };
        mcti_local_set_timeout(w.p, rows[i].own_ms);
        w.n_cancelled = 0;
        start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
        advance(50);
        assert_int_equal(x.n_done, 1);
        assert_int_equal(x.failed.kind, rows[i].late ? MCT_ERR_TIMEOUT : MCT_ERR_NONE);
        assert_int_equal(w.n_cancelled, rows[i].late);
        wish_clear(&x);
    }
}

static void tick(struct mcti_local_request *r, void *data)
{
    unsigned *n = mcti_local_memory(r, sizeof *n);
    (void)data;
    mcti_local_progress(r, ++*n, 0, NULL);
    mcti_local_later(r, 1, tick, NULL);
}

static void progress_does_not_last_for_ever(void **state)
{
    struct wish x = { .call.timeout_ms = 10 };
    (void)state;
    add(MCT_TOOL, TOOL("tick"), tick, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("tick"));
    advance(90);
    assert_int_equal(x.n_done, 0);
    advance(20);
    assert_int_equal(x.failed.kind, MCT_ERR_TIMEOUT);
    wish_clear(&x);
}

static void cancelled_calls_are_forgotten(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    mcti_call_cancel(&x.call, "no"); /* before its handler has run */
    assert_int_equal(w.n_cancelled, 0);
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(15);
    mcti_call_cancel(&x.call, "no");
    assert_int_equal(w.n_cancelled, 1);
    advance(50);
    assert_int_equal(x.n_done, 0);
    assert_int_equal(x.n_progress, 1);
    assert_int_equal(mcti_sched_next_ms(&w.sched), -1);
}

static void the_end_fails_what_is_open(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(5);
    w.p->ops->stop(w.p);
    assert_int_equal(w.n_stopped, 1);
    w.p->ops->free(w.p);
    w.p = NULL;
    assert_int_equal(x.n_done, 1);
    assert_int_equal(x.failed.kind, MCT_ERR_CONNECT);
    assert_int_equal(w.n_cancelled, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_are_turns_of_the_loop),   TEST(progress_starts_the_time_anew), TEST(progress_does_not_last_for_ever),
        TEST(cancelled_calls_are_forgotten), TEST(the_end_fails_what_is_open),
    };
    return cmocka_run_group_tests_name("slow", tests, NULL, NULL);
}
