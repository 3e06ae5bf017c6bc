#include "config/expand/expand.h"

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

/* ---- variables ---- */

/* Expands the variable at "${" into `to`. Returns the position after its '}'; on failure returns NULL and sets *err. */
static const char *expand_one(const char *p, struct mcti_buf *to, struct mct_error *err)
{
    const char *close = mcti_expand_end(p);
    if (!close) {
        mcti_fail(err, MCT_ERR_CONFIG, "\"${\" without \"}\""); /* the text may be a secret */
        return NULL;
    }
    struct mcti_str inside = mcti_str_range(p + 2, close), name = inside;
    int found = mcti_expand_secret(inside, to, err);
    if (found)
        return found < 0 ? NULL : close + 1;
    const char *dash = NULL;
    for (const char *c = inside.p; c + 1 < close && !dash; c++)
        if (c[0] == ':' && c[1] == '-')
            dash = c;
    if (dash)
        name = mcti_str_range(inside.p, dash);
    if (dash && memmem(dash, (size_t)(close - dash), "${", 2)) {
        mcti_fail(err, MCT_ERR_CONFIG, "\"${%.*s:-…}\": a default cannot have variables", MCT_STR_ARG(name));
        return NULL;
    }
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
    mcti_buf_init_secret(&to, MAX_EXPANDED);
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
    path = mcti_buf_take(&to);
    if (!path)
        mcti_no_memory(err);
    return path;
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

/* ---- paths of "${file:PATH}" ---- */

/* Returns the position of the path if "${" at `p` names a file relative to a folder, else NULL. */
static const char *expand_relative(const char *p)
{
    const char *path = strncmp(p, "${file:", 7) == 0 ? p + 7 : NULL;
    return path && *path && !strchr("/~-}", *path) ? path : NULL; /* "${file:-x}" is a variable */
}

/* Returns a copy of the text with `folder` in front of relative paths; NULL when out of memory. */
static char *expand_anchored(const char *text, struct mcti_str folder)
{
    struct mcti_buf to;
    mcti_buf_init(&to, MAX_EXPANDED);
    for (const char *p = text; *p;) {
        bool is_literal = !strncmp(p, "$${", 3);
        const char *end = !is_literal && !strncmp(p, "${", 2) ? mcti_expand_end(p) : NULL;
        const char *path = end ? expand_relative(p) : NULL;
        const char *next = end ? end + 1 : p + (is_literal ? 3 : 1);
        if (path)
            mcti_buf_printf(&to, "${file:%.*s/", MCT_STR_ARG(folder));
        mcti_buf_add(&to, mcti_str_range(path ? path : p, next));
        p = next;
    }
    char *anchored = mcti_buf_take(&to);
    mcti_buf_done(&to);
    return anchored;
}

/* Returns true if the text has a "${file:PATH}" whose path is relative to a folder. */
static bool expand_has_relative(const char *text)
{
    for (const char *p = text; p && (p = strstr(p, "${file:")); p++)
        if (expand_relative(p))
            return true;
    return false;
}

int mcti_expand_anchor(char **text, const char *file)
{
    if (!expand_has_relative(*text))
        return 0;
    char *here = mcti_expand_from(".", file, NULL), *anchored = NULL;
    struct mcti_str folder = here ? (struct mcti_str){ here, strlen(here) - 2 } : MCT_STR_NONE; /* without the "/." */
    bool fits = here && !memchr(folder.p, '}', folder.len); /* a '}' would end the "${" */
    if (fits && (anchored = expand_anchored(*text, folder))) {
        free(*text);
        *text = anchored;
    }
    bool is_done = here && (anchored || !fits);
    free(here);
    return is_done ? 0 : -1;
}
