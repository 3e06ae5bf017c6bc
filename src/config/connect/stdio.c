/* Entries with a "command": programs to start. */
#include "config/connect/impl.h"

#include "config/expand/expand.h"
#include "io/egress/egress.h"
#include "io/process/transport_stdio.h"

#include <stdio.h>
#include <stdlib.h>

struct mcti_stdio_server *mcti_stdio_server_of(struct mcti_target_server *t)
{
    return MCT_CONTAINER(t, struct mcti_stdio_server, base);
}

static void connect_stdio_free_server(struct mcti_target_server *t)
{
    struct mcti_stdio_server *s = mcti_stdio_server_of(t);
    mcti_strings_clear(&s->argv);
    for (size_t i = s->n_shared; i < s->envp.n; i++)
        free(s->envp.v[i]);
    free(s->envp.v);
    mcti_sandbox_wish_done(&s->wish);
    mcti_strings_clear(&s->network);
    free(s->cwd);
    free(s);
}

int mcti_stdio_server_borrow(struct mcti_strings *list, char *text)
{
    char **v = text ? realloc(list->v, (list->n + 2) * sizeof *v) : NULL;
    if (!v)
        return -1;
    list->v = v;
    v[list->n++] = text;
    v[list->n] = NULL;
    return 0;
}

int mcti_stdio_server_add(struct mcti_strings *list, char *take_text)
{
    int r = mcti_stdio_server_borrow(list, take_text);
    if (r < 0)
        free(take_text);
    return r;
}

static int connect_stdio_make_argv(struct mcti_stdio_server *to, const struct mcti_config_server *s,
                                   struct mct_error *err)
{
    if (mcti_stdio_server_add(&to->argv, mcti_expand_path(s->command, err)) < 0)
        return mcti_error_wrap(err, "command");
    for (size_t i = 0; i < s->args.n; i++)
        if (mcti_stdio_server_add(&to->argv, mcti_expand(s->args.v[i], err)) < 0)
            return mcti_error_wrap(err, "args[%zu]", i);
    return 0;
}

struct mcti_target_server *mcti_stdio_server_new(void)
{
    struct mcti_stdio_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.free = connect_stdio_free_server;
    return &s->base;
}

static int connect_stdio_resolve(struct mcti_target_server *t, const struct mcti_config_server *s,
                                 struct mcti_buf *identity, struct mct_error *err)
{
    struct mcti_stdio_server *to = mcti_stdio_server_of(t);
    if (connect_stdio_make_argv(to, s, err) < 0 || mcti_stdio_server_env(to, s, err) < 0)
        return -1;
    to->cwd = s->cwd ? mcti_expand_path(s->cwd, err) : NULL;
    if (s->cwd && !to->cwd)
        return mcti_error_wrap(err, "cwd");
    for (size_t i = 0; i < to->argv.n; i++)
        mcti_buf_printf(identity, "%s\n", to->argv.v[i]);
    mcti_buf_addz(identity, to->cwd ? to->cwd : "");
    return mcti_connect_sandbox(to, t->config, s, err);
}

/* ---- the proxy of a sandbox ---- */

static void *connect_stdio_open_gate(void *data, const struct mcti_sandbox_gate *gate, struct mct_error *err)
{
    const struct mcti_stdio_server *s = data;
    struct mcti_egress_peer *peers = calloc(s->network.n + 1, sizeof *peers);
    for (size_t i = 0; peers && i < s->network.n; i++)
        mcti_config_read_peer(mcti_str_of(s->network.v[i]), &peers[i].host, &peers[i].port);
    const struct mcti_egress_opts opts = { .loop = s->base.env->loop,
                                           .log = s->base.env->log,
                                           .name = s->wish.label,
                                           .fd = gate->fd,
                                           .secret = gate->secret,
                                           .peers = peers,
                                           .n_peers = peers ? s->network.n : 0,
                                           .private_addresses = s->wish.allow & MCT_SANDBOX_PRIVATE };
    struct mcti_egress *e = mcti_egress_new(&opts, err);
    free(peers);
    return e;
}

static void connect_stdio_close_gate(void *opened)
{
    mcti_egress_free(opened);
}

struct mcti_transport *mcti_stdio_server_connect(struct mcti_target_server *t, unsigned variant, struct mct_error *err)
{
    struct mcti_stdio_server *s = mcti_stdio_server_of(t);
    (void)variant;
    const struct mcti_stdio_opts opts = {
        .spawn = { .argv = s->argv.v, .envp = s->envp.v, .cwd = s->cwd },
        .reaper = t->env->reaper,
        .message_bytes = t->message_bytes,
        .stop_eof_ms = t->env->stop_eof_ms,
        .stop_term_ms = t->env->stop_term_ms,
        .wish = s->wish.mode > MCT_SANDBOX_OFF ? &s->wish : NULL,
        .gate = { connect_stdio_open_gate, connect_stdio_close_gate, s },
    };
    struct mcti_transport *made = mcti_transport_stdio_new(t->env->loop, &opts);
    if (!made)
        mcti_no_memory(err);
    return made;
}

const struct mcti_connect_kind mcti_connect_stdio = {
    .new = mcti_stdio_server_new,
    .resolve = connect_stdio_resolve,
    .connect = mcti_stdio_server_connect,
    .explain = mcti_stdio_server_explain,
    .n_variants = 1,
};
