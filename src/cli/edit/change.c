#include "cli/edit/edit.h"

#include "config/check/check.h"
#include "config/import/import.h"
#include "json/write.h"

/* A change while it is made. */
struct making {
    const struct mcti_change *change;
    struct mcti_config before, after;
};

/* ---- what the change would do ---- */

static bool has_problem(const struct mcti_config *c, struct mcti_str what)
{
    for (size_t i = 0; i < c->n_problems; i++)
        if (mcti_str_eq(mcti_problem_split(c->problems[i].text).what, what))
            return true;
    return false;
}

/* Fails if the new text has a mistake that the old one has not. */
static int check_after(struct making *m, struct mct_error *err)
{
    for (size_t i = 0; i < m->after.n_problems; i++) {
        const struct mcti_problem *p = &m->after.problems[i];
        struct mcti_str what = mcti_problem_split(p->text).what;
        if (p->fatal && !has_problem(&m->before, what))
            return mcti_fail(err, MCT_ERR_CONFIG, "%.*s", MCT_STR_ARG(what));
    }
    return 0;
}

static void read_text(struct mcti_config *c, const char *file, const struct mcti_edit *e)
{
    struct mcti_str text = mcti_buf_str(&e->text);
    if (text.len)
        mcti_config_read(c, file, text.p, text.len);
}

/* A file that was trusted stays so, because the user has just written it; another one does not become so. */
int mcti_change_keep_trust(const struct mcti_app *app, const char *file, struct mcti_str before,
                           const struct mcti_edit *e, struct mct_error *err)
{
    if (app->opt.dry_run || !mcti_buf_ok(&e->text) ||
        mcti_config_keep_trust(file, before, mcti_buf_str(&e->text), err) == 0)
        return 0;
    if (err->kind == MCT_ERR_NO_MEMORY)
        return -1;
    mcti_say("mcptools: warning: %s is not trusted where it is found: %s", file, err->message);
    return 0;
}

static int change_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct making *m = data;
    const struct mcti_change *c = m->change;
    struct mcti_buf before;
    mcti_buf_init(&before, MCT_EDIT_MAX_BYTES);
    mcti_buf_add(&before, mcti_buf_str(&e->text));
    read_text(&m->before, c->file, e);
    int r = c->edit(c->data, e, err);
    if (r == 0) {
        read_text(&m->after, c->file, e);
        r = check_after(m, err);
    }
    if (r == 0)
        r = mcti_change_keep_trust(c->app, c->file, mcti_buf_str(&before), e, err);
    mcti_buf_done(&before);
    return r < 0 ? -1 : 0;
}

/* ---- what is printed ---- */

static void print_diff(const struct mcti_change *c, const struct mcti_edit_outcome *o)
{
    struct mcti_buf before, after, diff;
    mcti_buf_init(&before, 2 * MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&after, 2 * MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&diff, 4 * MCT_EDIT_MAX_BYTES);
    mcti_config_put_masked(&before, mcti_buf_str(&o->before));
    mcti_config_put_masked(&after, mcti_buf_str(&o->after));
    mcti_edit_put_diff(&diff, c->file, mcti_buf_str(&before), mcti_buf_str(&after));
    mcti_out_text(c->app, mcti_buf_str(&diff));
    mcti_buf_done(&before);
    mcti_buf_done(&after);
    mcti_buf_done(&diff);
}

static void change_print_json(const struct mcti_change *c, const struct mcti_edit_outcome *o, bool written)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "file", mcti_str_of(c->file));
    mcti_json_put_raw(&b, "written", written ? MCT_STR("true") : MCT_STR("false"));
    mcti_json_put_raw(&b, "created", written && o->created ? MCT_STR("true") : MCT_STR("false"));
    mcti_buf_addc(&b, '}');
    mcti_out_json(c->app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void print_outcome(const struct mcti_change *c, const struct mcti_edit_outcome *o)
{
    bool dry_run = c->app->opt.dry_run;
    if (c->app->opt.output == MCT_OUT_JSON)
        return change_print_json(c, o, o->changed && !dry_run);
    if (o->changed && dry_run)
        print_diff(c, o);
    mcti_out(c->app, "%s: %s%s\n", c->file, o->changed ? c->done : "unchanged",
             !o->changed  ? ""
             : dry_run    ? " (not written: --dry-run)"
             : o->created ? " (new file)"
                          : "");
}

/* Prints warnings that the change has caused. */
static void print_warnings(const struct making *m)
{
    for (size_t i = 0; i < m->after.n_problems; i++) {
        const struct mcti_problem *p = &m->after.problems[i];
        if (!p->fatal && !has_problem(&m->before, mcti_problem_split(p->text).what))
            mcti_say("mcptools: warning: %s", p->text);
    }
}

int mcti_change_run(const struct mcti_change *c, struct mct_error *err)
{
    struct making m = { .change = c };
    struct mcti_edit_job job = { .path = c->file, .dry_run = c->app->opt.dry_run, .edit = change_edit, .data = &m };
    struct mcti_edit_outcome o;
    if (mcti_change_check_notation(c->file, err) < 0)
        return -1;
    mcti_config_init(&m.before);
    mcti_config_init(&m.after);
    int r = mcti_edit_file(&job, &o, err);
    if (r == 0) {
        print_outcome(c, &o);
        print_warnings(&m);
    }
    mcti_edit_outcome_done(&o);
    mcti_config_done(&m.before);
    mcti_config_done(&m.after);
    return r;
}

void mcti_change_warn_secret(const char *name, const char *value, const char *file)
{
    if (mcti_config_is_secret(name, value))
        mcti_say("mcptools: warning: the value of %s will stand in %s; '${VARIABLE}' takes it from the environment "
                 "instead",
                 name, file);
}
