#include "io/folder.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0 if there is such a folder now, otherwise what prevents it. */
static int folder_make_one(const char *path)
{
    struct stat st;
    int why = mkdir(path, 0700) == 0 ? 0 : errno;
    if (!why || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    return why == EEXIST ? ENOTDIR : why;
}

int mcti_folder_make(const char *path)
{
    char *part = strdup(path);
    int first = 0, last;
    for (char *slash = part && *part ? strchr(part + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int why = folder_make_one(part);
        first = first ? first : why;
        *slash = '/';
    }
    last = part ? folder_make_one(part) : ENOMEM;
    free(part);
    if (!last)
        return 0;
    errno = first ? first : last; /* the others follow from the first */
    return -1;
}

int mcti_write_all(int fd, struct mcti_str bytes)
{
    while (bytes.len) {
        ssize_t n = write(fd, bytes.p, bytes.len);
        if (n < 0 && errno != EINTR)
            return -1;
        n = n < 0 ? 0 : n;
        bytes = (struct mcti_str){ bytes.p + n, bytes.len - (size_t)n };
    }
    return 0;
}
