/* Where a file lies, and the variable that trusts whole folders. */
#include "config/trust/trust.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the real path of the folder that the file lies in; NULL with errno on failure. */
static char *real_folder(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash == file ? strdup("/") : slash ? mcti_str_dup(mcti_str_range(file, slash)) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    int code = errno;
    free(folder);
    errno = code;
    return real;
}

int mcti_trust_locate(const char *file, struct mcti_trust_location *ret, struct mct_error *err)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    *ret = (struct mcti_trust_location){ .path = NULL };
    char *folder = real_folder(file);
    if (!folder)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", file, strerror(errno));
    int n = asprintf(&ret->path, "%s%s%s", folder, strcmp(folder, "/") ? "/" : "", name);
    free(folder);
    if (n < 0) {
        ret->path = NULL;
        return mcti_no_memory(err);
    }
    ret->target = realpath(ret->path, NULL);
    if (!ret->target && errno == ENOMEM)
        return mcti_no_memory(err);
    if (ret->target && !strcmp(ret->target, ret->path)) {
        free(ret->target);
        ret->target = NULL;
    }
    return 0;
}

void mcti_trust_location_done(struct mcti_trust_location *l)
{
    free(l->path);
    free(l->target);
    *l = (struct mcti_trust_location){ .path = NULL };
}

/* Returns true if the path is `top` or lies below it. */
static bool is_below(const char *path, const char *top)
{
    size_t n = strlen(top);
    while (n && top[n - 1] == '/')
        n--;
    return !strncmp(path, top, n) && (!path[n] || path[n] == '/');
}

bool mcti_trust_has_variable(const struct mcti_trust_location *l)
{
    const char *list = getenv("MCPTOOLS_TRUST");
    struct mcti_str rest = list && *list ? mcti_str_of(list) : MCT_STR_NONE, part;
    bool has = false;
    while (!has && mcti_str_split(&rest, ':', &part)) {
        char *path = part.len && *part.p == '/' ? mcti_str_dup(part) : NULL;
        char *real = path ? realpath(path, NULL) : NULL;
        has = real && is_below(l->path, real) && (!l->target || is_below(l->target, real));
        free(path);
        free(real);
    }
    return has;
}
