#include "hub/catalogue/cache_file.h"

#include "io/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *mcti_cache_path(const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool is_set = cache && *cache == '/';
    char *path;
    if (!is_set && !(home && *home))
        return NULL;
    return asprintf(&path, "%s%s/mcptools/%s", is_set ? cache : home, is_set ? "" : "/.cache", name) < 0 ? NULL : path;
}

bool mcti_cache_read(const char *path, struct mcti_buf *to)
{
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    struct stat st;
    size_t n = 0;
    if (fd < 0)
        return false;
    bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    char *room =
        is_file && (uintmax_t)st.st_size <= to->max - to->len ? mcti_buf_reserve(to, (size_t)st.st_size) : NULL;
    for (ssize_t r = 1; room && r > 0 && n<(size_t)st.st_size; n += r> 0 ? (size_t)r : 0)
        r = read(fd, room + n, (size_t)st.st_size - n);
    close(fd);
    if (!room || n < (size_t)st.st_size)
        return false;
    to->len += n;
    return true;
}

static void cache_make_folders(const char *path)
{
    char part[4096];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if ((size_t)(slash - path) >= sizeof part)
            return;
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
}

void mcti_cache_write(const char *path, struct mcti_str text)
{
    char fresh[4096];
    if (!path || snprintf(fresh, sizeof fresh, "%s.XXXXXX", path) >= (int)sizeof fresh)
        return;
    cache_make_folders(path);
    int fd = mkstemp(fresh);
    if (fd < 0)
        return;
    bool ok = mcti_write_all(fd, text) == 0;
    ok = close(fd) == 0 && ok;
    if (!ok || rename(fresh, path) < 0)
        unlink(fresh);
}

void mcti_cache_touch(const char *path)
{
    if (path)
        utimensat(AT_FDCWD, path, NULL, 0);
}

void mcti_cache_prune(const char *folder, unsigned days)
{
    time_t oldest = time(NULL) - (time_t)days * 86400;
    DIR *d = folder ? opendir(folder) : NULL;
    struct stat st;
    for (const struct dirent *e; d && (e = readdir(d));)
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && st.st_mtime < oldest)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}
