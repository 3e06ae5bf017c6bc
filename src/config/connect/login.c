/*
 * The logins of servers with a URL: one for each entry, shared by all its connections, and one store for all. A login
 * that another process has made is used at once: the store is watched, and read again now and then.
 */
#include "config/connect/impl.h"

#include "auth/grant/grant.h"
#include "auth/login/login.h"
#include "auth/wire/challenge.h"
#include "config/expand/expand.h"

#include <stdlib.h>

enum { RELOAD_MS = 30000, TEXT_BYTES = 1 << 16, MAX_EXTENSIONS = 2 };

struct mcti_connect_logins {
    struct mcti_connect_env *env;
    struct mcti_auth_store *store;
    struct mct_error unkept;  /* why logins are not kept; kind NONE: they are, or that has been logged */
    struct mcti_list list;    /* struct mcti_connect_login */
    struct mcti_timer reload; /* set while other processes may change a login that matters */
};

struct mcti_connect_login {
    struct mcti_list node;
    struct mcti_connect_logins *all;
    struct mcti_login *login;
    struct mcti_auth_settings settings; /* with owned texts */
    struct mcti_pairs extra_params;
    const char *extensions[MAX_EXTENSIONS + 1];
    char key[MCT_AUTH_KEY_CHARS + 1];
    struct mcti_provider *provider; /* NULL: not created yet, or freed */
    struct mcti_registry *registry;
    bool is_needed, ending;
};

static struct mcti_connect_login *connect_login_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_connect_login, node);
}

/* ---- settings ---- */

/* Texts that are expanded once. */
static const struct {
    const char *key;
    size_t from, to; /* offsets in struct mcti_config_oauth and struct mcti_auth_settings */
} texts[] = {
#define TEXT(key, member)                                                                                              \
    {                                                                                                                  \
        key, offsetof(struct mcti_config_oauth, member), offsetof(struct mcti_auth_settings, member)                   \
    }
    TEXT("client_id", client_id),
    TEXT("client_secret", client_secret),
    TEXT("client_metadata_url", client_metadata_url),
    TEXT("issuer", issuer),
    TEXT("private_key", private_key),
    TEXT("key_id", key_id),
    TEXT("alg", alg),
    TEXT("initial_access_token", initial_access_token),
    TEXT("idp.issuer", idp_issuer),
    TEXT("idp.token_endpoint", idp_token_endpoint),
    TEXT("idp.client_id", idp_client_id),
    TEXT("idp.client_secret", idp_client_secret),
#undef TEXT
};

enum { N_TEXTS = sizeof texts / sizeof *texts };

static const char **settings_slot(struct mcti_auth_settings *o, size_t i)
{
    return (const char **)(void *)((char *)o + texts[i].to);
}

static void settings_clear(struct mcti_connect_login *l)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        mcti_secret_free((char *)(uintptr_t)*settings_slot(&l->settings, i));
    free((char *)(uintptr_t)l->settings.scopes);
    mcti_secret_free((char *)(uintptr_t)l->settings.assertion);
    mcti_secret_free((char *)(uintptr_t)l->settings.id_token);
    mcti_pairs_clear(&l->extra_params);
}

static int expand_texts(struct mcti_auth_settings *to, const struct mcti_config_oauth *from, struct mct_error *err)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        const char *text = *(char *const *)(const void *)((const char *)from + texts[i].from);
        if (text && !(*settings_slot(to, i) = mcti_expand(text, err)))
            return mcti_error_wrap(err, "auth.%s", texts[i].key);
    }
    return 0;
}

/* Returns "${file:PATH}" for a path relative to the configuration file. */
static char *file_reference(const char *path, const char *config_file, struct mct_error *err)
{
    struct mcti_buf b;
    char *full = mcti_expand_from(path, config_file, err), *text;
    if (!full)
        return NULL;
    mcti_buf_init(&b, TEXT_BYTES);
    mcti_buf_printf(&b, "${file:%s}", full);
    text = mcti_buf_take(&b);
    free(full);
    if (!text)
        mcti_no_memory(err);
    return text;
}

