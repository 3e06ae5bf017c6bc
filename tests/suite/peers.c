#include "peers.h"

#include "io/transport_fd.h"
#include "io/transport_pair.h"
#include "io/process/transport_stdio.h"
#include "json/write.h"
#include "mcp/message.h"
#include "mcp/http/transport_http.h"
#include "mcp/http/transport_sse.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

char *peer_program;

static const char half[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu";

/* ---- the answer ---- */

static bool put_answer(struct mcti_buf *to, struct mcti_str frame)
{
    struct mcti_msg msg;
    if (mcti_msg_parse(frame, &msg, NULL) < 0 || msg.kind != MCT_MSG_REQUEST)
        return false;
    const struct mcti_json_set sets[] = { { "id", msg.id }, { "result", msg.params } };
    mcti_json_put_object(to, MCT_STR("{\"jsonrpc\":\"2.0\"}"), sets, 2);
    return true;
}

/* ---- a peer that never pauses ---- */

#define FLOOD "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"

/* Writes the text again and again, in large pieces, until nobody reads. */
static void flood(int fd, const char *text)
{
    enum { TIMES = 1000 };
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    for (int i = 0; i < TIMES; i++)
        mcti_buf_addz(&b, text);
    while (write(fd, b.p, b.len) > 0)
        ;
    mcti_buf_done(&b);
}

/* Answers whatever is asked with an event stream that never ends. */
static void flood_http(int listener)
{
    static const char head[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: /m\n\n";
    char request[65536];
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0 || fork() != 0) {
            close(fd);
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (read(fd, request, sizeof request) > 0 && write(fd, head, sizeof head - 1) > 0)
            flood(fd, "data: " FLOOD "\n\n");
        _exit(0);
    }
}

/* A process that writes to `fd`, or to those who connect to it, and keeps nothing else of ours. */
static void start_flooder(struct peer *p, int fd, bool is_listener)
{
    p->flooder = fork();
    if (p->flooder) {
        close(fd);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    if (is_listener)
        flood_http(fd);
    flood(fd, FLOOD "\n");
    _exit(0);
}

static void stop_flooder(struct peer *p)
{
    if (!p->flooder)
        return;
    kill(p->flooder, SIGKILL);
    waitpid(p->flooder, NULL, 0);
    p->flooder = 0;
}

static int flood_port(struct peer *p)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(fd, (const struct sockaddr *)&at, sizeof at);
    listen(fd, 16);
    getsockname(fd, (struct sockaddr *)&at, &len);
    start_flooder(p, fd, true);
    return ntohs(at.sin_port);
}

/* ---- the other end of a stream ---- */

static void on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct peer *p = data;
    struct mcti_buf b;
    mcti_buf_init(&b, MESSAGE_BYTES);
    if (p->manner == ANSWERS && put_answer(&b, frame))
        p->end->ops->send(p->end, mcti_buf_str(&b), lane);
    mcti_buf_done(&b);
}

static void on_closed(void *data, const struct mct_error *why)
{
    (void)data;
    (void)why;
}

static void start_end(struct peer *p, struct mcti_transport *end)
{
    p->end = end;
    end->events = (struct mcti_transport_events){ .on_frame = on_frame, .on_closed = on_closed, .data = p };
    end->ops->open(end, NULL);
}

static struct mcti_transport *make_pair(struct peer *p)
{
    struct mcti_transport *ends[2];
    if (p->manner != ANSWERS && p->manner != SILENT)
        return NULL; /* a pair has no bytes to cut and nothing to be deaf to */
    mcti_transport_pair_new(&p->loop->sched, ends);
    start_end(p, ends[1]);
    return ends[0];
}

