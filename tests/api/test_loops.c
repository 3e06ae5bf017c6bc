/* The loop of the program: its own uv_loop_t, and two instances in one poll(2). */
#include "api.h"

#include <mcptools/uv.h>
#include <poll.h>

static void echo(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_text(call, "here");
}

static const struct mct_tool_def echo_def = { .size = sizeof echo_def, .name = "echo", .execute = echo };

static struct mct_instance *open_instance(void)
{
    struct mct_error err;
    struct mct_instance *r = mct_instance_new(NULL, &err);
    assert_non_null(r);
    assert_ok(mct_instance_load_text(r, SERVERS(SERVER("a", "\"--tools\",\"1\"")), &err));
    assert_ok(mct_instance_add_tool(r, &echo_def, &err));
    assert_ok(mct_instance_start(r, &err));
    return r;
}

/* ---- libuv ---- */

struct program {
    uv_loop_t loop;
    struct mct_instance *r;
    struct mct_request *q;
    uv_idle_t look; /* until the servers are there */
    int n_turns, n_done, n_closed;
};

static void on_closed(void *data)
{
    struct program *p = data;
    p->n_closed++;
}

static void on_done(struct mct_request *q, void *data)
{
    struct program *p = data;
    assert_string_equal(mct_request_text(q, NULL), "ok");
    mct_request_free(q); /* inside its own callback */
    p->n_done++;
    mct_instance_close(p->r, on_closed, p);
}

static void on_turn(uv_prepare_t *prepare)
{
    struct program *p = prepare->data;
    const struct mct_call_opts o = { .size = sizeof o, .done = on_done, .data = p };
    struct mct_error err;
    p->n_turns++;
    if (!mct_instance_is_ready(p->r))
        return;
    uv_close((uv_handle_t *)prepare, NULL);
    p->q = mct_instance_call(p->r, "tool0", "{\"delay_ms\":30}", &o, &err);
    assert_non_null(p->q);
}

static void in_a_uv_loop(void **state)
{
    struct program p = { .n_done = 0 };
    struct mct_error err;
    uv_prepare_t prepare;
    (void)state;
    uv_loop_init(&p.loop);
    p.r = open_instance();
    assert_ok(mct_instance_attach(p.r, &p.loop, &err));
    assert_int_equal(mct_instance_attach(p.r, &p.loop, &err), -1);
    assert_int_equal(mct_instance_wait_ready(p.r, 1, &err), -1);
    assert_has(err.message, "attached");
    uv_prepare_init(&p.loop, &prepare);
    prepare.data = &p;
    uv_prepare_start(&prepare, on_turn);
    assert_int_equal(uv_run(&p.loop, UV_RUN_DEFAULT), 0); /* which ends by itself: nothing of it is left */
    assert_int_equal(p.n_done, 1);
    assert_int_equal(p.n_closed, 1);
    assert_true(p.n_turns < 1000); /* it waits, it does not spin */
    assert_int_equal(uv_loop_close(&p.loop), 0);
}

/* ---- poll ---- */

static void in_one_poll(void **state)
{
    struct mct_instance *r[2] = { open_instance(), open_instance() };
    struct mct_request *q[2] = { NULL, NULL };
    struct mct_error err;
    int n_turns = 0;
    (void)state;
    while (!q[0] || !q[1] || !mct_request_is_over(q[0]) || !mct_request_is_over(q[1])) {
        struct pollfd p[2];
        int timeout = PATIENCE_MS;
        for (int i = 0; i < 2; i++) {
            int in = mct_instance_timeout(r[i]);
            p[i] = (struct pollfd){ .fd = mct_instance_fd(r[i]), .events = POLLIN };
            timeout = in >= 0 && in < timeout ? in : timeout;
        }
        int n = poll(p, 2, timeout);
        assert_true(n > 0 || timeout < PATIENCE_MS); /* nothing is missed */
        for (int i = 0; i < 2; i++) {
            mct_instance_dispatch(r[i]);
            if (!q[i] && mct_instance_is_ready(r[i]))
                q[i] = mct_instance_call(r[i], i ? "tool0" : "echo", "{\"delay_ms\":20}", NULL, &err);
        }
        n_turns++;
    }
    assert_string_equal(mct_request_text(q[0], NULL), "here");
    assert_string_equal(mct_request_text(q[1], NULL), "ok");
    assert_true(n_turns < 1000);
    for (int i = 0; i < 2; i++) {
        mct_request_free(q[i]);
        mct_instance_close_wait(r[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_a_uv_loop), cmocka_unit_test(in_one_poll) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
