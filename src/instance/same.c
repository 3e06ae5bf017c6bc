#include "instance/same.h"

#include "config/fields.h"

#include <stdio.h>

/* ---- values ---- */

static bool same_texts(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool pairs_have(const struct mcti_pairs *all, const struct mcti_pair *one)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->v[i].key, one->key))
            return same_texts(all->v[i].value, one->value);
    return false;
}

static bool same_pairs(const struct mcti_pairs *a, const struct mcti_pairs *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = pairs_have(b, &a->v[i]);
    return same;
}

static bool same_fields(const struct mcti_config_field *fields, const void *a, const void *b);

static bool same_hooks(const struct mcti_config *a, const struct mcti_config *b)
{
    bool same = a->n_hooks == b->n_hooks;
    for (size_t i = 0; same && i < a->n_hooks; i++)
        same = same_fields(mcti_config_hook_fields, &a->hooks[i], &b->hooks[i]);
    return same;
}

static bool same_revision(const struct mcti_server_protocol *a, const struct mcti_server_protocol *b)
{
    return a->era == b->era && a->rev == b->rev && a->match == b->match;
}

static bool same_dialects(const struct mcti_client_prefs *a, const struct mcti_client_prefs *b)
{
    return a->has_dialects == b->has_dialects && (!a->has_dialects || a->dialects == b->dialects);
}

/* Size of the values that are compared and exchanged byte by byte; 0: of another kind. */
static size_t plain_size(enum mcti_field_type type)
{
    switch (type) {
    case TYPE_BOOL:
        return sizeof(bool);
    case TYPE_UINT:
    case TYPE_SECONDS:
    case TYPE_ENUM:
        return sizeof(unsigned);
    case TYPE_INT:
        return sizeof(int);
    case TYPE_BYTES:
        return sizeof(size_t);
    default:
        return 0;
    }
}

static bool same_value(const struct mcti_config_field *f, const void *x, const void *y)
{
    const void *a = (const char *)x + f->offset, *b = (const char *)y + f->offset;
    switch (f->type) {
    case TYPE_STRING:
    case TYPE_JSON:
    case TYPE_WORD:
        return same_texts(*(char *const *)a, *(char *const *)b);
    case TYPE_STRINGS:
        return mcti_config_same_strings(a, b);
    case TYPE_PAIRS:
        return same_pairs(a, b);
    case TYPE_REVISION:
        return same_revision(a, b);
    case TYPE_DIALECTS:
        return same_dialects(a, b);
    case TYPE_HOOKS:
        return same_hooks(x, y);
    case TYPE_OBJECT:
        return same_fields(f->fields, x, y);
    default:
        return !plain_size(f->type) || !memcmp(a, b, plain_size(f->type));
    }
}

static bool same_fields(const struct mcti_config_field *fields, const void *a, const void *b)
{
    bool same = true;
    for (; same && fields->key; fields++)
        same = same_value(fields, a, b);
    return same;
}

/* ---- servers ---- */

/* The folder of a file, from which relative paths of plugins and variables start. */
static struct mcti_str folder_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? mcti_str_range(file, slash) : MCT_STR("");
}

bool mcti_same_server(const struct mcti_config_server *a, const struct mcti_config_server *b)
{
    return a->enabled == b->enabled && a->error.kind == b->error.kind &&
           (!a->error.kind || !strcmp(a->error.message, b->error.message)) &&
           mcti_str_eq(folder_of(a->file), folder_of(b->file)) && same_fields(mcti_config_server_fields, a, b);
}

void mcti_same_exchange(struct mcti_config *a, struct mcti_config *b, const char *name)
{
    struct mcti_config_server *x = mcti_config_find(a, mcti_str_of(name)), *y = mcti_config_find(b, mcti_str_of(name));
    char *x_name = x->name;
    struct mcti_config_server was = *x;
    *x = *y;
    *y = was;
    y->name = x->name; /* the names by which the entries are found */
    x->name = x_name;
}

/* ---- settings ---- */

/* The settings that can change while the program runs: these keys, and those below them. All others, also new ones,
 * can only be set at the start. */
