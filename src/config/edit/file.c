/* Edits of files. The lock is one on the folder, which stays the same file while its files are replaced, and leaves
 * nothing behind. */
#include "config/edit/edit.h"

#include "base/rand.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 5000, LOCK_PAUSE_MS = 10, EDIT_LATE = 1 };

/* A file being edited, in its folder. */
struct target {
    char *path; /* of the file itself, if the job's path is a link; owned */
    const char *name;
    char *parent; /* the path of the folder; owned */
    int folder;   /* locked; -1: not there */
    struct stat st;
    bool exists;
};

static int target_fail(const struct target *t, struct mct_error *err, const char *what)
{
    int code = errno;
    return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s%s%s", t->path, what, *what ? ": " : "", strerror(code));
}

/* ---- the folder ---- */

/* Sets the parts of the path. */
static int target_split(struct target *t, struct mct_error *err)
{
    const char *slash = strrchr(t->path, '/');
    size_t len = slash == t->path ? 1 : slash ? (size_t)(slash - t->path) : 0;
    t->name = slash ? slash + 1 : t->path;
    t->parent = slash ? mcti_str_dup((struct mcti_str){ t->path, len }) : strdup(".");
    return t->parent ? 0 : mcti_no_memory(err);
}

/* Sets the path to that of the file itself. */
static int target_resolve(struct target *t, const char *path, struct mct_error *err)
{
    struct stat st;
    t->path = realpath(path, NULL);
    if (t->path)
        return target_split(t, err);
    int code = errno;
    t->path = strdup(path);
    if (!t->path)
        return mcti_no_memory(err);
    errno = code;
    if (code != ENOENT)
        return target_fail(t, err, "");
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: is a link to a file that does not exist", path);
    return target_split(t, err);
}