static int settings_read_files(struct mcti_auth_settings *to, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct mcti_config_oauth *from = &s->oauth;
    if (from->private_key_file) {
        char *text = file_reference(from->private_key_file, s->file, err);
        to->private_key = text ? mcti_expand(text, err) : NULL;
        free(text);
        if (!to->private_key)
            return mcti_error_wrap(err, "auth.private_key_file");
    }
    if (from->assertion_file && !(to->assertion = file_reference(from->assertion_file, s->file, err)))
        return mcti_error_wrap(err, "auth.assertion_file");
    if ((from->assertion && !(to->assertion = strdup(from->assertion))) ||
        (from->id_token && !(to->id_token = strdup(from->id_token))))
        return mcti_no_memory(err);
    return 0;
}

static int join_scopes(struct mcti_auth_settings *to, const struct mcti_strings *scopes, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, TEXT_BYTES);
    for (size_t i = 0; i < scopes->n; i++) {
        char *scope = mcti_expand(scopes->v[i], err);
        bool ok = scope && *scope && mcti_scope_is_valid(mcti_str_of(scope));
        if (scope && !ok)
            mcti_fail(err, MCT_ERR_CONFIG, "'%s' is not a scope", scope);
        mcti_buf_addz(&b, i ? " " : "");
        mcti_buf_addz(&b, ok ? scope : "");
        free(scope);
        if (!ok) {
            mcti_buf_done(&b);
            return mcti_error_wrap(err, "auth.scopes");
        }
    }
    to->scopes = scopes->n ? mcti_buf_take(&b) : NULL;
    if (!scopes->n)
        mcti_buf_done(&b);
    return to->scopes || !scopes->n ? 0 : mcti_no_memory(err);
}

static int expand_params(struct mcti_pairs *to, const struct mcti_pairs *from, struct mct_error *err)
{
    to->v = from->n ? calloc(from->n, sizeof *to->v) : NULL;
    if (from->n && !to->v)
        return mcti_no_memory(err);
    for (; to->n < from->n; to->n++) {
        struct mcti_pair *pair = &to->v[to->n];
        pair->value = mcti_expand(from->v[to->n].value, err);
        if (!pair->value)
            return mcti_error_wrap(err, "auth.extra_params.%s", from->v[to->n].key);
        pair->key = strdup(from->v[to->n].key);
        if (!pair->key) {
            free(pair->value);
            return mcti_no_memory(err);
        }
    }
    return 0;
}

static int settings_fill(struct mcti_connect_login *l, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct mcti_config_oauth *from = &s->oauth;
    const struct mcti_grant_ops *grant = mcti_grant_find(from->grant);
    size_t n = 0;
    l->settings = (struct mcti_auth_settings){
        .grant = from->grant,
        .callback_port = from->callback_port,
        .callback_localhost = from->callback_host == MCT_CALLBACK_LOCALHOST,
        .dpop = (enum mcti_dpop)from->dpop,
        .assume_pkce = from->pkce == MCT_PKCE_ASSUMED,
        .allow_private = from->allow_private,
        .extra_params = from->extra_params.n ? &l->extra_params : NULL,
        .read = mcti_expand,
    };
    if (grant && grant->extension)
        l->extensions[n++] = grant->extension;
    if (from->dpop == MCT_DPOP_REQUIRED)
        l->extensions[n++] = "io.modelcontextprotocol/auth/dpop";
    return expand_texts(&l->settings, from, err) < 0 || settings_read_files(&l->settings, s, err) < 0 ||
                   join_scopes(&l->settings, &from->scopes, err) < 0 ||
                   expand_params(&l->extra_params, &from->extra_params, err) < 0
               ? -1
               : 0;
}

/* ---- the store ---- */

