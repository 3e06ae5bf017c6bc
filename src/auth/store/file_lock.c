/*
 * Locks among processes: flock() on KEY.lock, which the system releases when the process ends. A lock file is removed
 * with the last lock of a key that has no text; a process that has just opened it then sees that the name means
 * another file, and opens that one.
 */
#include "auth/store/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 8 };

struct file_lock {
    struct mcti_list node;
    int fd;
    char key[MCT_AUTH_KEY_CHARS + 1];
};

/* Returns a locked descriptor; -1: another holder has the lock; -2: errno tells the failure; -3: the file has just been
 * removed. */
static int file_lock_open(int folder, const char *name)
{
    struct stat here, there;
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -2;
    int result = fd;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        result = errno == EWOULDBLOCK ? -1 : -2;
    else if (fstat(fd, &here) < 0 || fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
             here.st_ino != there.st_ino || here.st_dev != there.st_dev)
        result = -3;
    if (result < 0) {
        int code = errno;
        close(fd);
        errno = code;
    }
    return result;
}

int mcti_file_store_lock(struct mcti_auth_store *store, const char *key, struct mct_error *err)
{
    struct mcti_file_store *s = mcti_file_store_of(store);
    char name[MCT_FILE_NAME_BYTES];
    int folder, fd = -3;
    if (mcti_file_store_name(key, ".lock", name, err) < 0)
        return -1;
    struct file_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return mcti_no_memory(err);
    memcpy(lock->key, key, sizeof lock->key);
    int r = mcti_file_store_folder(s, true, &folder, err);
    for (int i = 0; r == 0 && fd == -3 && i < LOCK_TRIES; i++)
        fd = file_lock_open(folder, name);
    if (r == 0 && fd == -2)
        r = mcti_file_store_fail(s, name, err);
    if (folder >= 0)
        close(folder);
    if (r < 0 || fd < 0) {
        free(lock);
        return r;
    }
    lock->fd = fd;
    mcti_list_append(&s->locks, &lock->node);
    return 1;
}

/* Removes the lock file of a key without a text. */
static void file_lock_tidy(const struct mcti_file_store *s, const char *key)
{
    char text[MCT_FILE_NAME_BYTES], name[MCT_FILE_NAME_BYTES];
    struct stat st;
    int folder;
    if (mcti_file_store_name(key, ".json", text, NULL) < 0 || mcti_file_store_name(key, ".lock", name, NULL) < 0 ||
        mcti_file_store_folder(s, false, &folder, NULL) < 0 || folder < 0)
        return;
    if (fstatat(folder, text, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        unlinkat(folder, name, 0);
    close(folder);
}

/* A copy of the descriptor in a forked process must not keep the lock, so closing alone is not enough. */
static void file_lock_end(const struct mcti_file_store *s, struct file_lock *lock)
{
    file_lock_tidy(s, lock->key);
    flock(lock->fd, LOCK_UN);
    close(lock->fd);
    mcti_list_remove(&lock->node);
    free(lock);
}

void mcti_file_store_unlock(struct mcti_auth_store *store, const char *key)
{
    struct mcti_file_store *s = mcti_file_store_of(store);
    MCT_LIST_EACH(node, &s->locks)
        if (!strcmp(MCT_CONTAINER(node, struct file_lock, node)->key, key))
            file_lock_end(s, MCT_CONTAINER(node, struct file_lock, node));
}

void mcti_file_store_unlock_all(struct mcti_file_store *s)
{
    MCT_LIST_EACH(node, &s->locks)
        file_lock_end(s, MCT_CONTAINER(node, struct file_lock, node));
}
