/*
 * Files below a folder. The paths come from servers: each step is opened by itself and no link is followed, so nothing
 * outside of the folder is read or written, whatever else is in it.
 */
#include "cli/skills/skills.h"

#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static int folder_fail(const char *path, struct mct_error *err)
{
    bool is_link = errno == ELOOP || errno == ENOTDIR;
    return mcti_fail(err, errno == ENOMEM ? MCT_ERR_NO_MEMORY : MCT_ERR_INTERNAL, "%s: %s", path,
                     is_link ? "it, or a folder on its way, is a link or no folder" : strerror(errno));
}

int mcti_skills_folder_open(const char *path, bool create, struct mct_error *err)
{
    int fd = create && mcti_folder_make(path) < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? folder_fail(path, err) : fd;
}

/* Opens the folder that a file is in, one step after another, and sets *ret_name to the last segment. Returns -1 and
 * sets errno. */
static int folder_walk(int folder, const char *path, bool create, const char **ret_name)
{
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        char *step = strndup(path, (size_t)(slash - path));
        if (step && create)
            mkdirat(fd, step, 0700); /* a failure that matters shows below */
        int next = step ? openat(fd, step, FOLDER_FLAGS) : -1, why = step ? errno : ENOMEM;
        free(step);
        close(fd);
        errno = why;
        fd = next;
    }
    *ret_name = path;
    return fd;
}

/* Reads all of a regular file. Returns -1 and sets errno. */
static int folder_read_all(int fd, struct mcti_buf *to)
{
    struct stat st;
    ssize_t n = 1;
    if (fstat(fd, &st) < 0)
        return -1;
    errno = EINVAL;
    while (S_ISREG(st.st_mode) && n > 0) {
        char part[16384];
        n = read(fd, part, sizeof part);
        if (n > 0)
            mcti_buf_add(to, (struct mcti_str){ part, (size_t)n });
        if (n > 0 && !mcti_buf_ok(to))
            n = (errno = EFBIG, -1);
    }
    return n ? -1 : 0;
}

int mcti_skills_folder_read(int folder, const char *path, struct mcti_buf *to, struct mct_error *err)
{
    const char *name;
    int in = folder_walk(folder, path, false, &name);
    int fd = in < 0 ? -1 : openat(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), why = errno;
    if (in >= 0)
        close(in);
    if (fd < 0 && why == ENOENT)
        return 1;
    int r = fd < 0 ? -1 : folder_read_all(fd, to);
    why = fd < 0 ? why : errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return r < 0 ? folder_fail(path, err) : 0;
}

/* Writes a new file and gives it its name. Returns -1 and sets errno. */
static int folder_put(int in, const char *name, struct mcti_str bytes)
{
    static const char fresh[] = ".mcptools-new";
    unlinkat(in, fresh, 0);
    int fd = openat(in, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int r = mcti_write_all(fd, bytes);
    if (close(fd) < 0 || r < 0 || renameat(in, fresh, in, name) < 0) {
        int why = errno;
        unlinkat(in, fresh, 0);
        errno = why;
        return -1;
    }
    return 0;
}

int mcti_skills_folder_write(int folder, const char *path, struct mcti_str bytes, struct mct_error *err)
{
    const char *name;
    int in = folder_walk(folder, path, true, &name);
    int r = in < 0 ? -1 : folder_put(in, name, bytes), why = errno;
    if (in >= 0)
        close(in);
    errno = why;
    return r < 0 ? folder_fail(path, err) : 0;
}

void mcti_skills_folder_remove(int folder, const char *path)
{
    char *part = strdup(path);
    int flags = 0;
    for (bool removed = part != NULL; removed && *part;) {
        const char *name;
        int in = folder_walk(folder, part, false, &name);
        removed = in >= 0 && unlinkat(in, name, flags) == 0;
        if (in >= 0)
            close(in);
        char *slash = strrchr(part, '/');
        *(slash ? slash : part) = '\0';
        flags = AT_REMOVEDIR;
    }
    free(part);
}
