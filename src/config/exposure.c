/* Warns if other users may change a configuration file, or read secrets in it; shows entries without their secrets. */
#include "base/limits.h"
#include "config/notation/jsonc.h"
#include "config/read_impl.h"
#include "json/edit.h"

#include <stdio.h>
#include <stdlib.h>

/* Endings of the names of variables and headers that contain secrets. */
static const char *const secret_endings[] = { "token", "secret", "password",   "passwd",      "passphrase",
                                              "pwd",   "key",    "credential", "credentials", "authorization",
                                              "auth",  "cookie", "_pat" };

static bool is_secret_name(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof secret_endings / sizeof *secret_endings; i++) {
        size_t n = strlen(secret_endings[i]);
        if (len >= n && !strcasecmp(name + len - n, secret_endings[i]))
            return true;
    }
    return false;
}

/* Returns true if the file contains the value itself, rather than a variable. */
static bool is_clear(const char *value)
{
    return value && *value && !strstr(value, "${");
}

/* ---- what is shown ---- */

void mcti_config_put_url(struct mcti_buf *to, const char *url)
{
    const char *host = strstr(url, "://"), *query = strchr(url, '?');
    host = host ? host + 3 : url;
    size_t end = strcspn(host, "/?#");
    const char *at = memrchr(host, '@', end);
    mcti_buf_add(to, mcti_str_range(url, host));
    if (at)
        mcti_buf_addz(to, "***");
    mcti_buf_add(to, mcti_str_range(at ? at : host, query ? query : url + strlen(url)));
    if (query)
        mcti_buf_addz(to, "?***");
}

static bool is_secret_option(const char *arg)
{
    return arg[0] == '-' && is_secret_name(arg);
}

/* Returns the value of an argument "NAME=VALUE" or "Name: VALUE" if it is a secret; NULL: it is none. */
static const char *secret_value(const char *arg)
{
    char name[128];
    size_t n = strcspn(arg, "=: \t");
    if (!arg[n] || n >= sizeof name || arg[n] == ' ' || arg[n] == '\t')
        return NULL;
    memcpy(name, arg, n);
    name[n] = '\0';
    const char *value = arg + n + 1 + strspn(arg + n + 1, " ");
    return is_secret_name(name) && is_clear(value) ? value : NULL;
}

void mcti_config_put_arg(struct mcti_buf *to, const struct mcti_strings *args, size_t i)
{
    const char *arg = args->v[i], *value = secret_value(arg);
    bool is_value = i && *arg != '-' && is_secret_option(args->v[i - 1]) && is_clear(arg);
    if (is_value || value) {
        mcti_buf_add(to, mcti_str_range(arg, is_value ? arg : value));
        mcti_buf_addz(to, "***");
    } else if (mcti_is_url(arg)) {
        mcti_config_put_url(to, arg);
    } else {
        mcti_buf_addz(to, arg);
    }
}

bool mcti_config_is_secret(const char *name, const char *value)
{
    return is_secret_name(name) && is_clear(value);
}

/* ---- the text of a file ---- */

struct mask {
    struct mcti_json_edit edit;
    const char *plain;    /* the text without comments */
    struct mcti_str text; /* of the file; the same length */
};

static void mask_string(struct mask *m, struct mcti_str value)
{
    struct mcti_str inner = { m->text.p + (value.p - m->plain) + 1, value.len - 2 };
    mcti_json_edit_replace(&m->edit, inner, MCT_STR("***"));
}

