#include "visit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 50 };

static int visit_dial(unsigned port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    perror("connect");
    _exit(3);
}

int visit(struct mcti_loop *loop, unsigned port, struct mcti_str request, struct mcti_buf *to)
{
    char got[16384];
    size_t n = 0;
    int fd = visit_dial(port);
    if (send(fd, request.p, request.len, MSG_NOSIGNAL) < 0)
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
