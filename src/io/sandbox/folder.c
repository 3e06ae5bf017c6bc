/* The folder for temporary files of a sandbox. */
#include "io/sandbox/impl.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "mcptools-sandbox-"

enum { MAX_DEPTH = 64, MAX_FILES = 100000 }; /* the loop waits for the removal */

/* ---- removal ---- */

static bool remove_at(int parent, const char *name, int depth, unsigned *n_left);

static bool remove_entries(int fd, int depth, unsigned *n_left)
{
    DIR *d = fdopendir(fd);
    bool removed = d != NULL;
    if (!d)
        close(fd);
    for (struct dirent *e; d && removed && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            removed = remove_at(dirfd(d), e->d_name, depth + 1, n_left);
    if (d)
        closedir(d);
    return removed;
}

/* Removes a file or folder. A server may have taken its own rights to a folder. */
static bool remove_at(int parent, const char *name, int depth, unsigned *n_left)
{
    if (!*n_left || depth > MAX_DEPTH)
        return false;
    --*n_left;
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return true;
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int fd = openat(parent, name, flags);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, flags);
    if (fd < 0)
        return false;
    fchmod(fd, 0700);
    return remove_entries(fd, depth, n_left) && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

void mcti_sandbox_folder_remove(const char *path)
{
    unsigned n_left = MAX_FILES;
    remove_at(AT_FDCWD, path, 0, &n_left);
}

/* ---- creation ---- */

/* Returns where temporary files belong: $TMPDIR, or /tmp. */
static const char *folder_place(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given == '/' ? given : "/tmp";
}

/* Removes the folders of gateways of this user that have died. */
static void folder_remove_leftovers(const char *place)
{
    DIR *d = opendir(place);
    unsigned n_left = MAX_FILES;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        int pid;
        if (sscanf(e->d_name, PREFIX "%d-", &pid) == 1 && pid > 1 && kill(pid, 0) < 0 && errno == ESRCH &&
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid == geteuid())
            remove_at(dirfd(d), e->d_name, 0, &n_left);
    }
    if (d)
        closedir(d);
}

int mcti_sandbox_folder_make(struct mcti_sandbox *s, const char *label, struct mct_error *err)
{
    char name[32] = "";
    const char *place = folder_place();
    for (size_t i = 0; label[i] && i < sizeof name - 1; i++)
        name[i] = isalnum((unsigned char)label[i]) ? label[i] : '_';
    folder_remove_leftovers(place);
    if (asprintf(&s->folder, "%s/" PREFIX "%d-%s-XXXXXX", place, (int)getpid(), name) < 0) {
        s->folder = NULL;
        return mcti_no_memory(err);
    }
    if (mkdtemp(s->folder))
        return 0;
    mcti_fail(err, MCT_ERR_CONNECT, "sandbox: creating a folder for temporary files in %s: %s", place, strerror(errno));
    free(s->folder);
    s->folder = NULL;
    return -1;
}
