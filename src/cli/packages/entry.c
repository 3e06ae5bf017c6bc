/* The entry: shown, confirmed, written. */
#include "cli/packages/bundle.h"

#include "cli/edit/edit.h"
#include "cli/login/signin.h"
#include "config/expand/expand.h"
#include "config/import/import.h"
#include "json/write.h"

#include <stdlib.h>

int mcti_adding_init(struct mcti_adding *a, struct mcti_app *app, struct mct_error *err)
{
    *a = (struct mcti_adding){ .app = app };
    mcti_plan_init(&a->plan);
    mcti_buf_init(&a->entry, MCT_PLAN_DOCUMENT_BYTES);
    mcti_prompt_open(&a->prompt, app);
    a->file = mcti_change_target(&app->opt, err);
    return a->file ? mcti_change_check_notation(a->file, err) : -1;
}

void mcti_adding_done(struct mcti_adding *a)
{
    mcti_prompt_close(&a->prompt);
    mcti_adding_close_bundle(a);
    mcti_plan_done(&a->plan);
    mcti_buf_done(&a->entry);
    for (size_t i = 0; i < a->secrets.n; i++) {
        mcti_secret_free(a->secrets.v[i].value);
        a->secrets.v[i].value = NULL;
    }
    mcti_pairs_clear(&a->secrets);
    free(a->name);
    free(a->file);
}

int mcti_adding_set_name(struct mcti_adding *a, char *take_proposed, struct mct_error *err)
{
    a->name = a->app->opt.name ? strdup(a->app->opt.name) : take_proposed;
    if (a->name != take_proposed)
        free(take_proposed);
    if (!a->name)
        return mcti_no_memory(err);
    for (const char *p = a->name; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == '/' || *p == 0x7f)
            return mcti_fail(err, MCT_ERR_USAGE, "--name '%s': must have no spaces and no '/'", a->name);
    const struct mcti_config_server *s = mcti_config_find(&a->app->inst.config, mcti_str_of(a->name));
    if (!*a->name)
        return mcti_fail(err, MCT_ERR_USAGE, "the server has no usable name; give it one with --name NAME");
    if (!s || a->app->opt.force)
        return 0;
    return mcti_fail(
        err, MCT_ERR_CONFIG,
        "a server '%s' is configured already (%s:%u); use --name for another name, or --force to replace it", a->name,
        s->file ? s->file : "?", s->line);
}

int mcti_adding_finish(struct mcti_adding *a, struct mct_error *err)
{
    struct mcti_config_server s = mcti_config_server_preset;
    int r = mcti_plan_finish(&a->plan, &s, err);
    if (r == 0)
        r = mcti_adding_set_sandbox(a, &s, err);
    if (r == 0)
        mcti_config_put_entry(&a->entry, &s);
    mcti_config_clear_server(&s);
    return r < 0 ? -1 : mcti_buf_ok(&a->entry) ? 0 : mcti_no_memory(err);
}

/* ---- what is shown ---- */

static void entry_put_word(struct mcti_buf *to, struct mcti_str value)
{
    char *text = mcti_json_dup(value);
    mcti_buf_addz(to, to->len ? " " : "");
    mcti_expand_put_word(to, mcti_str_of(text ? text : ""));
    free(text);
}

/* Appends the command line, or the URL. */
static void entry_put_command(const struct mcti_adding *a, struct mcti_buf *to)
{
    struct mcti_str entry = mcti_buf_str(&a->entry), item;
    entry_put_word(to, mcti_json_get(entry, a->plan.url ? "url" : "command"));
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(entry, "args")); mcti_json_next_item(&it, &item);)
        entry_put_word(to, item);
}

static void entry_show_pairs(const struct mcti_adding *a, const char *key, const char *between)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(mcti_buf_str(&a->entry), key));
         mcti_json_next_member(&it, &m);) {
        char *text = mcti_json_dup(m.value);
        mcti_out(a->app, "  %.*s%s%s\n", MCT_STR_ARG(m.key), between, text ? text : "");
        free(text);
    }
}

