/* "mcptools": everything but the entries of servers. "tokens", "hooks" and "policy" have files of their own. */
#include "base/limits.h"
#include "config/read_impl.h"

#include <stdlib.h>

#define C(member) offsetof(struct mcti_config, member)

static const struct mcti_config_field names_fields[] = {
    { "scheme", STRING, C(scheme), NULL, NULL, 0, 0 },
    { "separator", STRING, C(separator), NULL, NULL, 0, 0 },
    { "max_length", UINT, C(name_max), NULL, NULL, 16, 128 },
    { 0 },
};

static const struct mcti_config_field limits_fields[] = {
    { "message_bytes", UINT, C(message_bytes), NULL, NULL, 4096, 1u << 30 },
    { "call_timeout_s", SECONDS, C(call_timeout_ms), NULL, NULL, 0, 86400 },
    { "start_timeout_s", SECONDS, C(start_timeout_ms), NULL, NULL, 1, 3600 },
    { "list_wait_s", SECONDS, C(list_wait_ms), NULL, NULL, 0, 3600 },
    { "server_connections", UINT, C(server_connections), NULL, NULL, 1, 100000 },
    { "server_requests", UINT, C(server_requests), NULL, NULL, 1, 100000 },
    { "page_items", UINT, C(page_items), NULL, NULL, 1, 1u << 20 },
    { "connections", UINT, C(connections), NULL, NULL, 1, 1000000 },
    { "sessions", UINT, C(sessions), NULL, NULL, 1, 1000000 },
    { "drain_s", SECONDS, C(drain_ms), NULL, NULL, 0, 3600 },
    { "memory_bytes", BYTES, C(memory_bytes), NULL, NULL, 1u << 20, MCT_LIMIT_MEMORY_MAX },
    { "principal_share", UINT, C(principal_share), NULL, NULL, 1, 100 },
    { "client_share", UINT, C(client_share), NULL, NULL, 1, 100 },
    { "server_share", UINT, C(server_share), NULL, NULL, 1, 100 },
    { "subscriptions", UINT, C(subscriptions), NULL, NULL, 1, 1u << 24 },
    { 0 },
};

static const struct mcti_config_field serve_fields[] = {
    { "http", STRING, C(serve_http), NULL, NULL, 0, 0 },     { "tokens", TOKENS, 0, NULL, NULL, 0, 0 },
    { "hosts", STRINGS, C(hosts), NULL, NULL, 0, 0 },        { "origins", STRINGS, C(origins), NULL, NULL, 0, 0 },
    { "legacy_sse", BOOL, C(legacy_sse), NULL, NULL, 0, 0 }, { "access_log", STRING, C(access_log), NULL, NULL, 0, 0 },
    { "dialects", DIALECTS, C(prefs), NULL, NULL, 0, 0 },    { "mode", MODE, C(prefs.mode), NULL, NULL, 0, 0 },
    { "audit_log", STRING, C(audit_log), NULL, NULL, 0, 0 }, { 0 },
};

