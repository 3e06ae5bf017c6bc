/* The programs that servers are started with. Only programs that are known to print a version are run. */
#include "cli/doctor/doctor.h"

#include "config/expand/expand.h"
#include "io/process/run.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A program, the servers that use it, and the run that asks for its version. */
struct program {
    char *name, *path; /* owned; path NULL: not found */
    struct mcti_buf users;
    struct mcti_run *run; /* NULL: none, or ended */
    size_t *n_running;
    char version[80];
};

struct programs {
    struct program *v;
    size_t n, n_running;
};

/* Programs that print their version with --version. `also` is the one that does the work. */
static const struct {
    const char *name, *also;
} runtimes[] = {
    { "node", NULL },   { "npx", "node" },   { "npm", "node" }, { "bun", NULL },  { "bunx", "bun" }, { "deno", NULL },
    { "python", NULL }, { "python3", NULL }, { "uv", NULL },    { "uvx", NULL },  { "pipx", NULL },  { "docker", NULL },
    { "podman", NULL }, { "dotnet", NULL },  { "go", NULL },    { "java", NULL },
};

static bool is_runtime(const char *name, const char **ret_also)
{
    *ret_also = NULL;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (!strcmp(name, runtimes[i].name)) {
            *ret_also = runtimes[i].also;
            return true;
        }
    return false;
}

/* Returns the path of a program as a server with this PATH finds it, to free(); NULL if there is none. */
static char *programs_find(const char *name, const char *search)
{
    char *argv[] = { (char *)name, NULL }, *path = NULL;
    if (asprintf(&path, "PATH=%s", search) < 0)
        return NULL;
    char *envp[] = { search ? path : NULL, NULL };
    const struct mcti_spawn spec = { .argv = argv, .envp = envp };
    char *found = mcti_spawn_find(&spec);
    free(path);
    if (found && access(found, X_OK) == 0)
        return found;
    free(found);
    return NULL;
}

static void programs_add(struct programs *all, const char *name, const char *path, const char *user)
{
    struct program *p = NULL;
    for (size_t i = 0; i < all->n && !p; i++)
        if (!strcmp(all->v[i].name, name) && !all->v[i].path == !path && (!path || !strcmp(all->v[i].path, path)))
            p = &all->v[i];
    if (!p) {
        struct program *v = realloc(all->v, (all->n + 1) * sizeof *v);
        if (!v)
            return;
        all->v = v;
        p = &v[all->n++];
        *p = (struct program){ .name = strdup(name), .path = path ? strdup(path) : NULL };
        mcti_buf_init(&p->users, 1024);
    }
    if (user)
        mcti_buf_printf(&p->users, "%s%s", p->users.len ? ", " : "", user);
}

/* Returns the command of a server, to free(); NULL if it cannot be known without reading secrets. */
static char *programs_command(const struct mcti_config_server *s)
{
    struct mct_error err;
    bool is_secret =
        strstr(s->command, "${cmd:") || strstr(s->command, "${file:") || strstr(s->command, "${credential:");
    return is_secret ? NULL : mcti_expand_path(s->command, &err);
}

static void programs_add_server(struct programs *all, const struct mcti_config_server *s)
{
    const char *search = getenv("PATH"), *also;
    char *command = programs_command(s);
    if (!command)
        return;
    for (size_t i = 0; i < s->env.n; i++)
        if (!strcmp(s->env.v[i].key, "PATH") && !strstr(s->env.v[i].value, "${"))
            search = s->env.v[i].value;
    char *path = programs_find(command, search);
    programs_add(all, command, path, s->name);
    if (path && is_runtime(command, &also) && also) {
        char *worker = programs_find(also, search);
        programs_add(all, also, worker, s->name);
        free(worker);
    }
    free(command);
    free(path);
}

static void programs_on_version(void *data, const struct mcti_run_end *end)
{
    struct program *p = data;
    struct mcti_str output = mcti_str_trim_white(end->output), line = MCT_STR("");
    mcti_str_split(&output, '\n', &line);
    if (!end->err)
        snprintf(p->version, sizeof p->version, "%.*s", MCT_STR_ARG(line));
    p->run = NULL;
    (*p->n_running)--;
}

static void programs_ask(struct mcti_doctor *d, struct programs *all, struct program *p)
{
    extern char **environ;
    char *argv[] = { p->path, (char *)"--version", NULL };
    const struct mcti_run_opts opts = { .spawn = { .argv = argv, .envp = environ }, .max_output = 1 << 16 };
    struct mct_error err;
    const char *also;
    if (!p->path || !is_runtime(p->name, &also))
        return;
    p->n_running = &all->n_running;
    p->run = mcti_run_start(&d->app->inst.loop, &opts, programs_on_version, p, &err);
    all->n_running += p->run != NULL;
}

static void programs_on_time(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

/* Waits for the versions, but not for long. */
static void programs_wait(struct mcti_doctor *d, struct programs *all)
{
    enum { LIMIT_MS = 5000 };
    bool late = false;
    uv_timer_t timer = { .data = &late };
    uv_timer_init(&d->app->inst.loop.uv, &timer);
    uv_timer_start(&timer, programs_on_time, LIMIT_MS, 0);
    while (all->n_running && !late && !d->app->interrupted)
        uv_run(&d->app->inst.loop.uv, UV_RUN_ONCE);
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].run)
            mcti_run_kill(all->v[i].run);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&d->app->inst.loop.uv, UV_RUN_NOWAIT);
}

static void programs_say(struct mcti_doctor *d, const struct program *p)
{
    enum { OLDEST_NODE = 18 };
    struct mcti_str users = mcti_buf_str(&p->users);
    bool is_old = !strcmp(p->name, "node") && p->version[0] == 'v' && atoi(p->version + 1) < OLDEST_NODE;
    if (!p->path)
        mcti_doctor_say(d, DOCTOR_ERROR, "%s: not found; install it, or give its full path (used by %.*s)", p->name,
                        MCT_STR_ARG(users));
    else if (is_old)
        mcti_doctor_say(d, DOCTOR_WARNING, "%s %s at %s is old: most servers need %d or newer (used by %.*s)", p->name,
                        p->version, p->path, OLDEST_NODE, MCT_STR_ARG(users));
    else
        mcti_doctor_say(d, DOCTOR_OK, "%s%s%s at %s (used by %.*s)", p->name, *p->version ? " " : "", p->version,
                        p->path, MCT_STR_ARG(users));
}

void mcti_doctor_programs(struct mcti_doctor *d)
{
    const struct mcti_config *c = &d->app->inst.config;
    struct programs all = { 0 };
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].command && c->servers[i].enabled)
            programs_add_server(&all, &c->servers[i]);
    for (size_t i = 0; i < all.n; i++)
        programs_ask(d, &all, &all.v[i]);
    programs_wait(d, &all);
    for (size_t i = 0; i < all.n; i++) {
        programs_say(d, &all.v[i]);
        free(all.v[i].name);
        free(all.v[i].path);
        mcti_buf_done(&all.v[i].users);
    }
    free(all.v);
}
