/* What a server needs of this machine: its sandbox, from its entry, its command line and its environment. */
#include "config/connect/sandbox.h"

#include "config/expand/expand.h"
#include "io/folder.h"
#include "io/process/spawn.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state of one wish. */
struct wishing {
    const struct mcti_config *config;
    const struct mcti_config_server *server;
    const struct mcti_stdio_server *program; /* with argv, envp and cwd */
    struct mcti_sandbox_wish *wish;
    const char *home; /* resolved; NULL: none */
    bool failed;      /* out of memory */
};

/* ---- paths ---- */

static void wish_grant(struct wishing *w, const char *path, bool write, bool optional)
{
    if (mcti_sandbox_paths_add(&w->wish->paths, strdup(path), write, optional) < 0)
        w->failed = true;
}

static bool sandbox_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Returns true if the folder has too much in it to be granted without being asked for: the home folder, and those above
 * it. */
static bool sandbox_is_wide(const struct wishing *w, const char *folder)
{
    size_t n = strlen(folder);
    if (n <= 1 || !strcmp(folder, "/tmp") || !strcmp(folder, "/home") || !strcmp(folder, "/var"))
        return true;
    return w->home && !strncmp(w->home, folder, n) && (!w->home[n] || w->home[n] == '/');
}

/* Writes the path in the home folder. Returns false if there is none, or the path is too long. */
static bool in_home(const struct wishing *w, const char *path, char ret[PATH_MAX])
{
    return w->home && snprintf(ret, PATH_MAX, "%s/%s", w->home, path) < PATH_MAX;
}

/* Writes a path of the command line, which may be relative to the server's folder, as an absolute one. Links stay: a
 * server that can change one must not choose what it gets. Returns false if nothing is there. */
static bool wish_absolute(const struct wishing *w, const char *text, char ret[PATH_MAX])
{
    char here[PATH_MAX];
    const char *cwd = w->program->cwd ? w->program->cwd : getcwd(here, sizeof here);
    int n = *text == '/' ? snprintf(ret, PATH_MAX, "%s", text) : snprintf(ret, PATH_MAX, "%s/%s", cwd ? cwd : "", text);
    return *text && ret[0] == '/' && n < PATH_MAX && access(ret, F_OK) == 0;
}

/* The same for a folder or file whose links do not matter. */
static bool wish_resolve(const struct wishing *w, const char *text, char ret[PATH_MAX])
{
    char path[PATH_MAX];
    return wish_absolute(w, text, path) && realpath(path, ret);
}

static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

static bool is_root_of_project(const char *folder)
{
    char path[PATH_MAX + 32];
    struct stat st;
    for (size_t i = 0; mcti_sandbox_roots[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, mcti_sandbox_roots[i]);
        if (stat(path, &st) == 0)
            return true;
    }
    return false;
}

/* Grants a file with the project that it belongs to, or with its folder. A package in node_modules belongs to the
 * project that has installed it, and a package of a repository to the repository. */
