/* What is left of a file that was found and is not trusted; and trust for what mcptools itself writes. */
#include "config/import/import.h"

#include "base/limits.h"
#include "config/expand/expand.h"
#include "io/folder.h"

#include <errno.h>
#include <stdlib.h>

enum { TEXT_BYTES = 2 * sizeof((struct mct_error *)0)->message, PATH_SHOWN = 200 };

/* ---- notes ---- */

int mcti_config_note_distrust(struct mcti_config *c, const char *file, enum mcti_trust trust, bool had_settings)
{
    struct mcti_config_distrust *v = realloc(c->distrusted, (c->n_distrusted + 1) * sizeof *v);
    char *copy = strdup(file);
    c->distrusted = v ? v : c->distrusted;
    if (!v || !copy) {
        free(copy);
        return -1;
    }
    v[c->n_distrusted++] = (struct mcti_config_distrust){ copy, trust, had_settings };
    return 0;
}

const struct mcti_config_distrust *mcti_config_distrust_of(const struct mcti_config *c, const char *file)
{
    for (size_t i = 0; i < c->n_distrusted; i++)
        if (!strcmp(c->distrusted[i].file, file))
            return &c->distrusted[i];
    return NULL;
}

void mcti_config_put_distrust(struct mcti_buf *to, const char *file, enum mcti_trust trust, const char *why)
{
    struct mcti_trust_location l = { .path = NULL };
    mcti_buf_printf(to, "%s: %s, so nothing in it is used", file,
                    trust == MCT_TRUST_CHANGED ? "has changed since it was trusted" : "is not trusted");
    if (why && *why)
        mcti_buf_printf(to, " (%s)", why);
    mcti_trust_locate(file, &l, NULL);
    mcti_buf_addz(to, "; run: mcptools trust ");
    mcti_expand_put_word(to, mcti_str_of(l.path && strlen(l.path) <= PATH_SHOWN ? l.path : file));
    mcti_trust_location_done(&l);
}

/* ---- servers ---- */

/* Adds a server of which only the name is known. */
static int trusted_add_name(struct mcti_config *c, const char *path, const struct mcti_config_server *from,
                            const char *problem)
{
    struct mcti_config_server *s = mcti_config_add_server(c, from->name);
    if (!s)
        return -1;
    s->file = strdup(path);
    s->line = from->line;
    s->enabled = from->enabled;
    s->untrusted = true;
    mcti_fail(&s->error, MCT_ERR_POLICY, "%s", problem);
    return s->file ? 0 : -1;
}

static bool is_usable_name(const char *name)
{
    return *name && !strpbrk(name, "/?#%");
}

int mcti_config_add_distrusted(struct mcti_config *c, const char *path, struct mcti_str text,
                               const struct mcti_trust_verdict *verdict)
{
    struct mcti_config apart;
    struct mcti_buf problem;
    size_t n = 0;
    mcti_buf_init(&problem, TEXT_BYTES);
    mcti_config_put_distrust(&problem, path, verdict->trust, verdict->why.message);
    char *told = mcti_buf_take(&problem);
    mcti_config_init(&apart);
    apart.format_name = c->format_name;
    apart.is_scan = c->is_scan;
    apart.part = c->part;
    mcti_config_read(&apart, path, text.p, text.len);
    int r = told && mcti_strings_add(&c->files, mcti_str_of(path)) == 0
                ? mcti_config_note_distrust(c, path, verdict->trust, verdict->had_settings)
                : -1;
    if (r == 0)
        mcti_config_problem(c, true, "%s", told);
    for (size_t i = 0; r == 0 && i < apart.n_servers && n < MCT_LIMIT_UNTRUSTED_SERVERS; i++) {
        const struct mcti_config_server *s = &apart.servers[i];
        if (!is_usable_name(s->name) || mcti_config_find(c, mcti_str_of(s->name)))
            continue;
        r = trusted_add_name(c, path, s, told);
        n++;
    }
    mcti_config_done(&apart);
    free(told);
    return r;
}

/* ---- what mcptools writes ---- */

bool mcti_config_has_settings(const char *file, struct mcti_str text)
{
    struct mcti_config apart;
    mcti_config_init(&apart);
    mcti_config_read(&apart, file, text.p, text.len);
    bool has = apart.settings_file != NULL;
    mcti_config_done(&apart);
    return has;
}

static bool trusted_is_users(const struct mcti_trust_location *l)
{
    char *file = mcti_config_native_file(), *real = file ? realpath(file, NULL) : NULL;
    bool is = (file && !strcmp(file, l->path)) || (real && !strcmp(real, l->target ? l->target : l->path));
    free(real);
    free(file);
    return is;
}

/* A new file may be the first one in its folder, which has to exist to have a real path. */
static int trusted_make_folder(const char *file, struct mct_error *err)
{
    const char *slash = strrchr(file, '/');
    bool has_folder = slash && slash > file;
    char *folder = has_folder ? mcti_str_dup(mcti_str_range(file, slash)) : NULL;
    int r = !has_folder ? 0 : folder ? mcti_folder_make(folder) : mcti_no_memory(err);
    if (r < 0 && folder)
        mcti_fail(err, MCT_ERR_CONFIG, "%s: its folder cannot be created: %s", file, strerror(errno));
    free(folder);
    return r;
}

int mcti_config_keep_trust(const char *file, struct mcti_str before, struct mcti_str after, struct mct_error *err)
{
    struct mcti_trust_verdict was = { .trust = MCT_TRUST_YES };
    struct mcti_trust_location l;
    int r = before.len ? 0 : trusted_make_folder(file, err);
    if (r < 0)
        return -1;
    r = mcti_trust_locate(file, &l, err);
    if (r == 0 && !trusted_is_users(&l) && !mcti_str_eq(before, after)) {
        if (before.len)
            mcti_trust_check(file, before, &was);
        if (was.trust == MCT_TRUST_YES && !was.by_environment)
            r = mcti_trust_add(&l, after, mcti_config_has_settings(file, after), err);
    }
    mcti_trust_location_done(&l);
    return r;
}
