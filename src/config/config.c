#include "config/config.h"

#include "base/limits.h"
#include "config/expand/expand.h"

#include <stdarg.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void mcti_config_init(struct mcti_config *c)
{
    *c = (struct mcti_config){
        .scheme = "double",
        .name_max = 64,
        .message_bytes = MCT_LIMIT_MESSAGE_BYTES,
        .call_timeout_ms = 60000,
        .telemetry = { .traces = true, .metrics = true, .logs = true },
        .idle_ms = MCT_IDLE_PRESET,
        .pins = MCT_VET_QUARANTINE,
        .scan = MCT_VET_OFF,
        .flow_remember_ms = MCT_OUTSIDE_REMEMBER_MS,
        .list_wait_ms = MCT_LIST_WAIT_MS,
        .page_items = MCT_LIST_PAGE_ITEMS,
        .server_connections = MCT_LIMIT_BRANCHES,
        .server_calls = MCT_LIMIT_SERVER_CALLS,
        .server_queue = MCT_LIMIT_SERVER_QUEUE,
        .breaker_failures = MCT_BREAKER_FAILURES,
        .breaker_pause_ms = MCT_BREAKER_PAUSE_MS,
        .server_requests = MCT_LIMIT_SERVER_REQUESTS,
        .connections = MCT_LIMIT_HTTP_CONNECTIONS,
        .sessions = MCT_LIMIT_SESSIONS,
        .memory_bytes = MCT_LIMIT_MEMORY_BYTES,
        .principal_share = MCT_LIMIT_PRINCIPAL_SHARE,
        .client_share = MCT_LIMIT_CLIENT_SHARE,
        .server_share = MCT_LIMIT_SERVER_SHARE,
        .subscriptions = MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS,
        .drain_ms = 10000,
        .watch = true,
        .serve_http = strdup("127.0.0.1:8931"),
        .dialect = mcti_dialect_defaults,
        .cache = mcti_cache_defaults,
        .results = { .bytes = 64u << 20, .ttl_ms = 900000 },
    };
    mcti_map_init(&c->names);
    if (!c->serve_http) {
        mcti_config_problem(c, true, MCT_NO_MEMORY_TEXT);
        mcti_config_break(c);
    }
}

/* Maps a name to a number, because entries move when one is added. */
struct server_name {
    struct mcti_map_node node;
    size_t at;
};

static int note_name(struct mcti_config *c, size_t at)
{
    struct server_name *name = calloc(1, sizeof *name);
    if (name)
        name->at = at;
    if (name && mcti_map_put(&c->names, &name->node, mcti_str_of(c->servers[at].name)) == 0)
        return 0;
    free(name);
    return -1;
}

static void forget_names(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++) {
        struct mcti_map_node *n = mcti_map_get(&c->names, mcti_str_of(c->servers[i].name));
        if (!n)
            continue; /* it was removed */
        mcti_map_remove(&c->names, n);
        free(MCT_CONTAINER(n, struct server_name, node));
    }
    mcti_map_done(&c->names);
}

void mcti_config_clear_server(struct mcti_config_server *s)
{
    char *const texts[] = { s->name,     s->file,          s->command,         s->cwd,
                            s->url,      s->plugin_config, s->plugin_path,     s->agent_dir,
                            s->agent_id, s->session_key,   s->message_channel, s->agent_account_id };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    mcti_strings_clear(&s->args);
    mcti_strings_clear(&s->env_inherit);
    mcti_strings_clear(&s->plugins);
    mcti_strings_clear(&s->allow);
    mcti_strings_clear(&s->deny);
    mcti_pairs_clear(&s->env);
    mcti_pairs_clear(&s->headers);
    mcti_config_clear_sandbox(&s->sandbox);
    mcti_config_clear_auth(s);
}

void mcti_config_done(struct mcti_config *c)
{
    forget_names(c);
    for (size_t i = 0; i < c->n_servers; i++)
        mcti_config_clear_server(&c->servers[i]);
    for (size_t i = 0; i < c->n_problems; i++)
        free(c->problems[i].text);
    for (size_t i = 0; i < c->n_distrusted; i++)
        free(c->distrusted[i].file);
    free(c->distrusted);
    free(c->servers);
    free(c->problems);
    mcti_strings_clear(&c->files);
    mcti_strings_clear(&c->import);
    mcti_strings_clear(&c->env_inherit);
    mcti_config_clear_sandbox(&c->sandbox);
    free(c->telemetry.endpoint);
    mcti_pairs_clear(&c->telemetry.headers);
    mcti_result_rules_done(&c->results.rules);
    mcti_strings_clear(&c->read_only_tools);
    mcti_strings_clear(&c->mutating_tools);
    mcti_strings_clear(&c->scan_ignore);
    mcti_config_free_rules(c);
    mcti_config_clear_tokens(c);
    mcti_config_clear_hooks(c);
    mcti_config_clear_rules(&c->section);
    mcti_config_clear_rule_sets(&c->sections);
    mcti_config_clear_rule_sets(&c->groups);
    mcti_config_clear_rule_sets(&c->profiles);
    mcti_strings_clear(&c->hosts);
    mcti_strings_clear(&c->origins);
    mcti_strings_clear(&c->uri_allow);
    free(c->settings_file);
    free(c->preferred);
    free(c->blob_dir);
    free(c->packages_url);
    free(c->bridge_prefix);
    free(c->separator);
    free(c->serve_http);
    free(c->access_log);
    free(c->audit_log);
}

