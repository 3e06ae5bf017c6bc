/* Which files are meant, and what they say. */
#include "cli/trust/trust.h"

#include "clients/scan.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_BYTES = 16 << 20 };

/* ---- readings ---- */

static struct mcti_config *file_read_as(struct mcti_trust_file *f, const char *format)
{
    struct mcti_config *c = &f->readings[f->n_readings++];
    mcti_config_init(c);
    c->format_name = format;
    c->is_scan = format != NULL;
    mcti_config_read(c, f->file, mcti_buf_str(&f->text).p, f->text.len);
    return c;
}

/* Returns true if the path ends in the pattern, below any folder. */
static bool is_place_of(const char *const *patterns, const char *path)
{
    bool is = false;
    for (; patterns && *patterns && !is; patterns++) {
        char *glob = NULL;
        if (asprintf(&glob, "*/%s", *patterns) >= 0)
            is = mcti_str_glob(mcti_str_of(glob), mcti_str_of(path));
        free(glob);
    }
    return is;
}

static bool file_has_reading(const struct mcti_trust_file *f, const char *format)
{
    bool has = false;
    for (size_t i = 0; i < f->n_readings; i++)
        has |= f->readings[i].format_name && !strcmp(f->readings[i].format_name, format);
    return has;
}

/* A program may read the file in another way than mcptools does. */
static void file_read(struct mcti_trust_file *f)
{
    f->has_settings = file_read_as(f, NULL)->settings_file != NULL;
    for (const struct mcti_client *k = mcti_clients; k->id && f->n_readings < MCT_TRUST_READINGS; k++)
        if (k->format && is_place_of(k->project, f->at.path) && !file_has_reading(f, k->format))
            file_read_as(f, k->format);
}

bool mcti_trust_is_shown(const struct mcti_trust_file *f, size_t reading, const struct mcti_config_server *s)
{
    for (size_t i = 0; i < reading; i++) {
        const struct mcti_config_server *other = mcti_config_find(&f->readings[i], mcti_str_of(s->name));
        if (other && (mcti_client_is_same(other, s) || (other->error.kind && s->error.kind)))
            return true;
    }
    return false;
}

/* ---- files ---- */

static void file_done(struct mcti_trust_file *f)
{
    for (size_t i = 0; i < f->n_readings; i++)
        mcti_config_done(&f->readings[i]);
    mcti_trust_location_done(&f->at);
    mcti_buf_done(&f->text);
    free(f->file);
}

void mcti_trust_files_done(struct mcti_trust_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        file_done(&files->v[i]);
    free(files->v);
}

static bool files_have(const struct mcti_trust_files *files, const struct mcti_trust_file *f)
{
    for (size_t i = 0; i < files->n; i++)
        if (!strcmp(files->v[i].at.path, f->at.path))
            return true;
    return false;
}

static bool file_says_something(const struct mcti_trust_file *f)
{
    bool says = f->has_settings;
    for (size_t i = 0; i < f->n_readings; i++)
        says |= f->readings[i].n_servers || (i == 0 && f->readings[i].broken);
    return says;
}

static int file_open(struct mcti_trust_file *f, const char *path, struct mct_error *err)
{
    *f = (struct mcti_trust_file){ .file = strdup(path) };
    mcti_buf_init(&f->text, FILE_BYTES);
    if (!f->file)
        return mcti_no_memory(err);
    if (mcti_trust_locate(path, &f->at, err) < 0 || mcti_config_load_found(path, &f->text, &f->st, err) < 0)
        return -1;
    mcti_trust_check(path, mcti_buf_str(&f->text), &f->verdict);
    file_read(f);
    return 0;
}

/* Adds a file; one that was looked for only if it says something. */
static int gather_file(struct mcti_trust_files *to, const char *path, bool is_named, struct mct_error *err)
{
    struct mcti_trust_file *v = realloc(to->v, (to->n + 1) * sizeof *v);
    if (!v)
        return mcti_no_memory(err);
    to->v = v;
    int r = file_open(&v[to->n], path, err);
    if (r == 0 && !files_have(to, &v[to->n]) && (is_named || file_says_something(&v[to->n])))
        to->n++;
    else
        file_done(&v[to->n]);
    return r;
}

/* Adds the files of a folder that mcptools may find there. One that cannot be used is told. */
static int gather_folder(struct mcti_trust_files *to, const char *folder, struct mct_error *err)
{
    static const char *const own[] = { mcti_config_native_here, ".mcp.json", NULL };
    struct mcti_strings files = { 0 };
    int r = 0;
    for (size_t i = 0; own[i]; i++)
        mcti_client_match(own[i], folder, &files);
    for (const struct mcti_client *k = mcti_clients; k->id; k++)
        for (const char *const *pattern = k->project; pattern && *pattern; pattern++)
            mcti_client_match(*pattern, folder, &files);
    for (size_t i = 0; i < files.n && r == 0; i++)
        if (gather_file(to, files.v[i], false, err) < 0)
            r = err->kind == MCT_ERR_NO_MEMORY ? -1 : (mcti_say("mcptools: %s", err->message), 0);
    mcti_strings_clear(&files);
    return r;
}

int mcti_trust_gather(struct mcti_trust_files *to, const char *word, struct mct_error *err)
{
    struct stat st;
    bool is_folder = !word || (stat(word, &st) == 0 && S_ISDIR(st.st_mode));
    return is_folder ? gather_folder(to, word, err) : gather_file(to, word, true, err);
}

/* ---- words ---- */

const char *mcti_trust_word(const struct mcti_trust_verdict *v)
{
    return v->trust == MCT_TRUST_YES ? "trusted" : v->trust == MCT_TRUST_CHANGED ? "changed" : "untrusted";
}

bool mcti_trust_put_note(const struct mcti_trust_file *f, size_t i, struct mcti_buf *to)
{
    if (i == 0 && f->at.target)
        mcti_buf_printf(to, "it is a symbolic link to %s", f->at.target);
    else if (i == 1 && f->st.st_mode & 022)
        mcti_buf_printf(to, "its mode %04o lets other users change it; a change ends the trust",
                        (unsigned)f->st.st_mode & 07777);
    else if (i == 2 && f->verdict.by_environment)
        mcti_buf_addz(to, "MCPTOOLS_TRUST names it, so it is trusted whatever its content is");
    return i < MCT_TRUST_NOTES;
}
