/* From the text of a configuration file to the model, by tables. */
#include "config/read_impl.h"

#include "base/limits.h"
#include "config/jsonc.h"
#include "json/scan.h"
#include "mcp/era.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned line_at(const struct place *at, const char *p)
{
    return mct_line_of(at->text, (size_t)(p - at->text));
}

void config_mistake(struct place *at, struct mct_json_member m, bool fatal, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%u: %s%s%.*s: %s", at->file, line_at(at, m.key.p), at->path,
             *at->path && m.key.len ? "." : "", MCT_STR_ARG(m.key), what);
    mct_config_problem(at->config, fatal, "%s", text);
    if (fatal && !at->server)
        mct_config_break(at->config);
    else if (fatal && !at->server->error.kind)
        mct_fail(&at->server->error, MCT_ERR_CONFIG, "%s", text);
}

/* The name of a member as text; NULL where it has none. */
static char *key_dup(struct mct_json_member m)
{
    return mct_json_dup((struct mct_str){ m.key.p - 1, m.key.len + 2 }); /* with its quotes */
}

static bool read_string(struct mct_str v, char **to)
{
    char *text = mct_json_dup(v);
    if (!text)
        return false;
    free(*to);
    *to = text;
    return true;
}

static bool read_strings(struct mct_str v, struct mct_strings *to)
{
    struct mct_str item;
    if (mct_json_type(v) != '[')
        return false;
    for (struct mct_json_iter it = mct_json_open(v); mct_json_next_item(&it, &item);) {
        char *text = mct_json_dup(item);
        int r = text ? mct_strings_add(to, mct_str_of(text)) : -1;
        free(text);
        if (r < 0)
            return false;
    }
    return true;
}

static bool read_pairs(struct mct_str v, struct mct_pairs *to)
{
    struct mct_json_member m;
    if (mct_json_type(v) != '{')
        return false;
    for (struct mct_json_iter it = mct_json_open(v); mct_json_next_member(&it, &m);) {
        struct mct_pair *pairs = realloc(to->v, (to->n + 1) * sizeof *pairs);
        if (!pairs)
            return false;
        to->v = pairs;
        pairs[to->n] = (struct mct_pair){ key_dup(m), mct_json_dup(m.value) };
        if (!pairs[to->n].value || !pairs[to->n].key) {
            free(pairs[to->n].value);
            free(pairs[to->n].key);
            return false;
        }
        to->n++;
    }
    return true;
}

static bool read_json(struct mct_str v, char **to)
{
    char *text = mct_json_type(v) == '{' ? mct_str_dup(v) : NULL;
    if (!text)
        return false;
    free(*to);
    *to = text;
    return true;
}

static bool read_bool(struct mct_str v, bool *to)
{
    char type = mct_json_type(v);
    *to = type == 't';
    return type == 't' || type == 'f';
}

static bool read_number(struct mct_str v, const struct field *f, unsigned *to)
{
    double n = mct_json_double(v);
    if (mct_json_type(v) != '0' || n < f->min || n > f->max)
        return false;
    *to = (unsigned)(f->type == SECONDS ? n * 1000 : n);
    return true;
}

static bool read_int(struct mct_str v, int *to)
{
    int64_t n;
    bool fits = mct_json_int(v, &n) && n >= INT_MIN && n <= INT_MAX;
    *to = fits ? (int)n : 0;
    return fits;
}

static bool read_mode(struct mct_str v, enum mct_mode *to)
{
    struct mct_str word;
    return mct_json_plain(v, &word) && mct_prefs_mode(word, to);
}

static bool read_dialects(struct mct_str v, struct mct_client_prefs *to)
{
    struct mct_str item, word;
    for (struct mct_json_iter it = mct_json_open(v); mct_json_next_item(&it, &item);) {
        unsigned bit = mct_json_plain(item, &word) ? mct_dialect_find(word) : 0;
        if (!bit)
            return false;
        to->dialects |= bit;
    }
    to->has_dialects = mct_json_type(v) == '[';
    return to->has_dialects;
}

