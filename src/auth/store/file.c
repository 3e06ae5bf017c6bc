/*
 * The kind "file": one file KEY.json for each text in a folder of the user, which no other user can read. A text is
 * written to a new file that replaces the old one after it is on disk, so that a crash leaves either of them. The new
 * file is locked while it is written; those without a lock were left by processes that died.
 */
#include "auth/store/impl.h"
#include "base/rand.h"
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_unfinished[] = ".new-";

enum { FILE_TRIES = 8, FILE_MODE = 0600, UNFINISHED_BYTES = 48 };

struct mcti_file_store *mcti_file_store_of(struct mcti_auth_store *s)
{
    return MCT_CONTAINER(s, struct mcti_file_store, base);
}

/* ---- errors ---- */

static const struct {
    int code;
    const char *advice;
} file_advices[] = {
    { ENOSPC, "; free space on this disk" },
    { EDQUOT, "; free space: your quota of this disk is used up" },
    { EFBIG, "; raise the limit of file sizes (ulimit -f)" },
    { EROFS, "; make it writable, or use the store \"memory\"" },
    { EACCES, "; the user of this process needs access to it" },
    { EPERM, "; the user of this process needs access to it" },
    { ELOOP, "; symbolic links are not followed: replace it by a file" },
};

int mcti_file_store_fail(const struct mcti_file_store *s, const char *name, struct mct_error *err)
{
    int code = errno;
    const char *advice = "";
    for (size_t i = 0; i < sizeof file_advices / sizeof *file_advices; i++)
        if (file_advices[i].code == code)
            advice = file_advices[i].advice;
    if (code == ENOMEM)
        return mcti_no_memory(err);
    return mcti_fail(err, MCT_ERR_INTERNAL, "stored logins: %s%s%s: %s%s", s->folder, name ? "/" : "", name ? name : "",
                     strerror(code), advice);
}

/* ---- the folder ---- */

/* Other users who can write to the folder could replace its files. */
static int file_check_folder(const struct mcti_file_store *s, int fd, struct mct_error *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return mcti_file_store_fail(s, NULL, err);
    if (st.st_uid != geteuid())
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "stored logins: the folder %s belongs to user %u, not to user %u, who runs this process; use "
                         "another folder",
                         s->folder, (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & 022)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "stored logins: the mode %04o of the folder %s lets other users replace its files; run: "
                         "chmod 700 %s",
                         (unsigned)st.st_mode & 07777, s->folder, s->folder);
    return 0;
}

int mcti_file_store_folder(const struct mcti_file_store *s, bool make, int *ret_fd, struct mct_error *err)
{
    *ret_fd = -1;
    if (make && mcti_folder_make(s->folder) < 0)
        return mcti_file_store_fail(s, NULL, err);
    int fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT && !make ? 0 : mcti_file_store_fail(s, NULL, err);
    if (file_check_folder(s, fd, err) < 0) {
        close(fd);
        return -1;
    }
    *ret_fd = fd;
    return 0;
}

/* ---- names ---- */

int mcti_file_store_name(const char *key, const char *suffix, char ret[MCT_FILE_NAME_BYTES], struct mct_error *err)
{
    if (!mcti_auth_key_is_valid(mcti_str_of(key)))
        return mcti_fail(err, MCT_ERR_INTERNAL, "stored logins: '%.70s' is no key", key);
    snprintf(ret, MCT_FILE_NAME_BYTES, "%s%s", key, suffix);
    return 0;
}

struct mcti_str mcti_file_store_key(const char *name)
{
    size_t n = strcspn(name, ".");
    struct mcti_str key = { name, n };
    return mcti_auth_key_is_valid(key) && !strcmp(name + n, ".json") ? key : MCT_STR_NONE;
}

/* ---- loading ---- */

/* Refuses a file that other users can read, or have written. */
static int file_check(const struct mcti_file_store *s, const char *name, const struct stat *st, struct mct_error *err)
{
    if (!S_ISREG(st->st_mode))
        return mcti_fail(err, MCT_ERR_CONFIG, "stored logins: %s/%s is no file; remove it", s->folder, name);
    if (st->st_uid != geteuid())
        return mcti_fail(
            err, MCT_ERR_CONFIG,
            "stored logins: %s/%s belongs to user %u, not to user %u, who runs this process; remove it and "
            "log in again",
            s->folder, name, (unsigned)st->st_uid, (unsigned)geteuid());
    if (st->st_mode & 077)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "stored logins: the mode %04o of %s/%s lets other users read or change it; run: chmod 600 "
                         "%s/%s",
                         (unsigned)st->st_mode & 07777, s->folder, name, s->folder, name);
    if (st->st_size > MCT_LIMIT_AUTH_BYTES)
        return mcti_fail(
            err, MCT_ERR_CONFIG,
            "stored logins: %s/%s has more than 1 MiB, so this program did not write it; remove it and log "
            "in again",
            s->folder, name);
    return 0;
}

