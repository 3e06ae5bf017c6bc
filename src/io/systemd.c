#include "io/systemd.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_FD = 3 };

/* Returns the number of descriptors that were passed to this process, and forgets them. */
static long systemd_count(void)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    bool ours = pid && fds && strtol(pid, NULL, 10) == (long)getpid();
    long n = ours ? strtol(fds, NULL, 10) : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return n;
}

/* Writes the address of the socket. Returns -1 if it is not a TCP socket. */
static int systemd_address(int fd, char **ret)
{
    char host[64], port[16];
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &len) < 0 || (a.ss_family != AF_INET && a.ss_family != AF_INET6) ||
        getnameinfo((struct sockaddr *)&a, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        return -1;
    if (asprintf(ret, a.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port) >= 0)
        return 0;
    *ret = NULL;
    return -1;
}

int mcti_systemd_take_socket(char **ret_address, struct mct_error *err)
{
    long n = systemd_count();
    int listens = 0;
    socklen_t len = sizeof listens;
    *ret_address = NULL;
    if (n <= 0)
        return 0;
    if (n > 1)
        return mcti_fail(err, MCT_ERR_CONFIG, "systemd passes %ld sockets, one is expected", n);
    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
    if (getsockopt(FIRST_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 || !listens ||
        systemd_address(FIRST_FD, ret_address) < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "the socket of systemd is not a listening TCP socket");
    return FIRST_FD;
}

void mcti_systemd_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    size_t n = path ? strlen(path) : 0;
    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, n);
    if (path[0] == '@')
        to.sun_path[0] = '\0'; /* abstract */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0)
        errno = 0; /* nobody to tell */
    close(fd);
}

void mcti_systemd_notify_reloaded(void)
{
    char state[80];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)mcti_clock_since_us());
    mcti_systemd_notify(state);
    mcti_systemd_notify("READY=1");
}
