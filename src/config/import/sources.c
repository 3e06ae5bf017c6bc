/* Finds configuration files if --config is not given: a row for each place. */
#include "config/import/import.h"
#include "config/read_impl.h"

#include "base/buf.h"

#include <errno.h>
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

static int sources_read_text(struct mcti_config *c, const char *path, FILE *f, const struct stat *st,
                             struct mct_error *err)
{
    size_t first_server = c->n_servers, first_token = c->n_tokens;
    struct mcti_buf text;
    mcti_buf_init(&text, MAX_FILE);
    int r = sources_slurp(f, &text);
    if (r < 0)
        mcti_fail(err, MCT_ERR_CONFIG, "%s: cannot be read, or is larger than 16 MiB", path);
    else
        mcti_config_read(c, path, mcti_buf_str(&text).p, text.len);
    mcti_buf_done(&text);
    if (r == 0 && S_ISREG(st->st_mode))
        mcti_config_check_mode(c, path, st->st_mode, first_server, first_token);
    return r;
}

/* Refuses a file found in the working directory that belongs to another user, because it could start any program. */
static int check_owner(const char *path, const struct stat *st, struct mct_error *err)
{
    if (st->st_uid == geteuid() || st->st_uid == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "%s: belongs to another user (uid %u) and is not read, because it could start any "
                     "program; use --config %s to read it anyway",
                     path, (unsigned)st->st_uid, path);
}

static int read_source(struct mcti_config *c, const char *path, bool is_found_here, struct mct_error *err)
{
    struct stat st;
    FILE *f = fopen(path, "re");
    if (!f)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
    int r = fstat(fileno(f), &st) < 0 ? mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno)) : 0;
    if (r == 0 && is_found_here)
        r = check_owner(path, &st, err);
    if (r == 0)
        r = sources_read_text(c, path, f, &st, err);
    fclose(f);
    return r;
}

int mcti_config_read_file(struct mcti_config *c, const char *path, struct mct_error *err)
{
    return read_source(c, path, false, err);
}

int mcti_config_read_found(struct mcti_config *c, const char *path, bool is_found_here, struct mct_error *err)
{
    return read_source(c, path, is_found_here, err);
}

int mcti_config_load(const char *path, struct mcti_buf *to)
{
    FILE *f = fopen(path, "re");
    int r = f ? sources_slurp(f, to) : -1;
    if (f)
        fclose(f);
    return r;
}

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

size_t mcti_config_discover(struct mcti_config *c)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct mct_error err;
        struct stat st;
        char *path = path_of(i);
        if (path && stat(path, &st) == 0) {
            if (read_source(c, path, !places[i].base, &err) < 0)
                mcti_config_problem(c, true, "%s", err.message);
            n++;
        }
        free(path);
    }
    return n;
}
