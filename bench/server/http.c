/* HTTP/1.1 with keep-alive in one thread: as much of it as the compared proxies send. */
#include "server.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 65536, MAX_REQUEST = 128 << 20, BACKLOG = 4096, MAX_EVENTS = 64 };

struct client {
    int fd;
    struct mcti_buf in;
};

static int client_add(int epoll_fd, int listen_fd)
{
    const int on = 1;
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return -1;
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        err(2, "calloc");
    client->fd = fd;
    mcti_buf_init(&client->in, MAX_REQUEST);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void client_free(struct client *client)
{
    close(client->fd);
    mcti_buf_done(&client->in);
    free(client);
}

/* Returns the length of the body that the head announces. */
static size_t body_length(const char *head, const char *end)
{
    static const char name[] = "\r\nContent-Length:";
    for (const char *at = head; (at = memmem(at, (size_t)(end - at), "\r\n", 2)) != NULL; at += 2)
        if ((size_t)(end - at) >= sizeof name - 1 && !strncasecmp(at, name, sizeof name - 1))
            return strtoul(at + sizeof name - 1, NULL, 10);
    return 0;
}

static int send_status(int fd, const char *status)
{
    char head[128];
    int len = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status);
    return server_write(fd, &(struct iovec){ head, (size_t)len }, 1);
}

static int respond(const struct server *s, const struct client *client, struct mcti_str body)
{
    char head[160];
    struct iovec pieces[1 + ANSWER_PIECES];
    if (client->in.p[0] != 'P')
        return send_status(client->fd, "405 Method Not Allowed"); /* no event stream, no session to delete */
    size_t len = server_answer(s, body, pieces + 1);
    if (!len)
        return send_status(client->fd, "202 Accepted");
    int head_len = snprintf(head, sizeof head,
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", len);
    pieces[0] = (struct iovec){ head, (size_t)head_len };
    return server_write(client->fd, pieces, 1 + ANSWER_PIECES);
}

/* Answers the requests that are complete. Returns -1 if the client has gone. */
static int answer_requests(const struct server *s, struct client *client)
{
    struct mcti_buf *in = &client->in;
    const char *end;
    while (in->len && (end = memmem(in->p, in->len, "\r\n\r\n", 4)) != NULL) {
        size_t head_len = (size_t)(end - in->p) + 4, body_len = body_length(in->p, end);
        if (in->len - head_len < body_len)
            return 0;
        if (respond(s, client, (struct mcti_str){ in->p + head_len, body_len }) < 0)
            return -1;
        mcti_buf_shift(in, head_len + body_len);
    }
    return 0;
}

static int client_read(const struct server *s, struct client *client)
{
    char *to = mcti_buf_reserve(&client->in, READ_SIZE);
    ssize_t n = to ? read(client->fd, to, READ_SIZE) : -1;
    if (n <= 0)
        return -1;
    client->in.len += (size_t)n;
    return answer_requests(s, client);
}

static int open_listener(unsigned port)
{
    const int on = 1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, BACKLOG) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) < 0)
        err(2, "listening");
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

void server_listen(const struct server *s, unsigned port)
{
    struct epoll_event events[MAX_EVENTS], listening = { .events = EPOLLIN };
    int listen_fd = open_listener(port), epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &listening) < 0)
        err(2, "epoll");
    for (;;) {
        int n = epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
        for (int i = 0; i < n; i++) {
            struct client *client = events[i].data.ptr;
            if (!client && client_add(epoll_fd, listen_fd) < 0)
                warn("accepting");
            else if (client && client_read(s, client) < 0)
                client_free(client);
        }
    }
}
