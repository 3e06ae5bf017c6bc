#include "config/connect.h"

#include "config/expand.h"
#include "hub/provider_mcp.h"
#include "io/transport_stdio.h"

#include <stdio.h>
#include <stdlib.h>

extern char **environ;

/* What a child inherits without being told: enough to find programs, a home and the language. */
static const char *const inherited[] = { "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG",
                                         "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*" };

/* One stdio server, resolved: owned by the provider. */
struct stdio_server {
    const struct mct_connect_env *env; /* outlives the providers */
    struct mct_strings argv, envp;     /* both end in a NULL entry beyond n */
    char *cwd;
    size_t message_bytes;
    struct mct_error error;            /* kind NONE: it can be started */
};

static void free_list(struct mct_strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i]);
    free(s->v);
}

static void free_server(void *data)
{
    struct stdio_server *s = data;
    free_list(&s->argv);
    free_list(&s->envp);
    free(s->cwd);
    free(s);
}

/* Appends and keeps a NULL behind the end, as exec wants it. */
static int add_arg(struct mct_strings *list, char *take_text)
{
    char **v = take_text ? realloc(list->v, (list->n + 2) * sizeof *v) : NULL;
    if (!v) {
        free(take_text);
        return -1;
    }
    list->v = v;
    v[list->n++] = take_text;
    v[list->n] = NULL;
    return 0;
}

static bool is_inherited(const char *entry)
{
    const char *eq = strchr(entry, '=');
    for (size_t i = 0; eq && i < sizeof inherited / sizeof *inherited; i++)
        if (mct_str_glob(mct_str_of(inherited[i]), mct_str_range(entry, eq)))
            return true;
    return false;
}

static const struct mct_pair *configured(const struct mct_pairs *env, const char *entry)
{
    for (size_t i = 0; i < env->n; i++) {
        size_t n = strlen(env->v[i].key);
        if (!strncmp(entry, env->v[i].key, n) && entry[n] == '=')
            return &env->v[i];
    }
    return NULL;
}

static int make_env(struct stdio_server *to, const struct mct_pairs *env, struct mct_error *err)
{
    char *entry;
    for (char **e = environ; *e; e++)
        if (is_inherited(*e) && !configured(env, *e) && add_arg(&to->envp, strdup(*e)) < 0)
            return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    for (size_t i = 0; i < env->n; i++) {
        char *value = mct_expand(env->v[i].value, err);
        if (!value)
            return mct_error_wrap(err, "env.%s", env->v[i].key);
        int r = asprintf(&entry, "%s=%s", env->v[i].key, value);
        free(value);
        if (r < 0 || add_arg(&to->envp, entry) < 0)
            return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    }
    return 0;
}

static int make_argv(struct stdio_server *to, const struct mct_config_server *s, struct mct_error *err)
{
    if (add_arg(&to->argv, mct_expand_path(s->command, err)) < 0)
        return mct_error_wrap(err, "command");
    for (size_t i = 0; i < s->args.n; i++)
        if (add_arg(&to->argv, mct_expand(s->args.v[i], err)) < 0)
            return mct_error_wrap(err, "args[%zu]", i);
    return 0;
}

static int resolve(struct stdio_server *to, const struct mct_config_server *s, struct mct_error *err)
{
    if (s->error.kind) {
        *err = s->error;
        return -1;
    }
    if (make_argv(to, s, err) < 0 || make_env(to, &s->env, err) < 0)
        return -1;
    if (!s->cwd)
        return 0;
    to->cwd = mct_expand_path(s->cwd, err);
    return to->cwd ? 0 : mct_error_wrap(err, "cwd");
}

static struct mct_transport *connect_stdio(void *data, struct mct_error *err)
{
    struct stdio_server *s = data;
    if (s->error.kind) {
        *err = s->error;
        return NULL;
    }
    const struct mct_stdio_opts opts = {
        .spawn = { .argv = s->argv.v, .envp = s->envp.v, .cwd = s->cwd },
        .reaper = s->env->reaper,
        .message_bytes = s->message_bytes,
        .stop_eof_ms = s->env->stop_eof_ms,
        .stop_term_ms = s->env->stop_term_ms,
    };
    struct mct_transport *t = mct_transport_stdio_new(s->env->loop, &opts);
    if (!t)
        mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    return t;
}

static void set_protocol(struct mct_mcp_opts *o, const char *protocol)
{
    if (!protocol || !strcmp(protocol, "auto"))
        return;
    o->rev = mct_rev_find(mct_str_of(protocol));
    o->era = mct_rev_is_stateless(o->rev) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE;
}

int mct_connect_server(const struct mct_config *c, const struct mct_config_server *s,
                       const struct mct_connect_env *env, struct mct_registry *r)
{
    struct stdio_server *server = calloc(1, sizeof *server);
    if (!server)
        return -1;
    server->env = env;
    server->message_bytes = c->message_bytes;
    struct mct_error err;
    if (resolve(server, s, &err) < 0)
        server->error = err;
    struct mct_mcp_opts opts = {
        .connect = connect_stdio,
        .free_data = free_server,
        .data = server,
        .sched = &env->loop->sched,
        .start_timeout_ms = s->start_timeout_ms ? s->start_timeout_ms : c->start_timeout_ms,
        .call_timeout_ms = s->timeout_ms ? s->timeout_ms : c->call_timeout_ms,
        .message_bytes = c->message_bytes,
        .restart = env->restart && !server->error.kind,
        .allow = (const char *const *)s->allow.v,
        .n_allow = s->allow.n,
        .deny = (const char *const *)s->deny.v,
        .n_deny = s->deny.n,
    };
    set_protocol(&opts, s->protocol);
    struct mct_provider *p = mct_provider_mcp_new(s->name, &opts, env->log);
    if (p)
        p->required = s->required;
    return mct_registry_add(r, p);
}
