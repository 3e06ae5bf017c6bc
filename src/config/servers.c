/* "mcpServers": reads entries, and checks the combinations of their keys. */
#include "config/expand/expand.h"
#include "config/read_impl.h"

#include "mcp/era.h"

#include <stdio.h>
#include <stdlib.h>

static bool has_type(const struct mcti_config_place *at, const char *key, unsigned types)
{
    char *text = mcti_json_dup(mcti_json_get(at->entry, key));
    const struct mcti_word *type = text ? mcti_word_find(mcti_server_types, mcti_str_of(text)) : NULL;
    free(text);
    return type && types >> type->value & 1;
}

bool mcti_config_is_elsewhere(const struct mcti_config_place *at, unsigned types)
{
    return types && !has_type(at, "type", types) && !has_type(at, "transport", types);
}

/* These functions return the mistake in an entry that the tables cannot express, or NULL. */
static const char *plugin_mistake(const struct mcti_config_server *s)
{
    bool other = s->command || s->url;
    if (s->type == MCT_SERVER_PLUGIN && (!s->plugin_path || other))
        return "\"type\": \"plugin\" needs \"path\", a shared object, and neither \"command\" nor \"url\"";
    if (s->type == MCT_SERVER_SKILLS && (!s->plugin_path || other))
        return "\"type\": \"skills\" needs \"path\", a folder, and neither \"command\" nor \"url\"";
    if (s->type == MCT_SERVER_OPENCLAW && (!s->plugins.n || other))
        return "\"type\": \"openclaw\" needs \"plugins\", a list of folders, and neither \"command\" nor \"url\"";
    return NULL;
}

static const char *transport_mistake(const struct mcti_config_server *s)
{
    bool stdio = s->type == MCT_SERVER_UNSET || s->type == MCT_SERVER_STDIO;
    if (!s->command && !s->url && stdio)
        return "needs \"command\" (a program to start) or \"url\"";
    if (s->command && !*s->command)
        return "\"command\" is empty; write the program to start";
    if (s->command && s->url)
        return "has both \"command\" and \"url\"; remove one";
    if (s->command && !stdio)
        return "a \"command\" is started over stdio; remove \"type\", or write a \"url\" instead of the \"command\"";
    if (s->url && s->type == MCT_SERVER_STDIO)
        return "\"type\": \"stdio\" needs a \"command\"; remove \"type\" to use the \"url\"";
    if (!s->url && !stdio)
        return "needs a \"url\"";
    if (s->url && !mcti_is_url(s->url) && !strstr(s->url, "${"))
        return "\"url\" must begin with http:// or https://";
    if (s->type == MCT_SERVER_SSE && mcti_rev_is_stateless(s->protocol.rev))
        return "HTTP+SSE (\"type\": \"sse\") cannot carry that \"protocol\"; remove one of them";
    return NULL;
}

/* A variable in a value is checked when it is known. */
static const char *header_mistake(const struct mcti_config_server *s)
{
    for (size_t i = 0; i < s->headers.n; i++) {
        if (!mcti_is_header_name(s->headers.v[i].key))
            return "\"headers\": a name must consist of letters, digits, - and _, without blanks or a colon";
        if (!strstr(s->headers.v[i].value, "${") && !mcti_is_header_value(mcti_str_of(s->headers.v[i].value)))
            return "\"headers\": a value has a character that HTTP headers must not have; only ASCII without control "
                   "characters is allowed";
    }
    return NULL;
}

static const char *server_mistake(struct mcti_config_server *s)
{
    bool is_plugin = s->type == MCT_SERVER_PLUGIN || s->type == MCT_SERVER_SKILLS || s->type == MCT_SERVER_OPENCLAW;
    if (!s->name[0] || strpbrk(s->name, "/?#%"))
        return "a server's name must not be empty or contain / ? # %";
    if (!strcmp(s->name, "server-card"))
        return "no server may have the name server-card: /mcp/server-card is the card of the gateway; rename the entry";
    const char *what = is_plugin ? plugin_mistake(s) : transport_mistake(s);
    what = what ? what : header_mistake(s);
    what = what ? what : mcti_config_sandbox_mistake(&s->sandbox);
    return what ? what : mcti_config_settle_auth(s);
}

/* Several editors write "disabled" where others write "enabled". */
static void settle_enabled(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config_server *s = at->server;
    bool both = mcti_json_get(m.value, "enabled").p && mcti_json_get(m.value, "disabled").p;
    if (both && s->enabled == s->disabled)
        mcti_config_mistake(at, m, true,
                            s->enabled ? "\"enabled\" and \"disabled\" are both true; remove one"
                                       : "\"enabled\" and \"disabled\" are both false; remove one");
    s->enabled = s->enabled && !s->disabled;
}