static void read_tokens(struct place *at, struct mct_json_member m);
static void read_rule_sets(struct place *at, const struct field *f, struct mct_json_member m, void *to);

static const char *const expected[] = {
    [STRING] = "must be a string",
    [STRINGS] = "must be a list of strings",
    [PAIRS] = "must be an object of strings",
    [BOOL] = "must be true or false",
    [UINT] = "must be a number in range",
    [INT] = "must be a whole number",
    [SECONDS] = "must be a number of seconds in range",
    [MODE] = "must be " MCT_MODE_WORDS,
    [DIALECTS] = "must be a list of " MCT_DIALECT_WORDS,
    [TOKENS] = "must be a list of strings and objects",
    [JSON] = "must be an object",
    [RULES] = "must be an object",
    [GROUPS] = "must be an object",
    [HOOKS] = "must be a list of objects",
    [OBJECT] = "must be an object",
};

static bool read_value(const struct field *f, struct mct_str v, void *slot)
{
    switch (f->type) {
    case STRING:
        return read_string(v, slot);
    case STRINGS:
        return read_strings(v, slot);
    case PAIRS:
        return read_pairs(v, slot);
    case BOOL:
        return read_bool(v, slot);
    case UINT:
    case SECONDS:
        return read_number(v, f, slot);
    case INT:
        return read_int(v, slot);
    case MODE:
        return read_mode(v, slot);
    case DIALECTS:
        return read_dialects(v, slot);
    case TOKENS:
    case HOOKS:
        return mct_json_type(v) == '[';
    case JSON:
        return read_json(v, slot);
    default:
        return mct_json_type(v) == '{';
    }
}

static const char not_yet[] = "has no effect in this version";
static const char only_openclaw[] = "has no effect without \"type\": \"openclaw\"";
static const char only_plugin[] = "has no effect without \"type\": \"plugin\"";
static const char only_both[] = "has no effect without \"type\": \"openclaw\" or \"plugin\"";

static const struct {
    const char *hint, *type;
} only[] = { { only_openclaw, "openclaw" }, { only_plugin, "plugin" }, { only_both, "openclaw" }, { only_both, "plugin" } };

/* What only entries of some types have says so in its hint, and is another program's where it stands elsewhere. */
static bool is_elsewhere(const struct place *at, const char *hint)
{
    bool fits = !hint;
    for (size_t i = 0; !fits && i < sizeof only / sizeof *only; i++)
        fits = only[i].hint == hint && (mct_json_is(mct_json_get(at->entry, "type"), only[i].type) ||
                                        mct_json_is(mct_json_get(at->entry, "transport"), only[i].type));
    return !fits;
}

static void read_field(struct place *at, const struct field *f, struct mct_json_member m, void *to)
{
    if (f->type == SKIP) {
        return;
    } else if (f->type == LATER || is_elsewhere(at, f->hint)) {
        config_mistake(at, m, false, f->hint);
    } else if (!read_value(f, m.value, (char *)to + f->offset)) {
        config_mistake(at, m, true, expected[f->type]);
    } else if (f->type == TOKENS) {
        read_tokens(at, m);
    } else if (f->type == HOOKS) {
        config_read_hooks(at, m);
    } else if (f->type == RULES || f->type == GROUPS) {
        read_rule_sets(at, f, m, (char *)to + f->offset);
    } else if (f->type == OBJECT) {
        char path[256];
        struct place inner = *at;
        snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m.key));
        inner.path = path;
        config_read_object(&inner, m.value, f->fields, to);
    }
}

/* Settings that are there twice may not mean the same to whoever wrote them; entries have their own readers elsewhere. */
static bool is_repeated(const struct place *at, uint64_t *seen, size_t field)
{
    bool before = *seen >> field & 1;
    *seen |= (uint64_t)1 << field;
    return before && !at->server;
}

