#include "unit.h"

#include "served.h"
#include "base/limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void open_server(void)
{
    open_server_with(0, 1000);
}

static bool is_over(int fd)
{
    char byte;
    settle();
    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

/* A connection is idle when all its answers are sent and no request has begun. */
static void a_slow_reader_gets_its_answer(void **state)
{
    static char piece[65536];
    size_t got = 0;
    (void)state;
    open_server();
    sv.answer = LARGE;
    int fd = dial(65536);
    put_text(fd, get_it);
    while (got < LARGE) {
        ssize_t r = recv(fd, piece, sizeof piece, MSG_DONTWAIT);
        assert_true(r > 0 || (r < 0 && errno == EAGAIN));
        got += r > 0 ? (size_t)r : 0;
        pass(r > 0 ? 600 : 0);
    }
    close(fd);
    fd = dial(0);
    put_text(fd, get_it);
    while (strlen(get(fd, NULL)))
        continue;
    assert_false(is_over(fd));
    pass(SWEEP_MS); /* now it is idle */
    assert_true(is_over(fd));
    close(fd);
    close_server();
}

static void a_request_that_stays_unfinished_is_told(void **state)
{
    (void)state;
    open_server();
    int fd = dial(0);
    put_text(fd, "GET / HTTP/1.1\r\nHost: local");
    pass(SWEEP_MS);
    const char *got = get(fd, "in time");
    assert_int_equal(strncmp(got, "HTTP/1.1 408 Request Timeout\r\n", 30), 0);
    assert_non_null(strstr(got, "Connection: close"));
    assert_int_equal(sv.n_over, 1);
    assert_int_equal(sv.last_status, 408);
    assert_int_equal(sv.n_requests, 0);
    close(fd);
    close_server();
}

static const char long_post[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n";

static void a_body_that_keeps_coming_has_time(void **state)
{
    (void)state;
    open_server();
    int fd = dial(0);
    put_text(fd, long_post);
    for (int part = 0; part < 4; part++) {
        pass(part ? SWEEP_MS : 0);
        put(fd, sv.large, 50000);
    }
    assert_true(is_answered(fd, "HTTP/1.1 200 "));
    close(fd);
    close_server();
}

/* Bytes that arrived quickly do not compensate for later slowness. */
static void speed_is_measured_anew(void **state)
{
    (void)state;
    open_server();
    int fd = dial(0);
    put_text(fd, long_post);
    put(fd, sv.large, 199000);
    pass(SWEEP_MS);
    assert_string_equal(get(fd, NULL), "");
    put(fd, sv.large, 1);
    pass(SWEEP_MS);
    assert_true(is_answered(fd, "HTTP/1.1 408 "));
    close(fd);
    close_server();
}

static void a_body_that_stands_still_ends(void **state)
{
    (void)state;
    open_server_with(0, MCT_LIMIT_HTTP_HEADER_MS);
    int fd = dial(0);
    put_text(fd, long_post);
    put(fd, sv.large, 199999);
    pass(SWEEP_MS);
    assert_string_equal(get(fd, NULL), "");
    pass(SWEEP_MS);
    assert_true(is_answered(fd, "HTTP/1.1 408 "));
    close(fd);
    close_server();
}

/* RFC 9112: input that parsers interpret differently is refused. */
static void ambiguous_requests_are_refused(void **state)
{
    static const char *const bad[] = {
        "POST / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n",
        "GET / HTTP/1.1\r\n: first\r\nHost: localhost\r\n\r\n",
        "GET http://other.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://localhost:81/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://a@localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://other.example?x=/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    };
    static const char *const good[] = {
        "GET http://LOCALHOST/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://localhost:80/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://localhost?x=1 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx",
    };
    (void)state;
    open_server();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int fd = dial(0);
        put_text(fd, bad[i]);
        assert_true(is_answered(fd, "HTTP/1.1 400 "));
        close(fd);
    }
    assert_int_equal(sv.n_requests, 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int fd = dial(0);
        put_text(fd, good[i]);
        assert_true(is_answered(fd, "HTTP/1.1 200 "));
        close(fd);
    }
    close_server();
}

/* A client that is refused because of its headers is not asked for the body, and none of it is processed. */
static void the_head_decides_before_the_body(void **state)
{
    (void)state;
    open_server();
    sv.refusal = 403;
    int fd = dial(0);
    put_text(fd, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
    const char *got = get(fd, "no");
    assert_int_equal(strncmp(got, "HTTP/1.1 403 ", 13), 0);
    assert_non_null(strstr(got, "Connection: close"));
    assert_true(is_over(fd)); /* half-closed: further input is discarded */
    put_text(fd, "123456789");
    put_text(fd, get_it);
    close(fd);
    settle();
    assert_int_equal(sv.n_requests, 0);
    assert_int_equal(sv.n_over, 1);
    fd = dial(0); /* without a body the connection stays open */
    put_text(fd, get_it);
    assert_null(strstr(get(fd, "no"), "Connection: close"));
    sv.refusal = 0;
    put_text(fd, get_it);
    assert_int_equal(strncmp(get(fd, "\r\n\r\n"), "HTTP/1.1 200 ", 13), 0);
    assert_int_equal(sv.n_over, 3);
    close(fd);
    close_server();
}

/* After on_head, the end of an exchange is always reported. */
static void each_exchange_that_was_seen_is_over_once(void **state)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1";
    (void)state;
    open_server();
    int fd = dial(0);
    put_text(fd, head);
    close(fd);
    settle();
    assert_int_equal(sv.n_over, 1);
    assert_int_equal(sv.n_aborts, 0);
    fd = dial(0);
    put_text(fd, head);
    close_server();
    assert_int_equal(sv.n_over, 2);
    close(fd);
}

static void continue_is_for_those_who_know_it(void **state)
{
    static const char form[] = "POST / HTTP/1.%d\r\nHost: localhost\r\nContent-Length: 1\r\n"
                               "Expect: 100-continue\r\n\r\n";
    char text[200];
    (void)state;
    open_server();
    int fd = dial(0);
    snprintf(text, sizeof text, form, 1);
    put_text(fd, text);
    assert_string_equal(get(fd, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    close(fd);
    fd = dial(0);
    snprintf(text, sizeof text, form, 0);
    put_text(fd, text);
    assert_string_equal(get(fd, NULL), "");
    put_text(fd, "x");
    assert_int_equal(strncmp(get(fd, "\r\n\r\n"), "HTTP/1.1 200 ", 13), 0);
    close(fd);
    close_server();
}

/* A client that sent too much ahead is not read, but its disconnection is noticed. */
static void who_hangs_up_behind_much_is_missed(void **state)
{
    (void)state;
    open_server();
    sv.answer = 0;
    int fd = dial(0);
    put_text(fd, get_it);
    put_text(fd, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 190000\r\n\r\n");
    put(fd, sv.large, MCT_LIMIT_HTTP_PIPELINE_BYTES + 50000);
    assert_int_equal(sv.n_requests, 1);
    pass(SWEEP_MS);
    assert_int_equal(sv.n_aborts, 0);
    close(fd);
    settle();
    pass(SWEEP_MS);
    assert_int_equal(sv.n_aborts, 1);
    close_server();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_reader_gets_its_answer),     cmocka_unit_test(a_request_that_stays_unfinished_is_told),
        cmocka_unit_test(a_body_that_keeps_coming_has_time), cmocka_unit_test(speed_is_measured_anew),
        cmocka_unit_test(a_body_that_stands_still_ends),     cmocka_unit_test(ambiguous_requests_are_refused),
        cmocka_unit_test(the_head_decides_before_the_body),  cmocka_unit_test(each_exchange_that_was_seen_is_over_once),
        cmocka_unit_test(continue_is_for_those_who_know_it), cmocka_unit_test(who_hangs_up_behind_much_is_missed),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
