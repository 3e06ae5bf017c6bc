/* The environment of the programs that servers are. */
#include "config/connect/sandbox.h"

#include "config/expand/expand.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

/* Variables that every child inherits: enough to find programs, the home folder and the language, and to reach the
 * network, the screen and the local daemons as this machine does. None is a place where programs keep keys of
 * services. */
static const char *const inherited[] = {
    "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*",
    /* proxies; programs differ in the case that they read */
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    /* certificates */
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "PIP_CERT", "AWS_CA_BUNDLE", "DENO_CERT", "NIX_SSL_CERT_FILE",
    /* where package managers and languages find and keep things */
    "NPM_CONFIG_*", "npm_config_*", "NVM_DIR", "FNM_DIR", "N_PREFIX", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL",
    "COREPACK_HOME", "NODE_PATH", "NODE_OPTIONS", "DENO_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYTHONPATH",
    "PYTHONUNBUFFERED", "PIPX_HOME", "UV_CACHE_DIR", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_PYTHON", "UV_TOOL_DIR",
    "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "PIP_INDEX_URL", "PIP_CACHE_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR",
    "GOPATH", "GOROOT", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "DOTNET_ROOT", "NIX_PATH", "NIX_PROFILES",
    "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_EXECUTABLE_PATH", "PUPPETEER_CACHE_DIR",
    /* the screen, the agent of ssh, git, and daemons of containers */
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND",
    "GIT_CONFIG_GLOBAL", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
    "CONTAINER_HOST", "KUBECONFIG"
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

/* Appends an inherited variable. A thousand servers inherit the same ones, so that they share the texts. */
static int environment_inherit(struct mcti_stdio_server *to, const char *entry)
{
    struct mcti_strings *pool = to->base.env ? to->base.env->inherited : NULL;
    size_t i = 0;
    if (!pool)
        return mcti_stdio_server_add(&to->envp, strdup(entry));
    while (i < pool->n && strcmp(pool->v[i], entry) != 0)
        i++;
    if ((i == pool->n && mcti_stdio_server_add(pool, strdup(entry)) < 0) ||
        mcti_stdio_server_borrow(&to->envp, pool->v[i]) < 0)
        return -1;
    to->n_shared++;
    return 0;
}

int mcti_stdio_server_env(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct mcti_pairs *env = &s->env;
    char *entry;
    for (char **e = environ; *e; e++) {
        struct mcti_str name = environment_name(*e);
        if (name.p && environment_inherits(to, s, name) && !environment_configures(env, name) &&
            environment_inherit(to, *e) < 0)
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

/* Returns true if the line says that something is missing. */
static bool environment_complains(struct mcti_str line)
{
    static const char *const words[] = { "*environment*", "*env var*",   "*not set*", "*required*",
                                         "*missing*",     "*undefined*", "*must be*", "*KeyError*" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mcti_str_glob_nocase(mcti_str_of(words[i]), line))
            return true;
    return false;
}

static bool has_inner_underscore(struct mcti_str word)
{
    const char *at = memchr(word.p, '_', word.len);
    return at && at > word.p && at + 1 < word.p + word.len;
}

/* Returns what is wrong with the variable `name`, if it may be one that the server misses; NULL: nothing. */
static const char *environment_fault(const struct mcti_stdio_server *s, struct mcti_str name, bool complains)
{
    if (name.len < 3 || environment_has(s->envp.v, name))
        return NULL;
    if (environment_has(environ, name))
        return "which is set here but not passed on: add it to \"env_inherit\"";
    return complains && has_inner_underscore(name) ? "which is not set: set it in \"env\"" : NULL;
}

void mcti_stdio_server_explain(const struct mcti_target_server *t, struct mcti_str said, struct mct_error *err)
{
    const struct mcti_stdio_server *s = MCT_CONTAINER(t, const struct mcti_stdio_server, base);
    struct mcti_str line, word;
    if (s->wish.mode > MCT_SANDBOX_OFF && mcti_sandbox_explain(&s->wish, said, err))
        return;
    size_t n = strlen(err->message);
    while (mcti_str_split(&said, '\n', &line))
        for (bool complains = environment_complains(line); line.len && environment_next_word(&line, &word);) {
            const char *fault = environment_fault(s, word, complains);
            if (!fault)
                continue;
            snprintf(err->message + n, sizeof err->message - n, "; its stderr names %.*s, %s", MCT_STR_ARG(word),
                     fault);
            return;
        }
}