static void entry_show_note(const struct mcti_app *app, const struct mcti_plan_note *note)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_printf(&b, "  %s: %s", note->danger ? "danger" : "note", note->text);
    mcti_out_wrapped(app, note->danger ? MCT_RED : MCT_DIM, 0, 4, mcti_buf_str(&b));
    putchar('\n');
    mcti_buf_done(&b);
}

void mcti_adding_show(const struct mcti_adding *a)
{
    const struct mcti_plan *p = &a->plan;
    struct mcti_buf command;
    if (a->app->opt.output == MCT_OUT_JSON)
        return;
    mcti_buf_init(&command, 1u << 20);
    entry_put_command(a, &command);
    mcti_out_styled(a->app, MCT_BOLD, "%s", a->name);
    if (p->name)
        mcti_out(a->app, ": %s%s%s", p->name, p->version ? " " : "", p->version ? p->version : "");
    putchar('\n');
    if (p->description)
        mcti_packages_print_text(a->app, mcti_str_of(p->description), 2);
    mcti_out(a->app, "  %s%.*s\n", p->url ? "" : "$ ", (int)command.len, command.p);
    entry_show_pairs(a, "env", "=");
    entry_show_pairs(a, "headers", ": ");
    mcti_adding_show_sandbox(a);
    for (size_t i = 0; i < p->n_notes; i++)
        entry_show_note(a->app, &p->notes[i]);
    mcti_buf_done(&command);
}

static int entry_refuse(struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_POLICY, "not added");
}

static bool entry_has_danger(const struct mcti_adding *a)
{
    bool has = false;
    for (size_t i = 0; i < a->plan.n_notes; i++)
        has |= a->plan.notes[i].danger;
    return has;
}

/* What is dangerous is not covered by --yes. */
static int entry_confirm_danger(const struct mcti_adding *a, struct mct_error *err)
{
    for (size_t i = 0; i < a->plan.n_notes; i++)
        if (a->plan.notes[i].danger && !a->prompt.is_open && !a->app->opt.force)
            return mcti_fail(err, MCT_ERR_POLICY, "%s; add it on a terminal, or with --force", a->plan.notes[i].text);
    return 0;
}

int mcti_adding_confirm(struct mcti_adding *a, struct mct_error *err)
{
    const struct mcti_options *o = &a->app->opt;
    if (entry_confirm_danger(a, err) < 0)
        return -1;
    if (!a->is_foreign || o->yes || o->dry_run)
        return 0;
    if (!a->prompt.is_open)
        return mcti_fail(err, MCT_ERR_USAGE, "this starts a program that others have written: confirm it with --yes");
    if (mcti_prompt_yes(&a->prompt, !entry_has_danger(a),
                        a->plan.url ? "Add it as '%s' to %s?" : "Run this, and add it as '%s' to %s?", a->name,
                        a->file))
        return 0;
    return a->app->interrupted ? mcti_fail(err, MCT_ERR_CANCELLED, "interrupted") : entry_refuse(err);
}

/* ---- writing ---- */

static int entry_insert(void *data, struct mcti_edit *e, struct mct_error *err)
{
    const struct mcti_adding *a = data;
    const char *const *container = mcti_change_container(e);
    const char *path[4] = { 0 };
    size_t n = 0;
    while (n < 2 && container[n]) {
        path[n] = container[n];
        n++;
    }
    path[n] = a->name;
    return mcti_edit_set(e, path, mcti_buf_str(&a->entry), err);
}

int mcti_adding_write(struct mcti_adding *a, struct mct_error *err)
{
    char done[200];
    snprintf(done, sizeof done, "added %s", a->name);
    const struct mcti_change change = { .app = a->app, .file = a->file, .edit = entry_insert, .data = a, .done = done };
    return mcti_change_run(&change, err);
}
