/*
 * Namespaces, made by a forked helper: a child between vfork and exec shares its memory with this process and may only
 * enter namespaces. A user namespace is needed to make the network namespace, and counts processes on its own.
 */
#include "io/sandbox/impl.h"

#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER_FD, NET_FD, LISTEN_FD, N_FDS };
enum { BACKLOG = 64 };

/* ---- in the helper ---- */

static void namespace_put_number(char *to, unsigned long n)
{
    char digits[24];
    int i = 0;
    do {
        digits[i++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    while (i)
        *to++ = digits[--i];
    *to = '\0';
}

static int namespace_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Maps the user or group to itself: "ID ID 1". */
static int map_id(const char *path, unsigned long id)
{
    char text[80], number[24];
    namespace_put_number(number, id);
    strcpy(text, number);
    strcat(text, " ");
    strcat(text, number);
    strcat(text, " 1");
    return namespace_write(path, text);
}

static int helper_enter_user_namespace(uid_t uid, gid_t gid)
{
    prctl(PR_SET_DUMPABLE, 1); /* otherwise the files below belong to root */
    if (unshare(CLONE_NEWUSER) < 0)
        return -1;
    return namespace_write("/proc/self/setgroups", "deny") < 0 || map_id("/proc/self/uid_map", uid) < 0 ||
                   map_id("/proc/self/gid_map", gid) < 0
               ? -1
               : 0;
}

static int bring_up_loopback(void)
{
    struct ifreq r = { .ifr_name = "lo" };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int done = fd < 0 || ioctl(fd, SIOCGIFFLAGS, &r) < 0 ? -1 : 0;
    r.ifr_flags = (short)(r.ifr_flags | IFF_UP);
    if (done == 0)
        done = ioctl(fd, SIOCSIFFLAGS, &r);
    if (fd >= 0)
        close(fd);
    return done;
}

static int listen_on_loopback(void)
{
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Sends descriptors, or none on failure. */
static void helper_send(int to, const int *fds, size_t n)
{
    char byte = 0;
    union {
        char bytes[CMSG_SPACE(sizeof(int) * N_FDS)];
        struct cmsghdr align;
    } control = { { 0 } };
    struct iovec iov = { &byte, 1 };
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(sizeof(int) * n)
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * n);
    memcpy(CMSG_DATA(c), fds, sizeof(int) * n);
    (void)!sendmsg(to, &m, MSG_NOSIGNAL);
}

/* Runs in the helper with system calls only: other threads of this process may have held locks. */
static void helper_run(int to, bool user, bool net, uid_t uid, gid_t gid)
{
    int fds[N_FDS], n = 0;
    if (user && helper_enter_user_namespace(uid, gid) < 0)
        return;
    if (user)
        fds[n++] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    if (net && (unshare(CLONE_NEWNET) < 0 || bring_up_loopback() < 0))
        return;
    if (net)
        fds[n++] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (net)
        fds[n++] = listen_on_loopback();
    for (int i = 0; i < n; i++)
        if (fds[i] < 0)
            return;
    helper_send(to, fds, (size_t)n);
}

/* ---- in this process ---- */

/* Receives `n` descriptors. Returns -1 if the helper had none. */
static int namespace_receive(int from, int *ret_fds, size_t n)
{
    char byte;
    union {
        char bytes[CMSG_SPACE(sizeof(int) * N_FDS)];
        struct cmsghdr align;
    } control;
    struct iovec iov = { &byte, 1 };
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
    };
    ssize_t got;
    while ((got = recvmsg(from, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int) * n))
        return -1;
    memcpy(ret_fds, CMSG_DATA(c), sizeof(int) * n);
    return 0;
}

static int namespace_make(bool user, bool net, int *ret_fds)
{
    sigset_t all, old;
    int pair[2], r = -1;
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* handlers of this process must not run in the helper */
    pid_t pid = fork();
    if (pid == 0) {
        helper_run(pair[1], user, net, uid, gid);
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(pair[1]);
    if (pid > 0)
        r = namespace_receive(pair[0], ret_fds, (size_t)user + 2 * (size_t)net);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(pair[0]);
    return r;
}

/* Listens in the network of this process: others can connect, so there is a password. */
static int namespace_share_loopback(struct mcti_sandbox *s, struct mct_error *err)
{
    unsigned char random[16];
    s->gate.fd = listen_on_loopback();
    if (s->gate.fd < 0)
        return mcti_fail(err, MCT_ERR_CONNECT, "sandbox: listening at 127.0.0.1: %s", strerror(errno));
    mcti_random(random, sizeof random);
    mcti_hex(random, sizeof random, s->gate.secret);
    return mcti_sandbox_lacks(s, err,
                              "the network is not limited to the list for a program that ignores its proxy: "
                              "there are no network namespaces here (user namespaces are turned off)%s",
                              mcti_landlock_abi() >= 4 ? ", and Landlock limits the port only" : "");
}

static int namespace_note_port(struct mcti_sandbox *s, struct mct_error *err)
{
    struct sockaddr_in at;
    socklen_t len = sizeof at;
    if (s->gate.fd >= 0 && getsockname(s->gate.fd, (struct sockaddr *)&at, &len) < 0)
        return mcti_fail(err, MCT_ERR_CONNECT, "sandbox: %s", strerror(errno));
    s->gate.port = s->gate.fd >= 0 ? ntohs(at.sin_port) : 0;
    return 0;
}

int mcti_namespace_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    bool net = w->network == MCT_SANDBOX_NET_LIST, user = geteuid() != 0 && (net || (w->processes && !s->cgroup_holds));
    int fds[N_FDS], n = 0;
    if (!net && !user)
        return 0;
    if (namespace_make(user, net, fds) == 0) {
        s->user_ns = user ? fds[n++] : -1;
        s->net_ns = net ? fds[n++] : -1;
        s->gate.fd = net ? fds[n++] : -1;
    } else if (net && namespace_share_loopback(s, err) < 0) {
        return -1;
    }
    return namespace_note_port(s, err);
}

int mcti_namespace_enter(const struct mcti_sandbox *s)
{
    if (s->user_ns >= 0 && setns(s->user_ns, CLONE_NEWUSER) < 0)
        return -1;
    return s->net_ns >= 0 ? setns(s->net_ns, CLONE_NEWNET) : 0;
}

bool mcti_namespace_is_available(void)
{
    int fds[N_FDS];
    if (namespace_make(geteuid() != 0, true, fds) < 0)
        return false;
    for (int i = 0; i < (geteuid() != 0 ? 3 : 2); i++)
        close(fds[i]);
    return true;
}
