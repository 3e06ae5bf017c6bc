/* Entries with a "command": programs to start. */
#include "config/connect/impl.h"

#include "config/expand.h"
#include "io/process/transport_stdio.h"

#include <stdio.h>
#include <stdlib.h>

extern char **environ;

/* What a child inherits without being told: enough to find programs, a home and the language. */
static const char *const inherited[] = { "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG",
                                         "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*" };

struct mct_stdio_server *mct_stdio_server_of(struct mct_target_server *t)
{
    return MCT_CONTAINER(t, struct mct_stdio_server, base);
}

static void free_server(struct mct_target_server *t)
{
    struct mct_stdio_server *s = mct_stdio_server_of(t);
    mct_strings_clear(&s->argv);
    mct_strings_clear(&s->envp);
    free(s->cwd);
    free(s);
}

int mct_stdio_server_add(struct mct_strings *list, char *take_text)
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

int mct_stdio_server_env(struct mct_stdio_server *to, const struct mct_pairs *env, struct mct_error *err)
{
    char *entry;
    for (char **e = environ; *e; e++)
        if (is_inherited(*e) && !configured(env, *e) && mct_stdio_server_add(&to->envp, strdup(*e)) < 0)
            return mct_no_memory(err);
    for (size_t i = 0; i < env->n; i++) {
        char *value = mct_expand(env->v[i].value, err);
        if (!value)
            return mct_error_wrap(err, "env.%s", env->v[i].key);
        int r = asprintf(&entry, "%s=%s", env->v[i].key, value);
        free(value);
        if (r < 0 || mct_stdio_server_add(&to->envp, entry) < 0)
            return mct_no_memory(err);
    }
    return 0;
}

static int make_argv(struct mct_stdio_server *to, const struct mct_config_server *s, struct mct_error *err)
{
    if (mct_stdio_server_add(&to->argv, mct_expand_path(s->command, err)) < 0)
        return mct_error_wrap(err, "command");
    for (size_t i = 0; i < s->args.n; i++)
        if (mct_stdio_server_add(&to->argv, mct_expand(s->args.v[i], err)) < 0)
            return mct_error_wrap(err, "args[%zu]", i);
    return 0;
}

struct mct_target_server *mct_stdio_server_new(void)
{
    struct mct_stdio_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.free = free_server;
    return &s->base;
}

static int resolve(struct mct_target_server *t, const struct mct_config_server *s, struct mct_buf *identity,
                   struct mct_error *err)
{
    struct mct_stdio_server *to = mct_stdio_server_of(t);
    if (make_argv(to, s, err) < 0 || mct_stdio_server_env(to, &s->env, err) < 0)
        return -1;
    to->cwd = s->cwd ? mct_expand_path(s->cwd, err) : NULL;
    if (s->cwd && !to->cwd)
        return mct_error_wrap(err, "cwd");
    for (size_t i = 0; i < to->argv.n; i++)
        mct_buf_printf(identity, "%s\n", to->argv.v[i]);
    mct_buf_addz(identity, to->cwd ? to->cwd : "");
    return 0;
}

struct mct_transport *mct_stdio_server_connect(struct mct_target_server *t, unsigned variant, struct mct_error *err)
{
    struct mct_stdio_server *s = mct_stdio_server_of(t);
    (void)variant;
    const struct mct_stdio_opts opts = {
        .spawn = { .argv = s->argv.v, .envp = s->envp.v, .cwd = s->cwd },
        .reaper = t->env->reaper,
        .message_bytes = t->message_bytes,
        .stop_eof_ms = t->env->stop_eof_ms,
        .stop_term_ms = t->env->stop_term_ms,
    };
    struct mct_transport *made = mct_transport_stdio_new(t->env->loop, &opts);
    if (!made)
        mct_no_memory(err);
    return made;
}

const struct mct_connect_kind mct_connect_stdio = {
    .new = mct_stdio_server_new, .resolve = resolve, .connect = mct_stdio_server_connect, .n_variants = 1,
};
