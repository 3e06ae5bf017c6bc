/*
 * Secrets that are not in the configuration: "${file:PATH}", "${cmd:COMMAND LINE}", "${credential:NAME}". Errors name
 * the place, never the text that was found there. White space at the ends of a text is removed, because files and
 * programs end with a line break.
 */
#include "config/expand/expand.h"

#include "base/clock.h"
#include "io/process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

enum { SECRET_BYTES = 1 << 16, SECRET_WAIT_MS = 10000 };

/* ---- files ---- */

/* Reads what is there. Returns -1 and sets errno on failure; a pipe that nobody writes to within the time is one. */
static int secret_read(int fd, struct mcti_buf *to)
{
    struct pollfd ready = { fd, POLLIN, 0 };
    uint64_t until = mcti_clock_since_us() / 1000 + SECRET_WAIT_MS;
    for (;;) {
        char *at = mcti_buf_reserve(to, 1);
        ssize_t n = at ? read(fd, at, to->cap - to->len) : -1;
        if (n == 0)
            return 0;
        to->len += n > 0 ? (size_t)n : 0;
        if (!at)
            errno = to->len == to->max ? EFBIG : ENOMEM;
        if (n > 0 || errno == EINTR)
            continue;
        uint64_t now = mcti_clock_since_us() / 1000;
        if (errno != EAGAIN || now >= until || poll(&ready, 1, (int)(until - now)) == 0)
            return -1;
    }
}

/* Appends the text of a file. `shown` is how it was written in the configuration. */
static int secret_put_file(const char *path, struct mcti_str shown, struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init_secret(&text, SECRET_BYTES + 1);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int r = fd < 0 ? -1 : secret_read(fd, &text);
    struct mcti_str found = mcti_str_trim_white(mcti_buf_str(&text));
    if (r < 0 && errno == ENOMEM)
        mcti_no_memory(err);
    else if (r < 0)
        mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: %s", MCT_STR_ARG(shown),
                  errno == EFBIG    ? "has more than 64 KiB"
                  : errno == EAGAIN ? "nothing was written to this pipe within 10 s"
                                    : strerror(errno));
    else if (memchr(found.p, '\0', found.len))
        r = mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: has a NUL byte, so it is not a text", MCT_STR_ARG(shown));
    else
        mcti_buf_add(to, found);
    if (fd >= 0)
        close(fd);
    mcti_buf_done(&text);
    return r;
}

static bool secret_is_inside(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    while (n && folder[n - 1] == '/')
        n--;
    return n && !strncmp(path, folder, n) && path[n] == '/';
}

/* Returns true for a path without ".." that is relative, or in one of the folders for secrets. */
static bool secret_is_in_folders(const char *path)
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
              (*path != '/' || secret_is_inside(path, "/run/secrets") || secret_is_inside(path, "/var/run/secrets") ||
               secret_is_inside(path, secrets) || secret_is_inside(path, getenv("CONFIG_SECRETS_DIR")));
    free(secrets);
    free(here);
    return ok;
}

/* Expands "~/" and a lone "~"; paths are relative to the working directory, see mcti_expand_anchor(). */
static int secret_put_any_file(struct mcti_str name, struct mcti_str shown, struct mcti_buf *to, struct mct_error *err)
{
    const char *home = getenv("HOME");
    bool is_home = name.len && name.p[0] == '~' && (name.len == 1 || name.p[1] == '/');
    char *path = NULL;
    if (is_home && !home)
        return mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: HOME is not set: set it, or write the whole path",
                         MCT_STR_ARG(shown));
    if (is_home)
        name = mcti_str_range(name.p + 1, name.p + name.len);
    if (asprintf(&path, "%s%.*s", is_home ? home : "", MCT_STR_ARG(name)) < 0)
        return mcti_no_memory(err);
    size_t before = to->len;
    int r = secret_put_file(path, shown, to, err);
    if (r == 0 && mcti_buf_ok(to) && to->len == before)
        r = mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: the file is empty", MCT_STR_ARG(shown));
    free(path);
    return r;
}

/* The form that import/variables.c writes for nexo, which reads files in a few folders only. */
static int secret_put_file_in_folders(struct mcti_str name, struct mcti_str shown, struct mcti_buf *to,
                                      struct mct_error *err)
{
    char *path = mcti_str_dup(name);
    int r = path ? 0 : mcti_no_memory(err);
    shown = mcti_str_range(shown.p + 1, shown.p + shown.len); /* without the '!' */
    if (r == 0 && !secret_is_in_folders(path))
        r = mcti_fail(err, MCT_ERR_CONFIG,
                      "${%.*s}: only files without \"..\" are read, below the working directory, /run/secrets, "
                      "/var/run/secrets, ./secrets or $CONFIG_SECRETS_DIR",
                      MCT_STR_ARG(shown));
    if (r == 0)
        r = secret_put_file(path, shown, to, err);
    free(path);
    return r;
}

/* ---- credentials of systemd ---- */