static int file_read_all(const struct mcti_file_store *s, const char *name, int fd, struct mcti_buf *ret,
                         struct mct_error *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return mcti_file_store_fail(s, name, err);
    if (file_check(s, name, &st, err) < 0)
        return -1;
    size_t left = (size_t)st.st_size;
    if (left && !mcti_buf_reserve(ret, left))
        return mcti_no_memory(err);
    for (ssize_t n = 1; left && n; left -= (size_t)n, ret->len += (size_t)n) {
        n = read(fd, ret->p + ret->len, left);
        if (n < 0)
            return mcti_file_store_fail(s, name, err);
    }
    return 0;
}

/* Refuses a sealed text where plain ones are expected: it would look damaged. */
static int file_check_seal(const struct mcti_file_store *s, const char *name, const struct mcti_buf *b, size_t from,
                           struct mct_error *err)
{
    bool is_sealed =
        b->len > from && mcti_str_starts(mcti_str_range(b->p + from, b->p + b->len), MCT_STR(MCT_SEALED_HEAD));
    if (s->is_sealed || !is_sealed)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "stored logins: %s/%s is sealed; use the store \"secret-service\", or remove it and log in again",
                     s->folder, name);
}

static int file_load_at(const struct mcti_file_store *s, int folder, const char *name, struct mcti_buf *ret,
                        struct mct_error *err)
{
    size_t before = ret->len;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : mcti_file_store_fail(s, name, err);
    int r = file_read_all(s, name, fd, ret, err);
    if (r == 0)
        r = file_check_seal(s, name, ret, before, err);
    if (r < 0)
        ret->len = before;
    close(fd);
    return r;
}

static int file_load(struct mcti_auth_store *store, const char *key, struct mcti_buf *ret, struct mct_error *err)
{
    const struct mcti_file_store *s = mcti_file_store_of(store);
    char name[MCT_FILE_NAME_BYTES];
    int folder;
    if (mcti_file_store_name(key, ".json", name, err) < 0 || mcti_file_store_folder(s, false, &folder, err) < 0)
        return -1;
    if (folder < 0)
        return 0;
    int r = file_load_at(s, folder, name, ret, err);
    close(folder);
    return r;
}

/* ---- files of processes that died ---- */

/* Calls `each` for the names in the folder. Returns -1 and sets errno on failure; when `each` returns false, it is out
 * of memory. */
static int file_each(int folder, bool (*each)(void *data, int folder, const char *name), void *data)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    bool ok = true;
    for (struct dirent *e = readdir(d); ok && e; e = readdir(d))
        ok = each(data, folder, e->d_name);
    closedir(d);
    if (!ok)
        errno = ENOMEM;
    return ok ? 0 : -1;
}

static bool file_sweep_one(void *data, int folder, const char *name)
{
    (void)data;
    if (strncmp(name, file_unfinished, sizeof file_unfinished - 1) != 0)
        return true;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    if (fd >= 0)
        close(fd);
    return true;
}

/* ---- saving ---- */

/* Creates a locked file and writes its name to `name`. Returns -1 and sets errno on failure. */
static int file_create(int folder, char name[UNFINISHED_BYTES])
{
    for (int i = 0; i < FILE_TRIES; i++) {
        char id[33];
        struct stat st;
        mcti_random_id(id);
        snprintf(name, UNFINISHED_BYTES, "%s%s", file_unfinished, id);
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
        if (fd < 0)
            return -1;
        bool is_swept = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
        if (!is_swept && fstat(fd, &st) == 0 && st.st_nlink)
            return fd;
        close(fd); /* another process took it for a left one before the lock was there */
    }
    errno = EAGAIN;
    return -1;
}

/* Returns -1 and sets errno on failure. */
static int file_write_all(int fd, struct mcti_str text)
{
    if (fchmod(fd, FILE_MODE) < 0) /* whatever the umask is */
        return -1;
    return mcti_write_all(fd, text) < 0 ? -1 : fsync(fd);
}