static void check_server(struct mcti_config_place *at, struct mcti_json_member m)
{
    if (mcti_config_drop_auth(at->server))
        mcti_config_mistake(at, m, false, "settings of logins have no effect without a \"url\"");
    if (at->server->sandbox.mode && !at->server->command && at->server->type != MCT_SERVER_OPENCLAW)
        mcti_config_mistake(at, m, false, "\"sandbox\" has no effect without a \"command\"");
    const char *what = at->server->error.kind ? NULL : server_mistake(at->server);
    if (what)
        mcti_config_mistake(at, m, true, what);
}

int mcti_config_anchor(struct mcti_config_server *s)
{
    char **const texts[] = { &s->command,         &s->cwd,      &s->url,         &s->plugin_path,
                             &s->agent_dir,       &s->agent_id, &s->session_key, &s->message_channel,
                             &s->agent_account_id };
    char **auth[MCT_CONFIG_AUTH_TEXTS];
    int r = 0;
    mcti_config_auth_texts(s, auth);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        r |= mcti_expand_anchor(texts[i], s->file);
    for (size_t i = 0; auth[i]; i++)
        r |= mcti_expand_anchor(auth[i], s->file);
    for (size_t i = 0; i < s->args.n; i++)
        r |= mcti_expand_anchor(&s->args.v[i], s->file);
    for (size_t i = 0; i < s->env.n; i++)
        r |= mcti_expand_anchor(&s->env.v[i].value, s->file);
    for (size_t i = 0; i < s->headers.n; i++)
        r |= mcti_expand_anchor(&s->headers.v[i].value, s->file);
    for (size_t i = 0; i < s->sandbox.read.n; i++)
        r |= mcti_expand_anchor(&s->sandbox.read.v[i], s->file);
    for (size_t i = 0; i < s->sandbox.write.n; i++)
        r |= mcti_expand_anchor(&s->sandbox.write.v[i], s->file);
    return r;
}

static void read_server(struct mcti_config_place *at, struct mcti_json_member m, size_t n_before)
{
    struct mcti_config *c = at->config;
    char *name = mcti_config_key_dup(m);
    struct mcti_config_server *old = name ? mcti_config_find(c, mcti_str_of(name)) : NULL;
    if (!name)
        mcti_config_mistake(at, m, false, "the server's name is not valid Unicode text; the entry is ignored");
    if (old) {
        if ((size_t)(old - c->servers) >= n_before)
            mcti_config_mistake(at, m, false,
                                "duplicate server name in this file; the first entry is used, remove one");
        free(name);
        return;
    }
    struct mcti_config_server *s = name ? mcti_config_add_server(c, name) : NULL;
    free(name);
    if (!s)
        return;
    char path[256];
    s->file = strdup(at->file);
    s->line = mcti_config_line_at(at, m.key.p);
    snprintf(path, sizeof path, "%s.%s", at->path, s->name);
    struct mcti_config_place inner = *at;
    inner.path = path;
    inner.server = at->server = s;
    inner.entry = m.value;
    inner.tables = at->format->tables;
    if (mcti_json_type(m.value) != '{')
        mcti_config_mistake(at, m, true, "must be an object");
    else
        mcti_config_read_object(&inner, m.value, NULL, s);
    settle_enabled(at, m);
    inner.path = at->path;
    at->settle(&inner, m);
    if (mcti_config_anchor(s) < 0)
        mcti_config_mistake(at, m, true, MCT_NO_MEMORY_TEXT);
    check_server(at, m);
    at->server = NULL;
}

/* Takes an item of a list for a member whose key is its "name". */
static void read_named(struct mcti_config_place *at, struct mcti_str item, size_t n_before)
{
    struct mcti_str name = mcti_json_get(item, "name");
    struct mcti_json_member m = { .key = item, .value = item };
    if (mcti_json_type(name) == '"') {
        m.key = (struct mcti_str){ name.p + 1, name.len - 2 };
        return read_server(at, m, n_before);
    }
    m.key.len = 0;
    mcti_config_mistake(at, m, false, "an entry without a \"name\" is ignored");
}

void mcti_config_read_servers(struct mcti_config_place *at, struct mcti_str entries)
{
    struct mcti_json_member m;
    struct mcti_str item;
    size_t n_before = at->config->n_servers;
    bool (*const skips)(struct mcti_str) = at->format->skips;
    if (mcti_json_type(entries) == '[')
        for (struct mcti_json_iter it = mcti_json_open(entries); mcti_json_next_item(&it, &item);) {
            if (!skips || !skips(item))
                read_named(at, item, n_before);
        }
    for (struct mcti_json_iter it = mcti_json_open(entries);
         mcti_json_type(entries) == '{' && mcti_json_next_member(&it, &m);)
        if (!skips || !skips(m.value))
            read_server(at, m, n_before);
}