static const char *const live[] = {
    "env_inherit",
    "policy",
    "results",
    "serve.tokens",
    "serve.hosts",
    "serve.origins",
    "serve.watch",
    "limits.call_timeout_s",
    "limits.start_timeout_s",
    "limits.list_wait_s",
    "limits.server_connections",
    "limits.page_items",
    "limits.drain_s",
    "limits.sessions",
    "limits.subscriptions",
    "limits.memory_bytes",
    "limits.principal_share",
    "limits.client_share",
    "limits.server_share",
    "limits.server_calls",
    "limits.server_queue",
    "limits.breaker_failures",
    "limits.breaker_pause_s",
    "limits.calls_per_minute",
    "limits.calls_burst",
};

static bool same_is_live(const char *key)
{
    for (size_t i = 0; i < sizeof live / sizeof *live; i++)
        if (!strcmp(live[i], key))
            return true;
    return false;
}

static void exchange_bytes(void *a, void *b, size_t n)
{
    unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        unsigned char one = x[i];
        x[i] = y[i];
        y[i] = one;
    }
}

static size_t value_size(enum mcti_field_type type)
{
    switch (type) {
    case TYPE_STRING:
    case TYPE_JSON:
    case TYPE_WORD:
        return sizeof(char *);
    case TYPE_STRINGS:
        return sizeof(struct mcti_strings);
    case TYPE_PAIRS:
        return sizeof(struct mcti_pairs);
    default:
        return plain_size(type);
    }
}

static void exchange_value(const struct mcti_config_field *f, struct mcti_config *x, struct mcti_config *y)
{
    struct mcti_client_prefs *a = (void *)((char *)x + f->offset), *b = (void *)((char *)y + f->offset);
    if (f->type == TYPE_HOOKS) {
        exchange_bytes(&x->hooks, &y->hooks, sizeof x->hooks);
        exchange_bytes(&x->n_hooks, &y->n_hooks, sizeof x->n_hooks);
    } else if (f->type == TYPE_DIALECTS) {
        exchange_bytes(&a->has_dialects, &b->has_dialects, sizeof a->has_dialects);
        exchange_bytes(&a->dialects, &b->dialects, sizeof a->dialects);
    } else {
        exchange_bytes(a, b, value_size(f->type));
    }
}

struct keeping {
    struct mcti_config *fresh, *old;
    void (*kept)(void *data, const char *key);
    void *data;
};

static void keep_fields(const struct keeping *k, const struct mcti_config_field *fields, const char *path)
{
    char key[128];
    for (; fields->key; fields++) {
        snprintf(key, sizeof key, "%s%s%s", path, *path ? "." : "", fields->key);
        if (same_is_live(key))
            continue;
        if (fields->type == TYPE_OBJECT) {
            keep_fields(k, fields->fields, key);
            continue;
        }
        if (!same_value(fields, k->fresh, k->old))
            k->kept(k->data, key);
        exchange_value(fields, k->fresh, k->old); /* equal ones, too: others borrow the old texts */
    }
}

void mcti_same_keep(struct mcti_config *fresh, struct mcti_config *old, void (*kept)(void *data, const char *key),
                    void *data)
{
    const struct keeping k = { fresh, old, kept, data };
    keep_fields(&k, mcti_config_settings_fields, "");
}

/* ---- tokens ---- */

bool mcti_same_token(const struct mcti_config *x, size_t a, const struct mcti_config *y, size_t b)
{
    const struct mcti_credential *p = &x->tokens[a], *q = &y->tokens[b];
    return !strcmp(p->name, q->name) && !strcmp(p->token, q->token) && p->prefs.mode == q->prefs.mode &&
           p->prefs.schemas == q->prefs.schemas && p->prefs.read_only == q->prefs.read_only &&
           p->prefs.ruled.stranger == q->prefs.ruled.stranger && same_dialects(&p->prefs, &q->prefs) &&
           mcti_config_same_lists(&x->token_rules.v[a], &y->token_rules.v[b]);
}