static const struct mcti_config_field lines_fields[] = {
    { "shown_chars", UINT, C(dialect.shown), NULL, NULL, 0, 1u << 30 },
    { "kernel", BOOL, C(dialect.lines_kernel), NULL, NULL, 0, 0 },
    { "one_line", BOOL, C(dialect.lines_short), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct mcti_config_field cache_fields[] = {
    { "enabled", BOOL, C(cache.enabled), NULL, NULL, 0, 0 },
    { "ttl_s", SECONDS, C(cache.ttl_ms), NULL, NULL, 0, 86400 },
    { "max_entries", UINT, C(cache.max_entries), NULL, NULL, 1, 1u << 20 },
    { "max_bytes", UINT, C(cache.max_bytes), NULL, NULL, 1, 1u << 30 },
    { 0 },
};

static const struct mcti_config_field mcp_fields[] = {
    { "list_max_resources", UINT, C(dialect.list_max), NULL, NULL, 1, 1u << 20 },
    { "list_max_resources_ceiling", UINT, C(dialect.list_ceiling), NULL, NULL, 1, 1u << 20 },
    { "resource_max_bytes", UINT, C(dialect.read_max), NULL, NULL, 1, 1u << 30 },
    { "resource_max_bytes_ceiling", UINT, C(dialect.read_ceiling), NULL, NULL, 1, 1u << 30 },
    { "resource_uri_allowlist", STRINGS, C(uri_allow), NULL, NULL, 0, 0 },
    { "list_timeout_s", SECONDS, C(dialect.list_ms), NULL, NULL, 1, 3600 },
    { "read_timeout_s", SECONDS, C(dialect.read_ms), NULL, NULL, 1, 3600 },
    { "list_grace_s", SECONDS, C(dialect.grace_ms), NULL, NULL, 0, 3600 },
    { "list_max_pages", UINT, C(dialect.max_pages), NULL, NULL, 1, 1000 },
    { "default_server", STRING, C(preferred), NULL, NULL, 0, 0 },
    { "blob_dir", STRING, C(blob_dir), NULL, NULL, 0, 0 },
    { "strict_nexo", BOOL, C(dialect.strict_nexo), NULL, NULL, 0, 0 },
    { "codex_null_fields", BOOL, C(dialect.codex_nulls), NULL, NULL, 0, 0 },
    { "codex_alphabetical", BOOL, C(dialect.codex_alphabetical), NULL, NULL, 0, 0 },
    { "lines", OBJECT, 0, lines_fields, NULL, 0, 0 },
    { "resource_cache", OBJECT, 0, cache_fields, NULL, 0, 0 },
    { 0 },
};

static const struct mcti_config_field settings_fields[] = {
    { "names", OBJECT, 0, names_fields, NULL, 0, 0 },
    { "limits", OBJECT, 0, limits_fields, NULL, 0, 0 },
    { "serve", OBJECT, 0, serve_fields, NULL, 0, 0 },
    { "policy", OBJECT, 0, mcti_config_policy_fields, NULL, 0, 0 },
    { "mcp", OBJECT, 0, mcp_fields, NULL, 0, 0 },
    { "hooks", HOOKS, 0, NULL, NULL, 0, 0 },
    { "hooks_compat", STRING, C(hooks_compat), NULL, NULL, 0, 0 },
    { 0 },
};

/* What counts of further sections. */
static const struct mcti_config_field more_settings_fields[] = {
    { "names", SKIP, 0, NULL, NULL, 0, 0 },        { "limits", SKIP, 0, NULL, NULL, 0, 0 },
    { "serve", SKIP, 0, NULL, NULL, 0, 0 },        { "policy", OBJECT, 0, mcti_config_more_policy_fields, NULL, 0, 0 },
    { "mcp", SKIP, 0, NULL, NULL, 0, 0 },          { "hooks", HOOKS, 0, NULL, NULL, 0, 0 },
    { "hooks_compat", SKIP, 0, NULL, NULL, 0, 0 }, { 0 },
};

/* Browsers compare origins letter by letter, and so do we. */
static bool has_pattern(const struct mcti_strings *origins)
{
    for (size_t i = 0; i < origins->n; i++)
        if (strchr(origins->v[i], '*'))
            return true;
    return false;
}

/* Of the section as a whole, which is m. */
static void section_mistake(const struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    struct mcti_config_place section = *at;
    section.path = "";
    mcti_config_mistake(&section, m, fatal, what);
}

/* What a section says of tools is a step of its own. */
static void close_section(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    if (c->section.compat && strcmp(c->section.compat, "2026.2") != 0)
        section_mistake(at, m, true, "\"policy.compat\" must be 2026.2, or not be there");
    struct mcti_config_rules *kept = mcti_config_add_rules(&c->sections);
    if (!kept)
        return section_mistake(at, m, true, MCT_NO_MEMORY_TEXT);
    *kept = c->section;
    kept->name = strdup(at->file);
    kept->section = (unsigned)c->sections.n - 1;
    c->section = (struct mcti_config_rules){ 0 };
}

static void read_more_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    bool read_only = at->config->read_only;
    section_mistake(at, m, false,
                    "another section was read before and counts; of this one only its hooks do, and "
                    "what policy restricts");
    mcti_config_read_object(at, m.value, more_settings_fields, at->config);
    close_section(at, m);
    at->config->read_only |= read_only;
}

/* What the tables cannot say. */
static void check_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    if (!mcti_naming_knows(c->scheme)) {
        section_mistake(at, m, true, "\"names.scheme\" must be double, mcp, nexo or bare");
        free(c->scheme);
        c->scheme = strdup("double");
    }
    if (c->hooks_compat && strcmp(c->hooks_compat, "2026.2") != 0)
        section_mistake(at, m, true, "\"hooks_compat\" must be 2026.2, or not be there");
    if ((uint64_t)c->memory_bytes / 100 * c->client_share < 3 * (uint64_t)c->message_bytes)
        section_mistake(at, m, false,
                        "\"limits.client_share\" of \"limits.memory_bytes\" is less than three messages of "
                        "\"limits.message_bytes\": the longest messages will be refused");
    if (has_pattern(&c->origins))
        section_mistake(at, m, true,
                        "\"serve.origins\" must name each origin (https://app.example.com): \"*\" stands for none");
}

void mcti_config_read_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    if (mcti_json_type(m.value) != '{')
        return section_mistake(at, m, true, "must be an object");
    if (c->settings_file)
        return read_more_settings(at, m);
    c->settings_file = strdup(at->file);
    mcti_config_read_object(at, m.value, settings_fields, c);
    close_section(at, m);
    check_settings(at, m);
}
