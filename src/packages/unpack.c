/* Unpacks an archive into a folder. */
#include "packages/zip.h"

#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int unpack_fail(struct mct_error *err, const char *path)
{
    return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
}

/* Creates the folders in front of the last part of a path below `at`. */
static int unpack_make_parents(int at, const char *path, mode_t mode, struct mct_error *err)
{
    char *folder = strdup(path);
    int r = folder ? 0 : mcti_no_memory(err);
    for (char *p = folder ? folder + 1 : NULL; r == 0 && (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdirat(at, folder, mode) < 0 && errno != EEXIST)
            r = unpack_fail(err, folder);
        *p = '/';
    }
    free(folder);
    return r;
}

struct unpack_file {
    int fd;
    const char *name;
};

static int unpack_take(void *data, struct mcti_str part, struct mct_error *err)
{
    const struct unpack_file *f = data;
    return mcti_write_all(f->fd, part) < 0 ? unpack_fail(err, f->name) : 0;
}

static int unpack_entry(int at, const struct mcti_zip_entry *e, struct mct_error *err)
{
    if (unpack_make_parents(at, e->name, 0755, err) < 0)
        return -1;
    if (e->is_folder)
        return mkdirat(at, e->name, 0755) < 0 && errno != EEXIST ? unpack_fail(err, e->name) : 0;
    struct unpack_file f = { .name = e->name };
    f.fd = openat(at, e->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, e->is_program ? 0755 : 0644);
    if (f.fd < 0)
        return unpack_fail(err, e->name);
    int r = mcti_zip_read(e, unpack_take, &f, err);
    if (close(f.fd) < 0 && r == 0)
        r = unpack_fail(err, e->name);
    return r;
}

static int unpack_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void mcti_zip_remove(const char *folder)
{
    nftw(folder, unpack_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int unpack_into(const struct mcti_zip *z, const char *folder, struct mct_error *err)
{
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
    if (at < 0)
        return unpack_fail(err, folder);
    for (size_t i = 0; i < z->n && r == 0; i++)
        r = unpack_entry(at, &z->v[i], err);
    close(at);
    return r;
}

/* Moves a folder to its place; what was there is removed afterwards. */
static int unpack_move(const char *fresh, const char *path, struct mct_error *err)
{
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        mcti_zip_remove(fresh);
        return 0;
    }
    if (rename(fresh, path) == 0)
        return 0;
    unpack_fail(err, path);
    mcti_zip_remove(fresh);
    return -1;
}

int mcti_zip_unpack(const struct mcti_zip *z, const char *path, struct mct_error *err)
{
    char *fresh = NULL;
    if (unpack_make_parents(AT_FDCWD, path, 0700, err) < 0)
        return -1;
    if (asprintf(&fresh, "%s.XXXXXX", path) < 0)
        return mcti_no_memory(err);
    int r = mkdtemp(fresh) ? unpack_into(z, fresh, err) : unpack_fail(err, fresh);
    if (r < 0)
        mcti_zip_remove(fresh);
    else
        r = unpack_move(fresh, path, err);
    free(fresh);
    return r;
}
