/* nexo: config/mcp.yaml. nexo itself refuses unknown keys; here they cause a warning. */
#include "config/import/impl.h"

#include "config/expand/expand.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- values ---- */

/* Returns the text of a value with its variables replaced, or NULL. */
static char *read_expanded(struct mcti_config_place *at, const struct mcti_json_member *m)
{
    struct mct_error err;
    char *text = mcti_json_dup(m->value), *expanded = NULL;
    if (text && mcti_config_rewrite_text(at, *m, &text) == 0 && !(expanded = mcti_expand(text, &err)))
        mcti_special_say(at, m, true, "%s", err.message);
    free(text);
    return expanded;
}

static const struct mcti_word units[] = {
    /* in milliseconds */
    { "ms", 1 },          { "msec", 1 },
    { "millis", 1 },      { "s", 1000 },
    { "sec", 1000 },      { "secs", 1000 },
    { "second", 1000 },   { "seconds", 1000 },
    { "m", 60000 },       { "min", 60000 },
    { "mins", 60000 },    { "minute", 60000 },
    { "minutes", 60000 }, { "h", 3600000 },
    { "hr", 3600000 },    { "hrs", 3600000 },
    { "hour", 3600000 },  { "hours", 3600000 },
    { "d", 86400000 },    { "day", 86400000 },
    { "days", 86400000 }, { 0 },
};

/* Reads a duration as the crate humantime writes it: "1h 30m", "100ms". At most a day. */
static bool nexo_read_duration(const char *text, unsigned *ret_ms)
{
    unsigned long long total = 0;
    const char *p = text + strspn(text, " ");
    bool any = false;
    for (; *p; any = true) {
        char *end;
        if (!isdigit((unsigned char)*p))
            return false;
        unsigned long long n = strtoull(p, &end, 10);
        end += strspn(end, " ");
        size_t len = strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const struct mcti_word *unit = mcti_word_find(units, (struct mcti_str){ end, len });
        if (!unit || n > 86400000 || (total += n * unit->value) > 86400000)
            return false;
        p = end + len + strspn(end + len, " ");
    }
    *ret_ms = (unsigned)total;
    return any;
}

static bool nexo_read_time(struct mcti_config_place *at, const struct mcti_json_member *m, unsigned *ret_ms)
{
    bool was_broken = at->config->broken;
    char *text = read_expanded(at, m);
    bool ok = text && nexo_read_duration(text, ret_ms);
    free(text);
    return ok || (!text && at->config->broken && !was_broken); /* a variable's mistake has been told */
}

#define MUST_BE_TIME "must be a duration of at most a day, such as 30s, 500ms or 1m 30s"

/* ---- settings ---- */

struct nexo_settings {
    bool disabled;
    unsigned connect_ms, initialize_ms, call_ms; /* 0: not set */
    struct mcti_strings uri_allow;
    struct mcti_cache_opts cache;
    unsigned list_max, read_max; /* 0: not set */
};

static bool read_connect_timeout(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return nexo_read_time(at, m, &((struct nexo_settings *)to)->connect_ms);
}

static bool read_initialize_timeout(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return nexo_read_time(at, m, &((struct nexo_settings *)to)->initialize_ms);
}

static bool read_call_timeout(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return nexo_read_time(at, m, &((struct nexo_settings *)to)->call_ms);
}

static bool nexo_read_ttl(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return nexo_read_time(at, m, &((struct nexo_settings *)to)->cache.ttl_ms);
}

static bool nexo_read_enabled(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct nexo_settings *n = to;
    char type = mcti_json_type(m->value);
    char *text = type == '"' ? read_expanded(at, m) : NULL;
    bool is_false = type == 'f' || (text && !strcmp(text, "false"));
    bool ok = is_false || type == 't' || (text && !strcmp(text, "true"));
    free(text);
    n->disabled = is_false;
    return ok;
}

static bool nexo_skip(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    (void)m;
    (void)to;
    return true;
}

#define OWNER struct nexo_settings

static const struct mcti_config_field cache_fields[] = {
    FIELD_BOOL("enabled", cache.enabled, "`mcptools.mcp.resource_cache.enabled`."),
    FIELD_SPECIAL("ttl", nexo_read_ttl, MUST_BE_TIME, "`mcptools.mcp.resource_cache.ttl_s`."),
    FIELD_UINT("max_entries", cache.max_entries, 1, 1u << 20, "`mcptools.mcp.resource_cache.max_entries`."),
    { 0 },
};

#define IS_NEXOS "has no effect in mcptools; it is nexo's own"

static const struct mcti_config_field sampling_fields[] = {
    FIELD_LATER("enabled", "has no effect: mcptools passes questions of servers on to its client, which decides",
                "None."),
    FIELD_LATER("default_hint", IS_NEXOS, "None."),
    FIELD_LATER("global_max_tokens_cap", IS_NEXOS, "None."),
    FIELD_LATER("deny_servers", "has no effect: the client decides about sampling requests of all servers", "None."),
    FIELD_LATER("per_server", IS_NEXOS, "None."),
    { 0 },
};

