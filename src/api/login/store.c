/* A store for logins that consists of callbacks of the program. Without `lock`, locks hold within the instance. */
#include "api/login/login.h"

#include <stdlib.h>

struct mct_auth_text {
    struct mcti_buf *to;
};

struct program_store {
    struct mcti_auth_store base;
    struct mcti_api_auth *auth;
    struct mcti_auth_store *locks; /* of the kind "memory"; its texts are not used */
};

static struct program_store *program_store_of(struct mcti_auth_store *s)
{
    return MCT_CONTAINER(s, struct program_store, base);
}

static const struct mct_auth_store *program_callbacks(struct mcti_auth_store *s)
{
    return &program_store_of(s)->auth->store;
}

int mct_auth_text_set(struct mct_auth_text *to, const char *text, size_t len)
{
    if (len > MCT_LIMIT_AUTH_BYTES)
        return -1;
    mcti_buf_add(to->to, (struct mcti_str){ text ? text : "", text ? len : 0 });
    return mcti_buf_ok(to->to) ? 0 : -1;
}

/* Sets *err to the failure of a callback, which may have written a message, with or without its end. */
static int program_store_fail(struct mct_error *err, const struct mct_error *why, const char *what)
{
    return mcti_fail(err, MCT_ERR_INTERNAL, "the store of the program: %s: %.*s", what, (int)sizeof why->message - 64,
                     why->message[0] ? why->message : "failed");
}

static int program_store_load(struct mcti_auth_store *s, const char *key, struct mcti_buf *ret, struct mct_error *err)
{
    struct mct_auth_text to = { ret };
    struct mct_error why = { 0 };
    size_t before = ret->len;
    int r = program_callbacks(s)->load(program_callbacks(s)->data, key, &to, &why);
    if (!mcti_buf_ok(ret))
        return mcti_no_memory(err);
    if (r < 0)
        ret->len = before;
    return r < 0 ? program_store_fail(err, &why, "loading a login") : 0;
}

static int program_store_save(struct mcti_auth_store *s, const char *key, struct mcti_str text, struct mct_error *err)
{
    struct mct_error why = { 0 };
    int r = program_callbacks(s)->save(program_callbacks(s)->data, key, text.p, text.len, &why);
    return r < 0 ? program_store_fail(err, &why, "saving a login") : 0;
}

static int program_store_lock(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    struct mcti_auth_store *locks = program_store_of(s)->locks;
    const struct mct_auth_store *its = program_callbacks(s);
    struct mct_error why = { 0 };
    int r = locks->ops->lock(locks, key, err);
    if (r <= 0 || !its->lock)
        return r;
    r = its->lock(its->data, key, &why);
    if (r <= 0)
        locks->ops->unlock(locks, key);
    return r < 0 ? program_store_fail(err, &why, "locking a login") : r > 0;
}

static void program_store_unlock(struct mcti_auth_store *s, const char *key)
{
    struct mcti_auth_store *locks = program_store_of(s)->locks;
    if (program_callbacks(s)->unlock)
        program_callbacks(s)->unlock(program_callbacks(s)->data, key);
    locks->ops->unlock(locks, key);
}

static void program_store_free(struct mcti_auth_store *s)
{
    struct program_store *p = program_store_of(s);
    p->auth->opened_store = NULL;
    mcti_auth_store_free(p->locks);
    free(p);
}

static const struct mcti_auth_store_ops program_store_ops = {
    .name = "program",
    .load = program_store_load,
    .save = program_store_save,
    .lock = program_store_lock,
    .unlock = program_store_unlock,
    .free = program_store_free,
};

struct mcti_auth_store *mcti_api_auth_store(struct mcti_api_auth *auth, struct mct_error *err)
{
    struct program_store *p = calloc(1, sizeof *p);
    struct mcti_auth_store *locks = p ? mcti_auth_store_memory(err) : NULL;
    if (!p || !locks) {
        free(p);
        mcti_no_memory(err);
        return NULL;
    }
    *p = (struct program_store){ .base.ops = &program_store_ops, .auth = auth, .locks = locks };
    return &p->base;
}

void mct_instance_login_changed(struct mct_instance *a, const char *key)
{
    struct mcti_auth_store *s = a->auth ? a->auth->opened_store : NULL;
    if (s && s->changed && a->phase == API_STARTED)
        s->changed(s->data, key);
}