void config_read_object(struct place *at, struct mct_str object, const struct field *fields, void *to)
{
    struct mct_json_member m;
    uint64_t seen = 0;
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);) {
        const struct field *f = fields;
        while (f->key && !mct_json_key_is(m.key, f->key))
            f++;
        if (f->key && is_repeated(at, &seen, (size_t)(f - fields)))
            config_mistake(at, m, true, "is there twice");
        else if (f->key)
            read_field(at, f, m, to);
        else if (!m.key.len || m.key.p[0] != '$')
            config_mistake(at, m, false, "unknown key, ignored");
    }
}

#define S(member) offsetof(struct mct_config_server, member)
#define C(member) offsetof(struct mct_config, member)
#define T(member) offsetof(struct token_entry, member)
#define R(member) offsetof(struct mct_config_rules, member)

/* A token as it is read. */
struct token_entry {
    struct mct_credential credential;
    struct mct_config_rules rules;
    bool owner;
};

static const struct field tools_fields[] = {
    { "allow", STRINGS, S(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, S(deny), NULL, NULL, 0, 0 },
    { "rename", LATER, 0, NULL, not_yet, 0, 0 },
    { 0 },
};

static const struct field auth_fields[] = {
    { "type", STRING, S(auth_type), NULL, NULL, 0, 0 },
    { "token", STRING, S(auth_token), NULL, NULL, 0, 0 },
    { "key", STRING, S(auth_key), NULL, NULL, 0, 0 },
    { "header", STRING, S(auth_header), NULL, NULL, 0, 0 },
    { 0 },
};

/* As OpenClaw calls them; workspaceDir is workingDir. */
static const struct field context_fields[] = {
    { "agentDir", STRING, S(agent_dir), NULL, NULL, 0, 0 },
    { "agentId", STRING, S(agent_id), NULL, NULL, 0, 0 },
    { "sessionKey", STRING, S(session_key), NULL, NULL, 0, 0 },
    { "messageChannel", STRING, S(message_channel), NULL, NULL, 0, 0 },
    { "agentAccountId", STRING, S(agent_account_id), NULL, NULL, 0, 0 },
    { "sandboxed", BOOL, S(sandboxed), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field server_fields[] = {
    { "type", STRING, S(type), NULL, NULL, 0, 0 },
    { "transport", STRING, S(type), NULL, NULL, 0, 0 },
    { "command", STRING, S(command), NULL, NULL, 0, 0 },
    { "args", STRINGS, S(args), NULL, NULL, 0, 0 },
    { "env", PAIRS, S(env), NULL, NULL, 0, 0 },
    { "cwd", STRING, S(cwd), NULL, NULL, 0, 0 },
    { "workingDir", STRING, S(cwd), NULL, NULL, 0, 0 },
    { "url", STRING, S(url), NULL, NULL, 0, 0 },
    { "headers", PAIRS, S(headers), NULL, NULL, 0, 0 },
    { "auth", OBJECT, 0, auth_fields, NULL, 0, 0 },
    { "protocol", STRING, S(protocol), NULL, NULL, 0, 0 },
    { "enabled", BOOL, S(enabled), NULL, NULL, 0, 0 },
    { "required", BOOL, S(required), NULL, NULL, 0, 0 },
    { "trusted", BOOL, S(trusted), NULL, NULL, 0, 0 },
    { "timeout", SECONDS, S(timeout_ms), NULL, NULL, 0, 86400 },
    { "start_timeout", SECONDS, S(start_timeout_ms), NULL, NULL, 1, 3600 },
    { "ping", SECONDS, S(ping_ms), NULL, NULL, 0, 86400 },
    { "replay_idempotent", BOOL, S(replay_idempotent), NULL, NULL, 0, 0 },
    { "tools", OBJECT, 0, tools_fields, NULL, 0, 0 },
    { "lifecycle", LATER, 0, NULL, not_yet, 0, 0 },
    { "isolation", STRING, S(isolation), NULL, NULL, 0, 0 },
    { "resource_tools", STRING, S(resource_tools), NULL, NULL, 0, 0 },
    { "capabilities", STRING, S(capabilities), NULL, NULL, 0, 0 },
    { "description", LATER, 0, NULL, "is not used", 0, 0 },
    { "plugins", STRINGS, S(plugins), NULL, only_openclaw, 0, 0 },
    { "path", STRING, S(plugin_path), NULL, only_plugin, 0, 0 },
    { "context", OBJECT, 0, context_fields, only_plugin, 0, 0 },
    { "trial", BOOL, S(trial), NULL, only_plugin, 0, 0 },
    { "config", JSON, S(plugin_config), NULL, only_both, 0, 0 },
    { 0 },
};

static const struct field names_fields[] = {
    { "scheme", STRING, C(scheme), NULL, NULL, 0, 0 },
    { "separator", STRING, C(separator), NULL, NULL, 0, 0 },
    { "max_length", UINT, C(name_max), NULL, NULL, 16, 128 },
    { 0 },
};

static const struct field limits_fields[] = {
    { "message_bytes", UINT, C(message_bytes), NULL, NULL, 4096, 1u << 30 },
    { "call_timeout_s", SECONDS, C(call_timeout_ms), NULL, NULL, 0, 86400 },
    { "start_timeout_s", SECONDS, C(start_timeout_ms), NULL, NULL, 1, 3600 },
    { "list_wait_s", SECONDS, C(list_wait_ms), NULL, NULL, 0, 3600 },
    { "server_connections", UINT, C(server_connections), NULL, NULL, 1, 100000 },
    { "page_items", UINT, C(page_items), NULL, NULL, 1, 1u << 20 },
    { "connections", UINT, C(connections), NULL, NULL, 1, 1000000 },
    { "sessions", UINT, C(sessions), NULL, NULL, 1, 1000000 },
    { "drain_s", SECONDS, C(drain_ms), NULL, NULL, 0, 3600 },
    { 0 },
};

static const struct field token_fields[] = {
    { "token", STRING, T(credential.token), NULL, NULL, 0, 0 },
    { "name", STRING, T(credential.name), NULL, NULL, 0, 0 },
    { "read_only", BOOL, T(credential.prefs.read_only), NULL, NULL, 0, 0 },
    { "mode", MODE, T(credential.prefs.mode), NULL, NULL, 0, 0 },
    { "dialects", DIALECTS, T(credential.prefs), NULL, NULL, 0, 0 },
    { "owner", BOOL, T(owner), NULL, NULL, 0, 0 },
    { "allow", STRINGS, T(rules.allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, T(rules.deny), NULL, NULL, 0, 0 },
    { "profile", STRING, T(rules.profile), NULL, NULL, 0, 0 },
    { "also_allow", STRINGS, T(rules.also_allow), NULL, NULL, 0, 0 },
    { "provider", STRING, T(rules.provider), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field serve_fields[] = {
    { "http", STRING, C(serve_http), NULL, NULL, 0, 0 },
    { "tokens", TOKENS, 0, NULL, NULL, 0, 0 },
    { "hosts", STRINGS, C(hosts), NULL, NULL, 0, 0 },
    { "origins", STRINGS, C(origins), NULL, NULL, 0, 0 },
    { "legacy_sse", BOOL, C(legacy_sse), NULL, NULL, 0, 0 },
    { "access_log", STRING, C(access_log), NULL, NULL, 0, 0 },
    { "dialects", DIALECTS, C(prefs), NULL, NULL, 0, 0 },
    { "mode", MODE, C(prefs.mode), NULL, NULL, 0, 0 },
    { "audit_log", STRING, C(audit_log), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field lines_fields[] = {
    { "shown_chars", UINT, C(dialect.shown), NULL, NULL, 0, 1u << 30 },
    { "kernel", BOOL, C(dialect.lines_kernel), NULL, NULL, 0, 0 },
    { "one_line", BOOL, C(dialect.lines_short), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field cache_fields[] = {
    { "enabled", BOOL, C(cache.enabled), NULL, NULL, 0, 0 },
    { "ttl_s", SECONDS, C(cache.ttl_ms), NULL, NULL, 0, 86400 },
    { "max_entries", UINT, C(cache.max_entries), NULL, NULL, 1, 1u << 20 },
    { "max_bytes", UINT, C(cache.max_bytes), NULL, NULL, 1, 1u << 30 },
    { 0 },
};

static const struct field mcp_fields[] = {
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

static const struct field profile_fields[] = {
    { "allow", STRINGS, R(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, R(deny), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field provider_fields[] = {
    { "allow", STRINGS, R(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, R(deny), NULL, NULL, 0, 0 },
    { "profile", STRING, R(profile), NULL, NULL, 0, 0 },
    { "also_allow", STRINGS, R(also_allow), NULL, NULL, 0, 0 },
    { 0 },
};

/* Of every section: restrictions hold whoever writes them. */
#define NARROWING \
    { "allow", STRINGS, C(section.allow), NULL, NULL, 0, 0 }, \
    { "deny", STRINGS, C(section.deny), NULL, NULL, 0, 0 }, \
    { "profile", STRING, C(section.profile), NULL, NULL, 0, 0 }, \
    { "also_allow", STRINGS, C(section.also_allow), NULL, NULL, 0, 0 }, \
    { "provider", STRING, C(section.provider), NULL, NULL, 0, 0 }, \
    { "by_provider", RULES, C(section.by_provider), provider_fields, NULL, 0, 0 }, \
    { "profiles", RULES, C(profiles), profile_fields, NULL, 0, 0 }, \
    { "groups", GROUPS, C(groups), NULL, NULL, 0, 0 }, \
    { "owner_only", STRINGS, C(owner_only), NULL, NULL, 0, 0 }, \
    { "read_only", BOOL, C(read_only), NULL, NULL, 0, 0 }, \
    { "mutating_tools", STRINGS, C(mutating_tools), NULL, NULL, 0, 0 }

static const struct field policy_fields[] = {
    NARROWING,
    { "read_only_tools", STRINGS, C(read_only_tools), NULL, NULL, 0, 0 },
    { "compat", STRING, C(section.compat), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field settings_fields[] = {
    { "names", OBJECT, 0, names_fields, NULL, 0, 0 },
    { "limits", OBJECT, 0, limits_fields, NULL, 0, 0 },
    { "serve", OBJECT, 0, serve_fields, NULL, 0, 0 },
    { "policy", OBJECT, 0, policy_fields, NULL, 0, 0 },
    { "mcp", OBJECT, 0, mcp_fields, NULL, 0, 0 },
    { "hooks", HOOKS, 0, NULL, NULL, 0, 0 },
    { "hooks_compat", STRING, C(hooks_compat), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field more_policy_fields[] = {
    NARROWING,
    { "read_only_tools", SKIP, 0, NULL, NULL, 0, 0 },
    { "compat", SKIP, 0, NULL, NULL, 0, 0 },
    { 0 },
};

static const struct field more_settings_fields[] = {
    { "names", SKIP, 0, NULL, NULL, 0, 0 },
    { "limits", SKIP, 0, NULL, NULL, 0, 0 },
    { "serve", SKIP, 0, NULL, NULL, 0, 0 },
    { "policy", OBJECT, 0, more_policy_fields, NULL, 0, 0 },
    { "mcp", SKIP, 0, NULL, NULL, 0, 0 },
    { "hooks", HOOKS, 0, NULL, NULL, 0, 0 },
    { "hooks_compat", SKIP, 0, NULL, NULL, 0, 0 },
    { 0 },
};

static void read_token(struct place *at, struct mct_str item)
{
    const struct mct_json_member here = { { item.p, 0 }, item };
    struct mct_credential *t = mct_config_add_token(at->config);
    struct token_entry entry = { .credential = t ? *t : (struct mct_credential){ 0 } };
    const char *what = "must be a string or an object";
    if (!t)
        return config_mistake(at, here, true, "out of memory");
    bool fine = mct_json_type(item) == '{' || read_string(item, &entry.credential.token);
    if (mct_json_type(item) == '{')
        config_read_object(at, item, token_fields, &entry);
    entry.credential.prefs.ruled.stranger = !entry.owner;
    *t = entry.credential;
    at->config->token_rules.v[at->config->n_tokens - 1] = entry.rules;
    if (fine)
        what = mct_config_check_token(at->config);
    if (what)
        config_mistake(at, here, true, what);
}

static void read_tokens(struct place *at, struct mct_json_member m)
{
    struct mct_str item;
    size_t n = 0;
    for (struct mct_json_iter it = mct_json_open(m.value); mct_json_next_item(&it, &item); n++) {
        char path[256];
        struct place inner = *at;
        snprintf(path, sizeof path, "%s.%.*s[%zu]", at->path, MCT_STR_ARG(m.key), n);
        inner.path = path;
        read_token(&inner, item);
    }
}

/* A group holds tools: a list that reached further would not show what it lets through. */
static bool holds_group(const struct mct_strings *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (!strncasecmp(members->v[i] + strspn(members->v[i], " \t\r\n\v\f"), "group:", 6))
            return true;
    return false;
}

static void read_rule_set(struct place *at, const struct field *f, struct mct_json_member m, struct mct_config_rules *to)
{
    char path[768];
    struct place inner = *at;
    snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m.key));
    inner.path = path;
    to->name = key_dup(m);
    if (!to->name || !to->name[0])
        config_mistake(at, m, true, "needs a name");
    else if (f->type == GROUPS && !read_strings(m.value, &to->allow))
        config_mistake(at, m, true, expected[STRINGS]);
    else if (f->type == GROUPS && holds_group(&to->allow))
        config_mistake(at, m, true, "a group cannot hold groups");
    else if (f->type == RULES && mct_json_type(m.value) != '{')
        config_mistake(at, m, true, expected[RULES]);
    else if (f->type == RULES)
        config_read_object(&inner, m.value, f->fields, to);
}

static bool has_set(const struct mct_config_rule_sets *sets, unsigned section, struct mct_json_member m)
{
    bool has = false;
    char *name = key_dup(m);
    for (size_t i = 0; name && !has && i < sets->n; i++)
        has = sets->v[i].section == section && sets->v[i].name && !strcasecmp(sets->v[i].name, name);
    free(name);
    return has;
}

static void read_rule_sets(struct place *at, const struct field *f, struct mct_json_member m, void *to)
{
    struct mct_config_rule_sets *sets = to;
    unsigned section = (unsigned)at->config->sections.n; /* which is closed when it has been read */
    struct mct_json_member one;
    char path[256];
    struct place inner = *at;
    snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m.key));
    inner.path = path;
    for (struct mct_json_iter it = mct_json_open(m.value); mct_json_next_member(&it, &one);) {
        struct mct_config_rules *set = has_set(sets, section, one) ? NULL : mct_config_add_rules(sets);
        if (set)
            set->section = section;
        if (set)
            read_rule_set(&inner, f, one, set);
        else
            config_mistake(&inner, one, true, "is there twice");
    }
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(text, *list))
            return true;
    return false;
}

/* What the tables cannot say: which members an entry needs together. NULL: nothing is wrong. */
static const char *auth_mistake(const struct mct_config_server *s)
{
    const char *type = s->auth_type;
    if (!type)
        return s->auth_token || s->auth_key ? "\"auth\" needs a \"type\": bearer or api-key" : NULL;
    if (!strcmp(type, "bearer"))
        return s->auth_token ? NULL : "\"auth\" of type bearer needs a \"token\"";
    if (!strcmp(type, "api-key"))
        return s->auth_key && s->auth_header ? NULL : "\"auth\" of type api-key needs a \"key\" and a \"header\"";
    return "this version knows \"auth\" of the types bearer and api-key only";
}

static const char *server_mistake(const struct mct_config_server *s)
{
    static const char *const types[] = { "stdio", "streamable-http", "http", "sse", "openclaw", "plugin",
                                         NULL };
    static const char *const resource_tools[] = { "asked", "always", "never", NULL };
    static const char *const isolations[] = { "shared", "session", "principal", NULL };
    bool openclaw = s->type && !strcmp(s->type, "openclaw");
    bool plugin = s->type && !strcmp(s->type, "plugin");
    bool stdio = !s->type || !strcmp(s->type, "stdio");
    if (!s->name[0] || strpbrk(s->name, "/?#%"))
        return "a server's name must not be empty or hold / ? # %";
    if (s->type && !is_one_of(s->type, types))
        return "\"type\" must be stdio, streamable-http, sse, openclaw or plugin";
    if (plugin && (!s->plugin_path || s->command || s->url))
        return "\"type\": \"plugin\" needs \"path\", a shared object, and neither \"command\" nor \"url\"";
    if (openclaw && (!s->plugins.n || s->command || s->url))
        return "\"type\": \"openclaw\" needs \"plugins\", a list of folders, and neither \"command\" nor \"url\"";
    if (!s->command && !s->url && stdio)
        return "needs \"command\" (a program to start) or \"url\"";
    if (s->command && s->url)
        return "has both \"command\" and \"url\": remove one";
    if (s->command && !stdio)
        return "a \"command\" is started over stdio: remove \"type\", or give a \"url\"";
    if (!openclaw && !plugin && !s->command && (!s->url || (s->type && stdio)))
        return stdio ? "\"type\": \"stdio\" needs a \"command\"" : "needs a \"url\"";
    if (s->resource_tools && !is_one_of(s->resource_tools, resource_tools))
        return "\"resource_tools\" must be asked, always or never";
    if (s->protocol && strcmp(s->protocol, "auto") && strcmp(s->protocol, "legacy") &&
        !mct_rev_find(mct_str_of(s->protocol)))
        return "\"protocol\" must be auto, legacy or a revision such as 2025-11-25";
    if (s->type && !strcmp(s->type, "sse") && s->protocol && mct_rev_is_stateless(mct_rev_find(mct_str_of(s->protocol))))
        return "HTTP+SSE (\"type\": \"sse\") does not know that \"protocol\": remove one";
    if (s->isolation && !is_one_of(s->isolation, isolations))
        return "\"isolation\" must be shared, session or principal";
    if (s->capabilities && strcmp(s->capabilities, "all") && strcmp(s->capabilities, "client"))
        return "\"capabilities\" must be all or client";
    return auth_mistake(s);
}

static void check_server(struct place *at, struct mct_json_member m)
{
    const char *what = at->server->error.kind ? NULL : server_mistake(at->server);
    if (what)
        config_mistake(at, m, true, what);
}

static void read_server(struct place *at, struct mct_json_member m, size_t n_before)
{
    struct mct_config *c = at->config;
    char *name = key_dup(m);
    struct mct_config_server *old = name ? mct_config_find(c, mct_str_of(name)) : NULL;
    if (!name)
        config_mistake(at, m, false, "no server can have this name, ignored");
    if (old) {
        if ((size_t)(old - c->servers) >= n_before)
            config_mistake(at, m, false, "this server is there twice in the file; the first one counts");
        free(name);
        return;
    }
    struct mct_config_server *s = name ? mct_config_add_server(c, name) : NULL;
    free(name);
    if (!s)
        return;
    char path[256];
    s->file = strdup(at->file);
    s->line = line_at(at, m.key.p);
    snprintf(path, sizeof path, "%s.%s", at->path, s->name);
    struct place inner = *at;
    inner.path = path;
    inner.server = at->server = s;
    inner.entry = m.value;
    if (mct_json_type(m.value) != '{')
        config_mistake(at, m, true, "must be an object");
    else
        config_read_object(&inner, m.value, server_fields, s);
    check_server(at, m);
    at->server = NULL;
}

static void read_servers(struct place *at, struct mct_str map)
{
    struct mct_json_member m;
    size_t n_before = at->config->n_servers;
    for (struct mct_json_iter it = mct_json_open(map); mct_json_next_member(&it, &m);)
        read_server(at, m, n_before);
}

/* Browsers compare origins letter by letter, and so do we. */
static bool has_pattern(const struct mct_strings *origins)
{
    for (size_t i = 0; i < origins->n; i++)
        if (strchr(origins->v[i], '*'))
            return true;
    return false;
}

/* What a section says of tools is a step of its own. */
static void close_section(struct place *at, struct mct_json_member m)
{
    struct mct_config *c = at->config;
    struct place section = *at;
    section.path = ""; /* m is the section itself */
    if (c->section.compat && strcmp(c->section.compat, "2026.2") != 0)
        config_mistake(&section, m, true, "\"policy.compat\" must be 2026.2, or not be there");
    struct mct_config_rules *kept = mct_config_add_rules(&c->sections);
    if (!kept)
        return config_mistake(&section, m, true, "out of memory");
    *kept = c->section;
    kept->name = strdup(at->file);
    kept->section = (unsigned)c->sections.n - 1;
    c->section = (struct mct_config_rules){ 0 };
}

static void read_more_settings(struct place *at, struct mct_json_member m)
{
    struct place section = *at;
    bool read_only = at->config->read_only;
    section.path = ""; /* m is the section itself */
    config_mistake(&section, m, false, "another section was read before and counts; of this one only its hooks do, and "
            "what policy restricts");
    config_read_object(at, m.value, more_settings_fields, at->config);
    close_section(at, m);
    at->config->read_only |= read_only;
}

static void read_settings(struct place *at, struct mct_json_member m)
{
    struct mct_config *c = at->config;
    if (mct_json_type(m.value) != '{') {
        at->path = "";
        config_mistake(at, m, true, expected[OBJECT]);
        return;
    }
    if (c->settings_file) {
        read_more_settings(at, m);
        return;
    }
    c->settings_file = strdup(at->file);
    config_read_object(at, m.value, settings_fields, c);
    close_section(at, m);
    if (!mct_naming_knows(c->scheme)) {
        at->path = ""; /* m is the section itself */
        config_mistake(at, m, true, "\"names.scheme\" must be double, mcp, nexo or bare");
        free(c->scheme);
        c->scheme = strdup("double");
    }
    if (c->hooks_compat && strcmp(c->hooks_compat, "2026.2") != 0) {
        at->path = "";
        config_mistake(at, m, true, "\"hooks_compat\" must be 2026.2, or not be there");
    }
    if (has_pattern(&c->origins)) {
        at->path = "";
        config_mistake(at, m, true, "\"serve.origins\" must name each origin (https://app.example.com): \"*\" stands for none");
    }
}

static void read_root(struct place *at, struct mct_str root)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(root); mct_json_next_member(&it, &m);) {
        const char *map = mct_json_key_is(m.key, "mcpServers") ? "mcpServers"
                          : mct_json_key_is(m.key, "servers") ? "servers" : NULL;
        struct mct_str nested = mct_json_key_is(m.key, "mcp") ? mct_json_get(m.value, "servers") : MCT_STR_NONE;
        at->path = map ? map : nested.p ? "mcp.servers" : "mcptools";
        if (map || nested.p)
            read_servers(at, map ? m.value : nested);
        else if (mct_json_key_is(m.key, "mcptools"))
            read_settings(at, m);
    } /* other members belong to the program whose file this is */
}

void mct_config_read(struct mct_config *c, const char *file, const char *text, size_t len)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    char *plain = mct_str_dup((struct mct_str){ text, len });
    if (!plain)
        return;
    mct_strings_add(&c->files, mct_str_of(file));
    mct_jsonc_blank(plain, len);
    struct place at = { .config = c, .file = file, .text = plain, .path = "" };
    bool valid = mct_json_valid((struct mct_str){ plain, len }, MCT_LIMIT_JSON_DEPTH, &top, &fault);
    if (!valid)
        mct_config_problem(c, true, "%s:%u: not valid JSON: %s", file,
                           mct_line_of(plain, fault.offset), fault.why);
    else if (mct_json_type(top.value) != '{')
        mct_config_problem(c, true, "%s:1: the file must hold an object with \"mcpServers\"", file);
    else
        read_root(&at, top.value);
    if (!valid || mct_json_type(top.value) != '{')
        mct_config_break(c);
    free(plain);
}
