#include "config/check/impl.h"

#include "config/expand/expand.h"
#include "io/process/spawn.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- texts ---- */

/* Expands a text, or blames its key. NULL: it cannot be expanded, or a command would have to run for that. */
static char *check_expand(struct mcti_check *k, const struct mcti_config_server *s, const char *key, const char *inner,
                          const char *text)
{
    struct mct_error err = { 0 };
    if (strstr(text, "${cmd:") || strstr(text, "${!cmd:"))
        return NULL;
    char *expanded = mcti_expand_path(text, &err);
    if (!expanded)
        mcti_check_blame(k, s, key, inner, "%s", err.message);
    return expanded;
}

static void check_pairs(struct mcti_check *k, const struct mcti_config_server *s, const char *key,
                        const struct mcti_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        free(check_expand(k, s, key, pairs->v[i].key, pairs->v[i].value));
}

static void check_auth(struct mcti_check *k, struct mcti_config_server *s)
{
    char **texts[MCT_CONFIG_AUTH_TEXTS];
    mcti_config_auth_texts(s, texts);
    for (size_t i = 0; texts[i]; i++)
        if (*texts[i])
            free(check_expand(k, s, "auth", NULL, *texts[i]));
}

/* ---- URLs ---- */

static void check_url(struct mcti_check *k, struct mcti_config_server *s)
{
    char *url = check_expand(k, s, "url", NULL, s->url);
    const char *host = url ? strstr(url, "://") : NULL;
    if (url && !mcti_is_url(url))
        mcti_check_blame(k, s, "url", NULL, "must begin with http:// or https://");
    else if (host && !strcspn(host + 3, "/?#:"))
        mcti_check_blame(k, s, "url", NULL, "has no host");
    else if (url && strpbrk(url, " \t\r\n"))
        mcti_check_blame(k, s, "url", NULL, "has white space in it");
    check_pairs(k, s, "headers", &s->headers);
    check_auth(k, s);
    free(url);
}

/* ---- programs ---- */

/* What a server is started with, as far as it is known. */
struct start {
    const struct mcti_config_server *server;
    char *program, *cwd; /* expanded; NULL: unknown, or none */
};

static char *in_cwd(const struct start *x, const char *path)
{
    char *full = NULL;
    if (*path == '/' || !x->cwd)
        return strdup(path);
    return asprintf(&full, "%s/%s", x->cwd, path) < 0 ? NULL : full;
}

/* Returns the PATH that the program is searched in, as an entry of an environment. */
static char *path_entry(const struct mcti_config_server *s)
{
    const char *path = getenv("PATH"), *configured = NULL;
    char *entry = NULL;
    for (size_t i = 0; i < s->env.n; i++)
        if (!strcmp(s->env.v[i].key, "PATH"))
            configured = s->env.v[i].value;
    char *expanded = configured ? mcti_expand(configured, NULL) : path ? strdup(path) : NULL;
    if (expanded && asprintf(&entry, "PATH=%s", expanded) < 0)
        entry = NULL;
    free(expanded);
    return entry;
}

/* Returns true if the program exists in the PATH, or where its path says. */
static bool program_exists(const struct start *x, const char *program)
{
    char *path = path_entry(x->server), *argv[] = { (char *)(uintptr_t)program, NULL }, *envp[] = { path, NULL };
    const struct mcti_spawn spec = { .argv = argv, .envp = envp };
    char *found = mcti_spawn_find(&spec), *full = found ? in_cwd(x, found) : NULL;
    struct stat st;
    bool exists = full && stat(full, &st) == 0 && S_ISREG(st.st_mode) && access(full, X_OK) == 0;
    free(path);
    free(found);
    free(full);
    return exists;
}

static void blame_missing(struct mcti_check *k, const struct start *x, const char *key, const char *inner,
                          const char *path)
{
    mcti_check_blame(k, x->server, key, inner, "no such file: %s%s", path,
                     *path == '/' ? "" : "; relative paths begin at \"cwd\", or where mcptools is started");
}

/* Blames a command that is a whole command line. Returns false if it is none. */
static bool blame_line(struct mcti_check *k, const struct start *x)
{
    enum { SHOWN_BYTES = 400 }; /* of arguments, in the message */
    struct mcti_strings words = { 0 };
    struct mcti_buf args;
    bool is_line = strchr(x->program, ' ') && mcti_expand_split(x->server->command, &words, NULL) == 0 && words.n > 1 &&
                   program_exists(x, words.v[0]);
    mcti_buf_init(&args, SHOWN_BYTES);
    for (size_t i = 1; i < words.n; i++) {
        mcti_buf_addz(&args, i > 1 ? ", " : "");
        mcti_json_put_string(&args, mcti_str_of(words.v[i]));
    }
    if (is_line && !mcti_buf_ok(&args))
        mcti_check_blame(k, x->server, "command", NULL,
                         "must be the program alone; write \"command\": \"%s\", and the other %zu words as strings of "
                         "\"args\"",
                         words.v[0], words.n - 1);
    else if (is_line)
        mcti_check_blame(k, x->server, "command", NULL,
                         "must be the program alone; write \"command\": \"%s\", \"args\": [%.*s]", words.v[0],
                         MCT_STR_ARG(mcti_buf_str(&args)));
    mcti_buf_done(&args);
    mcti_strings_clear(&words);
    return is_line;
}

