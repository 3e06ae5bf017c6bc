/* The browser arrives at the listener of a login, which closes then. */
#include "scene.h"

#include "auth/net/redirect.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 50 };

struct visit {
    struct mcti_redirect *redirect;
    struct mcti_buf *to;
};

static enum mcti_redirect_page on_arrived(void *data, struct mcti_str query)
{
    struct visit *v = data;
    mcti_buf_add(v->to, query);
    mcti_redirect_close(v->redirect);
    v->redirect = NULL;
    return MCT_PAGE_DONE;
}

static int dial(unsigned port)
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

/* Appends the page; -1: there is none. */
static int arrive(struct mcti_loop *loop, unsigned port, struct mcti_buf *to)
{
    char request[128], got[16384];
    size_t n = 0;
    int fd = dial(port);
    int len = snprintf(request, sizeof request, "GET /callback?code=c HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", port);
    if (send(fd, request, (size_t)len, MSG_NOSIGNAL) < 0)
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

int scene_redirect(struct mcti_buf *to)
{
    struct visit visit = { .to = to };
    struct mcti_loop loop;
    int result = -1;
    if (mcti_loop_init(&loop, NULL, NULL) < 0)
        return -1;
    visit.redirect = mcti_redirect_open(
        &(struct mcti_redirect_opts){ .loop = &loop, .server = "notes", .arrived = on_arrived, .data = &visit }, NULL);
    if (visit.redirect)
        result = arrive(&loop, (unsigned)atoi(strrchr(mcti_redirect_uri(visit.redirect), ':') + 1), to);
    mcti_redirect_close(visit.redirect);
    mcti_loop_done(&loop);
    return result;
}
