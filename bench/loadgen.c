/* Closed-loop HTTP/1.1 keep-alive load generator: every client has at most
 * one request under way. Prints one JSON line. Exit status: 0 all answers
 * good, 1 some answer bad, 2 the run could not be made. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cpu_time.h"
#include "options.h"
#include "response.h"

#define MCP_VERSION "2025-11-25"

enum { STALL_LIMIT_MS = 10000, READ_SIZE = 16384 };
enum { REPORTED_FAILURES = 3, REPORTED_BYTES = 800 };

struct connection {
    int fd; /* -1: closed, opened again by the next request */
    bool busy;
    uint64_t id, started_ns;
    struct text request;
    struct response response;
};

struct load {
    const struct options *options;
    struct connection *connections;
    struct text scratch;
    uint64_t *latencies; /* of the good answers of the current phase */
    size_t target, issued, finished, good, errors, reconnects;
    uint64_t next_id;
    int epoll_fd;
};

/* ---- connection ---- */

static void render_request(struct text *request, struct text *scratch, const struct options *options, const char *body,
                           uint64_t id)
{
    scratch->len = 0;
    text_append_with_id(scratch, body, id);
    request->len = 0;
    text_append(request, options->request_line.data, options->request_line.len);
    text_append(request, options->headers.data, options->headers.len);
    text_format(request, "Content-Length: %zu\r\n\r\n", scratch->len);
    text_append(request, scratch->data, scratch->len);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The socket is a blocking one: receives follow a readiness event, and a
 * request waits for the server's receive buffer only when it is very large.
 * The send timeout bounds connect as well. */
static int open_socket(const struct sockaddr_in *address)
{
    const struct timeval limit = { .tv_sec = STALL_LIMIT_MS / 1000 };
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        err(CANNOT_RUN, "socket");
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
        err(CANNOT_RUN, "setsockopt");
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0)
        err(CANNOT_RUN, "connect");
    return fd;
}

/* A failed send is left to the next receive, which finds the same broken
 * connection; one cut short by the timeout ends as a stalled run. */
static void send_request(const struct connection *connection)
{
    (void)send(connection->fd, connection->request.data, connection->request.len, MSG_NOSIGNAL);
}

static enum progress receive_some(struct connection *connection)
{
    struct text *raw = &connection->response.raw;

    text_reserve(raw, READ_SIZE + 1);
    ssize_t count = recv(connection->fd, raw->data + raw->len, READ_SIZE, 0);
    if (count <= 0)
        return FAILED;
    raw->len += (size_t)count;
    raw->data[raw->len] = '\0';
    return response_advance(&connection->response);
}

static void connection_drop(struct connection *connection)
{
    close(connection->fd);
    connection->fd = -1;
}

static void connection_free(struct connection *connection)
{
    if (connection->fd >= 0)
        connection_drop(connection);
    free(connection->request.data);
    free(connection->response.raw.data);
}

/* ---- MCP handshake ---- */

static void exchange(const struct options *options, const char *body, struct connection *connection)
{
    struct text scratch = { 0 };
    enum progress progress = PENDING;

    connection->fd = open_socket(&options->address);
    response_reset(&connection->response);
    render_request(&connection->request, &scratch, options, body, 0);
    free(scratch.data);
    send_request(connection);
    while (progress == PENDING)
        progress = receive_some(connection);
    connection_drop(connection);
    if (progress == FAILED || connection->response.status / 100 != 2)
        errx(CANNOT_RUN, "handshake failed, status %d", connection->response.status);
}

static void open_session(struct options *options)
{
    struct connection connection = { .fd = -1 };
    size_t len;

    exchange(options,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"" MCP_VERSION "\",\"capabilities\":{},"
             "\"clientInfo\":{\"name\":\"loadgen\",\"version\":\"1\"}}}",
             &connection);
    const char *session = response_header(&connection.response, "Mcp-Session-Id", &len);
    if (session)
        text_format(&options->headers, "Mcp-Session-Id: %.*s\r\n", (int)len, session);
    text_format(&options->headers, "MCP-Protocol-Version: " MCP_VERSION "\r\n");
    exchange(options, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", &connection);
    connection_free(&connection);
}

/* ---- load ---- */

static void connection_open(struct load *load, struct connection *connection)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };

    connection->fd = open_socket(&load->options->address);
    if (epoll_ctl(load->epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) < 0)
        err(CANNOT_RUN, "epoll_ctl");
}

/* The clock starts before a reconnect, so that a server which does not keep
 * its connections pays for it in the latencies. */
static void start_request(struct load *load, struct connection *connection)
{
    connection->busy = load->issued < load->target;
    if (!connection->busy)
        return;
    load->issued++;
    connection->id = load->next_id++;
    response_reset(&connection->response);
    render_request(&connection->request, &load->scratch, load->options, load->options->body, connection->id);
    connection->started_ns = now_ns();
    if (connection->fd < 0) {
        load->reconnects++;
        connection_open(load, connection);
    }
    send_request(connection);
}

/* Returns what is wrong with the answer, or NULL. */
static const char *find_fault(struct load *load, const struct connection *connection)
{
    const struct response *response = &connection->response;
    struct text *expected = &load->scratch;

    if (response->status != 200)
        return "status is not 200";
    expected->len = 0;
    text_append_with_id(expected, load->options->expect, connection->id);
    if (!memmem(response->raw.data + response->head_len, response->body_len, expected->data, expected->len))
        return "expected text is missing";
    return NULL;
}

