/* mcptools pin, diff and approve. */
#include "cli/pins/pinning.h"

#include "cli/packages/adding.h"

#include <stdlib.h>

/* A change of the pins of one server. */
struct pin_job {
    const struct mcti_pinning *pinning;
    const char *server;
    struct mcti_pins *to;
    bool failed;
};

/* ---- writing ---- */

static void pin_on_change(void *data, const struct mcti_pinning_change *c)
{
    struct pin_job *job = data;
    if (strcmp(c->server, job->server) != 0)
        return;
    if (c->is)
        job->failed |=
            mcti_pins_put(job->to, mcti_str_of(c->server), c->subject, mcti_str_of(c->id), mcti_str_of(c->is)) < 0;
    else
        job->failed |= mcti_pins_remove(job->to, mcti_str_of(c->server), c->subject, mcti_str_of(c->id)) < 0;
}

static int pin_renew(void *data, struct mcti_pins *to, struct mct_error *err)
{
    struct pin_job *job = data;
    job->to = to;
    mcti_pinning_each(job->pinning, pin_on_change, job);
    if (job->failed)
        return mcti_no_memory(err);
    if (!mcti_pins_have(to, job->server))
        return mcti_fail(err, MCT_ERR_CONFIG, "the pins of server '%s' were removed meanwhile; try again", job->server);
    return 0;
}

static void pin_print_summary(const struct mcti_pinning *p, const char *server, const char *verb, const char *path)
{
    size_t n[MCT_PIN_N] = { 0 };
    for (size_t i = 0; i < p->now.n; i++)
        n[p->now.v[i]->subject] += !strcmp(p->now.v[i]->server, server);
    mcti_out(p->app, "%s %s: %zu tool%s, %zu resource%s, %zu template%s, %zu prompt%s%s (%s)\n", verb, server,
             n[MCT_TOOL], n[MCT_TOOL] == 1 ? "" : "s", n[MCT_RESOURCE], n[MCT_RESOURCE] == 1 ? "" : "s",
             n[MCT_TEMPLATE], n[MCT_TEMPLATE] == 1 ? "" : "s", n[MCT_PROMPT], n[MCT_PROMPT] == 1 ? "" : "s",
             n[MCT_SUBJECT_INSTRUCTIONS] ? ", instructions" : "", path);
}

/* Writes what the selected items of one server say now. */
static int pin_write(const struct mcti_pinning *p, const struct mcti_config_server *s, bool afresh, const char *verb,
                     struct mct_error *err)
{
    struct pin_job job = { .pinning = p, .server = s->name };
    char *path = mcti_pins_path(s);
    int r = path ? mcti_pins_update(path, afresh, pin_renew, &job, err)
                 : mcti_fail(err, MCT_ERR_CONFIG, "server '%s' is in no file, so it has no pins", s->name);
    if (r == 0 && p->app->opt.output != MCT_OUT_JSON)
        pin_print_summary(p, s->name, verb, path);
    free(path);
    return r;
}

/* Writes the pins of all servers that were read, also if those of one cannot be written. Returns the exit status. */
static int pin_write_all(const struct mcti_pinning *p, bool afresh, const char *verb)
{
    const struct mcti_config *c = &p->app->inst.config;
    struct mct_error err;
    int status = 0;
    for (size_t i = 0; i < c->n_servers; i++) {
        const struct mcti_config_server *s = &c->servers[i];
        bool is_read = mcti_config_find(c, mcti_str_of(s->name)) == s && mcti_pins_have(&p->now, s->name);
        if (is_read && pin_write(p, s, afresh, verb, &err) < 0)
            status = mcti_out_fail(p->app, &err, s->name);
    }
    if (status)
        return status;
    if (p->app->opt.output == MCT_OUT_JSON)
        mcti_pinning_print(p);
    return mcti_out_failures(p->app);
}

/* ---- pin ---- */

/* Keeps the first server that is pinned already and says something else now. */
static void pin_on_difference(void *data, const struct mcti_pinning_change *c)
{
    struct pin_job *job = data;
    if (!job->server && mcti_pins_have(&job->pinning->was, c->server))
        job->server = c->server;
}

