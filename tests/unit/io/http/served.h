/* An HTTP server on a socket pair, and clients of it. */
#ifndef MCT_TESTS_SERVED_H
#define MCT_TESTS_SERVED_H

#include "unit.h"

#include "io/http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SWEEP_MS = 5001, LARGE = 12 << 20 };

static struct {
    struct mcti_loop loop;
    struct mcti_http_server *server;
    struct mcti_http_exchange *open; /* the last unanswered one */
    uint64_t skew_ms;
    size_t answer; /* bytes; 0: no answer */
    int refusal;   /* in on_head; 0: none */
    unsigned n_requests, n_aborts, n_over, last_status;
    struct mcti_memory memory;
    struct mcti_account clients, others; /* account of requests to /others */
    char large[LARGE];
} sv;

static inline uint64_t later(void *data)
{
    (void)data;
    return uv_now(&sv.loop.uv) + sv.skew_ms;
}

static inline void on_head(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    assert_null(mcti_http_body(x).p);
    if (mcti_str_is(mcti_http_path(x), "/others"))
        mcti_http_set_account(x, &sv.others);
    if (sv.refusal)
        mcti_http_reply(x, sv.refusal, NULL, MCT_STR_NONE, MCT_STR("no"));
}

static inline void on_request(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    sv.n_requests++;
    sv.open = x;
    if (sv.answer)
        mcti_http_reply(x, 200, NULL, MCT_STR_NONE, (struct mcti_str){ sv.large, sv.answer });
}

static inline void on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    (void)x;
    sv.n_aborts++;
}

static inline void on_over(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    sv.n_over++;
    sv.last_status = (unsigned)mcti_http_status(x);
}

/* memory for all connections; 0: unlimited */
static inline void open_server_for(size_t memory_bytes, unsigned header_ms, bool apart)
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

static inline void open_server_with(size_t memory_bytes, unsigned header_ms)
{
    open_server_for(memory_bytes, header_ms, false);
}

static inline void close_server(void)
{
    mcti_http_server_free(sv.server);
    assert_int_equal(sv.memory.whole.held, 0);
    mcti_loop_done(&sv.loop);
}

/* Runs the loop until nothing is left to do. */
static inline void settle(void)
{
    for (int i = 0; i < 20; i++) {
        uv_run(&sv.loop.uv, UV_RUN_NOWAIT);
        mcti_sched_run(&sv.loop.sched, later(NULL));
    }
}

static inline void pass(uint64_t ms)
{
    sv.skew_ms += ms;
    settle();
}

static inline int dial(int receive_bytes)
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

static inline void put(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t r = send(fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        assert_true(r >= 0 || errno == EAGAIN);
        p += r > 0 ? r : 0;
        n -= r > 0 ? (size_t)r : 0;
        settle();
    }
}

static inline void put_text(int fd, const char *text)
{
    put(fd, text, strlen(text));
}

/* Reads until `until` has arrived, the connection ends, or (NULL) no more bytes are available. */
static inline const char *get(int fd, const char *until)
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

static const char get_it[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static inline bool is_answered(int fd, const char *status_line)
{
    return !strncmp(get(fd, "\r\n\r\n"), status_line, strlen(status_line));
}

#endif
