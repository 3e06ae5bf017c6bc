/* A client's batches: more answers than fit into a message, and a session that ends meanwhile. */
#include "unit.h"

#include "mcp/batch.h"

#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 100, N_REQUESTS = 4 }; /* a frame of the session holds 4096 more */

static struct mcti_sched sched;
static struct mcti_session session;
static struct mcti_inbound requests[N_REQUESTS];
static size_t n_requests, n_sent;
static char *sent[N_REQUESTS];

static int on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    (void)data;
    (void)lane;
    assert_true(final);
    sent[n_sent++] = mcti_str_dup(frame);
    return 0;
}

static void on_request(void *data, struct mcti_session *s, const struct mcti_msg *msg, void *lane)
{
    (void)data;
    assert_int_equal(mcti_inbound_init(&requests[n_requests++], s, msg, MCT_STR_NONE, lane), 0);
}

static const struct mcti_session_ops ops = { .send = on_send, .on_request = on_request };

static int begin(void **state)
{
    (void)state;
    mcti_sched_init(&sched);
    mcti_session_init(&session, &ops, NULL, &sched, MESSAGE_BYTES);
    session.answers_bad_frames = true;
    session.rev = MCT_REV_2025_03_26;
    memset(requests, 0, sizeof requests);
    n_requests = n_sent = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_sent; i++)
        free(sent[i]);
    mcti_session_done(&session);
    return 0;
}

static void receive(unsigned n)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    for (unsigned i = 0; i < n; i++)
        mcti_buf_printf(&b, "%c{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"m\"}", i ? ',' : '[', i);
    mcti_buf_addc(&b, ']');
    mcti_session_receive(&session, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
    assert_int_equal(n_requests, n);
}

/* {"t":"xxx…"} of that length */
static void answer(unsigned i, size_t len)
{
    char *text = malloc(len + 1);
    memset(text, 'x', len);
    memcpy(text, "{\"t\":\"", 6);
    memcpy(text + len - 2, "\"}", 3);
    mcti_inbound_result(&requests[i], (struct mcti_str){ text, len });
    free(text);
}

static void must_be_array(size_t i, unsigned n_answers)
{
    struct mcti_str item;
    unsigned n = 0;
    assert_true(mcti_json_valid(mcti_str_of(sent[i]), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    for (struct mcti_json_iter it = mcti_json_open(mcti_str_of(sent[i])); mcti_json_next_item(&it, &item);)
        n++;
    assert_int_equal(n, n_answers);
}

static void answers_that_fill_a_message_leave_earlier(void **state)
{
    (void)state;
    receive(4);
    answer(0, 1500);
    answer(2, 1500);
    assert_int_equal(n_sent, 0);
    answer(1, 1500);
    assert_int_equal(n_sent, 1);
    must_be_array(0, 2);
    answer(3, 100000); /* too large for any message */
    assert_int_equal(n_sent, 2);
    must_be_array(1, 2);
    assert_non_null(strstr(sent[1], "larger than the message limit"));
}

static void one_answer_may_be_as_large_as_alone(void **state)
{
    (void)state;
    receive(1);
    answer(0, MESSAGE_BYTES + 4096 - sizeof "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":}" + 1);
    assert_int_equal(n_sent, 1);
    must_be_array(0, 1);
    assert_null(strstr(sent[0], "larger than"));
}

static void nothing_is_sent_when_the_session_ends(void **state)
{
    struct mct_error why;
    (void)state;
    receive(3);
    answer(1, 100);
    mcti_fail(&why, MCT_ERR_CANCELLED, "gone");
    mcti_session_drop(&session, &why);
    assert_int_equal(n_sent, 0);
    assert_int_equal(session.n_inbound, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_that_fill_a_message_leave_earlier, begin, end),
        cmocka_unit_test_setup_teardown(one_answer_may_be_as_large_as_alone, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_sent_when_the_session_ends, begin, end),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
