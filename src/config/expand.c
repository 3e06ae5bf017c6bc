#include "config/expand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_EXPANDED = 1 << 20 };

static bool expand_is_name(struct mcti_str s)
{
    if (!s.len || (s.p[0] >= '0' && s.p[0] <= '9'))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", s.p[i]))
            return false;
    return true;
}

/* ---- files with secrets ---- */

enum { MAX_SECRET = 1 << 16 };

static bool is_inside(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    while (n && folder[n - 1] == '/')
        n--;
    return n && !strncmp(path, folder, n) && path[n] == '/';
}

/* Returns true for a path without ".." that is relative, or in one of the folders for secrets. */
static bool is_secret_path(const char *path)
{
    char *here = getcwd(NULL, 0), *secrets = NULL;
    const char *p = path;
    bool is_up = false;
    for (size_t n; *p && !is_up; p += n + (p[n] == '/')) {
        n = strcspn(p, "/");
        is_up = n == 2 && p[0] == '.' && p[1] == '.';
    }
    if (here && asprintf(&secrets, "%s/secrets", here) < 0)
        secrets = NULL;
    bool ok = !is_up && *path &&
              (*path != '/' || is_inside(path, "/run/secrets") || is_inside(path, "/var/run/secrets") ||
               is_inside(path, secrets) || is_inside(path, getenv("CONFIG_SECRETS_DIR")));
    free(secrets);
    free(here);
    return ok;
}

/* Appends the text of a file, without white space at its ends. */
static int expand_file(struct mcti_str name, struct mcti_buf *to, struct mct_error *err)
{
    char *path = mcti_str_dup(name), *text = NULL;
    int r = path ? 0 : mcti_no_memory(err);
    if (r == 0 && !is_secret_path(path))
        r = mcti_fail(err, MCT_ERR_CONFIG,
                      "${file:%s}: only files without \"..\" are read, below the working directory, /run/secrets, "
                      "/var/run/secrets, ./secrets or $CONFIG_SECRETS_DIR",
                      path);
    FILE *f = r == 0 ? fopen(path, "re") : NULL;
    if (r == 0 && !f)
        r = mcti_fail(err, MCT_ERR_CONFIG, "${file:%s}: %s", path, strerror(errno));
    text = f ? malloc(MAX_SECRET) : NULL;
    size_t n = f && text ? fread(text, 1, MAX_SECRET, f) : 0;
    if (f && (!text || ferror(f) || n == MAX_SECRET))
        r = mcti_fail(err, MCT_ERR_CONFIG, "${file:%s}: cannot be read, or is larger than 64 KiB", path);
    if (r == 0)
        mcti_buf_add(to, mcti_str_trim_white((struct mcti_str){ text ? text : "", n }));
    if (f)
        fclose(f);
    free(text);
    free(path);
    return r;
}

/* ---- variables ---- */

/* Expands the variable at "${" into `to`. Returns the position after its '}'; on failure returns NULL and sets *err. */
static const char *expand_one(const char *p, struct mcti_buf *to, struct mct_error *err)
{
    const char *close = strchr(p, '}');
    if (!close) {
        mcti_fail(err, MCT_ERR_CONFIG, "\"${\" without \"}\" in \"%s\"", p);
        return NULL;
    }
    struct mcti_str inside = mcti_str_range(p + 2, close), name = inside;
    if (mcti_str_starts(inside, MCT_STR("!file:")))
        return expand_file(mcti_str_range(p + 8, close), to, err) < 0 ? NULL : close + 1;
    const char *dash = NULL;
    for (const char *c = inside.p; c + 1 < close && !dash; c++)
        if (c[0] == ':' && c[1] == '-')
            dash = c;
    if (dash)
        name = mcti_str_range(inside.p, dash);
    if (!expand_is_name(name)) {
        mcti_fail(err, MCT_ERR_CONFIG, "\"${%.*s}\": invalid name of a variable", MCT_STR_ARG(inside));
        return NULL;
    }
    char *name_z = mcti_str_dup(name);
    const char *value = name_z ? getenv(name_z) : NULL;
    free(name_z);
    if (!name_z) {
        mcti_no_memory(err);
        return NULL;
    }
    if (value && (*value || !dash)) {
        mcti_buf_addz(to, value);
    } else if (dash) {
        mcti_buf_add(to, mcti_str_range(dash + 2, close));
    } else {
        mcti_fail(err, MCT_ERR_CONFIG,
                  "the environment variable %.*s is not set; set it or write "
                  "${%.*s:-default}",
                  MCT_STR_ARG(name), MCT_STR_ARG(name));
        return NULL;
    }
    return close + 1;
}

char *mcti_expand(const char *text, struct mct_error *err)
{
    struct mcti_buf to;
    mcti_buf_init(&to, MAX_EXPANDED);
    for (const char *p = text; *p;) {
        if (p[0] == '$' && p[1] == '$' && p[2] == '{') {
            mcti_buf_addz(&to, "${");
            p += 3;
        } else if (p[0] == '$' && p[1] == '{') {
            p = expand_one(p, &to, err);
            if (!p) {
                mcti_buf_done(&to);
                return NULL;
            }
        } else {
            mcti_buf_addc(&to, *p++);
        }
    }
    char *out = mcti_buf_take(&to);
    if (!out)
        mcti_fail(err, MCT_ERR_CONFIG, "the expanded text is too long");
    return out;
}

char *mcti_expand_path(const char *text, struct mct_error *err)
{
    char *path = mcti_expand(text, err);
    const char *home = getenv("HOME");
    struct mcti_buf to;
    if (!path || path[0] != '~' || (path[1] && path[1] != '/'))
        return path;
    if (!home) {
        mcti_fail(err, MCT_ERR_CONFIG, "'%s': HOME is not set: set it, or write the whole path", path);
        free(path);
        return NULL;
    }
    mcti_buf_init(&to, MAX_EXPANDED);
    mcti_buf_addz(&to, home);
    mcti_buf_addz(&to, path + 1);
    free(path);
    return mcti_buf_take(&to);
}

char *mcti_expand_from(const char *text, const char *file, struct mct_error *err)
{
    char *path = mcti_expand_path(text, err), *folder = NULL, *full = NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!path || path[0] == '/')
        return path;
    folder = slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
    char *base = folder ? realpath(folder, NULL) : NULL;
    if (!base || asprintf(&full, "%s/%s", base, path) < 0) {
        full = NULL;
        mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", folder ? folder : "", strerror(errno));
    }
    free(base);
    free(folder);
    free(path);
    return full;
}
