/* Readers for values that other programs write differently. */
#include "config/import/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define OWNER struct mcti_config_server

void mcti_special_say(struct mcti_config_place *at, const struct mcti_json_member *m, bool fatal, const char *fmt, ...)
{
    char what[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    mcti_config_mistake(at, *m, fatal, what);
}

bool mcti_special_object(struct mcti_config_place *at, const struct mcti_json_member *m,
                         const struct mcti_config_field *fields, void *to)
{
    struct mcti_config_place inner = *at;
    char path[768];
    if (mcti_json_type(m->value) != '{')
        return false;
    snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m->key));
    inner.path = path;
    inner.tables = NULL;
    mcti_config_read_object(&inner, m->value, fields, to);
    return true;
}

bool mcti_special_ignore(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    (void)m;
    (void)to;
    return true;
}

/* ---- times ---- */

static bool read_ms(struct mcti_str v, unsigned *to)
{
    double ms = mcti_json_double(v);
    if (mcti_json_type(v) != '0' || !(ms >= 0 && ms <= 86400000))
        return false;
    *to = (unsigned)ms;
    return true;
}

bool mcti_special_call_ms(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    return read_ms(m->value, &((struct mcti_config_server *)to)->timeout_ms);
}

bool mcti_special_start_ms(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    return read_ms(m->value, &((struct mcti_config_server *)to)->start_timeout_ms);
}

/* Claude Code ignores values below 1000, so they can only be meant for mcptools. */
bool mcti_special_call_s(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    (void)at;
    if (!read_ms(m->value, &s->timeout_ms))
        return false;
    if (mcti_json_double(m->value) < 1000)
        s->timeout_ms = (unsigned)(mcti_json_double(m->value) * 1000);
    return true;
}

/* ---- names of tools ---- */

/* Adds a name as a glob that matches only it; for the two characters of globs, which names of tools hardly have, "?"
 * stands. Gemini writes "NAME(" with a condition behind. */
static bool add_name(struct mcti_strings *to, struct mcti_str item)
{
    char *name = mcti_json_dup(item);
    if (!name)
        return false;
    name[strcspn(name, "(")] = '\0';
    for (char *p = name; (p = strchr(p, '*'));)
        *p = '?';
    int r = mcti_strings_add(to, mcti_str_of(name));
    free(name);
    return r == 0;
}

static bool read_names(struct mcti_str v, struct mcti_strings *to)
{
    struct mcti_str item;
    if (mcti_json_type(v) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_item(&it, &item);)
        if (!add_name(to, item))
            return false;
    return true;
}

bool mcti_special_allow(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    (void)at;
    if (!read_names(m->value, &s->allow))
        return false;
    return s->allow.n || mcti_strings_add(&s->deny, MCT_STR("*")) == 0; /* an empty list of ours allows all */
}

bool mcti_special_deny(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    return read_names(m->value, &((struct mcti_config_server *)to)->deny);
}

static bool is_for_all(struct mcti_str list)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);)
        if (mcti_json_is(item, "*"))
            return true;
    return false;
}

bool mcti_special_tools(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    if (mcti_json_type(m->value) == '[')
        return is_for_all(m->value) || mcti_special_allow(at, m, to);
    return mcti_special_object(at, m, mcti_config_tools_fields, to);
}

/* ---- transports ---- */

bool mcti_special_type(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    static const struct mcti_word words[] = {
        { "local", MCT_SERVER_STDIO },
        { "remote", MCT_SERVER_UNSET },
        { "auto", MCT_SERVER_UNSET },
        { "streamableHttp", MCT_SERVER_STREAMABLE_HTTP },
        { "streamable_http", MCT_SERVER_STREAMABLE_HTTP },
        { "streamablehttp", MCT_SERVER_STREAMABLE_HTTP },
        { 0 },
    };
    struct mcti_config_server *s = to;
    char *text = mcti_json_dup(m->value);
    const struct mcti_word *found = text ? mcti_word_find(words, mcti_str_of(text)) : NULL;
    if (text && !found)
        found = mcti_word_find(mcti_server_types, mcti_str_of(text));
    if (found)
        s->type = (enum mcti_server_type)found->value;
    else if (text && (!strcmp(text, "ws") || !strcmp(text, "websocket")))
        mcti_special_say(at, m, true, "WebSocket is no transport of MCP and is not supported");
    else
        free(text), text = NULL;
    bool ok = text != NULL;
    free(text);
    return ok;
}

static bool values_read_text(struct mcti_str v, char **to)
{
    char *text = mcti_json_dup(v);
    if (!text)
        return false;
    free(*to);
    *to = text;
    return true;
}

bool mcti_special_http_url(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    (void)at;
    s->type = MCT_SERVER_STREAMABLE_HTTP;
    return values_read_text(m->value, &s->url);
}

static bool read_command_list(struct mcti_str list, struct mcti_config_server *s)
{
    struct mcti_str item;
    struct mcti_strings args = { 0 };
    bool ok = true;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(list); ok && mcti_json_next_item(&it, &item); n++) {
        char *text = n ? mcti_json_dup(item) : NULL;
        ok = n ? text && mcti_strings_add(&args, mcti_str_of(text)) == 0 : values_read_text(item, &s->command);
        free(text);
    }
    for (size_t i = 0; ok && i < s->args.n; i++) /* of a key that came before */
        ok = mcti_strings_add(&args, mcti_str_of(s->args.v[i])) == 0;
    mcti_strings_clear(&s->args);
    s->args = args;
    return ok && n;
}