/* Waits until no other process has the lock. File systems without locks are used without. */
static int target_lock(const struct target *t, struct mct_error *err)
{
    static const struct timespec pause = { .tv_nsec = LOCK_PAUSE_MS * 1000000L };
    for (int waited = 0; flock(t->folder, LOCK_EX | LOCK_NB) < 0; waited += LOCK_PAUSE_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return 0;
        if (waited >= LOCK_WAIT_MS)
            return mcti_fail(err, MCT_ERR_CONFIG, "%s: another mcptools is editing files of this folder; try again",
                             t->path);
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Opens and locks the folder; it may be missing. */
static int target_open(struct target *t, struct mct_error *err)
{
    t->folder = open(t->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->folder < 0)
        return errno == ENOENT ? 0 : target_fail(t, err, "");
    return target_lock(t, err);
}

/* Creates the folder, which is missing. */
static int target_make_folder(struct target *t, struct mct_error *err)
{
    if (mcti_folder_make(t->parent) < 0)
        return target_fail(t, err, "its folder cannot be created");
    return target_open(t, err);
}

static void target_done(struct target *t)
{
    if (t->folder >= 0)
        close(t->folder); /* ends the lock */
    free(t->parent);
    free(t->path);
}

/* ---- reading ---- */

static int target_read_all(const struct target *t, int fd, struct mcti_buf *ret, struct mct_error *err)
{
    for (;;) {
        char *at = mcti_buf_reserve(ret, 65536);
        ssize_t n = at && ret->len <= MCT_EDIT_MAX_BYTES ? read(fd, at, 65536) : -2;
        if (n == -2)
            return mcti_fail(err, MCT_ERR_LIMIT, "%s: is larger than 16 MiB", t->path);
        if (n < 0 && errno != EINTR)
            return target_fail(t, err, "cannot be read");
        if (n == 0)
            return 0;
        ret->len += n > 0 ? (size_t)n : 0;
    }
}

/* Reads the file into *ret, which is empty; the file may be missing. */
static int target_read(struct target *t, struct mcti_buf *ret, struct mct_error *err)
{
    int fd = t->folder < 0 ? -1 : openat(t->folder, t->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    t->exists = fd >= 0;
    if (fd < 0)
        return t->folder < 0 || errno == ENOENT ? 0 : target_fail(t, err, "");
    int r = fstat(fd, &t->st) < 0 ? target_fail(t, err, "") : 0;
    if (r == 0 && !S_ISREG(t->st.st_mode))
        r = mcti_fail(err, MCT_ERR_CONFIG, "%s: is not a regular file", t->path);
    if (r == 0)
        r = target_read_all(t, fd, ret, err);
    close(fd);
    return r;
}

/* ---- writing ---- */

/* Gives the new file the mode and the owner of the old one. */
static int keep_owner(const struct target *t, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -1;
    if (t->exists && (st.st_uid != t->st.st_uid || st.st_gid != t->st.st_gid) &&
        fchown(fd, t->st.st_uid, t->st.st_gid) < 0)
        return -1;
    return fchmod(fd, t->exists ? t->st.st_mode & 07777 : 0600);
}

/* Fails if the file is not what was read. */
static int target_compare(const struct target *t, struct mcti_str before, struct mct_error *err)
{
    struct target now = *t;
    struct mcti_buf text;
    mcti_buf_init(&text, 2 * MCT_EDIT_MAX_BYTES);
    int r = target_read(&now, &text, err);
    if (r == 0 && (now.exists != t->exists || !mcti_str_eq(mcti_buf_str(&text), before)))
        r = mcti_fail(err, MCT_ERR_CONFIG,
                      "%s: another program has changed the file meanwhile; nothing was written, "
                      "try again",
                      t->path);
    mcti_buf_done(&text);
    return r;
}

static int target_replace(struct target *t, const struct mcti_edit_outcome *o, struct mct_error *err)
{
    char id[33], fresh[48];
    mcti_random_id(id);
    snprintf(fresh, sizeof fresh, ".mcptools-%s", id);
    int fd = openat(t->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return target_fail(t, err, "cannot be written");
    int r = keep_owner(t, fd) < 0 || mcti_write_all(fd, mcti_buf_str(&o->after)) < 0 || fsync(fd) < 0
                ? target_fail(t, err, "cannot be written")
                : 0;
    close(fd);
    if (r == 0)
        r = target_compare(t, mcti_buf_str(&o->before), err);
    if (r == 0 && renameat(t->folder, fresh, t->folder, t->name) < 0)
        r = target_fail(t, err, "cannot be replaced");
    if (r < 0)
        unlinkat(t->folder, fresh, 0);
    else
        fsync(t->folder); /* some file systems cannot; the file is complete in any case */
    return r;
}

/* ---- the edit ---- */

/* Returns 0, -1, or EDIT_LATE: the folder was missing, and the file was written before the new folder was locked. */
static int target_edit(struct target *t, const struct mcti_edit_job *job, struct mcti_edit_outcome *o,
                       struct mct_error *err)
{
    struct mcti_edit e;
    mcti_edit_init(&e, job->path, mcti_buf_str(&o->before));
    e.strict = job->strict;
    int r = job->edit(job->data, &e, err);
    o->after = e.text;
    o->changed = r == 0 && !mcti_str_eq(mcti_buf_str(&o->before), mcti_buf_str(&o->after));
    o->created = o->changed && !t->exists;
    if (r < 0 || !o->changed || job->dry_run)
        return r;
    if (t->exists && faccessat(t->folder, t->name, W_OK, AT_EACCESS) < 0)
        return target_fail(t, err, "cannot be written");
    bool was_missing = t->folder < 0;
    if (was_missing && target_make_folder(t, err) < 0)
        return -1;
    if (was_missing && faccessat(t->folder, t->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return EDIT_LATE;
    return target_replace(t, o, err);
}

static void outcome_init(struct mcti_edit_outcome *o)
{
    *o = (struct mcti_edit_outcome){ .changed = false };
    mcti_buf_init(&o->before, 2 * MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&o->after, 2 * MCT_EDIT_MAX_BYTES);
}

int mcti_edit_file(const struct mcti_edit_job *job, struct mcti_edit_outcome *ret, struct mct_error *err)
{
    struct target t = { .folder = -1 };
    outcome_init(ret);
    int r = target_resolve(&t, job->path, err);
    if (r == 0)
        r = target_open(&t, err);
    if (r == 0)
        r = target_read(&t, &ret->before, err);
    if (r == 0)
        r = target_edit(&t, job, ret, err);
    if (r == EDIT_LATE) {
        mcti_edit_outcome_done(ret);
        outcome_init(ret);
        r = target_read(&t, &ret->before, err) < 0 ? -1 : target_edit(&t, job, ret, err);
    }
    target_done(&t);
    return r;
}

void mcti_edit_outcome_done(struct mcti_edit_outcome *o)
{
    mcti_buf_done(&o->before);
    mcti_buf_done(&o->after);
}