static void grant_with_project(struct wishing *w, const char *file)
{
    enum { LEVELS = 5 };
    char folder[PATH_MAX], at[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", file);
    cut_name(folder);
    char *modules = strstr(folder, "/node_modules/");
    if (modules)
        modules[strlen("/node_modules")] = '\0';
    strcpy(at, folder);
    for (int i = 0; i < LEVELS && !sandbox_is_wide(w, at); i++, cut_name(at))
        if (is_root_of_project(at))
            strcpy(folder, at);
    wish_grant(w, sandbox_is_wide(w, folder) ? file : folder, false, true);
}

/* ---- the program ---- */

/* Grants what a program at DIR/bin/NAME needs: DIR. */
static void sandbox_grant_program(struct wishing *w, const char *file)
{
    static const char *const bins[] = { "bin", "sbin", "shims", ".bin" };
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", file);
    cut_name(folder);
    const char *name = strrchr(folder, '/');
    for (size_t i = 0; name && i < sizeof bins / sizeof *bins; i++)
        if (!strcmp(name + 1, bins[i])) {
            cut_name(folder);
            break;
        }
    if (sandbox_is_wide(w, folder))
        wish_grant(w, file, false, true);
    else
        grant_with_project(w, folder[1] ? file : folder), wish_grant(w, folder, false, true);
}

static void wish_add_program(struct wishing *w)
{
    char full[PATH_MAX], link[PATH_MAX];
    char *file = mcti_spawn_find(&(struct mcti_spawn){ .argv = w->program->argv.v, .envp = w->program->envp.v });
    if (file && wish_resolve(w, file, full)) {
        sandbox_grant_program(w, full);
        if (*file == '/' && strlen(file) < PATH_MAX && strcmp(file, full) != 0) {
            strcpy(link, file);
            sandbox_grant_program(w, link);
        }
    }
    free(file);
}

/* ---- arguments ---- */

static bool sandbox_is_code(const char *path)
{
    static const char *const endings[] = { ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".py",  ".pyz",
                                           ".rb", ".jar", ".sh",  ".pl", ".php", ".lua", ".dll", ".wasm" };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcasecmp(dot, endings[i]))
            return true;
    return false;
}

/* Grants a path that the user has written: code is read with its project, other files and folders may be changed. */
static void grant_named(struct wishing *w, const char *text)
{
    char path[PATH_MAX];
    if (!wish_absolute(w, text, path))
        return;
    if (sandbox_is_folder(path) || (!sandbox_is_code(path) && access(path, X_OK) < 0))
        wish_grant(w, path, true, true);
    else
        grant_with_project(w, path);
}

static void wish_add_arguments(struct wishing *w)
{
    const struct mcti_strings *argv = &w->program->argv;
    for (size_t i = 1; i < argv->n; i++) {
        const char *eq = argv->v[i][0] == '-' ? strchr(argv->v[i], '=') : NULL;
        const char *text = eq ? eq + 1 : argv->v[i];
        if (strchr(text, '/') || text[0] == '.' || !eq)
            grant_named(w, text);
    }
}

static const char *environment_value(const struct wishing *w, const char *name)
{
    size_t n = strlen(name);
    const struct mcti_strings *envp = &w->program->envp;
    for (size_t i = 0; i < envp->n; i++)
        if (!strncmp(envp->v[i], name, n) && envp->v[i][n] == '=')
            return envp->v[i] + n + 1;
    return NULL;
}

/* Grants the paths of a list like PATH. */
static void grant_variable(struct wishing *w, const char *name, bool write)
{
    struct mcti_str rest = mcti_str_of(environment_value(w, name)), part;
    char path[PATH_MAX];
    while (rest.p && mcti_str_split(&rest, ':', &part))
        if (part.len && part.p[0] == '/' && part.len < PATH_MAX) {
            snprintf(path, sizeof path, "%.*s", (int)part.len, part.p);
            if (!sandbox_is_wide(w, path))
                wish_grant(w, path, write, true);
        }
}

static void wish_add_environment(struct wishing *w)
{
    for (size_t i = 0; i < w->server->env.n; i++) {
        const char *value = environment_value(w, w->server->env.v[i].key);
        if (value && *value == '/')
            grant_named(w, value);
    }
    for (size_t i = 0; mcti_sandbox_variables[i]; i++)
        grant_variable(w, mcti_sandbox_variables[i], false);
}

/* ---- caches of programs that install packages ---- */

static bool names_program(const struct wishing *w, const char *program)
{
    for (size_t i = 0; i < w->program->argv.n; i++) {
        const char *slash = strrchr(w->program->argv.v[i], '/');
        if (!strcmp(slash ? slash + 1 : w->program->argv.v[i], program))
            return true;
    }
    return false;
}

