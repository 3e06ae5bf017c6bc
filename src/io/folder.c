#include "io/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

int mcti_folder_make(const char *path)
{
    struct stat st;
    char *part = strdup(path);
    for (char *slash = part && *part ? strchr(part + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0700); /* a failure that matters shows below */
        *slash = '/';
    }
    bool is_made = part && mkdir(part, 0700) == 0;
    int why = part ? errno : ENOMEM;
    free(part);
    if (is_made || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    errno = why == EEXIST ? ENOTDIR : why;
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
