/* skills sync: copies the files of skills into a folder. Only verified files are written, and a skill as a whole. */
#include "cli/skills/skills.h"

#include "base/limits.h"

#include <stdlib.h>
#include <unistd.h>

struct sync_run {
    struct mcti_app *app;
    int folder;
    struct mcti_skills_lock old, now;
    size_t n_written, n_kept, n_removed, n_failed;
    int status; /* of an interruption, or of a mistake that ends everything; 0: none */
};

/* ---- one file ---- */

/* A file of a skill, with what the server and the folder have of it. */
struct sync_file {
    const struct mcti_skill_file *file;
    char *path;
    struct mcti_buf bytes; /* to be written; empty if the folder has the file */
    bool is_here;
};

/* Returns whether the bytes of the folder may be replaced: they are what was written last. */
static bool sync_may_replace(const struct sync_run *s, const char *path, struct mcti_str here)
{
    const struct mcti_skills_row *row = mcti_skills_lock_find(&s->old, path);
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    return s->app->opt.force || (row && mcti_skill_digest(here, digest) == 0 && !strcmp(digest, row->digest));
}

/* Looks at the file in the folder. Returns -1 and sets *err if it is in the way. */
static int sync_look(const struct sync_run *s, const struct mcti_skill *skill, struct sync_file *f,
                     struct mct_error *err)
{
    struct mcti_buf here;
    mcti_buf_init(&here, MCT_LIMIT_SKILL_BYTES + 1);
    int r = mcti_skills_folder_read(s->folder, f->path, &here, err);
    f->is_here = r == 0 && mcti_skill_check(skill, f->file->uri, mcti_buf_str(&here), NULL) == 0;
    if (r == 0 && !f->is_here && !sync_may_replace(s, f->path, mcti_buf_str(&here)))
        r = mcti_fail(err, MCT_ERR_USAGE, "%s has been changed here; --force replaces it", f->path);
    mcti_buf_done(&here);
    return r < 0 ? -1 : 0;
}

/* Gets the file, unless the folder has it. Returns 0, or the exit status with *err. */
static int sync_get(struct sync_run *s, struct mcti_provider *p, const struct mcti_skill *skill, struct sync_file *f,
                    struct mct_error *err)
{
    struct mcti_buf path;
    mcti_buf_init(&path, 2 * MCT_LIMIT_URI_BYTES);
    mcti_buf_init(&f->bytes, MCT_LIMIT_SKILL_BYTES + 1);
    int r = mcti_skills_path(&path, p, f->file->uri, err);
    f->path = r == 0 ? mcti_buf_take(&path) : NULL;
    if (r == 0 && !f->path)
        r = mcti_no_memory(err);
    mcti_buf_done(&path);
    if (r < 0 || sync_look(s, skill, f, err) < 0)
        return mcti_error_exit_status(err->kind);
    const struct mcti_skills_wish wish = { s->app, p, skill, f->file->uri };
    return f->is_here ? 0 : mcti_skills_ask_file(&wish, &f->bytes, err);
}

static int sync_put(struct sync_run *s, const struct mcti_provider *p, const struct sync_file *f, struct mct_error *err)
{
    struct mcti_skills_row row = { .server = p->name, .uri = (char *)f->file->uri.p, .path = f->path };
    row.size = f->file->size;
    memcpy(row.digest, f->file->digest.p, f->file->digest.len);
    if (!mcti_skills_lock_add(&s->now, &row, err) ||
        (!f->is_here && mcti_skills_folder_write(s->folder, f->path, mcti_buf_str(&f->bytes), err) < 0))
        return -1;
    s->n_written += !f->is_here;
    s->n_kept += f->is_here;
    return 0;
}

/* ---- one skill ---- */

/* Gets all files, then writes them. Returns 0, or the exit status with *err. */
static int sync_files(struct sync_run *s, struct mcti_provider *p, const struct mcti_skill *skill,
                      struct mct_error *err)
{
    struct sync_file *files = calloc(skill->n_files + 1, sizeof *files);
    int status = files ? 0 : (mcti_no_memory(err), mcti_error_exit_status(err->kind));
    for (size_t i = 0; !status && i < skill->n_files; i++) {
        files[i].file = &skill->files[i];
        status = sync_get(s, p, skill, &files[i], err);
    }
    for (size_t i = 0; !status && i < skill->n_files; i++)
        status = sync_put(s, p, &files[i], err) < 0 ? mcti_error_exit_status(err->kind) : 0;
    for (size_t i = 0; files && i < skill->n_files; i++) {
        free(files[i].path);
        mcti_buf_done(&files[i].bytes);
    }
    free(files);
    return status;
}

