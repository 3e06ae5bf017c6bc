/* The environment of the programs that servers are. */
#include "config/connect/impl.h"

#include "config/expand/expand.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

/* Variables that every child inherits: enough to find programs, the home folder and the language, and to reach the
 * network as this machine does. None is a place where programs keep keys of services. */
static const char *const inherited[] = {
    "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*",
    /* proxies; programs differ in the case that they read */
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    /* certificates */
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
    "PIP_CERT",
    /* where package managers find and keep things */
    "NPM_CONFIG_*", "npm_config_*", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "VIRTUAL_ENV",
    "CONDA_PREFIX", "PYENV_ROOT", "UV_CACHE_DIR", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL", "PIP_CACHE_DIR"
};

static bool environment_inherits(const struct mcti_stdio_server *to, const struct mcti_config_server *s,
                                 struct mcti_str name)
{
    const struct mcti_strings *all = to->base.inherit;
    return mcti_str_glob_any(inherited, sizeof inherited / sizeof *inherited, name) ||
           mcti_str_glob_any((const char *const *)s->env_inherit.v, s->env_inherit.n, name) ||
           (all && mcti_str_glob_any((const char *const *)all->v, all->n, name));
}

static bool environment_configures(const struct mcti_pairs *env, struct mcti_str name)
{
    for (size_t i = 0; i < env->n; i++)
        if (mcti_str_is(name, env->v[i].key))
            return true;
    return false;
}

static struct mcti_str environment_name(const char *entry)
{
    const char *eq = strchr(entry, '=');
    return eq ? mcti_str_range(entry, eq) : MCT_STR_NONE;
}

int mcti_stdio_server_env(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct mcti_pairs *env = &s->env;
    char *entry;
    for (char **e = environ; *e; e++) {
        struct mcti_str name = environment_name(*e);
        if (name.p && environment_inherits(to, s, name) && !environment_configures(env, name) &&
            mcti_stdio_server_add(&to->envp, strdup(*e)) < 0)
            return mcti_no_memory(err);
    }
    for (size_t i = 0; i < env->n; i++) {
        char *value = mcti_expand(env->v[i].value, err);
        if (!value)
            return mcti_error_wrap(err, "env.%s", env->v[i].key);
        int r = asprintf(&entry, "%s=%s", env->v[i].key, value);
        free(value);
        if (r < 0 || mcti_stdio_server_add(&to->envp, entry) < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

/* ---- hints ---- */

/* Takes the next word that may be the name of a variable from the front of *rest. Returns false at the end. */
static bool environment_next_word(struct mcti_str *rest, struct mcti_str *ret)
{
    size_t from = 0, to;
    while (from < rest->len && !isupper((unsigned char)rest->p[from]))
        from++;
    for (to = from; to < rest->len; to++)
        if (!isupper((unsigned char)rest->p[to]) && !isdigit((unsigned char)rest->p[to]) && rest->p[to] != '_')
            break;
    *ret = (struct mcti_str){ rest->p + from, to - from };
    *rest = (struct mcti_str){ rest->p + to, rest->len - to };
    return ret->len > 0;
}

static bool environment_has(char *const *entries, struct mcti_str name)
{
    for (; entries && *entries; entries++)
        if (mcti_str_eq(environment_name(*entries), name))
            return true;
    return false;
}

void mcti_stdio_server_explain(const struct mcti_target_server *t, struct mcti_str said, struct mct_error *err)
{
    const struct mcti_stdio_server *s = MCT_CONTAINER(t, const struct mcti_stdio_server, base);
    struct mcti_str word;
    size_t n = strlen(err->message);
    while (said.len && environment_next_word(&said, &word))
        if (word.len > 2 && environment_has(environ, word) && !environment_has(s->envp.v, word)) {
            snprintf(err->message + n, sizeof err->message - n,
                     "; its stderr names %.*s, which is set here but not passed on: add it to \"env_inherit\"",
                     MCT_STR_ARG(word));
            return;
        }
}