static void count_fault(struct load *load, const struct connection *connection, const char *fault)
{
    const struct text *raw = &connection->response.raw;

    if (load->errors++ < REPORTED_FAILURES)
        warnx("request %" PRIu64 ": %s in:\n%.*s", connection->id, fault,
              raw->len < REPORTED_BYTES ? (int)raw->len : REPORTED_BYTES, raw->data);
}

static void finish_request(struct load *load, struct connection *connection, enum progress progress)
{
    uint64_t latency = now_ns() - connection->started_ns;
    const char *fault = progress == FAILED ? "answer is malformed or cut off" : find_fault(load, connection);

    load->finished++;
    if (fault)
        count_fault(load, connection, fault);
    else
        load->latencies[load->good++] = latency;
    if (fault || !connection->response.keep_alive)
        connection_drop(connection);
    start_request(load, connection);
}

static void handle_readable(struct load *load, struct connection *connection)
{
    if (!connection->busy) {
        connection_drop(connection); /* the server closed it while idle */
        return;
    }
    enum progress progress = receive_some(connection);
    if (progress != PENDING)
        finish_request(load, connection, progress);
}

/* Makes count requests and waits for all their answers. Errors and
 * reconnects add up over phases, latencies are those of the last one. */
static void run_phase(struct load *load, size_t count)
{
    struct epoll_event events[64];

    load->target = count;
    load->issued = load->finished = load->good = 0;
    for (size_t i = 0; i < load->options->clients; i++)
        start_request(load, &load->connections[i]);
    while (load->finished < load->target) {
        int ready = epoll_wait(load->epoll_fd, events, 64, STALL_LIMIT_MS);
        if (ready < 0 && errno != EINTR)
            err(CANNOT_RUN, "epoll_wait");
        if (ready == 0)
            errx(CANNOT_RUN, "no answer for %d ms, %zu of %zu requests answered", STALL_LIMIT_MS, load->finished,
                 load->target);
        for (int i = 0; i < ready; i++)
            handle_readable(load, events[i].data.ptr);
    }
}

static void load_open(struct load *load, const struct options *options)
{
    *load = (struct load){ .options = options, .next_id = 1 };
    load->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (load->epoll_fd < 0)
        err(CANNOT_RUN, "epoll_create1");
    size_t most = options->requests > options->warmup ? options->requests : options->warmup;
    load->latencies = calloc(most, sizeof *load->latencies);
    load->connections = calloc(options->clients, sizeof *load->connections);
    if (!load->latencies || !load->connections)
        err(CANNOT_RUN, "calloc");
    for (size_t i = 0; i < options->clients; i++)
        connection_open(load, &load->connections[i]);
}

static void load_close(struct load *load)
{
    for (size_t i = 0; i < load->options->clients; i++)
        connection_free(&load->connections[i]);
    close(load->epoll_fd);
    free(load->connections);
    free(load->latencies);
    free(load->scratch.data);
}

/* ---- report ---- */

static void sample_cpu(const struct options *options, uint64_t ns[MAX_PIDS])
{
    for (size_t i = 0; i < options->pid_count; i++)
        ns[i] = process_cpu_ns(options->pids[i]);
}

static int compare_latencies(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Nearest rank, of sorted latencies. */
static double percentile_us(const struct load *load, size_t percent)
{
    if (load->good == 0)
        return 0;
    size_t rank = (load->good * percent + 99) / 100;
    return (double)load->latencies[rank - 1] / 1e3;
}

static void print_cpu(const struct load *load, const uint64_t *before, const uint64_t *after)
{
    const struct options *options = load->options;
    double sum = 0;

    printf("\"cpu_us_by_pid\":{");
    for (size_t i = 0; i < options->pid_count; i++) {
        double us = (double)(int64_t)(after[i] - before[i]) / 1e3 / (double)load->target;
        printf("%s\"%d\":%.3f", i ? "," : "", (int)options->pids[i], us);
        sum += us;
    }
    if (options->pid_count)
        printf("},\"cpu_us_per_request\":%.3f}\n", sum);
    else
        printf("},\"cpu_us_per_request\":null}\n");
}

static void print_load(const struct load *load, double seconds)
{
    qsort(load->latencies, load->good, sizeof *load->latencies, compare_latencies);
    printf("{\"clients\":%zu,\"requests\":%zu,\"seconds\":%.6f,\"rps\":%.1f,", load->options->clients, load->target,
           seconds, (double)load->good / seconds);
    printf("\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,", percentile_us(load, 50),
           percentile_us(load, 90), percentile_us(load, 99), percentile_us(load, 100));
    printf("\"errors\":%zu,\"reconnects\":%zu,", load->errors, load->reconnects);
}

/* Returns whether every answer was good. */
static bool measure(const struct options *options)
{
    struct load load;
    uint64_t before[MAX_PIDS], after[MAX_PIDS];

    load_open(&load, options);
    run_phase(&load, options->warmup);
    sample_cpu(options, before);
    uint64_t started_ns = now_ns();
    run_phase(&load, options->requests);
    double seconds = (double)(now_ns() - started_ns) / 1e9;
    sample_cpu(options, after);
    print_load(&load, seconds);
    print_cpu(&load, before, after);
    load_close(&load);
    return load.errors == 0;
}

int main(int argc, char **argv)
{
    struct options options;

    options_parse(&options, argc, argv);
    if (options.session)
        open_session(&options);
    bool good = measure(&options);
    options_free(&options);
    return good ? EXIT_SUCCESS : BAD_ANSWERS;
}