/* Keeps the files that the folder has of a skill that could not be copied. */
static void sync_keep(struct sync_run *s, const struct mcti_provider *p, struct mcti_str root)
{
    for (size_t i = 0; i < s->old.n; i++) {
        const struct mcti_skills_row *row = s->old.rows[i];
        if (!strcmp(row->server, p->name) && mcti_str_starts(mcti_str_of(row->uri), root) &&
            !mcti_skills_lock_find(&s->now, row->path))
            mcti_skills_lock_add(&s->now, row, NULL);
    }
}

static void sync_skill(void *data, struct mcti_provider *p, const struct mcti_skill *skill)
{
    struct sync_run *s = data;
    struct mct_error err;
    if (s->status)
        return;
    int status = skill->is_dynamic ? (mcti_fail(&err, MCT_ERR_INTEGRITY, "it is dynamic, and cannot be copied"), 5)
                                   : sync_files(s, p, skill, &err);
    if (!status)
        return;
    sync_keep(s, p, skill->root);
    if (s->app->interrupted)
        s->status = status;
    else
        mcti_say("mcptools: server '%s', skill '%.*s': %s", p->name, MCT_STR_ARG(skill->name), err.message);
    s->n_failed++;
}

/* ---- all of them ---- */

/* Returns whether the server of a row was asked, so that what it does not list is gone. */
static bool sync_was_asked(const struct mcti_skills_lists *l, const char *server)
{
    for (size_t i = 0; i < l->listing.n_parts; i++)
        if (!strcmp(l->listing.parts[i].provider->name, server))
            return !l->listing.parts[i].error.kind;
    return false;
}

/* Removes the files of skills that are gone, unless they have been changed here. */
static void sync_remove(struct sync_run *s, const struct mcti_skills_lists *l)
{
    struct mcti_buf here;
    mcti_buf_init(&here, MCT_LIMIT_SKILL_BYTES + 1);
    for (size_t i = 0; i < s->old.n; i++) {
        const struct mcti_skills_row *row = s->old.rows[i];
        if (mcti_skills_lock_find(&s->now, row->path))
            continue;
        mcti_buf_clear(&here);
        if (!sync_was_asked(l, row->server)) {
            mcti_skills_lock_add(&s->now, row, NULL);
        } else if (mcti_skills_folder_read(s->folder, row->path, &here, NULL) == 0 &&
                   sync_may_replace(s, row->path, mcti_buf_str(&here))) {
            mcti_skills_folder_remove(s->folder, row->path);
            s->n_removed++;
        }
    }
    mcti_buf_done(&here);
}

static void sync_tell(const struct sync_run *s)
{
    struct mcti_buf b;
    if (s->app->opt.output != MCT_OUT_JSON) {
        mcti_out(s->app, "%zu files written, %zu unchanged, %zu removed\n", s->n_written, s->n_kept, s->n_removed);
        return;
    }
    mcti_buf_init(&b, 4096);
    mcti_buf_printf(&b, "{\"written\":%zu,\"unchanged\":%zu,\"removed\":%zu,\"failedSkills\":%zu}", s->n_written,
                    s->n_kept, s->n_removed, s->n_failed);
    mcti_out_json(s->app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Copies what is listed. Returns the exit status. */
static int sync_all(struct sync_run *s, const struct mcti_skills_lists *l)
{
    struct mct_error err;
    size_t n_invalid = mcti_skills_each(s->app, l, sync_skill, s);
    if (!s->status && !n_invalid)
        sync_remove(s, l);
    else
        for (size_t i = 0; i < s->old.n; i++)
            if (!mcti_skills_lock_find(&s->now, s->old.rows[i]->path))
                mcti_skills_lock_add(&s->now, s->old.rows[i], NULL);
    if (mcti_skills_lock_write(&s->now, s->folder, &err) < 0)
        return mcti_out_fail(s->app, &err, NULL);
    if (s->status)
        return s->status;
    sync_tell(s);
    return s->n_failed || n_invalid ? mcti_error_exit_status(MCT_ERR_INTEGRITY) : l->status;
}

int mcti_skills_do_sync(struct mcti_app *app, struct mcti_provider *only, const char *folder)
{
    struct sync_run s = { .app = app };
    struct mcti_skills_lists lists;
    struct mct_error err;
    int status = mcti_skills_ask_lists(app, only, &lists);
    mcti_skills_lock_init(&s.old);
    mcti_skills_lock_init(&s.now);
    s.folder = status ? -1 : mcti_skills_folder_open(folder, true, &err);
    if (!status && (s.folder < 0 || mcti_skills_lock_read(&s.old, s.folder, &err) < 0))
        status = mcti_out_fail(app, &err, NULL);
    if (!status)
        status = sync_all(&s, &lists);
    if (s.folder >= 0)
        close(s.folder);
    mcti_skills_lock_done(&s.now);
    mcti_skills_lock_done(&s.old);
    mcti_skills_lists_done(&lists);
    return status;
}