static void wish_add_caches(struct wishing *w)
{
    char path[PATH_MAX];
    for (const struct mcti_sandbox_cache *c = mcti_sandbox_caches; c->program; c++) {
        if (!names_program(w, c->program) || !in_home(w, c->path, path))
            continue;
        if (c->is_made)
            mcti_folder_make(path); /* a failure shows in the server */
        wish_grant(w, path, true, true);
    }
    bool installs = mcti_connect_installs(w->server->command, &w->server->args);
    for (size_t i = 0; installs && mcti_sandbox_cache_variables[i]; i++)
        grant_variable(w, mcti_sandbox_cache_variables[i], true);
}

/* ---- the lists ---- */

static void wish_add_usual(struct wishing *w)
{
    char path[PATH_MAX], cwd[PATH_MAX];
    for (size_t i = 0; mcti_sandbox_system[i]; i++)
        wish_grant(w, mcti_sandbox_system[i], false, true);
    for (size_t i = 0; mcti_sandbox_tools[i]; i++)
        if (in_home(w, mcti_sandbox_tools[i], path))
            wish_grant(w, path, false, true);
    if (w->program->cwd && wish_resolve(w, ".", cwd) && !sandbox_is_wide(w, cwd))
        wish_grant(w, cwd, true, false);
    else if (!w->program->cwd && getcwd(cwd, sizeof cwd) && !sandbox_is_wide(w, cwd))
        wish_grant(w, cwd, false, true);
}

static int wish_add_list(struct wishing *w, const struct mcti_strings *list, const char *file, bool write,
                         struct mct_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        char *path = mcti_expand_from(list->v[i], file, err);
        if (!path)
            return mcti_error_wrap(err, "sandbox.%s[%zu]", write ? "write" : "read", i);
        wish_grant(w, path, write, false);
        free(path);
    }
    return 0;
}

static int wish_add_written(struct wishing *w, struct mct_error *err)
{
    const struct mcti_config_sandbox *all = &w->config->sandbox, *own = &w->server->sandbox;
    const char *settings = w->config->settings_file, *file = w->server->file;
    return wish_add_list(w, &all->read, settings, false, err) < 0 ||
                   wish_add_list(w, &all->write, settings, true, err) < 0 ||
                   wish_add_list(w, &own->read, file, false, err) < 0 ||
                   wish_add_list(w, &own->write, file, true, err) < 0
               ? -1
               : 0;
}

static void wish_protect(struct wishing *w, struct mcti_strings *to, const char *path)
{
    if (mcti_strings_add(to, mcti_str_of(path)) < 0)
        w->failed = true;
}

static void wish_add_protected(struct wishing *w)
{
    char path[PATH_MAX];
    const struct mcti_strings *files = &w->config->files;
    for (size_t i = 0; mcti_sandbox_hidden[i]; i++)
        if (in_home(w, mcti_sandbox_hidden[i], path))
            wish_protect(w, &w->wish->hidden, path);
    for (size_t i = 0; geteuid() == 0 && mcti_sandbox_hidden_of_root[i]; i++)
        wish_protect(w, &w->wish->hidden, mcti_sandbox_hidden_of_root[i]);
    for (size_t i = 0; mcti_sandbox_sealed[i]; i++) {
        char *sealed = mcti_expand(mcti_sandbox_sealed[i], NULL);
        if (sealed && sealed[0] == '~' && in_home(w, sealed + 2, path))
            wish_protect(w, &w->wish->sealed, path);
        else if (sealed && sealed[0] == '/')
            wish_protect(w, &w->wish->sealed, sealed);
        free(sealed);
    }
    for (size_t i = 0; i < files->n; i++)
        if (realpath(files->v[i], path))
            wish_protect(w, &w->wish->sealed, path);
}

/* ---- hints ---- */