static struct mcti_transport *make_fd(struct peer *p)
{
    int pair[2];
    if (p->manner == ABSENT || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return NULL;
    if (p->manner == HALF) {
        if (write(pair[1], half, sizeof half - 1) < 0)
            return NULL;
        close(pair[1]);
    } else if (p->manner == FLOODS) {
        start_flooder(p, pair[1], false);
    } else if (p->manner != DEAF) { /* a deaf one just stays open */
        start_end(p, mcti_transport_fd_new(p->loop, pair[1], dup(pair[1]), MESSAGE_BYTES));
    }
    return mcti_transport_fd_new(p->loop, pair[0], dup(pair[0]), MESSAGE_BYTES);
}

static struct mcti_transport *make_stdio(struct peer *p)
{
    static const char *const manners[] = { "answers", "silent", "deaf", "half", "absent", "floods" };
    static char *argv[4], *envp[] = { "PATH=/usr/bin:/bin", NULL };
    argv[0] = p->manner == ABSENT ? "no-such-program-anywhere" : peer_program;
    argv[1] = "--peer";
    argv[2] = (char *)(uintptr_t)manners[p->manner];
    const struct mcti_stdio_opts opts = {
        .spawn = { .argv = argv, .envp = envp }, .message_bytes = MESSAGE_BYTES, .stop_eof_ms = 500, .stop_term_ms = 200
    };
    return mcti_transport_stdio_new(p->loop, &opts);
}

int peer_main(const char *manner)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    struct mcti_buf b;
    mcti_buf_init(&b, MESSAGE_BYTES);
    if (!strcmp(manner, "half")) {
        fputs(half, stdout);
        return 0;
    }
    if (!strcmp(manner, "floods"))
        flood(STDOUT_FILENO, FLOOD "\n");
    if (!strcmp(manner, "deaf"))
        return pause();
    while ((n = getline(&line, &cap, stdin)) > 0) {
        mcti_buf_clear(&b);
        if (strcmp(manner, "answers") || !put_answer(&b, (struct mcti_str){ line, (size_t)n }))
            continue;
        mcti_buf_addc(&b, '\n');
        fwrite(b.p, 1, b.len, stdout);
        fflush(stdout);
    }
    mcti_buf_done(&b);
    free(line);
    return 0;
}

/* ---- HTTP servers that answer ---- */

/* Every other answer is an event stream. */
static void reply(struct peer *p, struct mcti_http_exchange *x, struct mcti_str answer)
{
    struct mcti_str session = p->stateless ? MCT_STR("") : MCT_STR("Mcp-Session-Id: s-1\r\n");
    if (p->n_answers++ % 2) {
        mcti_http_reply(x, 200, "application/json", session, answer);
        return;
    }
    mcti_http_stream_open(x, 200, "text/event-stream", session);
    mcti_http_stream_write(x, MCT_STR("id: 1\r\nretry: 10\r\ndata:\r\n\r\n: a comment\n\ndata: "));
    mcti_http_stream_write(x, answer);
    mcti_http_stream_write(x, MCT_STR("\r\r"));
    mcti_http_stream_close(x);
}

static void on_request(void *data, struct mcti_http_exchange *x)
{
    struct peer *p = data;
    struct mcti_buf b;
    mcti_buf_init(&b, MESSAGE_BYTES);
    if (!mcti_str_is(mcti_http_method(x), "POST"))
        mcti_http_reply(x, 405, NULL, MCT_STR(""), MCT_STR_NONE);
    else if (put_answer(&b, mcti_http_body(x)))
        reply(p, x, mcti_buf_str(&b));
    else
        mcti_http_reply(x, 202, NULL, MCT_STR(""), MCT_STR_NONE);
    mcti_buf_done(&b);
}

static void on_sse_request(void *data, struct mcti_http_exchange *x)
{
    struct peer *p = data;
    struct mcti_buf b;
    if (mcti_str_is(mcti_http_method(x), "GET")) {
        p->stream = x;
        mcti_http_stream_open(x, 200, "text/event-stream", MCT_STR(""));
        mcti_http_stream_write(x, MCT_STR("event: endpoint\ndata: /messages?session=1\n\n"));
        return;
    }
    mcti_buf_init(&b, MESSAGE_BYTES);
    if (put_answer(&b, mcti_http_body(x)) && p->stream) {
        mcti_http_stream_write(p->stream, MCT_STR("event: message\ndata: "));
        mcti_http_stream_write(p->stream, mcti_buf_str(&b));
        mcti_http_stream_write(p->stream, MCT_STR("\n\n"));
    }
    mcti_buf_done(&b);
    mcti_http_reply(x, 202, NULL, MCT_STR(""), MCT_STR_NONE);
}

static void on_abort(void *data, struct mcti_http_exchange *x)
{
    struct peer *p = data;
    if (p->stream == x)
        p->stream = NULL;
}

static int serve(struct peer *p, void (*handle)(void *data, struct mcti_http_exchange *x))
{
    const struct mcti_http_opts opts = { .body_bytes = MESSAGE_BYTES, .answer_bytes = 4 * MESSAGE_BYTES };
    const struct mcti_http_handler handler = { .on_request = handle, .on_abort = on_abort, .data = p };
    p->server = mcti_http_server_new(p->loop, "127.0.0.1:0", &opts, &handler, NULL);
    return mcti_http_server_port(p->server);
}

/* ---- HTTP servers that do not ---- */

struct mcti_http_visitor {
    uv_tcp_t tcp;
    uv_write_t write;
    struct peer *peer;
};

static void free_visitor(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct mcti_http_visitor, tcp));
}

static void on_half_written(uv_write_t *w, int status)
{
    struct mcti_http_visitor *v = MCT_CONTAINER(w, struct mcti_http_visitor, write);
    (void)status;
    if (!uv_is_closing((uv_handle_t *)&v->tcp))
        uv_close((uv_handle_t *)&v->tcp, free_visitor);
}