static void logins_plan_reload(struct mcti_connect_logins *all)
{
    bool matters = false;
    MCT_LIST_EACH(it, &all->list)
        matters |= !connect_login_of(it)->ending && mcti_login_state(connect_login_of(it)->login) != MCT_LOGIN_NONE;
    if (matters && all->env->restart && all->store->ops->watch && !all->reload.set)
        mcti_timer_set(&all->env->loop->sched, &all->reload, RELOAD_MS);
}

/* Reads the logins again; `key` NULL: all. */
static void logins_on_changed(void *data, const char *key)
{
    struct mcti_connect_logins *all = data;
    MCT_LIST_EACH(it, &all->list) {
        struct mcti_connect_login *l = connect_login_of(it);
        if (!l->ending && (!key || !strcmp(key, l->key)))
            mcti_login_reload(l->login);
    }
}

static void logins_on_time(void *data)
{
    logins_on_changed(data, NULL);
    logins_plan_reload(data);
}

static const char *logins_kind(const struct mcti_connect_logins *all)
{
    return all->env->auth_store ? all->env->auth_store : "file";
}

/* Opens the configured store; if that is impossible, logins last as long as the program. */
static struct mcti_auth_store *logins_open_store(struct mcti_connect_logins *all, struct mct_error *err)
{
    const struct mcti_connect_owner *owner = all->env->owner;
    if (owner && owner->open_store)
        return owner->open_store(owner->data, err);
    struct mcti_auth_store *store = mcti_auth_store_open(logins_kind(all), NULL, &all->unkept);
    return store ? store : mcti_auth_store_memory(err);
}

/* Warns that there is no store, once, when that begins to matter. */
static void logins_warn_unkept(struct mcti_connect_logins *all)
{
    if (all->unkept.kind)
        mcti_log(all->env->log, MCT_LOG_WARN, "logins are not kept (mcptools.auth.store: %s): %s", logins_kind(all),
                 all->unkept.message);
    all->unkept.kind = MCT_ERR_NONE;
}

static struct mcti_connect_logins *logins_new(struct mcti_connect_env *env, struct mct_error *err)
{
    struct mcti_connect_logins *all = calloc(1, sizeof *all);
    if (!all) {
        mcti_no_memory(err);
        return NULL;
    }
    all->env = env;
    mcti_list_init(&all->list);
    mcti_timer_init(&all->reload, logins_on_time, all);
    all->store = logins_open_store(all, err);
    if (!all->store) {
        free(all);
        return NULL;
    }
    all->store->changed = logins_on_changed;
    all->store->data = all;
    if (!env->restart || !all->store->ops->watch || all->store->ops->watch(all->store, env->loop, err) == 0)
        return all;
    mcti_connect_logins_free(all);
    return NULL;
}

void mcti_connect_logins_free(struct mcti_connect_logins *all)
{
    if (!all)
        return;
    mcti_timer_stop(&all->env->loop->sched, &all->reload);
    mcti_auth_store_free(all->store);
    free(all);
}

/* ---- one login ---- */

static void connect_login_warn(const struct mcti_connect_login *l)
{
    struct mcti_login_facts facts;
    mcti_login_describe(l->login, &facts);
    const char *why = facts.why && !strstr(facts.why->message, "mcptools login") ? facts.why->message : NULL;
    mcti_log(l->all->env->log, MCT_LOG_WARN, "server '%s' needs a login: run 'mcptools login %s'%s%s%s",
             l->provider->name, l->provider->name, why ? " (" : "", why ? why : "", why ? ")" : "");
}

/* While servers are kept running, tells that a login is needed, and connects as soon as it is there. */
static void connect_login_on_changed(void *data)
{
    struct mcti_connect_login *l = data;
    if (!l->login || !l->provider || l->ending)
        return;
    enum mcti_login_state state = mcti_login_state(l->login);
    bool was_needed = l->is_needed;
    logins_plan_reload(l->all);
    if (state != MCT_LOGIN_NONE)
        logins_warn_unkept(l->all);
    if (!l->all->env->restart || (state != MCT_LOGIN_NEEDED && state != MCT_LOGIN_READY))
        return;
    l->is_needed = state == MCT_LOGIN_NEEDED;
    if (l->is_needed && !was_needed)
        connect_login_warn(l);
    if (l->is_needed || !was_needed)
        return;
    mcti_log(l->all->env->log, MCT_LOG_INFO, "server '%s': there is a login", l->provider->name);
    mcti_registry_retry(l->registry, l->provider);
}