/* Masks the values inside a container. `name` is that of the container, NULL in its items. */
static void mask_value(struct mask *m, const char *name, struct mcti_str value)
{
    struct mcti_json_member member;
    struct mcti_str item;
    char type = mcti_json_type(value), *before = NULL;
    if (type == '"') {
        char *text = mcti_json_dup(value);
        bool is_masked = text && ((name && mcti_config_is_secret(name, text)) || (!name && secret_value(text)));
        if (is_masked)
            mask_string(m, value);
        free(text);
    }
    struct mcti_json_iter it = mcti_json_open(value);
    while (type == '{' && mcti_json_next_member(&it, &member)) {
        char *key = mcti_config_key_dup(member);
        mask_value(m, key, member.value);
        free(key);
    }
    bool is_list_of_secrets = name && !strcmp(name, "tokens");
    while (type == '[' && mcti_json_next_item(&it, &item)) {
        mask_value(m, is_list_of_secrets ? "token" : before && is_secret_option(before) ? before : NULL, item);
        free(before);
        before = mcti_json_dup(item);
    }
    free(before);
}

void mcti_config_put_masked(struct mcti_buf *to, struct mcti_str text)
{
    struct mcti_json_top top;
    char *plain = mcti_str_dup(text);
    if (plain && mcti_str_starts(text, MCT_STR("\xef\xbb\xbf")))
        memset(plain, ' ', 3);
    if (plain)
        mcti_jsonc_blank(plain, text.len);
    if (plain && mcti_json_valid((struct mcti_str){ plain, text.len }, MCT_LIMIT_JSON_DEPTH, &top, NULL)) {
        struct mask m = { .edit = mcti_json_edit_open(to, text), .plain = plain, .text = text };
        mask_value(&m, NULL, top.value);
        mcti_json_edit_close(&m.edit, text);
    }
    free(plain);
}

/* ---- secrets in files ---- */

static const char *secret_of(const struct mcti_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        if (is_secret_name(pairs->v[i].key) && is_clear(pairs->v[i].value))
            return pairs->v[i].key;
    return NULL;
}

/* Writes the key of the first secret of an entry; returns false if the entry contains no secret. */
static bool name_secret(const struct mcti_config_server *s, char *to, size_t size)
{
    const char *env = secret_of(&s->env), *header = secret_of(&s->headers);
    bool arg = false;
    for (size_t i = 0; !arg && i < s->args.n; i++)
        arg = secret_value(s->args.v[i]) || (is_secret_option(s->args.v[i]) && i + 1 < s->args.n &&
                                             *s->args.v[i + 1] != '-' && is_clear(s->args.v[i + 1]));
    const struct mcti_config_oauth *o = &s->oauth;
    const char *const secrets[] = { s->auth_token,           s->auth_key,  o->client_secret, o->private_key,
                                    o->initial_access_token, o->assertion, o->id_token,      o->idp_client_secret };
    bool in_auth = false;
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        in_auth |= is_clear(secrets[i]);
    if (in_auth)
        snprintf(to, size, "%s.auth", s->name);
    else if (env || header)
        snprintf(to, size, "%s.%s.%s", s->name, env ? "env" : "headers", env ? env : header);
    else if (arg)
        snprintf(to, size, "%s.args", s->name);
    else
        return false;
    return true;
}

void mcti_config_check_mode(struct mcti_config *c, const char *file, mode_t mode, size_t first_server,
                            size_t first_token)
{
    char secret[256] = "";
    bool has_secret = false;
    const char *may = mode & 022 ? mode & 044 ? "read and change it" : "change it" : "read it";
    for (size_t i = first_token; !has_secret && i < c->n_tokens; i++)
        has_secret = is_clear(c->tokens[i].token);
    if (has_secret)
        snprintf(secret, sizeof secret, "mcptools.serve.tokens");
    for (size_t i = first_server; !has_secret && mode & 077 && i < c->n_servers; i++)
        has_secret = name_secret(&c->servers[i], secret, sizeof secret);
    if (mode & 066 && has_secret)
        mcti_config_problem(c, false,
                            "%s: contains a secret (%s), and its mode %04o lets other users %s; run: chmod 600 %s",
                            file, secret, (unsigned)mode & 07777, may, file);
    else if (mode & 002)
        mcti_config_problem(c, false,
                            "%s: its mode %04o lets every user change which programs are started; run: chmod go-w %s",
                            file, (unsigned)mode & 07777, file);
}
