/* Entries whose server is reached through the running gateway. */
#include "config/connect/impl.h"

#include <stdlib.h>

static void attached_free_server(struct mcti_target_server *t)
{
    free(t);
}

static struct mcti_target_server *attached_new_server(void)
{
    struct mcti_target_server *t = calloc(1, sizeof *t);
    if (t)
        t->free = attached_free_server;
    return t;
}

/* The gateway has resolved the entry, in its own environment. */
static int attached_resolve(struct mcti_target_server *t, const struct mcti_config_server *s, struct mcti_buf *identity,
                            struct mct_error *err)
{
    (void)identity, (void)err;
    t->name = s->name;
    return 0;
}

static struct mcti_transport *attached_connect(struct mcti_target_server *t, unsigned variant, struct mct_error *err)
{
    const struct mcti_connect_attach *attach = t->env->attach;
    (void)variant;
    return attach->connect(attach->data, t->name, t->wait_ms, err);
}

const struct mcti_connect_kind mcti_connect_attached = {
    .new = attached_new_server,
    .resolve = attached_resolve,
    .connect = attached_connect,
    .n_variants = 1,
};
