/* Finds configuration files if --config is not given: a row for each place. */
#include "config/import/import.h"
#include "config/read_impl.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 16 << 20 };

const char mcti_config_native_here[] = "mcptools.json";

static const struct {
    const char *base;     /* environment variable with the folder; NULL: the working directory */
    const char *fallback; /* below $HOME, when the variable is not set */
    const char *file;
} places[] = {
    { NULL, NULL, mcti_config_native_here },
    { "XDG_CONFIG_HOME", ".config", "mcptools/mcptools.json" },
    { NULL, NULL, ".mcp.json" },
    { "XDG_CONFIG_HOME", ".config", "Claude/claude_desktop_config.json" },
    { "HOME", NULL, "Library/Application Support/Claude/claude_desktop_config.json" },
};

static char *path_of(size_t i)
{
    const char *base = places[i].base ? getenv(places[i].base) : "";
    const char *home = getenv("HOME");
    char *path = NULL;
    int r = -1;
    if (!places[i].base)
        return strdup(places[i].file);
    if (base && *base)
        r = asprintf(&path, "%s/%s", base, places[i].file);
    else if (places[i].fallback && home)
        r = asprintf(&path, "%s/%s/%s", home, places[i].fallback, places[i].file);
    return r < 0 ? NULL : path;
}

/* Returns true if this is the user's own file. */
static bool sources_is_users(const struct stat *st)
{
    struct stat own;
    char *path = mcti_config_native_file();
    bool is = path && stat(path, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
    free(path);
    return is;
}

static int sources_slurp(FILE *f, struct mcti_buf *to)
{
    for (;;) {
        char *at = mcti_buf_reserve(to, 65536);
        size_t n = at ? fread(at, 1, 65536, f) : 0;
        if (!n)
            return at && !ferror(f) ? 0 : -1;
        to->len += n;
    }
}

static int sources_take_text(struct mcti_config *c, const char *path, struct mcti_str text, const struct stat *st)
{
    size_t first_server = c->n_servers, first_token = c->n_tokens;
    mcti_config_read(c, path, text.p, text.len);
    if (S_ISREG(st->st_mode))
        mcti_config_check_mode(c, path, st->st_mode, first_server, first_token);
    return 0;
}

static int sources_load(const char *path, FILE *f, struct mcti_buf *to, struct mct_error *err)
{
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: is a folder; name the file in it", path);
    return sources_slurp(f, to) < 0
               ? mcti_fail(err, MCT_ERR_CONFIG, "%s: cannot be read, or is larger than 16 MiB", path)
               : 0;
}

int mcti_config_read_file(struct mcti_config *c, const char *path, struct mct_error *err)
{
    struct stat st;
    struct mcti_buf text;
    FILE *f = fopen(path, "re");
    if (!f)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
    mcti_buf_init(&text, MAX_FILE);
    int r = fstat(fileno(f), &st) < 0 ? mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno)) : 0;
    if (r == 0)
        r = sources_load(path, f, &text, err);
    if (r == 0)
        r = sources_take_text(c, path, mcti_buf_str(&text), &st);
    mcti_buf_done(&text);
    fclose(f);
    return r;
}

/* ---- files that were found ---- */

/* Refuses a file found in the working directory that belongs to another user, because it could start any program. */
static int check_owner(const char *path, const struct stat *st, struct mct_error *err)
{
    if (!S_ISREG(st->st_mode))
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: is not a regular file; use --config %s to read it anyway", path,
                         path);
    if (st->st_uid == geteuid() || st->st_uid == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "%s: belongs to another user (uid %u) and is not read, because it could start any "
                     "program; use --config %s to read it anyway",
                     path, (unsigned)st->st_uid, path);
}

int mcti_config_load_found(const char *path, struct mcti_buf *to, struct stat *ret_st, struct mct_error *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    int r = fstat(fd, ret_st) < 0 ? mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno))
                                  : check_owner(path, ret_st, err);
    if (r == 0)
        r = sources_load(path, f, to, err);
    fclose(f);
    return r;
}

/* Reads a file that was found in the working directory. This is the one place that asks for trust. A file without
 * it sets *ret_left to true; if that is NULL, what may be known of it is added. */
static int read_found(struct mcti_config *c, const char *path, bool *ret_left, struct mct_error *err)
{
    struct mcti_trust_verdict verdict = { .trust = MCT_TRUST_YES };
    struct stat st;
    struct mcti_buf text;
    mcti_buf_init(&text, MAX_FILE);
    int r = mcti_config_load_found(path, &text, &st, err);
    if (r == 0 && !c->trusts_all && !sources_is_users(&st))
        mcti_trust_check(path, mcti_buf_str(&text), &verdict);
    if (r == 0 && verdict.trust == MCT_TRUST_YES)
        r = sources_take_text(c, path, mcti_buf_str(&text), &st);
    else if (r == 0 && ret_left)
        *ret_left = true;
    else if (r == 0 && mcti_config_add_distrusted(c, path, mcti_buf_str(&text), &verdict) < 0)
        r = mcti_no_memory(err);
    mcti_buf_done(&text);
    return r;
}

int mcti_config_read_found(struct mcti_config *c, const char *path, bool is_found_here, struct mct_error *err)
{
    return is_found_here ? read_found(c, path, NULL, err) : mcti_config_read_file(c, path, err);
}

int mcti_config_load(const char *path, struct mcti_buf *to)
{
    FILE *f = fopen(path, "re");
    int r = f ? sources_slurp(f, to) : -1;
    if (f)
        fclose(f);
    return r;
}

char *mcti_config_native_file(void)
{
    return path_of(1);
}

bool mcti_config_is_found(const char *file)
{
    struct stat a, b;
    bool is = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && stat(file, &a) == 0 && !is; i++) {
        char *path = path_of(i);
        is = path && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
        free(path);
    }
    return is;
}

int mcti_config_places(struct mcti_strings *to)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof places / sizeof *places; i++) {
        char *path = path_of(i);
        r = path ? mcti_strings_add(to, mcti_str_of(path)) : 0;
        free(path);
    }
    return r;
}

/* Reads one of the places. Returns true if there is a file. `ret_left` as in read_found(); NULL: the file is read. */
static bool read_place(struct mcti_config *c, size_t i, bool *ret_left)
{
    struct mct_error err;
    struct stat st;
    char *path = path_of(i);
    bool exists = path && stat(path, &st) == 0;
    if (exists && (places[i].base ? mcti_config_read_file(c, path, &err) : read_found(c, path, ret_left, &err)) < 0)
        mcti_config_problem(c, true, "%s", err.message);
    free(path);
    return exists;
}

size_t mcti_config_discover(struct mcti_config *c)
{
    bool left[sizeof places / sizeof *places] = { false };
    size_t n = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        n += read_place(c, i, &left[i]);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (left[i]) /* last, so that they take no name from others */
            read_place(c, i, NULL);
    return n;
}