bool mcti_special_list(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    (void)at;
    return mcti_json_type(m->value) == '[' ? read_command_list(m->value, s) : values_read_text(m->value, &s->command);
}

/* A line with blanks is split, unless "args" has the arguments. */
bool mcti_special_command(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to, words = { 0 };
    struct mct_error err;
    if (mcti_json_type(m->value) == '[')
        return read_command_list(m->value, s);
    if (!values_read_text(m->value, &s->command))
        return false;
    if (mcti_json_get(at->entry, "args").p || !strchr(s->command, ' '))
        return true;
    if (mcti_config_split(s->command, &words, &err) < 0)
        mcti_special_say(at, m, true, "%s", err.message);
    free(s->command);
    mcti_strings_clear(&s->args);
    s->command = words.command;
    s->args = words.args;
    return true;
}

/* ---- environment and credentials ---- */

bool mcti_special_add_pair(struct mcti_pairs *to, char *take_key, char *take_value)
{
    struct mcti_pair *v = take_key && take_value ? realloc(to->v, (to->n + 1) * sizeof *v) : NULL;
    if (!v) {
        free(take_key);
        free(take_value);
        return false;
    }
    to->v = v;
    v[to->n++] = (struct mcti_pair){ take_key, take_value };
    return true;
}

bool mcti_special_env(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_json_member var;
    if (mcti_json_type(m->value) != '{')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_member(&it, &var);) {
        char type = mcti_json_type(var.value);
        if (type == '{' || type == '[')
            return false;
        if (type == 'n')
            continue;
        char *value = type == '"' ? mcti_json_dup(var.value) : mcti_str_dup(var.value);
        if (!mcti_special_add_pair(&s->env, mcti_config_key_dup(var), value))
            return false;
    }
    (void)at;
    return true;
}

bool mcti_special_set_bearer(struct mcti_config_server *s, char *take_token)
{
    free(s->auth_token);
    s->auth_type = MCT_AUTH_BEARER;
    s->auth_token = take_token;
    return take_token;
}

bool mcti_special_bearer(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)at;
    return mcti_special_set_bearer(to, mcti_json_dup(m->value));
}

bool mcti_special_bearer_variable(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    char *name = mcti_json_dup(m->value);
    (void)at;
    bool ok = name && mcti_special_set_bearer(to, mcti_config_reference(name, false));
    free(name);
    return ok;
}

bool mcti_special_scope(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    char *text = mcti_json_dup(m->value), *rest = NULL;
    bool ok = text != NULL;
    (void)at;
    for (char *word = ok ? strtok_r(text, " ", &rest) : NULL; word && ok; word = strtok_r(NULL, " ", &rest))
        ok = mcti_strings_add(&s->oauth.scopes, mcti_str_of(word)) == 0;
    free(text);
    return ok;
}

/* `false` switches logins off. */
bool mcti_special_oauth(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    static const struct mcti_config_field fields[] = {
        FIELD_STRING("clientId", oauth.client_id, "`auth.client_id`."),
        FIELD_STRING("client_id", oauth.client_id, "`auth.client_id`."),
        FIELD_STRING("clientSecret", oauth.client_secret, "`auth.client_secret`."),
        FIELD_STRING("client_secret", oauth.client_secret, "`auth.client_secret`."),
        FIELD_STRINGS("scopes", oauth.scopes, "`auth.scopes`."),
        FIELD_STRINGS("oauthScopes", oauth.scopes, "`auth.scopes`."),
        FIELD_SPECIAL("scope", mcti_special_scope, MUST_BE_TEXT, "`auth.scopes`."),
        FIELD_UINT("callbackPort", oauth.callback_port, 1, 65535, "`auth.callback_port`."),
        FIELD_UINT("callback_port", oauth.callback_port, 1, 65535, "`auth.callback_port`."),
        FIELD_STRING("issuer", oauth.issuer, "`auth.issuer`."),
        FIELD_LATER("enabled", NO_DISCOVERY, "None."),
        FIELD_LATER("authorizationUrl", NO_DISCOVERY, "None."),
        FIELD_LATER("tokenUrl", NO_DISCOVERY, "None."),
        FIELD_LATER("authServerMetadataUrl", NO_DISCOVERY, "None."),
        FIELD_LATER("redirectUri", NO_DISCOVERY, "None."),
        { 0 },
    };
    struct mcti_config_server *s = to;
    char type = mcti_json_type(m->value);
    if (type == 'f' && s->auth_type == MCT_AUTH_UNSET)
        s->auth_type = MCT_AUTH_OFF;
    return type == 't' || type == 'f' || mcti_special_object(at, m, fields, to);
}

static const struct mcti_config_field cursor_fields[] = {
    FIELD_STRING("CLIENT_ID", oauth.client_id, "Cursor: `auth.client_id`."),
    FIELD_STRING("CLIENT_SECRET", oauth.client_secret, "Cursor: `auth.client_secret`."),
    FIELD_STRINGS("scopes", oauth.scopes, "`auth.scopes`."),
    { 0 },
};

bool mcti_special_auth(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    char *text = mcti_json_dup(m->value);
    const struct mcti_word *type = text ? mcti_word_find(mcti_auth_types, mcti_str_of(text)) : NULL;
    free(text);
    if (type && s->auth_type == MCT_AUTH_UNSET)
        s->auth_type = (enum mcti_auth_type)type->value;
    if (mcti_json_type(m->value) == '{' && mcti_json_get(m->value, "CLIENT_ID").p)
        return mcti_special_object(at, m, cursor_fields, to);
    return type || mcti_special_object(at, m, mcti_config_auth_fields, to);
}
