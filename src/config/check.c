/* Warns about settings that have no effect because of other settings, or an effect that was hardly intended. */
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>

static const char name_characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

enum { BRIDGE_PREFIX = 40 }; /* names of tools have at most 64 characters */

#define WARN(c, fmt, ...) mcti_config_problem(c, false, "%s: " fmt, (c)->settings_file, __VA_ARGS__)

static void check_mcp(struct mcti_config *c)
{
    const struct mcti_config_server *preferred = c->preferred ? mcti_config_find(c, mcti_str_of(c->preferred)) : NULL;
    if (c->preferred && !(preferred && preferred->enabled))
        WARN(c, "mcptools.mcp.default_server: unknown or disabled server '%s'", c->preferred);
    if (c->dialect.list_max > c->dialect.list_ceiling)
        WARN(c, "mcptools.mcp.list_max_resources: %u exceeds list_max_resources_ceiling; %u is used",
             c->dialect.list_max, c->dialect.list_ceiling);
    if (c->dialect.read_max > c->dialect.read_ceiling)
        WARN(c, "mcptools.mcp.resource_max_bytes: %u exceeds resource_max_bytes_ceiling; %u is used",
             c->dialect.read_max, c->dialect.read_ceiling);
    const char *prefix = c->bridge_prefix;
    if (prefix && (!*prefix || prefix[strspn(prefix, name_characters)] || strlen(prefix) > BRIDGE_PREFIX)) {
        WARN(c, "mcptools.mcp.bridge_prefix: '%s' is not 1 to %d letters, digits, - or _; \"mcp\" is used", prefix,
             BRIDGE_PREFIX);
        free(c->bridge_prefix);
        c->bridge_prefix = NULL;
    }
    for (size_t i = 0; i < c->uri_allow.n; i++)
        if (strchr(c->uri_allow.v[i], ':'))
            WARN(c, "mcptools.mcp.resource_uri_allowlist: '%s' matches no URI; write the scheme alone, as in \"https\"",
                 c->uri_allow.v[i]);
}

static void check_names(struct mcti_config *c)
{
    const char *sep = c->separator;
    if (sep && !*sep)
        WARN(c, "mcptools.names.separator: %s",
             "\"\" joins names of servers and tools without a boundary; \"__\" is usual");
    else if (sep && sep[strspn(sep, name_characters)])
        WARN(c, "mcptools.names.separator: '%s' contains characters that names of tools must not have; they become _",
             sep);
}

/* ---- globs without a server ---- */

/* Returns true if a name that begins with `head` may match. */
static bool may_match(const char *glob, const char *head)
{
    size_t literal = strcspn(glob, "*?"), len = strlen(head);
    return !strncmp(glob, head, literal < len ? literal : len) && (glob[literal] || literal > len);
}

/* Returns true if the glob may match a tool of the server. Also true if the naming scheme, or cutting of long names,
 * leaves that unknown. */
static bool may_be_of(const struct mcti_config *c, const char *glob, const struct mcti_config_server *s)
{
    const struct mcti_naming naming = mcti_config_naming(c, MCT_PREFIX_ALWAYS);
    const struct mcti_name_in nameless = { mcti_str_of(s->name), MCT_STR(""), false };
    char *prefix = NULL, *dotted = NULL;
    bool exact = strcmp(c->scheme, "bare") != 0 && 2 * strlen(s->name) + 16 < c->name_max &&
                 mcti_names_assign(&naming, &nameless, 1, &prefix, NULL) == 0 && asprintf(&dotted, "%s.", s->name) >= 0;
    bool may = !exact || may_match(glob, prefix) || may_match(glob, dotted);
    free(prefix);
    free(exact ? dotted : NULL);
    return may;
}

static void check_globs(struct mcti_config *c)
{
    for (size_t i = 0; i < c->read_only_tools.n; i++) {
        bool may = !c->n_servers;
        for (size_t k = 0; !may && k < c->n_servers; k++)
            may = may_be_of(c, c->read_only_tools.v[i], &c->servers[k]);
        if (!may)
            WARN(c, "mcptools.policy.read_only_tools: '%s' matches no tool of a configured server; write SERVER.TOOL",
                 c->read_only_tools.v[i]);
    }
}

/* ---- plugins ---- */

static void check_plugins(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].plugin_path && c->servers[i].env.n)
            mcti_config_problem(c, false,
                                "%s:%u: mcpServers.%s.env: has no effect on a plugin, which runs in this process; use "
                                "\"config\"",
                                c->servers[i].file, c->servers[i].line, c->servers[i].name);
}

/* ---- the offer ---- */

static bool has_resource_tools(const struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].resource_tools == MCT_RESOURCE_TOOLS_ALWAYS)
            return true;
    return false;
}

void mcti_config_check(struct mcti_config *c, const struct mcti_offer *offer)
{
    if (c->settings_file) {
        check_mcp(c);
        check_names(c);
        check_globs(c);
    }
    check_plugins(c);
    if (offer->alone && !offer->search && !offer->dialects && !has_resource_tools(c))
        mcti_config_problem(
            c, false,
            "mode \"router\" without a dialect: clients that choose no dialect get no tools; set serve.dialects");
}