/* Fails if the words are not servers, or pins would be lost. */
static int pin_check(const struct mcti_pinning *p, struct mct_error *err)
{
    struct pin_job differing = { .pinning = p };
    for (size_t i = 0; i < p->n_words; i++)
        if (p->words[i].item)
            return mcti_fail(err, MCT_ERR_USAGE, "pin takes servers; 'mcptools approve %s.%s' renews one item",
                             p->words[i].server->name, p->words[i].item);
    if (p->is_damaged && mcti_out_failures(p->app))
        return mcti_fail(err, MCT_ERR_CONFIG, "the pins were not written anew: not all servers could be read");
    if (p->app->opt.force)
        return 0;
    mcti_pinning_each(p, pin_on_difference, &differing);
    if (!differing.server)
        return 0;
    return mcti_fail(err, MCT_ERR_POLICY,
                     "server '%s' differs from its pins; 'mcptools diff %s' shows how, 'mcptools approve %s' renews "
                     "them, --force overwrites them",
                     differing.server, differing.server, differing.server);
}

static int pin_run(struct mcti_pinning *p)
{
    struct mct_error err;
    return pin_check(p, &err) < 0 ? mcti_out_fail(p->app, &err, NULL) : pin_write_all(p, p->app->opt.force, "pinned");
}

int mcti_cmd_pin(struct mcti_app *app)
{
    struct mcti_pinning p;
    int status = mcti_pinning_open(&p, app, app->opt.force);
    if (status == 0)
        status = pin_run(&p);
    mcti_pinning_done(&p);
    return status;
}

/* ---- diff ---- */

/* Tells which of the servers have no pins. Returns their number. */
static size_t pin_tell_unpinned(const struct mcti_pinning *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->app->inst.registry.n; i++) {
        const char *name = p->app->inst.registry.v[i]->name;
        if (!mcti_pins_have(&p->now, name) || mcti_pins_have(&p->was, name))
            continue;
        mcti_say("server '%s' has no pins; 'mcptools pin %s' records what it says now", name, name);
        n++;
    }
    return n;
}

int mcti_cmd_diff(struct mcti_app *app)
{
    enum { DIFFERS = 5 };
    struct mcti_pinning p;
    int status = mcti_pinning_open(&p, app, false);
    if (status == 0) {
        pin_tell_unpinned(&p);
        size_t n = mcti_pinning_print(&p);
        status = mcti_out_failures(app);
        status = status ? status : n ? DIFFERS : 0;
    }
    mcti_pinning_done(&p);
    return status;
}

/* ---- approve ---- */

/* Shows the differences and asks. Returns 0, or the exit status. */
static int approve_ask(struct mcti_pinning *p)
{
    struct mcti_prompt prompt;
    struct mct_error err;
    mcti_prompt_open(&prompt, p->app);
    if (!prompt.is_open) {
        mcti_fail(&err, MCT_ERR_USAGE, "approve asks at a terminal; look at 'mcptools diff', then give --yes");
        return mcti_out_fail(p->app, &err, NULL);
    }
    mcti_pinning_print(p);
    bool yes = mcti_prompt_yes(&prompt, false, "Approve this?");
    mcti_prompt_close(&prompt);
    if (!yes)
        mcti_say("nothing was approved");
    return yes ? 0 : mcti_error_exit_status(MCT_ERR_CANCELLED);
}

/* Fails if a word names an item of a server without pins: the other items would seem to be approved, too. */
static int approve_check(const struct mcti_pinning *p, struct mct_error *err)
{
    for (size_t i = 0; i < p->n_words; i++) {
        const char *name = p->words[i].server->name;
        if (p->words[i].item && !mcti_pins_have(&p->was, name))
            return mcti_fail(err, MCT_ERR_POLICY, "server '%s' has no pins; 'mcptools pin %s' records what it says now",
                             name, name);
    }
    return 0;
}

static int approve_run(struct mcti_pinning *p)
{
    struct mcti_app *app = p->app;
    struct mct_error err;
    int status = 0;
    if (approve_check(p, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (!mcti_pinning_each(p, NULL, NULL)) {
        if (app->opt.output == MCT_OUT_JSON)
            mcti_pinning_print(p);
        else
            mcti_out(app, "nothing to approve\n");
        return mcti_out_failures(app);
    }
    if (!app->opt.yes)
        status = approve_ask(p);
    else if (app->opt.output != MCT_OUT_JSON)
        mcti_pinning_print(p);
    return status ? status : pin_write_all(p, false, "approved");
}

int mcti_cmd_approve(struct mcti_app *app)
{
    struct mcti_pinning p;
    int status = mcti_pinning_open(&p, app, false);
    if (status == 0)
        status = approve_run(&p);
    mcti_pinning_done(&p);
    return status;
}