/* What programs write when something is denied, and the key that allows it. */
static const struct {
    const char *words, *key;
    bool network; /* only if the network is limited */
} complaints[] = {
    { "*EACCES*", "\"read\" or \"write\"", false },
    { "*Permission denied*", "\"read\" or \"write\"", false },
    { "*PermissionError*", "\"read\" or \"write\"", false },
    { "*EAI_AGAIN*", "\"network\"", true },
    { "*name resolution*", "\"network\"", true },
    { "*ENETUNREACH*", "\"network\"", true },
    { "*No usable sandbox*", "\"allow\": [\"namespaces\"]", false },
    { "*clone: Operation not permitted*", "\"allow\": [\"namespaces\"]", false },
    { "*socket: Operation not permitted*", "\"network\" or \"allow\": [\"unix-sockets\"]", false },
    { "*EPERM*", "\"allow\" or \"network\"", false },
    { "*Operation not permitted*", "\"allow\" or \"network\"", false },
};

bool mcti_sandbox_explain(const struct mcti_sandbox_wish *w, struct mcti_str said, struct mct_error *err)
{
    size_t n = strlen(err->message);
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        if ((complaints[i].network && w->network == MCT_SANDBOX_NET_ON) ||
            !mcti_str_glob_nocase(mcti_str_of(complaints[i].words), said))
            continue;
        snprintf(err->message + n, sizeof err->message - n,
                 "; its sandbox may be the reason: %s of \"sandbox\" allows more (docs/SANDBOX.md)", complaints[i].key);
        return true;
    }
    return false;
}

/* ---- the wish ---- */

enum mcti_sandbox_mode mcti_connect_sandbox_mode(const struct mcti_config *c, const struct mcti_config_server *s)
{
    if (!c || (!s->command && s->type != MCT_SERVER_OPENCLAW))
        return MCT_SANDBOX_OFF;
    if (s->sandbox.mode)
        return s->sandbox.mode;
    /* plugins of OpenClaw are written for a host with the rights of its user: only their own entry limits them */
    if (c->sandbox.mode && s->type != MCT_SERVER_OPENCLAW)
        return c->sandbox.mode;
    return mcti_config_sandbox_is_written(&s->sandbox) ? MCT_SANDBOX_BEST_EFFORT : MCT_SANDBOX_OFF;
}

static void wish_copy_network(struct wishing *w, struct mcti_strings *to)
{
    const struct mcti_strings *from = mcti_config_sandbox_network(&w->config->sandbox, &w->server->sandbox);
    for (size_t i = 0; i < from->n; i++)
        if (mcti_strings_add(to, mcti_str_of(from->v[i])) < 0)
            w->failed = true;
}

int mcti_connect_sandbox(struct mcti_stdio_server *to, const struct mcti_config *c, const struct mcti_config_server *s,
                         struct mct_error *err)
{
    char home[PATH_MAX];
    const char *variable = getenv("HOME");
    struct mcti_sandbox_wish *wish = &to->wish;
    struct wishing w = { .config = c, .server = s, .program = to, .wish = wish };
    wish->mode = mcti_connect_sandbox_mode(c, s);
    if (wish->mode == MCT_SANDBOX_OFF)
        return 0;
    w.home = variable && *variable == '/' && realpath(variable, home) && home[1] ? home : NULL;
    wish->network = mcti_config_network_of(mcti_config_sandbox_network(&c->sandbox, &s->sandbox));
    if (wish->network == MCT_SANDBOX_NET_LIST)
        wish_copy_network(&w, &to->network);
    wish->allow = mcti_config_sandbox_allow(&c->sandbox, &s->sandbox);
    wish->memory_bytes = mcti_config_sandbox_memory(&c->sandbox, &s->sandbox);
    wish->processes = mcti_config_sandbox_processes(&c->sandbox, &s->sandbox);
    wish->label = strdup(s->name);
    wish_add_usual(&w);
    wish_add_program(&w);
    wish_add_arguments(&w);
    wish_add_environment(&w);
    wish_add_caches(&w);
    wish_add_protected(&w);
    if (wish_add_written(&w, err) < 0)
        return -1;
    return w.failed || !wish->label ? mcti_no_memory(err) : 0;
}