static void on_raw_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    static const char get[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: /m\n\n"
                              "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"resu";
    static const char post[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
                               "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu";
    struct mcti_http_visitor *v = MCT_CONTAINER(s, struct mcti_http_visitor, tcp);
    bool is_get = n > 3 && !memcmp(buf->base, "GET", 3);
    if (n < 0 && !uv_is_closing((uv_handle_t *)s))
        uv_close((uv_handle_t *)s, free_visitor);
    if (n <= 0 || v->peer->manner != HALF)
        return;
    uv_read_stop(s);
    uv_buf_t text = is_get ? uv_buf_init((char *)(uintptr_t)get, sizeof get - 1)
                           : uv_buf_init((char *)(uintptr_t)post, sizeof post - 1);
    uv_write(&v->write, s, &text, 1, on_half_written);
}

static void on_visit(uv_stream_t *listener, int status)
{
    struct peer *p = MCT_CONTAINER(listener, struct peer, raw);
    struct mcti_http_visitor *v = calloc(1, sizeof *v);
    (void)status;
    v->peer = p;
    uv_tcp_init(listener->loop, &v->tcp);
    uv_accept(listener, (uv_stream_t *)&v->tcp);
    uv_unref((uv_handle_t *)&v->tcp);
    if (p->manner != DEAF)
        uv_read_start((uv_stream_t *)&v->tcp, mcti_loop_alloc, on_raw_read);
}

/* Returns the port; of ABSENT one where nobody listens any more. */
static int listen_raw(struct peer *p)
{
    struct sockaddr_in at;
    int len = sizeof at;
    uv_ip4_addr("127.0.0.1", 0, &at);
    uv_tcp_init(&p->loop->uv, &p->raw);
    p->raw_open = true;
    uv_tcp_bind(&p->raw, (const struct sockaddr *)&at, 0);
    uv_tcp_getsockname(&p->raw, (struct sockaddr *)&at, &len);
    if (p->manner != ABSENT)
        uv_listen((uv_stream_t *)&p->raw, 16, on_visit);
    return ntohs(at.sin_port);
}

static struct mcti_transport *make_url(struct peer *p, void (*handle)(void *, struct mcti_http_exchange *),
                                       struct mcti_transport *(*new)(const struct mcti_url_opts *))
{
    char url[64];
    int port = p->manner == ANSWERS ? serve(p, handle) : p->manner == FLOODS ? flood_port(p) : listen_raw(p);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/mcp", port);
    const struct mcti_url_opts opts = { p->loop, p->client, url, NULL, MESSAGE_BYTES };
    return new (&opts);
}

static struct mcti_transport *make_http_session(struct peer *p)
{
    return make_url(p, on_request, mcti_transport_http_new);
}

static struct mcti_transport *make_http_stateless(struct peer *p)
{
    p->stateless = true;
    return make_http_session(p);
}

static struct mcti_transport *make_sse(struct peer *p)
{
    return make_url(p, on_sse_request, mcti_transport_sse_new);
}

const struct row rows[N_ROWS] = {
    { "pair", make_pair, true, false, false, 2000 },
    { "fd", make_fd, true, false, false, 2000 },
    { "stdio", make_stdio, true, false, true, 2000 },
    { "streamable-http, session", make_http_session, false, false, true, 200 },
    { "streamable-http, stateless", make_http_stateless, false, true, true, 200 },
    { "http+sse", make_sse, false, false, true, 200 },
};

/* ---- life ---- */

void peer_open(struct peer *p, struct mcti_loop *loop, enum manner manner)
{
    *p = (struct peer){ .loop = loop, .manner = manner, .client = mcti_http_client_new(loop, NULL) };
}

void peer_vanish(struct peer *p)
{
    mcti_transport_free(p->end);
    p->end = NULL;
    if (p->server)
        mcti_http_server_free(p->server);
    p->server = NULL;
    p->stream = NULL;
}

static void close_visitor(uv_handle_t *h, void *data)
{
    struct peer *p = data;
    struct mcti_http_visitor *v = MCT_CONTAINER(h, struct mcti_http_visitor, tcp);
    if (h->type == UV_TCP && h != (uv_handle_t *)&p->raw && !uv_is_closing(h) && p->raw_open && !p->server)
        uv_close((uv_handle_t *)&v->tcp, free_visitor);
}

void peer_close(struct peer *p)
{
    peer_vanish(p);
    stop_flooder(p);
    mcti_http_client_free(p->client);
    p->client = NULL;
    if (!p->raw_open)
        return;
    uv_walk(&p->loop->uv, close_visitor, p); /* the only TCP handles there are then */
    uv_close((uv_handle_t *)&p->raw, NULL);
    p->raw_open = false;
}