static void connect_login_free(void *data)
{
    struct mcti_connect_login *l = data;
    mcti_list_remove(&l->node);
    settings_clear(l);
    free(l);
}

static bool has_other_credentials(const struct mcti_config_server *s)
{
    return s->auth_type != MCT_AUTH_OAUTH &&
           (s->auth_type != MCT_AUTH_UNSET || mcti_config_has_header(s, "Authorization"));
}

static int connect_login_open(struct mcti_connect_login *l, const struct mcti_config_server *s, const char *url,
                              struct mct_error *err)
{
    const struct mcti_connect_env *env = l->all->env;
    const struct mcti_login_opts opts = {
        .loop = env->loop,
        .http = mcti_connect_client(env, err),
        .log = env->log,
        .name = s->name,
        .server_url = url,
        .principal = "",
        .settings = &l->settings,
        .store = l->all->store,
        .person = env->owner ? env->owner->person(env->owner->data, s->name) : NULL,
        .background = env->restart,
        .changed = connect_login_on_changed,
        .data = l,
    };
    if (!opts.http || settings_fill(l, s, err) < 0)
        return -1;
    mcti_auth_key(l->key, mcti_str_of(url), MCT_STR(""));
    l->login = mcti_login_new(&opts);
    return l->login ? 0 : mcti_no_memory(err);
}

int mcti_connect_login_new(struct mcti_target_server *t, const struct mcti_config_server *s, const char *url,
                           struct mct_error *err)
{
    struct mcti_connect_env *env = (struct mcti_connect_env *)(uintptr_t)t->env;
    if (has_other_credentials(s))
        return 0;
    if (!env->logins && !(env->logins = logins_new(env, err)))
        return -1;
    struct mcti_connect_login *l = calloc(1, sizeof *l);
    if (!l)
        return mcti_no_memory(err);
    l->all = env->logins;
    mcti_list_init(&l->node);
    if (connect_login_open(l, s, url, err) < 0) {
        connect_login_free(l);
        return -1;
    }
    mcti_list_append(&l->all->list, &l->node);
    t->login = l;
    return 0;
}

void mcti_connect_login_attach(struct mcti_connect_login *l, struct mcti_provider *p, struct mcti_registry *r)
{
    l->provider = p;
    l->registry = r;
    p->login = l->login;
    logins_plan_reload(l->all);
}

void mcti_connect_login_end(struct mcti_connect_login *l)
{
    if (!l)
        return;
    l->provider = NULL;
    l->ending = true;
    mcti_login_close(l->login, connect_login_free, l);
}

struct mcti_credentials *mcti_connect_login_credentials(struct mcti_connect_login *l)
{
    return l ? mcti_login_credentials(l->login) : NULL;
}

const char *const *mcti_connect_login_extensions(const struct mcti_connect_login *l)
{
    return l && l->extensions[0] ? l->extensions : NULL;
}

struct mcti_login *mcti_connect_login(const struct mcti_connect_env *env, const char *server_name)
{
    struct mcti_login *found = NULL;
    if (!env->logins)
        return NULL;
    MCT_LIST_EACH(it, &env->logins->list) {
        const struct mcti_connect_login *l = connect_login_of(it);
        if (l->provider && !l->provider->retired && !strcmp(l->provider->name, server_name))
            found = l->login;
    }
    return found;
}

bool mcti_connect_is_idle(const struct mcti_connect_env *env)
{
    return !env->logins || mcti_list_empty(&env->logins->list);
}