static int secret_put_credential(struct mcti_str name, struct mcti_str shown, struct mcti_buf *to,
                                 struct mct_error *err)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    char *path = NULL;
    if (!name.len || memchr(name.p, '/', name.len) || mcti_str_is(name, ".") || mcti_str_is(name, ".."))
        return mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: invalid name of a credential", MCT_STR_ARG(shown));
    if (!folder || *folder != '/')
        return mcti_fail(
            err, MCT_ERR_CONFIG,
            "${%.*s}: CREDENTIALS_DIRECTORY is not set; systemd sets it for a service with LoadCredential= "
            "or SetCredential=",
            MCT_STR_ARG(shown));
    if (asprintf(&path, "%s/%.*s", folder, MCT_STR_ARG(name)) < 0)
        return mcti_no_memory(err);
    size_t before = to->len;
    int r = secret_put_file(path, shown, to, err);
    if (r == 0 && mcti_buf_ok(to) && to->len == before)
        r = mcti_fail(err, MCT_ERR_CONFIG, "${%.*s}: the credential is empty", MCT_STR_ARG(shown));
    free(path);
    return r;
}

/* ---- commands ---- */

/* Runs the program and appends its output. */
static int secret_run(char *const *argv, struct mcti_buf *to, struct mct_error *err)
{
    const struct mcti_capture_opts opts = { .spawn = { .argv = argv, .envp = environ }, .limit_ms = SECRET_WAIT_MS };
    struct mcti_capture_end end;
    struct mcti_buf text;
    mcti_buf_init_secret(&text, SECRET_BYTES);
    int r = mcti_capture(&opts, &text, &end, err);
    struct mcti_str found = mcti_str_trim_white(mcti_buf_str(&text));
    if (r < 0 && end.status > 0)
        mcti_fail(err, MCT_ERR_CONFIG, "exited with status %d; run the command in a terminal to see why", end.status);
    else if (r == 0 && memchr(found.p, '\0', found.len))
        r = mcti_fail(err, MCT_ERR_CONFIG, "wrote a NUL byte, so its output is not a text");
    else if (r == 0 && !found.len)
        r = mcti_fail(err, MCT_ERR_CONFIG, "wrote nothing to its stdout");
    else if (r == 0)
        mcti_buf_add(to, found);
    mcti_buf_done(&text);
    return r;
}

/* Arguments may be secrets: errors show the program only. */
static int secret_put_output(struct mcti_str line, struct mcti_str shown, struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_strings words = { 0 };
    char *text = mcti_str_dup(line);
    int r = text ? mcti_expand_split(text, &words, err) : mcti_no_memory(err);
    char **argv = r == 0 ? calloc(words.n + 1, sizeof *argv) : NULL;
    (void)shown;
    if (r == 0 && !argv)
        r = mcti_no_memory(err);
    if (r == 0)
        r = secret_run(memcpy(argv, words.v, words.n * sizeof *argv), to, err);
    if (r < 0 && err && err->kind != MCT_ERR_NO_MEMORY) {
        err->kind = MCT_ERR_CONFIG;
        mcti_error_wrap(err, "${cmd:%.128s%s}", words.n ? words.v[0] : "…", words.n > 1 ? " …" : "");
    }
    free(argv);
    free(text);
    mcti_strings_clear(&words);
    return r;
}

/* ---- texts ---- */

static const struct secret_source {
    struct mcti_str prefix;
    int (*put)(struct mcti_str name, struct mcti_str shown, struct mcti_buf *to, struct mct_error *err);
} secret_sources[] = {
    { { "!file:", 6 }, secret_put_file_in_folders },
    { { "file:", 5 }, secret_put_any_file },
    { { "cmd:", 4 }, secret_put_output },
    { { "credential:", 11 }, secret_put_credential },
};

/* "${file:-x}" is a variable with a default. */
static const struct secret_source *secret_source_of(struct mcti_str inside)
{
    for (size_t i = 0; i < sizeof secret_sources / sizeof *secret_sources; i++) {
        struct mcti_str prefix = secret_sources[i].prefix;
        if (mcti_str_starts(inside, prefix) && !(inside.len > prefix.len && inside.p[prefix.len] == '-'))
            return &secret_sources[i];
    }
    return NULL;
}

int mcti_expand_secret(struct mcti_str inside, struct mcti_buf *to, struct mct_error *err)
{
    const struct secret_source *s = secret_source_of(inside);
    if (!s)
        return 0;
    struct mcti_str name = mcti_str_range(inside.p + s->prefix.len, inside.p + inside.len);
    return s->put(name, inside, to, err) < 0 ? -1 : 1;
}

const char *mcti_expand_end(const char *p)
{
    char quote = 0;
    if (strncmp(p, "${cmd:", 6) != 0)
        return strchr(p, '}');
    for (; *p && (quote || *p != '}'); p++) {
        if (*p == '\\' && quote != '\'' && p[1])
            p++;
        else if (quote ? *p == quote : (*p == '"' || *p == '\''))
            quote = quote ? 0 : *p;
    }
    return *p ? p : NULL;
}