/* Puts the names of the folder on disk. Some file systems cannot do that for a folder. */
static int file_sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1;
}

static int file_replace(int folder, const char *name, struct mcti_str text)
{
    char fresh[UNFINISHED_BYTES];
    file_each(folder, file_sweep_one, NULL);
    int fd = file_create(folder, fresh);
    if (fd < 0)
        return -1;
    int r = file_write_all(fd, text);
    r = r == 0 ? renameat(folder, fresh, folder, name) : r;
    int code = errno;
    if (r < 0)
        unlinkat(folder, fresh, 0);
    close(fd);
    errno = code;
    return r < 0 ? -1 : file_sync_folder(folder);
}

static int file_remove(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) < 0)
        return errno == ENOENT ? 0 : -1;
    return file_sync_folder(folder);
}

static int file_save(struct mcti_auth_store *store, const char *key, struct mcti_str text, struct mct_error *err)
{
    const struct mcti_file_store *s = mcti_file_store_of(store);
    char name[MCT_FILE_NAME_BYTES];
    int folder;
    if (text.len > MCT_LIMIT_AUTH_BYTES)
        return mcti_fail(err, MCT_ERR_LIMIT, "stored logins: a login has more than 1 MiB");
    if (mcti_file_store_name(key, ".json", name, err) < 0 ||
        mcti_file_store_folder(s, text.p != NULL, &folder, err) < 0)
        return -1;
    if (folder < 0)
        return 0;
    int r = text.p ? file_replace(folder, name, text) : file_remove(folder, name);
    if (r < 0)
        r = mcti_file_store_fail(s, name, err);
    close(folder);
    return r;
}

/* ---- listing ---- */

static bool file_list_one(void *data, int folder, const char *name)
{
    struct mcti_str key = mcti_file_store_key(name);
    (void)folder;
    return !key.p || mcti_strings_add(data, key) == 0;
}

static int file_list(struct mcti_auth_store *store, struct mcti_strings *ret, struct mct_error *err)
{
    const struct mcti_file_store *s = mcti_file_store_of(store);
    int folder, r = 0;
    if (mcti_file_store_folder(s, false, &folder, err) < 0)
        return -1;
    if (folder >= 0 && file_each(folder, file_list_one, ret) < 0)
        r = mcti_file_store_fail(s, NULL, err);
    if (folder >= 0)
        close(folder);
    return r;
}

/* ---- the store ---- */

static void file_free(struct mcti_auth_store *store)
{
    struct mcti_file_store *s = mcti_file_store_of(store);
    mcti_file_store_unwatch(s);
    mcti_file_store_unlock_all(s);
    free(s->folder);
    free(s);
}

static const struct mcti_auth_store_ops file_ops = {
    .name = "file",
    .load = file_load,
    .save = file_save,
    .lock = mcti_file_store_lock,
    .unlock = mcti_file_store_unlock,
    .list = file_list,
    .watch = mcti_file_store_watch,
    .free = file_free,
};

/* Returns the folder for a user who configures none, or NULL and sets *err. */
static char *file_folder(struct mct_error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int r = 0;
    if (state && *state == '/')
        r = asprintf(&path, "%s/mcptools/credentials", state);
    else if (home && *home == '/')
        r = asprintf(&path, "%s/.local/state/mcptools/credentials", home);
    else
        mcti_fail(err, MCT_ERR_CONFIG,
                  "stored logins: no folder: set HOME or XDG_STATE_HOME to an absolute path, or use the store "
                  "\"memory\"");
    if (r < 0)
        mcti_no_memory(err);
    return r < 0 ? NULL : path;
}

struct mcti_auth_store *mcti_auth_store_files(const char *folder, bool is_sealed, struct mct_error *err)
{
    struct mcti_file_store *s = calloc(1, sizeof *s);
    char *path = folder ? strdup(folder) : file_folder(err);
    if (!s || (folder && !path))
        mcti_no_memory(err);
    if (!s || !path) {
        free(path);
        free(s);
        return NULL;
    }
    s->base.ops = &file_ops;
    s->folder = path;
    s->is_sealed = is_sealed;
    mcti_list_init(&s->locks);
    return &s->base;
}

struct mcti_auth_store *mcti_auth_store_file(const char *folder, struct mct_error *err)
{
    return mcti_auth_store_files(folder, false, err);
}
