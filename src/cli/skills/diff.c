/* skills diff: what differs between a folder that 'skills sync' has filled, and the skills of the servers. */
#include "cli/skills/skills.h"

#include "base/limits.h"

#include <stdlib.h>
#include <unistd.h>

struct diff_run {
    struct mcti_app *app;
    int folder;
    struct mcti_skills_lock lock;
    struct mcti_buf json;
    size_t n; /* differences */
};

static void diff_put(struct diff_run *d, const char *word, const char *path, const char *uri)
{
    if (d->app->opt.output != MCT_OUT_JSON) {
        mcti_out(d->app, "%-8s  %s\n", word, path);
    } else {
        mcti_buf_addz(&d->json, d->n ? ",{" : "{");
        mcti_json_put_member(&d->json, "difference", mcti_str_of(word));
        mcti_json_put_member(&d->json, "path", mcti_str_of(path));
        mcti_json_put_member(&d->json, "uri", mcti_str_of(uri));
        mcti_buf_addc(&d->json, '}');
    }
    d->n++;
}

static void diff_file(struct diff_run *d, const struct mcti_provider *p, const struct mcti_skill_file *f)
{
    struct mcti_buf path;
    struct mct_error err;
    mcti_buf_init(&path, 2 * MCT_LIMIT_URI_BYTES);
    if (mcti_skills_path(&path, p, f->uri, &err) < 0) {
        diff_put(d, "unusable", f->uri.p, f->uri.p);
    } else {
        struct mcti_skills_row *row = mcti_skills_lock_find(&d->lock, path.p);
        if (!row)
            diff_put(d, "added", path.p, f->uri.p);
        else if (!row->found && !mcti_str_is(f->digest, row->digest))
            diff_put(d, "changed", path.p, f->uri.p);
        if (row)
            row->found = true;
    }
    mcti_buf_done(&path);
}

static void diff_skill(void *data, struct mcti_provider *p, const struct mcti_skill *skill)
{
    for (size_t i = 0; i < skill->n_files; i++)
        diff_file(data, p, &skill->files[i]);
}

/* Compares the files of the folder with its lock. */
static void diff_here(struct diff_run *d)
{
    struct mcti_buf here;
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    mcti_buf_init(&here, MCT_LIMIT_SKILL_BYTES + 1);
    for (size_t i = 0; i < d->lock.n; i++) {
        const struct mcti_skills_row *row = d->lock.rows[i];
        mcti_buf_clear(&here);
        int r = mcti_skills_folder_read(d->folder, row->path, &here, NULL);
        if (r > 0)
            diff_put(d, "missing", row->path, row->uri);
        else if (r < 0 || mcti_skill_digest(mcti_buf_str(&here), digest) < 0 || strcmp(digest, row->digest) != 0)
            diff_put(d, "edited", row->path, row->uri);
    }
    mcti_buf_done(&here);
}

static void diff_gone(struct diff_run *d, const struct mcti_skills_lists *l)
{
    for (size_t i = 0; i < d->lock.n; i++) {
        const struct mcti_skills_row *row = d->lock.rows[i];
        for (size_t k = 0; !row->found && k < l->listing.n_parts; k++)
            if (!l->listing.parts[k].error.kind && !strcmp(l->listing.parts[k].provider->name, row->server))
                diff_put(d, "removed", row->path, row->uri);
    }
}

int mcti_skills_do_diff(struct mcti_app *app, struct mcti_provider *only, const char *folder)
{
    struct diff_run d = { .app = app };
    struct mcti_skills_lists lists;
    struct mct_error err;
    mcti_buf_init(&d.json, (size_t)1 << 30);
    mcti_skills_lock_init(&d.lock);
    int status = mcti_skills_ask_lists(app, only, &lists);
    d.folder = status ? -1 : mcti_skills_folder_open(folder, false, &err);
    if (!status && (d.folder < 0 || mcti_skills_lock_read(&d.lock, d.folder, &err) < 0))
        status = mcti_out_fail(app, &err, NULL);
    if (!status) {
        mcti_buf_addz(&d.json, "{\"differences\":[");
        mcti_skills_each(app, &lists, diff_skill, &d);
        diff_gone(&d, &lists);
        diff_here(&d);
        mcti_buf_addz(&d.json, "]}");
        if (app->opt.output == MCT_OUT_JSON)
            mcti_out_json(app, mcti_buf_str(&d.json));
        status = d.n ? mcti_error_exit_status(MCT_ERR_INTEGRITY) : lists.status;
    }
    if (d.folder >= 0)
        close(d.folder);
    mcti_skills_lock_done(&d.lock);
    mcti_skills_lists_done(&lists);
    mcti_buf_done(&d.json);
    return status;
}
