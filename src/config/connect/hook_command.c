#include "config/connect/hook_command.h"

#include "base/limits.h"
#include "config/connect/impl.h"
#include "config/expand/expand.h"
#include "io/process/run.h"

#include <stdio.h>
#include <stdlib.h>

/* A hook that is a program. */
struct command {
    const struct mcti_connect_env *env;
    struct mcti_stdio_server *program; /* the command line, environment and folder to start it with */
    struct mcti_list runs;
};

struct running {
    struct mcti_list node;
    struct mct_hook_event *event;
    struct mcti_run *run;
};

static void free_command(void *data)
{
    struct command *c = data;
    if (c->program)
        c->program->base.free(&c->program->base);
    free(c);
}

static void free_running(struct running *r)
{
    mcti_list_remove(&r->node);
    free(r);
}

/* ---- one event ---- */

static void hook_command_fail(struct mct_hook_event *e, const struct mcti_run_end *end)
{
    struct mct_error err = *end->err;
    size_t n = strlen(err.message);
    if (end->complaint.len)
        snprintf(err.message + n, sizeof err.message - n, ": %.*s", MCT_STR_ARG(end->complaint));
    mct_hook_fail(e, err.message);
}

static void hook_command_on_end(void *data, const struct mcti_run_end *end)
{
    struct running *r = data;
    struct mct_hook_event *e = r->event;
    struct mcti_str said = mcti_str_trim_white(end->output);
    char *text = said.len ? mcti_str_dup(said) : NULL;
    free_running(r);
    if (end->err)
        hook_command_fail(e, end);
    else if (said.len && (!text || memchr(text, '\0', said.len)))
        mct_hook_fail(e, text ? "the program wrote a zero byte" : MCT_NO_MEMORY_TEXT);
    else
        mct_hook_decide(e, text);
    free(text);
}

static int hook_command_start(struct command *c, struct running *r, struct mct_hook_event *e, struct mct_error *err)
{
    struct mcti_buf line;
    const char *json = mct_hook_event_json(e);
    struct mcti_run_opts opts = {
        .spawn = { .argv = c->program->argv.v, .envp = c->program->envp.v, .cwd = c->program->cwd },
        .reaper = c->env->reaper,
        .max_output = MCT_LIMIT_DECISION_BYTES,
    };
    mcti_buf_init(&line, strlen(json) + 1);
    mcti_buf_addz(&line, json);
    mcti_buf_addc(&line, '\n');
    opts.input = mcti_buf_str(&line);
    r->event = e;
    r->run = mcti_buf_ok(&line) ? mcti_run_start(c->env->loop, &opts, hook_command_on_end, r, err) : NULL;
    if (!mcti_buf_ok(&line))
        mcti_no_memory(err);
    mcti_buf_done(&line);
    return r->run ? 0 : -1;
}

static void hook_command_run(struct mct_hook_event *e, void *data)
{
    struct command *c = data;
    struct mct_error err;
    struct running *r = calloc(1, sizeof *r);
    if (!r) {
        mct_hook_fail(e, MCT_NO_MEMORY_TEXT);
        return;
    }
    mcti_list_append(&c->runs, &r->node);
    if (hook_command_start(c, r, e, &err) == 0)
        return;
    free_running(r);
    mct_hook_fail(e, err.message);
}

static void hook_command_withdrawn(struct mct_hook_event *e, void *data)
{
    struct command *c = data;
    MCT_LIST_EACH(it, &c->runs) {
        struct running *r = MCT_CONTAINER(it, struct running, node);
        if (r->event != e)
            continue;
        mcti_run_kill(r->run);
        free_running(r);
    }
}

/* ---- opening ---- */

/* Sets the folder of the program. A relative path starts at the folder of the configuration file, as for plugins. */
static int set_folder(struct mcti_stdio_server *to, const struct mcti_config_server *run, struct mct_error *err)
{
    free(to->cwd);
    to->cwd = mcti_expand_from(run->cwd ? run->cwd : ".", run->file, err);
    return to->cwd ? 0 : mcti_error_wrap(err, "cwd");
}

static struct command *hook_command_make(const struct mcti_config_hook *h, const struct mcti_connect_env *env,
                                         struct mct_error *err)
{
    struct command *c = calloc(1, sizeof *c);
    struct mcti_target_server *t = c ? mcti_connect_stdio.new() : NULL;
    struct mcti_buf identity;
    if (!t) {
        free(c);
        mcti_no_memory(err);
        return NULL;
    }
    c->env = env;
    c->program = mcti_stdio_server_of(t);
    mcti_list_init(&c->runs);
    mcti_buf_init(&identity, 1u << 20);
    int r = mcti_connect_stdio.resolve(t, &h->run, &identity, err);
    mcti_buf_done(&identity);
    if (r == 0 && set_folder(c->program, &h->run, err) == 0)
        return c;
    free_command(c);
    return NULL;
}

static int open_hook(const struct mcti_config_hook *h, const void *owner, const struct mcti_connect_env *env,
                     struct mcti_hooks *to, struct mct_error *err)
{
    struct command *c = hook_command_make(h, env, err);
    if (!c)
        return -1;
    const char **tools = h->tools.n ? calloc(h->tools.n + 1, sizeof *tools) : NULL;
    for (size_t i = 0; tools && i < h->tools.n; i++)
        tools[i] = h->tools.v[i];
    const struct mct_hook_def def = { .size = sizeof def,
                                      .kind = h->kind,
                                      .name = h->run.name,
                                      .tools = tools,
                                      .priority = h->priority,
                                      .timeout_ms = h->timeout_ms,
                                      .run = hook_command_run,
                                      .withdrawn = hook_command_withdrawn,
                                      .data = c,
                                      .free_data = free_command };
    int r = h->tools.n && !tools ? mcti_no_memory(err) : mcti_hooks_add(to, &def, owner, err);
    free(tools);
    if (r < 0)
        free_command(c);
    return r;
}

int mcti_config_open_hooks(const struct mcti_config *c, const struct mcti_connect_env *env, struct mcti_hooks *to,
                           struct mct_error *err)
{
    to->compat_2026_2 = c->hooks_compat == MCT_COMPAT_2026_2;
    for (size_t i = 0; i < c->n_hooks; i++)
        if (open_hook(&c->hooks[i], c, env, to, err) < 0)
            return mcti_error_wrap(err, "%s", c->hooks[i].run.name);
    return 0;
}
