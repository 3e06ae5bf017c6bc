#include "unit.h"

#include "served.h"
#include "base/limits.h"
#include "io/http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static const char post[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 150000\r\n\r\n";

static void bodies_are_bounded_together(void **state)
{
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    for (int round = 0; round < 3; round++) { /* finished requests are not counted any more */
        int first = dial(0), second = dial(0);
        put_text(first, post);
        put(first, sv.large, 149999);
        put_text(second, post);
        put(second, sv.large, 110000);
        assert_non_null(strstr(get(second, "at once"), "limits.memory_bytes"));
        put(first, sv.large, 1);
        assert_true(is_answered(first, "HTTP/1.1 200 "));
        close(first);
        close(second);
        pass(200);
    }
    assert_int_equal(sv.n_requests, 3);
    assert_int_equal(sv.n_over, 6);
    close_server();
}

/* The stalled connection that holds much memory is ended, not the newest one. */
static void a_body_that_stands_still_makes_room(void **state)
{
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    int still = dial(0), next = dial(0);
    put_text(still, post);
    put(still, sv.large, 149999);
    pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
    put_text(next, post);
    put(next, sv.large, 150000);
    assert_true(is_answered(next, "HTTP/1.1 200 "));
    assert_true(is_answered(still, "HTTP/1.1 503 "));
    assert_int_equal(sv.memory.tally.refused[MCT_HELD_REQUEST], 0); /* room was made: nothing was refused */
    close(still);
    close(next);
    close_server();
}

/* A principal that holds much does not end connections of one that holds less, but the reverse works. */
static void who_holds_most_makes_room(void **state)
{
    static const char other_post[] = "POST /others HTTP/1.1\r\nHost: localhost\r\nContent-Length: 170000\r\n\r\n";
    (void)state;
    open_server_for(300000, MCT_LIMIT_HTTP_HEADER_MS, true);
    int first = dial(0), other = dial(0);
    put_text(first, post);
    put(first, sv.large, 100000);
    pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
    put_text(other, other_post);
    put(other, sv.large, 169999);
    assert_true(is_answered(other, "HTTP/1.1 503 "));
    put(first, sv.large, 49999);
    close(other);
    pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
    other = dial(0);
    put_text(other, other_post);
    put(other, sv.large, 170000); /* now the first principal holds more */
    assert_true(is_answered(other, "HTTP/1.1 200 "));
    assert_true(is_answered(first, "HTTP/1.1 503 "));
    close(first);
    close(other);
    close_server();
}

/* Sends a request for `path` with a body of `size` bytes, of which it sends `n`. */
static int post_part(const char *path, size_t size, size_t n)
{
    char head[128];
    int fd = dial(0);
    snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n", path, size);
    put_text(fd, head);
    put(fd, sv.large, n);
    return fd;
}

static bool is_refused(const char *path, size_t size)
{
    int fd = post_part(path, size, size);
    bool refused = is_answered(fd, "HTTP/1.1 503 ");
    close(fd);
    settle();
    return refused;
}

/* Requests that are refused before the body is stalled do not delay the time at which it may be ended. */
static void a_busy_principal_does_not_keep_a_body(void **state)
{
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    bool refused = true;
    int still = post_part("/", 150000, 149999);
    for (uint64_t ms = 0; ms < 2 * MCT_LIMIT_HTTP_ROOM_MS && refused; ms += 30) {
        refused = is_refused("/", 150000);
        pass(30);
    }
    assert_false(refused);
    assert_true(is_answered(still, "HTTP/1.1 503 "));
    close(still);
    close_server();
}

/* A failed search of one principal does not delay the search of another one, which may end more connections. */
static void a_pause_is_for_one_principal(void **state)
{
    (void)state;
    open_server_for(300000, MCT_LIMIT_HTTP_HEADER_MS, true);
    int still = post_part("/", 150000, 100000);
    pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
    int other = post_part("/others", 170000, 150000);
    assert_true(is_refused("/others", 100000)); /* with both it would hold more than the first */
    assert_int_equal(sv.n_over, 1);
    int own = post_part("/", 105000, 105000); /* ends the request of its own principal */
    assert_true(is_answered(own, "HTTP/1.1 200 "));
    assert_true(is_answered(still, "HTTP/1.1 503 "));
    close(still);
    close(other);
    close(own);
    close_server();
}

/* Neither the age nor the size of a body that makes progress counts. */
static void a_body_that_moves_makes_no_room(void **state)
{
    (void)state;
    open_server_with(450000, MCT_LIMIT_HTTP_HEADER_MS);
    int moves = post_part("/", 200000, 100000);
    pass(MCT_LIMIT_HTTP_ROOM_MS - 100);
    put(moves, sv.large, 99999);
    int other = post_part("/", 150000, 149999);
    pass(200);
    assert_true(is_refused("/", 200000));
    put(moves, sv.large, 1);
    assert_true(is_answered(moves, "HTTP/1.1 200 "));
    close(moves);
    close(other);
    close_server();
}

