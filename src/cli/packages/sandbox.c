/* The sandbox of a server that is being added. */
#include "cli/packages/adding.h"

#include <stdlib.h>

/* Programs that do not work in a sandbox: their work is done by a daemon, or by another user. */
static const char *const outside[] = { "docker", "podman", "nerdctl", "container", "sudo", "doas",   "su",
                                       "pkexec", "ssh",    "flatpak", "snap",      "wsl",  "wsl.exe" };

static bool sandbox_is_outside(const struct mcti_config_server *s)
{
    const char *slash = s->command ? strrchr(s->command, '/') : NULL, *name = slash ? slash + 1 : s->command;
    for (size_t i = 0; name && i < sizeof outside / sizeof *outside; i++)
        if (!strcmp(name, outside[i]))
            return true;
    return false;
}

/* Returns true if the server starts a browser, which makes namespaces for its own sandbox. */
static bool sandbox_starts_browser(const struct mcti_config_server *s)
{
    static const char *const words[] = { "*puppeteer*", "*playwright*", "*browser*", "*chrome*" };
    for (size_t i = 0; i < s->args.n; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (mcti_str_glob_nocase(mcti_str_of(words[k]), mcti_str_of(s->args.v[i])))
                return true;
    return false;
}

int mcti_adding_set_sandbox(struct mcti_adding *a, struct mcti_config_server *s, struct mct_error *err)
{
    const struct mcti_options *o = &a->app->opt;
    enum mcti_sandbox_mode general = a->app->inst.config.sandbox.mode, given = o->sandbox;
    if (o->no_sandbox && given > MCT_SANDBOX_OFF)
        return mcti_fail(err, MCT_ERR_USAGE, "--no-sandbox and --sandbox %s contradict each other; give one of them",
                         mcti_word_of(mcti_sandbox_modes, given));
    given = o->no_sandbox ? MCT_SANDBOX_OFF : given;
    if (!s->command)
        return given <= MCT_SANDBOX_OFF ? 0
                                        : mcti_fail(err, MCT_ERR_USAGE, "only a server with a command has a sandbox");
    if (!given)
        given = sandbox_is_outside(s) ? MCT_SANDBOX_OFF : general > MCT_SANDBOX_OFF ? general : MCT_SANDBOX_BEST_EFFORT;
    if (given != MCT_SANDBOX_OFF || general > MCT_SANDBOX_OFF)
        s->sandbox.mode = given;
    if (given != MCT_SANDBOX_OFF && sandbox_starts_browser(s) &&
        mcti_strings_add(&s->sandbox.allow, MCT_STR("namespaces")) < 0)
        return mcti_no_memory(err);
    return 0;
}

void mcti_adding_show_sandbox(const struct mcti_adding *a)
{
    struct mcti_str sandbox = mcti_json_get(mcti_buf_str(&a->entry), "sandbox"), mode = sandbox;
    if (a->plan.url)
        return;
    if (mcti_json_type(sandbox) == '{')
        mode = mcti_json_get(sandbox, "mode");
    char *text = mode.p ? mcti_json_dup(mode) : NULL;
    bool off = !text || !strcmp(text, "off");
    mcti_out(a->app, "  sandbox: %s\n", off ? "off: it may do what you may" : text);
    if (!off)
        mcti_out(a->app,
                 "           reads the system, changes the folders that its command line names and its cache, "
                 "uses the network%s\n",
                 mcti_json_type(sandbox) == '{' ? ", makes namespaces" : "");
    free(text);
}