static void check_program(struct mcti_check *k, const struct start *x)
{
    if (program_exists(x, x->program) || blame_line(k, x))
        return;
    char *full = strchr(x->program, '/') ? in_cwd(x, x->program) : NULL;
    if (!full)
        mcti_check_blame(k, x->server, "command", NULL,
                         "program '%s' not found in PATH; install it or give its full path", x->program);
    else if (access(full, F_OK) < 0)
        blame_missing(k, x, "command", NULL, full);
    else
        mcti_check_blame(k, x->server, "command", NULL, "%s is not an executable file", full);
    free(full);
}

/* ---- scripts ---- */

static bool is_interpreter(const char *program)
{
    static const char *const names[] = { "node", "nodejs", "python*", "ruby", "perl", "php", "bash", "sh", "tsx" };
    const char *slash = strrchr(program, '/');
    return mcti_str_glob_any(names, sizeof names / sizeof *names, mcti_str_of(slash ? slash + 1 : program));
}

/* Returns true if the argument is likely to be the path of a file with a program. */
static bool is_script(const char *arg)
{
    static const char *const endings[] = { "*.js", "*.mjs", "*.cjs", "*.ts", "*.py", "*.rb", "*.pl", "*.php", "*.sh" };
    return mcti_str_glob_any(endings, sizeof endings / sizeof *endings, mcti_str_of(arg));
}

/* Blames the first argument of an interpreter if it is a file that does not exist. An option in front of it may take
 * the argument as something else. */
static void check_script(struct mcti_check *k, const struct start *x)
{
    const struct mcti_strings *args = &x->server->args;
    if (!args->n || !is_interpreter(x->program) || !is_script(args->v[0]))
        return;
    char *script = check_expand(k, x->server, "args", "0", args->v[0]), *full = script ? in_cwd(x, script) : NULL;
    if (full && access(full, F_OK) < 0)
        blame_missing(k, x, "args", "0", full);
    free(script);
    free(full);
}

static void check_args(struct mcti_check *k, const struct mcti_config_server *s)
{
    for (size_t i = 0; i < s->args.n; i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        if (strstr(s->args.v[i], "${"))
            free(check_expand(k, s, "args", index, s->args.v[i]));
    }
}

static void check_start(struct mcti_check *k, const struct mcti_config_server *s)
{
    struct stat st;
    struct start x = { .server = s, .program = check_expand(k, s, "command", NULL, s->command) };
    x.cwd = s->cwd ? check_expand(k, s, "cwd", NULL, s->cwd) : NULL;
    bool is_there = !x.cwd || (stat(x.cwd, &st) == 0 && S_ISDIR(st.st_mode));
    check_args(k, s);
    check_pairs(k, s, "env", &s->env);
    if (!is_there)
        mcti_check_blame(k, s, "cwd", NULL, "no such folder: %s", x.cwd);
    if (x.program && is_there) {
        check_program(k, &x);
        check_script(k, &x);
    }
    free(x.program);
    free(x.cwd);
}

/* ---- names ---- */

/* Returns true if the names of tools of both servers begin alike. */
static bool look_alike(const char *a, const char *b)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    for (; *a && *b; a++, b++)
        if ((strchr(plain, *a) ? *a : '_') != (strchr(plain, *b) ? *b : '_'))
            return false;
    return *a == *b;
}

static void servers_check_name(struct mcti_check *k, size_t i)
{
    const struct mcti_config_server *v = k->config->servers;
    for (size_t j = 0; j < i; j++)
        if (v[j].enabled && look_alike(v[i].name, v[j].name))
            mcti_config_problem(k->config, false,
                                "%s:%u: mcpServers.%s: its tools have the same names for clients as those of '%s', so "
                                "a hash is added to both; rename one server",
                                v[i].file ? v[i].file : "", v[i].line, v[i].name, v[j].name);
}

/* ---- all ---- */

static void check_plugin(struct mcti_check *k, const struct mcti_config_server *s)
{
    char *path = s->plugin_path ? mcti_expand_from(s->plugin_path, s->file, NULL) : NULL;
    if (path && access(path, R_OK) < 0)
        mcti_check_blame(k, s, "path", NULL, "no such file: %s", path);
    free(path);
}

static void servers_check_server(struct mcti_check *k, size_t i)
{
    struct mcti_config_server *s = &k->config->servers[i];
    if (!s->enabled || s->error.kind)
        return;
    if (s->url)
        check_url(k, s);
    else if (s->command)
        check_start(k, s);
    else
        check_plugin(k, s);
    servers_check_name(k, i);
}

static void check_hooks(struct mcti_check *k)
{
    for (size_t i = 0; i < k->config->n_hooks && !k->config->broken; i++) {
        const struct mcti_config_server *run = &k->config->hooks[i].run;
        struct start x = { .server = run, .program = run->command ? mcti_expand_path(run->command, NULL) : NULL };
        if (x.program && *x.program && !run->cwd && !program_exists(&x, x.program))
            mcti_config_problem(k->config, true, "%s: program not found; install it or give its full path", run->name);
        free(x.program);
    }
}

void mcti_config_check_servers(struct mcti_config *c)
{
    struct mcti_check k = { .config = c };
    mcti_edit_init(&k.text, NULL, MCT_STR(""));
    for (size_t i = 0; i < c->n_servers; i++)
        servers_check_server(&k, i);
    check_hooks(&k);
    mcti_edit_done(&k.text);
    free(k.file);
}
