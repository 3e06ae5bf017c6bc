/* How much of the connections' work one turn of the loop takes. */
#include "unit.h"

#include "served.h"
#include "base/limits.h"

/* a poll and the tasks after it belong to two turns */
enum { CLIENTS = 200, TURNS = 2000, UNITS = 2 * MCT_TURN_WORK_BYTES / MCT_TURN_LEAST_BYTES };

static int client[CLIENTS];

static void open_clients(size_t answer)
{
    open_server_with(0, 60000);
    sv.answer = answer;
    for (int i = 0; i < CLIENTS; i++) {
        client[i] = dial(0);
        settle();
    }
}

static void close_clients(void)
{
    for (int i = 0; i < CLIENTS; i++)
        close(client[i]);
    close_server();
}

static void send_now(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (int)strlen(text));
}

/* Runs turns until *n is `wanted`; returns by how much one turn has increased it at most. */
static unsigned most_in_a_turn(const unsigned *n, unsigned wanted)
{
    unsigned most = 0;
    for (int turn = 0; turn < TURNS && *n < wanted; turn++) {
        unsigned before = *n;
        uv_run(&sv.loop.uv, UV_RUN_NOWAIT);
        most = *n - before > most ? *n - before : most;
    }
    assert_int_equal(*n, wanted);
    return most;
}

static void requests_of_many_take_several_turns(void **state)
{
    (void)state;
    open_clients(2);
    for (int i = 0; i < CLIENTS; i++)
        send_now(client[i], get_it);
    assert_in_range(most_in_a_turn(&sv.n_requests, CLIENTS), 2, UNITS * 2);
    for (int i = 0; i < CLIENTS; i++)
        assert_true(is_answered(client[i], "HTTP/1.1 200 "));
    close_clients();
}

static void long_answers_end_a_turn(void **state)
{
    (void)state;
    open_clients(MCT_TURN_WORK_BYTES);
    for (int i = 0; i < CLIENTS; i++)
        send_now(client[i], get_it);
    assert_in_range(most_in_a_turn(&sv.n_requests, CLIENTS), 1, 2);
    close_clients();
}

static void ends_of_many_take_several_turns(void **state)
{
    (void)state;
    open_clients(0);
    for (int i = 0; i < CLIENTS; i++)
        send_now(client[i], get_it);
    most_in_a_turn(&sv.n_requests, CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        shutdown(client[i], SHUT_WR);
    assert_in_range(most_in_a_turn(&sv.n_aborts, CLIENTS), 2, UNITS / 2);
    close_clients();
}

/* Whoever sends many requests ahead waits longer than whoever sends one. */
static void one_request_goes_before_those_sent_ahead(void **state)
{
    enum { AHEAD = 10 };
    (void)state;
    open_clients(MCT_TURN_WORK_BYTES);
    for (int i = 1; i < CLIENTS; i++)
        for (int n = 0; n < AHEAD; n++)
            send_now(client[i], get_it);
    unsigned first = 2 * CLIENTS;
    most_in_a_turn(&sv.n_requests, first);
    send_now(client[0], get_it);
    for (unsigned until = first + 8; sv.n_requests < until && !(recv(client[0], &(char){ 0 }, 1, MSG_DONTWAIT) == 1);)
        uv_run(&sv.loop.uv, UV_RUN_NOWAIT);
    assert_in_range(sv.n_requests, first + 1, first + 7);
    close_clients();
}

/* A request that waits for its turn is handled although its client has left. */
static void a_request_counts_though_its_client_is_gone(void **state)
{
    (void)state;
    open_clients(MCT_TURN_WORK_BYTES);
    for (int i = 0; i < CLIENTS; i++)
        send_now(client[i], get_it);
    uv_run(&sv.loop.uv, UV_RUN_NOWAIT);
    assert_in_range(sv.n_requests, 0, 2);
    for (int i = 0; i < CLIENTS; i++)
        shutdown(client[i], SHUT_WR);
    most_in_a_turn(&sv.n_requests, CLIENTS);
    settle();
    close_clients();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_many_take_several_turns),
        cmocka_unit_test(long_answers_end_a_turn),
        cmocka_unit_test(ends_of_many_take_several_turns),
        cmocka_unit_test(one_request_goes_before_those_sent_ahead),
        cmocka_unit_test(a_request_counts_though_its_client_is_gone),
    };
    return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
