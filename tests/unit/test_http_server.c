/* The HTTP server alone, on a clock that the tests move: what is limited in time and in memory. */
#include "unit.h"

#include "base/limits.h"
#include "io/http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SWEEP_MS = 5001, LARGE = 12 << 20 };

static struct {
    struct mcti_loop loop;
    struct mcti_http_server *server;
    struct mcti_http_exchange *open; /* the last one, unanswered */
    uint64_t skew_ms;
    size_t answer; /* bytes; 0: none is given */
    int refusal;   /* in on_head; 0: none */
    unsigned n_requests, n_aborts, n_over, last_status;
    struct mcti_memory memory;
    struct mcti_account clients, others; /* others: whose requests go to /others */
    char large[LARGE];
} sv;

static uint64_t later(void *data)
{
    (void)data;
    return uv_now(&sv.loop.uv) + sv.skew_ms;
}

static void on_head(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    assert_null(mcti_http_body(x).p);
    if (mcti_str_is(mcti_http_path(x), "/others"))
        mcti_http_set_account(x, &sv.others);
    if (sv.refusal)
        mcti_http_reply(x, sv.refusal, NULL, MCT_STR_NONE, MCT_STR("no"));
}

static void on_request(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    sv.n_requests++;
    sv.open = x;
    if (sv.answer)
        mcti_http_reply(x, 200, NULL, MCT_STR_NONE, (struct mcti_str){ sv.large, sv.answer });
}

static void on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    (void)x;
    sv.n_aborts++;
}

static void on_over(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    sv.n_over++;
    sv.last_status = (unsigned)mcti_http_status(x);
}

/* With so much memory for all connections; 0: enough. */
static void open_server_for(size_t memory_bytes, unsigned header_ms, bool apart)
{
    const struct mcti_http_handler handler = {
        .on_head = on_head, .on_request = on_request, .on_abort = on_abort, .on_over = on_over
    };
    const struct mcti_http_opts opts = { .body_bytes = 200000,
                                         .answer_bytes = LARGE,
                                         .header_ms = header_ms,
                                         .idle_ms = 1000,
                                         .account = &sv.clients,
                                         .connection = &sv.memory.rules[MCT_LEVEL_CLIENT] };
    memset(&sv, 0, sizeof sv);
    memset(sv.large, 'x', sizeof sv.large);
    mcti_memory_init(
        &sv.memory,
        &(struct mcti_memory_opts){ .bytes = memory_bytes, .principal_share = 90, .client_share = 90, .apart = apart });
    sv.others = sv.clients =
        (struct mcti_account){ .parent = &sv.memory.whole, .rule = &sv.memory.rules[MCT_LEVEL_PRINCIPAL] };
    assert_int_equal(mcti_loop_init(&sv.loop, NULL, NULL), 0);
    sv.loop.sched.clock = later;
    sv.server = mcti_http_server_new(&sv.loop, "127.0.0.1:0", &opts, &handler, NULL);
    assert_non_null(sv.server);
    sv.answer = 2;
}

static void open_server_with(size_t memory_bytes, unsigned header_ms)
{
    open_server_for(memory_bytes, header_ms, false);
}

static void open_server(void)
{
    open_server_with(0, 1000);
}

static void close_server(void)
{
    mcti_http_server_free(sv.server);
    assert_int_equal(sv.memory.whole.held, 0);
    mcti_loop_done(&sv.loop);
}

/* Everything that can happen now happens. */
static void settle(void)
{
    for (int i = 0; i < 20; i++) {
        uv_run(&sv.loop.uv, UV_RUN_NOWAIT);
        mcti_sched_run(&sv.loop.sched, later(NULL));
    }
}

static void pass(uint64_t ms)
{
    sv.skew_ms += ms;
    settle();
}

static int dial(int receive_bytes)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)mcti_http_server_port(sv.server)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (receive_bytes)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void put(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t r = send(fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        assert_true(r >= 0 || errno == EAGAIN);
        p += r > 0 ? r : 0;
        n -= r > 0 ? (size_t)r : 0;
        settle();
    }
}

static void put_text(int fd, const char *text)
{
    put(fd, text, strlen(text));
}

/* All bytes until `until` has come, the connection ends, or (NULL) nothing more is there. */
static const char *get(int fd, const char *until)
{
    static char got[65536];
    size_t n = 0;
    for (ssize_t r = 1; r && !(until && strstr(got, until) && n); n += r > 0 ? (size_t)r : 0) {
        settle();
        r = recv(fd, got + n, sizeof got - 1 - n, MSG_DONTWAIT);
        if (r < 0 && (errno != EAGAIN || !until))
            break;
        got[n + (r > 0 ? (size_t)r : 0)] = '\0';
    }
    got[n] = '\0';
    return got;
}

