#include "gateway/tasks/key.h"

#include "base/rand.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int key_fail(const char *path, struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
}

/* Returns 1 if the key was read, 0 if there is no file. */
static int key_read(const char *path, unsigned char ret[MCT_SEAL_KEY_BYTES], struct mct_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? 0 : key_fail(path, err);
    bool is_private = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077);
    ssize_t n = is_private ? read(fd, ret, MCT_SEAL_KEY_BYTES) : -1;
    close(fd);
    if (!is_private)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: other users may read it; remove it, and a new one is made", path);
    if (n != MCT_SEAL_KEY_BYTES)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: it is no key; remove it, and a new one is made", path);
    return 1;
}

/* Makes the file, unless another gateway was faster. */
static int key_write(const char *path, const unsigned char key[MCT_SEAL_KEY_BYTES], struct mct_error *err)
{
    char *draft = NULL, *folder = strdup(path);
    int fd = -1;
    if (!folder || asprintf(&draft, "%s.XXXXXX", path) < 0) {
        free(folder);
        return mcti_no_memory(err);
    }
    *strrchr(folder, '/') = '\0';
    if (mcti_folder_make(folder) == 0)
        fd = mkostemp(draft, O_CLOEXEC); /* with mode 0600 */
    int r = fd < 0 ? -1 : mcti_write_all(fd, (struct mcti_str){ (const char *)key, MCT_SEAL_KEY_BYTES });
    if (r == 0 && link(draft, path) < 0 && errno != EEXIST)
        r = -1;
    if (r < 0)
        key_fail(path, err);
    if (fd >= 0) {
        close(fd);
        unlink(draft);
    }
    free(draft);
    free(folder);
    return r;
}

int mcti_task_key_load_old(const char *path, unsigned char ret[MCT_SEAL_KEY_BYTES], struct mct_error *err)
{
    char *old = NULL;
    if (asprintf(&old, "%s" MCT_TASK_KEY_OLD, path) < 0)
        return mcti_no_memory(err);
    int r = key_read(old, ret, err);
    free(old);
    return r;
}

int mcti_task_key_load(const char *path, unsigned char ret[MCT_SEAL_KEY_BYTES], struct mct_error *err)
{
    int r = key_read(path, ret, err);
    if (r)
        return r < 0 ? -1 : 0;
    mcti_random(ret, MCT_SEAL_KEY_BYTES);
    if (key_write(path, ret, err) < 0)
        return -1;
    return key_read(path, ret, err) == 1 ? 0 : -1;
}