/* A few bytes now and then are not progress. */
static void a_body_that_trickles_makes_room(void **state)
{
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    int still = post_part("/", 150000, 149000);
    for (int i = 0; i < 4; i++) {
        pass(MCT_LIMIT_HTTP_ROOM_MS / 3);
        put(still, sv.large, 1);
    }
    assert_false(is_refused("/", 150000));
    assert_true(is_answered(still, "HTTP/1.1 503 "));
    close(still);
    close_server();
}

/* Reads `n` bytes of an answer, with a pause after each piece. */
static void read_slowly(int fd, size_t n, uint64_t pause_ms)
{
    static char piece[65536];
    for (size_t got = 0; got < n;) {
        ssize_t r = recv(fd, piece, sizeof piece < n - got ? sizeof piece : n - got, MSG_DONTWAIT);
        assert_true(r > 0 || (r < 0 && errno == EAGAIN));
        got += r > 0 ? (size_t)r : 0;
        pass(r > 0 ? pause_ms : 0);
    }
}

static void an_answer_that_is_read_makes_no_room(void **state)
{
    (void)state;
    open_server_with(2 * LARGE - 1, MCT_LIMIT_HTTP_HEADER_MS);
    sv.answer = LARGE;
    int reads = dial(65536), other = dial(65536);
    put_text(reads, get_it);
    read_slowly(reads, LARGE / 2, 12);
    put_text(other, get_it);
    assert_true(is_answered(other, "HTTP/1.1 503 "));
    assert_int_equal(mcti_http_server_counters(sv.server)->dropped, 0);
    read_slowly(reads, LARGE / 2, 0);
    close(reads);
    close(other);
    close_server();
}

static void a_small_request_always_passes(void **state)
{
    static const char small[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    int first = dial(0), second = dial(0), third = dial(0);
    put_text(first, post);
    put(first, sv.large, 149999);
    put_text(second, post);
    put(second, sv.large, 65000);
    put_text(third, post);
    put(third, sv.large, 1000); /* from the reserve */
    assert_string_equal(get(third, NULL), "");
    put(third, sv.large, 100000);
    assert_true(is_answered(third, "HTTP/1.1 503 "));
    int fd = dial(0);
    put_text(fd, small);
    assert_true(is_answered(fd, "HTTP/1.1 200 "));
    close(first);
    close(second);
    close(third);
    close(fd);
    close_server();
}

/* Unread answers are ended to make room; the memory held stays below the limit. */
static void unread_answers_are_bounded_together(void **state)
{
    static const size_t memory = 40u << 20;
    int fds[12];
    (void)state;
    open_server_with(memory, MCT_LIMIT_HTTP_HEADER_MS);
    sv.answer = LARGE;
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        fds[i] = dial(4096);
        put_text(fds[i], get_it);
        pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
        assert_true(sv.memory.whole.held <= memory);
    }
    assert_true(sv.memory.whole.held > LARGE);
    assert_true(mcti_http_server_counters(sv.server)->dropped > 0);
    sv.answer = 2;
    int fd = dial(0);
    put_text(fd, get_it);
    assert_true(is_answered(fd, "HTTP/1.1 200 "));
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        close(fds[i]);
    close(fd);
    settle();
    assert_int_equal(sv.memory.whole.held, 0);
    close_server();
}

/* An answer that exceeds the limit of one client is replaced by an error. */
static void an_answer_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    open_server_with(4u << 20, MCT_LIMIT_HTTP_HEADER_MS);
    sv.answer = LARGE;
    int fd = dial(0);
    put_text(fd, get_it);
    const char *got = get(fd, "}}\n");
    assert_int_equal(strncmp(got, "HTTP/1.1 503 ", 13), 0);
    assert_non_null(strstr(got, "limits.client_share"));
    close(fd);
    close_server();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_bounded_together),
        cmocka_unit_test(a_body_that_stands_still_makes_room),
        cmocka_unit_test(who_holds_most_makes_room),
        cmocka_unit_test(a_busy_principal_does_not_keep_a_body),
        cmocka_unit_test(a_pause_is_for_one_principal),
        cmocka_unit_test(a_body_that_moves_makes_no_room),
        cmocka_unit_test(a_body_that_trickles_makes_room),
        cmocka_unit_test(an_answer_that_is_read_makes_no_room),
        cmocka_unit_test(a_small_request_always_passes),
        cmocka_unit_test(unread_answers_are_bounded_together),
        cmocka_unit_test(an_answer_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