bool mcti_is_url(const char *text)
{
    return text && (!strncasecmp(text, "http://", 7) || !strncasecmp(text, "https://", 8));
}

bool mcti_is_header_value(struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] != '\t' && (text.p[i] < ' ' || text.p[i] > '~'))
            return false;
    return true;
}

bool mcti_is_header_name(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (text[n] && strchr("!#$%&'*+-.^_`|~", text[n])))
        n++;
    return n && !text[n];
}

/* Makes room for one more item than n. The array grows when n is a power of two. */
static void *with_room(void *v, size_t n, size_t size)
{
    return n & (n - 1) ? v : realloc(v, (n ? 2 * n : 1) * size);
}

void mcti_config_problem(struct mcti_config *c, bool fatal, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct mcti_problem *v = with_room(c->problems, c->n_problems, sizeof *v);
    char *copy = strdup(text);
    c->problems = v ? v : c->problems;
    if (!v || !copy) {
        free(copy);
        c->broken = true;
        return;
    }
    v[c->n_problems++] = (struct mcti_problem){ fatal, copy };
}

void mcti_config_break(struct mcti_config *c)
{
    if (!c->broken && c->n_problems)
        c->broken_at = c->n_problems - 1;
    c->broken = true;
}

const struct mcti_config_server mcti_config_server_preset = { .enabled = true,
                                                              .breaker = true,
                                                              .retry_reads = true,
                                                              .trial = true,
                                                              .ping_ms = MCT_PING_PRESET,
                                                              .idle_ms = MCT_IDLE_PRESET };

struct mcti_config_server *mcti_config_add_server(struct mcti_config *c, const char *name)
{
    struct mcti_config_server *v = with_room(c->servers, c->n_servers, sizeof *v);
    char *copy = strdup(name);
    c->servers = v ? v : c->servers;
    if (!v || !copy) {
        free(copy);
        return NULL;
    }
    v[c->n_servers] = mcti_config_server_preset;
    v[c->n_servers].name = copy;
    if (note_name(c, c->n_servers) < 0) {
        free(copy);
        return NULL;
    }
    return &v[c->n_servers++];
}

struct mcti_config_server *mcti_config_find(const struct mcti_config *c, struct mcti_str name)
{
    struct mcti_map_node *n = mcti_map_get(&c->names, name);
    return n ? &c->servers[MCT_CONTAINER(n, struct server_name, node)->at] : NULL;
}

struct mcti_config_server *mcti_config_move_server(struct mcti_config *to, struct mcti_config_server *take_s)
{
    struct mcti_config_server *s = mcti_config_add_server(to, take_s->name);
    if (!s)
        return NULL;
    char *name = s->name, *old_name = take_s->name;
    *s = *take_s;
    s->name = name;
    *take_s = (struct mcti_config_server){ .name = old_name };
    return s;
}

void mcti_config_remove_server(struct mcti_config *c, const char *name)
{
    struct mcti_map_node *n = mcti_map_get(&c->names, mcti_str_of(name));
    if (!n)
        return;
    struct server_name *entry = MCT_CONTAINER(n, struct server_name, node);
    c->servers[entry->at].enabled = false;
    mcti_map_remove(&c->names, n);
    free(entry);
}

int mcti_config_split(const char *line, struct mcti_config_server *ret, struct mct_error *err)
{
    struct mcti_strings words = { 0 };
    int r = mcti_expand_split(line, &words, err);
    for (size_t i = 0; r == 0 && i < words.n; i++) {
        if (i || ret->command)
            r = mcti_strings_add(&ret->args, mcti_str_of(words.v[i]));
        else if (!(ret->command = strdup(words.v[i])))
            r = -1;
    }
    if (r < 0 && words.n)
        mcti_no_memory(err);
    mcti_strings_clear(&words);
    return r;
}

struct mcti_dialect_opts mcti_config_dialect(const struct mcti_config *c)
{
    struct mcti_dialect_opts o = c->dialect;
    o.uri_allow = (const char *const *)c->uri_allow.v;
    o.n_uri_allow = c->uri_allow.n;
    o.blob_dir = c->blob_dir;
    o.bridge_prefix = c->bridge_prefix;
    return o;
}

struct mcti_policy mcti_config_policy(const struct mcti_config *c)
{
    return (struct mcti_policy){ .read_only = c->read_only,
                                 .since_s = time(NULL),
                                 .read_only_tools = (const char *const *)c->read_only_tools.v,
                                 .n_read_only_tools = c->read_only_tools.n,
                                 .mutating_tools = (const char *const *)c->mutating_tools.v,
                                 .n_mutating_tools = c->mutating_tools.n };
}

struct mcti_naming mcti_config_naming(const struct mcti_config *c, enum mcti_prefix prefix)
{
    return (struct mcti_naming){
        .scheme = c->scheme, .separator = c->separator, .prefix = prefix, .max_length = c->name_max
    };
}
