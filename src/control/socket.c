#include "control/socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BACKLOG = 128 };

/* Locks the lock file; `more`: further flags of open(). Returns -1 with errno, EWOULDBLOCK if another process has
 * locked it. */
static int socket_try_lock(const char *path, int more)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | more, 0600);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* Returns true if the descriptor is still the file of that path: the gateway that ends removes it. */
static bool socket_lock_is_there(int fd, const char *path)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

static int socket_lock(const char *path)
{
    int fd = socket_try_lock(path, O_CREAT);
    while (fd >= 0 && !socket_lock_is_there(fd, path)) {
        close(fd);
        fd = socket_try_lock(path, O_CREAT);
    }
    return fd;
}

/* Removes the socket and the lock file that a killed gateway left: nobody has locked the file. */
static void socket_remove_left(const char *folder, const char *lock)
{
    enum { SUFFIX = sizeof ".lock" - 1 };
    char path[PATH_MAX];
    int stem = snprintf(path, sizeof path, "%s/%s", folder, lock) - SUFFIX;
    int fd = stem + SUFFIX < (int)sizeof path ? socket_try_lock(path, 0) : -1;
    if (fd < 0)
        return;
    if (socket_lock_is_there(fd, path)) {
        memcpy(path + stem, ".sock", SUFFIX);
        unlink(path);
        memcpy(path + stem, ".lock", SUFFIX);
        unlink(path);
    }
    close(fd);
}

/* Removes what killed gateways with other configurations left. */
static void socket_sweep(const struct mcti_control_place *own)
{
    DIR *folder = opendir(own->folder);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && !strcmp(dot, ".lock") && strcmp(e->d_name, strrchr(own->lock, '/') + 1) != 0)
            socket_remove_left(own->folder, e->d_name);
    }
    if (folder)
        closedir(folder);
}

static int socket_listen(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    unlink(path);
    mode_t before = umask(0177);
    int r = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(before);
    if (r == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

int mcti_control_socket_open(struct mcti_control_socket *s, const struct mcti_config *c, struct mct_error *err)
{
    s->fd = s->lock_fd = -1;
    if (mcti_control_place(c, true, &s->place, err) < 0)
        return -1;
    s->lock_fd = socket_lock(s->place.lock);
    if (s->lock_fd < 0 && errno == EWOULDBLOCK)
        return mcti_fail(err, MCT_ERR_LIMIT, "another gateway with the same configuration has %s", s->place.socket);
    s->fd = s->lock_fd < 0 ? -1 : socket_listen(s->place.socket);
    if (s->fd >= 0) {
        socket_sweep(&s->place);
        return 0;
    }
    mcti_fail(err, MCT_ERR_INTERNAL, "%s: %s", s->place.socket, strerror(errno));
    mcti_control_socket_close(s);
    return -1;
}

int mcti_control_socket_move(struct mcti_control_socket *s, const struct mcti_config *c, struct mct_error *err)
{
    struct mcti_control_place to;
    if (mcti_control_place(c, true, &to, err) < 0)
        return -1;
    if (!strcmp(to.identity, s->place.identity))
        return 0;
    int lock = socket_lock(to.lock);
    if (lock < 0 || rename(s->place.socket, to.socket) < 0) {
        mcti_fail(err, MCT_ERR_INTERNAL, "%s: %s", to.socket, strerror(errno));
        if (lock >= 0)
            close(lock);
        return -1;
    }
    unlink(s->place.lock);
    close(s->lock_fd);
    s->lock_fd = lock;
    s->place = to;
    return 0;
}

void mcti_control_socket_close(struct mcti_control_socket *s)
{
    if (s->fd >= 0) {
        unlink(s->place.socket);
        close(s->fd);
    }
    if (s->lock_fd >= 0) {
        unlink(s->place.lock);
        close(s->lock_fd);
    }
    s->fd = s->lock_fd = -1;
}

int mcti_control_socket_accept(const struct mcti_control_socket *s)
{
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (fd >= 0 && !mcti_control_peer_is_ours(fd)) {
        close(fd);
        fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    }
    return fd;
}
