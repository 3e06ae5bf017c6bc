/* Warns if other users may change a configuration file, or read secrets in it. */
#include "config/read_impl.h"

#include <stdio.h>

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
    if (is_clear(s->auth_token) || is_clear(s->auth_key))
        snprintf(to, size, "%s.auth", s->name);
    else if (env || header)
        snprintf(to, size, "%s.%s.%s", s->name, env ? "env" : "headers", env ? env : header);
    else
        return false;
    return true;
}

void mcti_config_check_mode(struct mcti_config *c, const char *file, mode_t mode, size_t first_server,
                            size_t first_token)
{
    char secret[256] = "";
    bool has_secret = c->n_tokens > first_token;
    const char *may = mode & 022 ? mode & 044 ? "read and change it" : "change it" : "read it";
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
