/* Secrets of an entry, each in a file of its own: the configuration has references only. */
#include "cli/packages/adding.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the folder of secrets, which is created, to free(); NULL with *err. */
static char *secret_folder(struct mct_error *err)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int r = base && *base == '/' ? asprintf(&path, "%s/mcptools/secrets", base)
            : home && *home      ? asprintf(&path, "%s/.config/mcptools/secrets", home)
                                 : -2;
    if (r == -2)
        mcti_fail(err, MCT_ERR_CONFIG, "there is no folder for the secret: HOME is not set");
    else if (r < 0)
        mcti_no_memory(err);
    return r < 0 ? NULL : path;
}

/* Appends a name with other characters than letters, digits and '_' replaced. */
static void secret_put_name(struct mcti_buf *to, const char *name, bool upper)
{
    while (*name == '-')
        name++;
    for (; *name; name++)
        mcti_buf_addc(to, !isalnum((unsigned char)*name) ? '_' : upper ? (char)toupper((unsigned char)*name) : *name);
}

int mcti_secret_plan(struct mcti_adding *a, const char *key, struct mcti_str text, struct mcti_buf *to,
                     struct mct_error *err)
{
    char *folder = secret_folder(err);
    struct mcti_buf path;
    struct mcti_pair *v = folder ? realloc(a->secrets.v, (a->secrets.n + 1) * sizeof *v) : NULL;
    if (!v) {
        free(folder);
        return folder ? mcti_no_memory(err) : -1;
    }
    a->secrets.v = v;
    mcti_buf_init(&path, 4096);
    mcti_buf_printf(&path, "%s/%s.", folder, a->name);
    secret_put_name(&path, key, false);
    free(folder);
    mcti_buf_printf(to, "${file:%.*s}", MCT_STR_ARG(mcti_buf_str(&path)));
    v[a->secrets.n] = (struct mcti_pair){ mcti_buf_take(&path), mcti_str_dup(text) };
    a->secrets.n++;
    return v[a->secrets.n - 1].key && v[a->secrets.n - 1].value ? 0 : mcti_no_memory(err);
}

static int secret_make_folder(const char *path, struct mct_error *err)
{
    char *folder = strdup(path);
    int r = folder ? 0 : mcti_no_memory(err);
    for (char *p = folder ? folder + 1 : NULL; r == 0 && (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdir(folder, 0700) < 0 && errno != EEXIST)
            r = mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", folder, strerror(errno));
        *p = '/';
    }
    free(folder);
    return r;
}

/* Moves a file to the name for what was there before, or back. */
static void secret_move(const char *path, bool back)
{
    char *before = NULL;
    if (asprintf(&before, "%s~", path) < 0)
        return;
    if (rename(back ? before : path, back ? path : before) < 0 && back)
        unlink(path);
    free(before);
}

/* Writes a new file and moves it to its place. */
static int secret_write_one(const struct mcti_pair *s, struct mct_error *err)
{
    char *fresh = NULL;
    size_t n = strlen(s->value);
    int fd = asprintf(&fresh, "%s.XXXXXX", s->key) < 0 ? -1 : mkostemp(fresh, O_CLOEXEC); /* mode 0600 */
    bool ok = fd >= 0 && write(fd, s->value, n) == (ssize_t)n && write(fd, "\n", 1) == 1 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    secret_move(s->key, false);
    ok = ok && rename(fresh, s->key) == 0;
    int why = errno;
    if (!ok && fd >= 0)
        unlink(fresh);
    free(fresh);
    return ok ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", s->key, strerror(why));
}

int mcti_secret_write(const struct mcti_adding *a, struct mct_error *err)
{
    for (size_t i = 0; i < a->secrets.n; i++)
        if (secret_make_folder(a->secrets.v[i].key, err) < 0 || secret_write_one(&a->secrets.v[i], err) < 0)
            return -1;
    return 0;
}

void mcti_secret_end(const struct mcti_adding *a, bool undo)
{
    for (size_t i = 0; i < a->secrets.n; i++) {
        char *before = NULL;
        if (undo)
            secret_move(a->secrets.v[i].key, true);
        else if (asprintf(&before, "%s~", a->secrets.v[i].key) >= 0)
            unlink(before);
        free(before);
    }
}

void mcti_secret_put_variable(struct mcti_buf *to, const struct mcti_adding *a, const struct mcti_input *in)
{
    if (in->use == MCT_INPUT_HEADER) {
        secret_put_name(to, a->name, true);
        mcti_buf_addc(to, '_');
    }
    secret_put_name(to, in->name, in->use != MCT_INPUT_ENV);
}
