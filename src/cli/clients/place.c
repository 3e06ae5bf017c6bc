#include "cli/clients/place.h"

#include "base/log/near.h"
#include "cli/clients/mask.h"
#include "cli/edit/edit.h"
#include "clients/undo.h"

#include <stdlib.h>
#include <unistd.h>

void mcti_placing_init(struct mcti_placing *p, struct mcti_app *app, const struct mcti_client *client)
{
    *p = (struct mcti_placing){ .app = app, .client = client };
    struct mcti_buf *const all[] = { &p->entry, &p->text, &p->planned, &p->diff };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_init(all[i], 4 * MCT_EDIT_MAX_BYTES);
}

void mcti_placing_done(struct mcti_placing *p)
{
    struct mcti_buf *const all[] = { &p->entry, &p->text, &p->planned, &p->diff };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_done(all[i]);
    free(p->file);
    free(p->backup);
}

const struct mcti_client *mcti_placing_client(const char *word, struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(word) };
    char hint[MCT_NEAR_HINT_BYTES];
    const struct mcti_client *found = mcti_client_find(word);
    for (const struct mcti_client *k = mcti_clients; !found && k->id; k++)
        mcti_near_try(&near, mcti_str_of(k->id));
    if (!found)
        mcti_fail(err, MCT_ERR_USAGE, "unknown client '%s'%s; 'mcptools install' lists those that are here", word,
                  mcti_near_hint(&near, hint));
    return found;
}

/* ---- the file ---- */

int mcti_placing_find(struct mcti_placing *p, bool is_needed, struct mct_error *err)
{
    const struct mcti_options *opt = &p->app->opt;
    p->file = opt->file ? strdup(opt->file) : mcti_client_target(p->client, opt->project);
    if (!p->file && opt->project && !p->client->project)
        return mcti_fail(err, MCT_ERR_USAGE, "%s has no files of projects; leave out --project", p->client->title);
    if (!p->file)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: its file is not known here; name it with --file", p->client->title);
    p->is_new = access(p->file, F_OK) < 0;
    if (p->is_new && is_needed)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: there is no such file", p->file);
    if (p->is_new && !opt->create && (opt->file || !mcti_client_is_here(p->client)))
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s does not seem to be installed (there is no %s); use --create to write it",
                         p->client->title, p->file);
    return 0;
}

/* ---- the change ---- */

static int leave_others(struct mcti_placing *p, struct mcti_edit *e, struct mct_error *err)
{
    for (size_t i = 0; p->leave && i < p->leave->n; i++)
        if (mcti_client_edit(e, p->client, p->leave->v[i], MCT_STR_NONE, err) < 0)
            return -1;
    return 0;
}

static int place_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct mcti_placing *p = data;
    if (p->is_whole) {
        mcti_buf_clear(&e->text);
        mcti_buf_add(&e->text, mcti_buf_str(&p->text));
        return mcti_buf_ok(&e->text) ? 0 : mcti_no_memory(err);
    }
    if (leave_others(p, e, err) < 0)
        return -1;
    struct mcti_str entry = p->entry.len ? mcti_buf_str(&p->entry) : MCT_STR_NONE;
    int r = mcti_client_edit(e, p->client, MCT_CLIENT_ENTRY, entry, err);
    return r < 0 ? -1 : entry.p ? 0 : mcti_client_drop_container(e, p->client, err);
}

static bool place_is_strict(const struct mcti_placing *p)
{
    return !p->client->writes.comments && !p->client->writes.commas;
}

int mcti_placing_plan(struct mcti_placing *p, struct mct_error *err)
{
    const struct mcti_edit_job job = {
        .path = p->file, .strict = place_is_strict(p), .dry_run = true, .edit = place_edit, .data = p
    };
    struct mcti_edit_outcome outcome;
    struct mcti_buf diff;
    mcti_buf_init(&diff, 4 * MCT_EDIT_MAX_BYTES);
    int r = mcti_edit_file(&job, &outcome, err);
    if (r == 0) {
        p->changed = outcome.changed;
        mcti_buf_add(&p->planned, mcti_buf_str(&outcome.before));
        mcti_edit_put_diff(&diff, p->file, mcti_buf_str(&outcome.before), mcti_buf_str(&outcome.after));
        mcti_mask_diff(&p->diff, mcti_buf_str(&diff), mcti_buf_str(&p->entry),
                       mcti_notation_of(p->file) == MCT_NOTATION_TOML);
    }
    mcti_edit_outcome_done(&outcome);
    mcti_buf_done(&diff);
    return r;
}

int mcti_placing_confirm(struct mcti_placing *p, const char *question, struct mct_error *err)
{
    const struct mcti_options *opt = &p->app->opt;
    char answer[16] = "";
    if (opt->output != MCT_OUT_JSON)
        mcti_out_text(p->app, mcti_buf_str(&p->diff));
    if (opt->dry_run || opt->yes)
        return opt->dry_run;
    if (opt->output == MCT_OUT_JSON || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: nothing was written; use --yes to write it without a question",
                         p->file);
    fflush(stdout);
    mcti_err("%s [Y/n] ", question);
    if (!fgets(answer, sizeof answer, stdin))
        return 1;
    return *answer == '\n' || *answer == 'y' || *answer == 'Y' ? 0 : 1;
}

/* The file must be what was shown. The copy is kept before anything is written. */
static int place_edit_shown(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct mcti_placing *p = data;
    if (!mcti_str_eq(mcti_buf_str(&e->text), mcti_buf_str(&p->planned)))
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s: was changed meanwhile, so nothing was written; run the command again", p->file);
    if (mcti_undo_keep(p->client->id, p->is_new, mcti_buf_str(&e->text), &p->backup, err) < 0)
        return -1;
    if (place_edit(p, e, err) < 0)
        return -1;
    bool is_found = p->app->opt.project || p->app->opt.file; /* the user's own file needs no trust */
    return is_found ? mcti_change_keep_trust(p->app, p->file, mcti_buf_str(&p->planned), e, err) : 0;
}

static int place_remove(struct mcti_placing *p, struct mct_error *err)
{
    return unlink(p->file) == 0 ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "%s: cannot be removed", p->file);
}

int mcti_placing_write(struct mcti_placing *p, struct mct_error *err)
{
    const struct mcti_edit_job job = {
        .path = p->file, .strict = place_is_strict(p), .edit = place_edit_shown, .data = p
    };
    struct mcti_edit_outcome outcome;
    if (p->is_whole && p->was_new)
        return place_remove(p, err);
    int r = mcti_edit_file(&job, &outcome, err);
    if (r == 0) {
        char *real = realpath(p->file, NULL);
        p->written = true;
        const struct mcti_undo_note note = { p->client->id, real ? real : p->file, p->backup, !p->entry.len };
        r = mcti_undo_note(&note, mcti_buf_str(&outcome.before), mcti_buf_str(&outcome.after), err);
        free(real);
    }
    mcti_edit_outcome_done(&outcome);
    return r;
}