static const struct mcti_config_field nexo_fields[] = {
    FIELD_SPECIAL("servers", nexo_skip, "", "The servers."),
    FIELD_SPECIAL("enabled", nexo_read_enabled, "must be true or false", "`enabled` of each server."),
    FIELD_SPECIAL("connect_timeout", read_connect_timeout, MUST_BE_TIME,
                  "`start_timeout` of each server, with the next."),
    FIELD_SPECIAL("initialize_timeout", read_initialize_timeout, MUST_BE_TIME, "Added to `connect_timeout`."),
    FIELD_SPECIAL("call_timeout", read_call_timeout, MUST_BE_TIME, "`timeout` of each server."),
    FIELD_STRINGS("resource_uri_allowlist", uri_allow, "`mcptools.mcp.resource_uri_allowlist`."),
    FIELD_OBJECT("resource_cache", cache_fields, "`mcptools.mcp.resource_cache`."),
    FIELD_UINT("list_max_resources", list_max, 1, 1u << 20, "`mcptools.mcp.list_max_resources`."),
    FIELD_UINT("resource_max_bytes", read_max, 1, 1u << 30, "`mcptools.mcp.resource_max_bytes`."),
    FIELD_LATER("session_ttl", IS_NEXOS, "None."),
    FIELD_LATER("idle_reap_interval", IS_NEXOS, "None."),
    FIELD_LATER("shutdown_grace", IS_NEXOS, "None."),
    FIELD_LATER("watch", "has no effect: restart mcptools after a change", "None."),
    FIELD_LATER("context", IS_NEXOS, "None."),
    FIELD_OBJECT("sampling", sampling_fields, "None."),
    FIELD_LATER("reset_level_on_unset", IS_NEXOS, "None."),
    FIELD_LATER("default_reset_level", IS_NEXOS, "None."),
    FIELD_LATER("strict_root_paths", IS_NEXOS, "None."),
    { 0 },
};

#undef OWNER
#define OWNER struct mcti_config_server

static void apply_to_servers(struct mcti_config_place *at, const struct nexo_settings *n)
{
    for (size_t i = 0; i < at->config->n_servers; i++) {
        struct mcti_config_server *s = &at->config->servers[i];
        if (!s->file || strcmp(s->file, at->file))
            continue;
        s->enabled = s->enabled && !n->disabled;
        s->timeout_ms = n->call_ms;
        s->start_timeout_ms = n->connect_ms + n->initialize_ms;
    }
}

/* Settings of a section "mcptools" win. */
static void apply_settings(struct mcti_config_place *at, struct nexo_settings *n, struct mcti_json_member mcp)
{
    struct mcti_config *c = at->config;
    static const char *const keys[] = { "resource_uri_allowlist", "resource_cache", "list_max_resources",
                                        "resource_max_bytes" };
    struct mcti_strings ours = c->uri_allow;
    if (!c->settings_file) {
        c->cache = n->cache;
        c->dialect.list_max = n->list_max ? n->list_max : c->dialect.list_max;
        c->dialect.read_max = n->read_max ? n->read_max : c->dialect.read_max;
        c->uri_allow = n->uri_allow;
        n->uri_allow = ours;
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (mcti_json_get(mcp.value, keys[i]).p)
            mcti_special_say(at, &mcp, false, "\"%s\" is not used, because %s has a section \"mcptools\"", keys[i],
                             c->settings_file);
}

static void read_nexo_rest(struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_json_member m;
    struct mcti_config_place inner = *at, outer = *at;
    struct nexo_settings n = { .cache = at->config->cache };
    inner.path = "mcp";
    outer.path = "";
    for (struct mcti_json_iter it = mcti_json_open(root); mcti_json_next_member(&it, &m);) {
        if (!mcti_json_key_is(m.key, "mcp")) {
            if (!mcti_json_key_is(m.key, "schema_version"))
                mcti_config_mistake(&outer, m, false, "unknown key, ignored");
            continue;
        }
        mcti_config_read_object(&inner, m.value, nexo_fields, &n);
        apply_to_servers(at, &n);
        apply_settings(&outer, &n, m);
    }
    mcti_strings_clear(&n.uri_allow);
}

/* ---- servers ---- */

static bool read_transport(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    static const struct mcti_word words[] = {
        { "stdio", MCT_SERVER_STDIO },
        { "streamable_http", MCT_SERVER_STREAMABLE_HTTP },
        { "sse", MCT_SERVER_SSE },
        { "auto", MCT_SERVER_UNSET },
        { 0 },
    };
    struct mcti_config_server *s = to;
    char *text = mcti_json_dup(m->value);
    const struct mcti_word *found = text ? mcti_word_find(words, mcti_str_of(text)) : NULL;
    (void)at;
    free(text);
    if (found)
        s->type = (enum mcti_server_type)found->value;
    return found;
}

static const struct mcti_config_field server_fields[] = {
    FIELD_SPECIAL("transport", read_transport, "must be stdio, streamable_http, sse or auto", "`type`; `auto`: none."),
    FIELD_STRING("command", command, "`command`."),
    FIELD_STRINGS("args", args, "`args`."),
    FIELD_PAIRS("env", env, "`env`."),
    FIELD_STRING("cwd", cwd, "`cwd`."),
    FIELD_STRING("url", url, "`url`."),
    FIELD_PAIRS("headers", headers, "`headers`."),
    FIELD_LATER("log_level", "has no effect: clients choose the log level", "None."),
    FIELD_LATER("context_passthrough", IS_NEXOS, "None."),
    { 0 },
};

static void settle_nexo(struct mcti_config_place *at, struct mcti_json_member entry)
{
    const struct mcti_config_server *s = at->server;
    if (!mcti_json_get(entry.value, "transport").p && !s->error.kind)
        mcti_special_say(at, &entry, true, "needs \"transport\": stdio, streamable_http, sse or auto");
    if (strchr(s->name, '.'))
        mcti_special_say(at, &entry, false, "nexo reserves names with \".\" for the servers of its extensions");
}

static const struct mcti_config_field *const tables[] = { server_fields, NULL };

const struct mcti_config_format mcti_format_nexo = {
    .name = "nexo",
    .title = "nexo, `config/mcp.yaml`",
    .container = "mcp.servers",
    .notations = 1 << MCT_NOTATION_YAML,
    .tables = tables,
    .variables = MCT_VARIABLES_NEXO,
    .settle = settle_nexo,
    .read_rest = read_nexo_rest,
};