static bool is_over(int fd)
{
    char byte;
    settle();
    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static const char get_it[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/* Idle is who has everything and asks for nothing. */
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
static const char post[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 150000\r\n\r\n";

static bool is_answered(int fd, const char *status_line)
{
    return !strncmp(get(fd, "\r\n\r\n"), status_line, strlen(status_line));
}

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

/* Bytes that came fast do not buy time for those that do not come. */
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

static void bodies_are_bounded_together(void **state)
{
    (void)state;
    open_server_with(250000, MCT_LIMIT_HTTP_HEADER_MS);
    for (int round = 0; round < 3; round++) { /* what is over is not counted any more */
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

/* The one that holds much and does not move makes room, not the one that comes next. */
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

/* Who holds much does not displace who holds less; the other way round it is so. */
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
    put(other, sv.large, 170000); /* now it is the first that holds more */
    assert_true(is_answered(other, "HTTP/1.1 200 "));
    assert_true(is_answered(first, "HTTP/1.1 503 "));
    close(first);
    close(other);
    close_server();
}

/* A request of so many bytes for the path, of which these are sent. */
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

/* Requests that are refused before the body stands still do not put off the time at which it makes room. */
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

/* The search of one principal does not stand for the search of another, which may displace more. */
static void a_pause_is_for_one_principal(void **state)
{
    (void)state;
    open_server_for(300000, MCT_LIMIT_HTTP_HEADER_MS, true);
    int still = post_part("/", 150000, 100000);
    pass(MCT_LIMIT_HTTP_ROOM_MS + 1);
    int other = post_part("/others", 170000, 150000);
    assert_true(is_refused("/others", 100000)); /* with both it holds more than the first */
    assert_int_equal(sv.n_over, 1);
    int own = post_part("/", 105000, 105000); /* displaces the body of its own principal */
    assert_true(is_answered(own, "HTTP/1.1 200 "));
    assert_true(is_answered(still, "HTTP/1.1 503 "));
    close(still);
    close(other);
    close(own);
    close_server();
}

/* Its age does not count, nor how much of it there is. */
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

/* A few bytes now and then do not make a body one that moves. */
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

/* Reads so many bytes of an answer, with a pause after each piece. */
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

/* Answers that nobody reads make room for others; what is held stays below the ceiling. */
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

/* An answer that is more than one client may hold is replaced by an error. */
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

/* RFC 9112: what other parsers may read differently is refused. */
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

/* Who is refused for what its headers say is not asked for the body, and none of it is taken. */
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
    assert_true(is_over(fd)); /* half: what still comes is thrown away */
    put_text(fd, "123456789");
    put_text(fd, get_it);
    close(fd);
    settle();
    assert_int_equal(sv.n_requests, 0);
    assert_int_equal(sv.n_over, 1);
    fd = dial(0); /* without a body the connection goes on */
    put_text(fd, get_it);
    assert_null(strstr(get(fd, "no"), "Connection: close"));
    sv.refusal = 0;
    put_text(fd, get_it);
    assert_int_equal(strncmp(get(fd, "\r\n\r\n"), "HTTP/1.1 200 ", 13), 0);
    assert_int_equal(sv.n_over, 3);
    close(fd);
    close_server();
}

/* Where it was seen in on_head, its end is told however it ends. */
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

/* Nothing is read from a client that sent too much ahead; that it has gone is found nevertheless. */
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
        cmocka_unit_test(a_slow_reader_gets_its_answer),
        cmocka_unit_test(a_request_that_stays_unfinished_is_told),
        cmocka_unit_test(a_body_that_keeps_coming_has_time),
        cmocka_unit_test(speed_is_measured_anew),
        cmocka_unit_test(a_body_that_stands_still_ends),
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
        cmocka_unit_test(ambiguous_requests_are_refused),
        cmocka_unit_test(the_head_decides_before_the_body),
        cmocka_unit_test(each_exchange_that_was_seen_is_over_once),
        cmocka_unit_test(continue_is_for_those_who_know_it),
        cmocka_unit_test(who_hangs_up_behind_much_is_missed),
    };
    return cmocka_run_group_tests_name("http_server", tests, NULL, NULL);
}
