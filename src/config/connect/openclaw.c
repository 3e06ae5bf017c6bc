/* Entries of the type "openclaw": OpenClaw plugins, served by the Node host of hosts/openclaw. */
#include "config/connect/impl.h"

#include "base/limits.h"
#include "config/expand/expand.h"
#include "config/connect/openclaw_check.h"
#include "io/process/spawn.h"
#include "json/write.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_CONFIG_BYTES = 100 << 10 }; /* it is passed in one environment variable, which Linux limits to 128 KiB */

/* ---- the host ---- */

/* Paths of the plugin host, relative to the folder of the program or library: two for an installation, one for the
 * source tree. */
static const char *const beside[] = { "/../share/mcptools/openclaw/host.mjs", "/../../share/mcptools/openclaw/host.mjs",
                                      "/../hosts/openclaw/host.mjs" };

/* Cuts a path to its folder, in place; an empty path stays empty. */
static void cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
}

static void folder_of_program(char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    cut_to_folder(path);
}

/* Finds the folder of libmcptools, which may be loaded by another program. */
static void folder_of_library(char path[PATH_MAX])
{
    Dl_info info;
    bool found = dladdr(beside, &info) && info.dli_fname && realpath(info.dli_fname, path);
    if (!found)
        path[0] = '\0';
    cut_to_folder(path);
}

static char *find_beside(const char *folder)
{
    char path[PATH_MAX + 64], *found = NULL;
    for (size_t i = 0; *folder && !found && i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", folder, beside[i]);
        found = realpath(path, NULL);
    }
    return found;
}

static char *find_host(struct mct_error *err)
{
    char program[PATH_MAX], library[PATH_MAX];
    const char *given = getenv("MCPTOOLS_OPENCLAW_HOST");
    folder_of_program(program);
    folder_of_library(library);
    char *found = given && *given ? realpath(given, NULL) : find_beside(program);
    if (!found && !given)
        found = find_beside(library);
    if (!found && !given)
        found = realpath(MCT_DATA_DIR "/openclaw/host.mjs", NULL);
    if (!found)
        mcti_fail(err, MCT_ERR_CONFIG,
                  "the program that runs OpenClaw plugins (host.mjs) is missing%s%s: reinstall mcptools, or set "
                  "MCPTOOLS_OPENCLAW_HOST to its path",
                  given ? ": " : "", given ? given : "");
    return found;
}

static int add_program(struct mcti_stdio_server *to, struct mct_error *err)
{
    if (mcti_stdio_server_add(&to->argv, strdup("node")) < 0)
        return mcti_no_memory(err);
    char *node = mcti_spawn_find(&(struct mcti_spawn){ .argv = to->argv.v, .envp = to->envp.v });
    if (!node)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "OpenClaw plugins need Node, and there is no 'node' in PATH: install "
                         "Node 20 or newer (22.13 for plugins in TypeScript)");
    free(node);
    char *host = find_host(err);
    return host ? mcti_stdio_server_add(&to->argv, host) : -1;
}

/* ---- folders ---- */

static int add_option(struct mcti_stdio_server *to, const char *name, char *take_value)
{
    if (mcti_stdio_server_add(&to->argv, take_value ? strdup(name) : NULL) == 0)
        return mcti_stdio_server_add(&to->argv, take_value);
    free(take_value);
    return -1;
}

static int add_folders(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    for (size_t i = 0; i < s->plugins.n; i++)
        if (add_option(to, "--plugin", mcti_expand_from(s->plugins.v[i], s->file, err)) < 0)
            return mcti_error_wrap(err, "plugins[%zu]", i);
    to->cwd = mcti_expand_from(s->cwd ? s->cwd : ".", s->file, err);
    if (!to->cwd || add_option(to, "--working-dir", strdup(to->cwd)) < 0)
        return mcti_error_wrap(err, "workingDir");
    if (s->hooks_if_down == MCT_HOOKS_PASS && add_option(to, "--hooks-if-down", strdup("pass")) < 0)
        return mcti_no_memory(err);
    return 0;
}

/* ---- configuration ---- */

/* Passes the configuration in the environment, because every user can read a command line. */
static int add_config(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    struct mcti_buf b;
    int r = 0;
    mcti_buf_init(&b, MAX_CONFIG_BYTES);
    mcti_buf_addz(&b, "MCPTOOLS_OPENCLAW_CONFIG=");
    if (s->plugin_config)
        r = mcti_expand_json(&b, mcti_str_of(s->plugin_config), s->file, err);
    else
        mcti_buf_addz(&b, "{}");
    if (r == 0 && !mcti_buf_ok(&b))
        r = mcti_fail(err, MCT_ERR_CONFIG, "has more than %d bytes", MAX_CONFIG_BYTES);
    if (r == 0 && mcti_stdio_server_add(&to->envp, mcti_buf_take(&b)) < 0)
        r = mcti_no_memory(err);
    mcti_buf_done(&b);
    return r < 0 ? mcti_error_wrap(err, "config") : 0;
}

/* Writes why plugins must not be loaded, by their ids: those that do not accept their configuration. What else is wrong
 * with a folder the host finds itself. */
static void openclaw_put_refused(struct mcti_buf *to, const struct mcti_config_server *s, struct mcti_str config)
{
    struct mct_error why;
    mcti_buf_addz(to, "MCPTOOLS_OPENCLAW_REFUSED={");
    for (size_t i = 0; i < s->plugins.n; i++) {
        char *id;
        if (mcti_openclaw_check(s, i, config, &id, &why) < 0 && id)
            mcti_json_put_member(to, id, mcti_str_of(why.message));
        free(id);
    }
    mcti_buf_addc(to, '}');
}

static int add_refused(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    static const char head[] = "MCPTOOLS_OPENCLAW_CONFIG=";
    struct mcti_str config = mcti_str_of(to->envp.v[to->envp.n - 1] + strlen(head)); /* the last one added */
    struct mcti_buf b;
    mcti_buf_init(&b, MAX_CONFIG_BYTES);
    openclaw_put_refused(&b, s, config);
    int r = mcti_stdio_server_add(&to->envp, mcti_buf_take(&b));
    mcti_buf_done(&b);
    return r < 0 ? mcti_no_memory(err) : 0;
}

static int openclaw_resolve(struct mcti_target_server *t, const struct mcti_config_server *s, struct mcti_buf *identity,
                            struct mct_error *err)
{
    struct mcti_stdio_server *to = mcti_stdio_server_of(t);
    if (mcti_stdio_server_env(to, s, err) < 0 || add_program(to, err) < 0 || add_folders(to, s, err) < 0 ||
        add_config(to, s, err) < 0 || add_refused(to, s, err) < 0)
        return -1;
    for (size_t i = 0; i < to->argv.n; i++)
        mcti_buf_printf(identity, "%s\n", to->argv.v[i]);
    return mcti_connect_sandbox(to, t->config, s, err);
}

const struct mcti_connect_kind mcti_connect_openclaw = {
    .new = mcti_stdio_server_new,
    .resolve = openclaw_resolve,
    .connect = mcti_stdio_server_connect,
    .explain = mcti_stdio_server_explain,
    .n_variants = 1,
    .hosts_plugins = true,
};
