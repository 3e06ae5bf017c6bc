/* A request to the HTTP server, and its answer. */
#include "scene.h"

#include "failing.h"
#include "io/http/server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 50 };

static const char request[] = "POST /a/b?x=1&y=two HTTP/1.1\r\nHost: localhost\r\nX-One: 1\r\nX-Two: 2\r\n"
                              "Content-Length: 11\r\n\r\nhello world";

static void on_request(void *data, struct mcti_http_exchange *x)
{
    struct mcti_buf b;
    (void)data;
    mcti_buf_init(&b, 4096);
    mcti_buf_add(&b, mcti_http_path(x));
    mcti_buf_add(&b, mcti_http_query(x, "y"));
    mcti_buf_add(&b, mcti_http_get(x, "x-two"));
    mcti_buf_add(&b, mcti_http_body(x));
    if (mcti_buf_ok(&b))
        mcti_http_reply(x, 200, "text/plain", MCT_STR("X-Three: 3\r\n"), mcti_buf_str(&b));
    else
        mcti_http_reply(x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    mcti_buf_done(&b);
}

static void on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    (void)x;
}

static int dial(const struct mcti_http_server *server)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)mcti_http_server_port(server)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    perror("connect");
    _exit(3);
}

/* Appends the body of the answer; -1: there is none with status 200. */
static int ask(struct mcti_loop *loop, const struct mcti_http_server *server, struct mcti_buf *to)
{
    char got[4096];
    size_t n = 0;
    int fd = dial(server);
    if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0)
        return -1;
    for (int i = 0; i < TURNS; i++) {
        uv_run(&loop->uv, UV_RUN_NOWAIT);
        mcti_sched_run(&loop->sched, uv_now(&loop->uv));
        ssize_t r = recv(fd, got + n, sizeof got - 1 - n, MSG_DONTWAIT);
        n += r > 0 ? (size_t)r : 0;
    }
    close(fd);
    got[n] = '\0';
    const char *body = strstr(got, "\r\n\r\n");
    if (!body || strncmp(got, "HTTP/1.1 200 ", 13) != 0)
        return -1;
    mcti_buf_addz(to, body);
    return 0;
}

int scene_http(struct mcti_buf *to)
{
    const struct mcti_http_handler handler = { .on_request = on_request, .on_abort = on_abort };
    struct mcti_memory memory;
    struct mcti_account clients;
    struct mcti_loop loop;
    mcti_memory_init(&memory, &(struct mcti_memory_opts){ .principal_share = 90, .client_share = 90 });
    clients = (struct mcti_account){ .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL] };
    const struct mcti_http_opts opts = {
        .body_bytes = 1000, .answer_bytes = 10000, .account = &clients, .connection = &memory.rules[MCT_LEVEL_CLIENT]
    };
    if (mcti_loop_init(&loop, NULL, NULL) < 0)
        return -1;
    struct mcti_http_server *server = mcti_http_server_new(&loop, "127.0.0.1:0", &opts, &handler, NULL);
    int result = server ? ask(&loop, server, to) : -1;
    mcti_http_server_free(server);
    mcti_loop_done(&loop);
    return memory.whole.held ? 1 : result;
}
