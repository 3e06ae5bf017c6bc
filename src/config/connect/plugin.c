/* Entries of the type "plugin": shared objects with tools in C (<mcptools/plugin.h>). */
#include "config/connect/impl.h"

#include "config/expand/expand.h"
#include "hub/plugin/provider.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CONFIG_BYTES = 16 << 20 };

/* Owns the texts that the provider's options borrow. */
struct entry {
    char *path, *config, *place, *workspace_dir;
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
};

static void free_entry(void *data)
{
    struct entry *e = data;
    char *const owned[] = { e->path,     e->config,      e->place,           e->workspace_dir,   e->agent_dir,
                            e->agent_id, e->session_key, e->message_channel, e->agent_account_id };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(e);
}

static int expand_paths(struct entry *e, const struct mcti_config_server *s, struct mct_error *err)
{
    if (!(e->path = mcti_expand_from(s->plugin_path, s->file, err)))
        return mcti_error_wrap(err, "path");
    if (!(e->workspace_dir = mcti_expand_from(s->cwd ? s->cwd : ".", s->file, err)))
        return mcti_error_wrap(err, "workingDir");
    if (s->agent_dir && !(e->agent_dir = mcti_expand_from(s->agent_dir, s->file, err)))
        return mcti_error_wrap(err, "context.agentDir");
    return 0;
}

static int expand_context(struct entry *e, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct {
        const char *key, *text;
        char **to;
    } rows[] = { { "agentId", s->agent_id, &e->agent_id },
                 { "sessionKey", s->session_key, &e->session_key },
                 { "messageChannel", s->message_channel, &e->message_channel },
                 { "agentAccountId", s->agent_account_id, &e->agent_account_id } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].text && !(*rows[i].to = mcti_expand(rows[i].text, err)))
            return mcti_error_wrap(err, "context.%s", rows[i].key);
    return 0;
}

static int expand_config(struct entry *e, const struct mcti_config_server *s, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MAX_CONFIG_BYTES);
    int r = mcti_expand_json(&b, s->plugin_config ? mcti_str_of(s->plugin_config) : MCT_STR("{}"), s->file, err);
    if (r == 0 && !(e->config = mcti_buf_take(&b)))
        r = mcti_fail(err, MCT_ERR_CONFIG, "has more than %d bytes", MAX_CONFIG_BYTES);
    mcti_buf_done(&b);
    return r < 0 ? mcti_error_wrap(err, "config") : 0;
}

static int connect_plugin_resolve(struct entry *e, const struct mcti_config_server *s, struct mct_error *err)
{
    *err = s->error;
    if (err->kind || expand_paths(e, s, err) < 0 || expand_context(e, s, err) < 0 || expand_config(e, s, err) < 0)
        return -1;
    if (asprintf(&e->place, "%s:%u: server '%s'", s->file ? s->file : "", s->line, s->name) >= 0)
        return 0;
    e->place = NULL;
    return mcti_no_memory(err);
}

static struct mcti_provider *connect_plugin_make(const struct mcti_config *c, const struct mcti_config_server *s,
                                                 struct mcti_connect_env *env, const struct mcti_registry *r)
{
    struct mcti_provider_plugin_opts opts = {
        .loop = env->loop,
        .reaper = env->reaper,
        .log = env->log,
        .answerer = env->answerer,
        .start_timeout_ms = s->start_timeout_ms   ? s->start_timeout_ms
                            : c->start_timeout_ms ? c->start_timeout_ms
                                                  : MCT_START_MS,
        .call_timeout_ms = s->timeout_ms ? s->timeout_ms : c->call_timeout_ms,
        .trial = s->trial,
        .is_outcome = !env->restart,
        .allow = (const char *const *)s->allow.v,
        .n_allow = s->allow.n,
        .deny = (const char *const *)s->deny.v,
        .n_deny = s->deny.n,
        .free_data = free_entry,
    };
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    connect_plugin_resolve(e, s, &opts.error);
    opts.data = e;
    opts.plugin = (struct mcti_plugin_opts){
        .path = e->path, .config = e->config, .place = e->place, .hooks = env->hooks, .registry = r
    };
    opts.plugin.context = (struct mct_tool_context){
        sizeof opts.plugin.context, e->workspace_dir,    e->agent_dir, e->agent_id, e->session_key,
        e->message_channel,         e->agent_account_id, s->sandboxed
    };
    return mcti_provider_plugin_new(s->name, &opts);
}

const struct mcti_connect_kind mcti_connect_plugin = { .hosts_plugins = true, .make = connect_plugin_make };
