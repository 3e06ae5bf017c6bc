/* What is unusual about a command that a stranger has written. */
#include "packages/plan.h"

#include "auth/wire/url.h"

#include <stdlib.h>

/* Options that make a program run or reach something other than the package. */
static const struct {
    const char *program, *option, *why;
} inspected[] = {
    { "docker", "--privileged", "gives the container full access to this machine" },
    { "docker", "--cap-add", "gives the container more rights" },
    { "docker", "--device", "gives the container access to a device" },
    { "docker", "--security-opt", "changes the protection of the container" },
    { "docker", "--pid", "lets the container see processes of this machine" },
    { "docker", "--ipc", "lets the container reach memory of this machine" },
    { "docker", "--userns", "changes the user of the container" },
    { "docker", "--entrypoint", "runs another program of the image" },
    { "npx", "-c", "runs a command line" },
    { "npx", "--call", "runs a command line" },
    { "npx", "-p", "installs another package" },
    { "npx", "--package", "installs another package" },
    { "npx", "--node-options", "changes what node runs" },
    { "uvx", "--from", "installs another package" },
    { "uvx", "--with", "installs another package" },
    { "uvx", "--with-editable", "installs another package" },
    { "uvx", "--index", "takes packages from another place" },
    { "uvx", "--index-url", "takes packages from another place" },
    { "uvx", "--extra-index-url", "takes packages from another place" },
    { "uvx", "--find-links", "takes packages from another place" },
};

static bool inspect_is_program(const struct mcti_plan *p, const char *program)
{
    return !strcmp(p->command, program) || (!strcmp(program, "docker") && !strcmp(p->command, "podman")) ||
           (!strcmp(program, "npx") && !strcmp(p->command, "bunx"));
}

static void inspect_option(struct mcti_plan *p, const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < sizeof inspected / sizeof *inspected; i++)
        if (inspect_is_program(p, inspected[i].program) && strlen(inspected[i].option) == len &&
            !strncmp(word, inspected[i].option, len))
            mcti_plan_note(p, true, "%s %s", inspected[i].option, inspected[i].why);
}

/* A volume that is the root of the file system, or controls docker itself. */
static void inspect_volume(struct mcti_plan *p, const char *word)
{
    static const char *const roots[] = { "/:", "src=/,", "source=/,", "-v/:", "--volume=/:" };
    bool is_root = strstr(word, "docker.sock") != NULL;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        is_root |= i < 1 || i > 2 ? !strncmp(word, roots[i], strlen(roots[i])) : strstr(word, roots[i]) != NULL;
    if (is_root)
        mcti_plan_note(p, true, "the container gets access to all files of this machine: %s", word);
}

static void inspect_word(struct mcti_plan *p, const char *word, bool is_runtime)
{
    bool is_docker = inspect_is_program(p, "docker");
    if (strpbrk(word, ";|&`<>\n") || strstr(word, "$("))
        mcti_plan_note(p, false, "an argument has characters of a shell, but mcptools starts no shell: %s", word);
    if (is_runtime)
        inspect_option(p, word);
    if (is_runtime && is_docker)
        inspect_volume(p, word);
}

static void inspect_image(struct mcti_plan *p, const char *image)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash : image;
    const char *tag = strchr(name, ':');
    if (!strchr(image, '@') && (!tag || !strcmp(tag, ":latest")))
        mcti_plan_note(p, false, "no version of the image is given: each start may use another one");
}

static void inspect_command(struct mcti_plan *p)
{
    for (size_t i = 0; i < p->n_args; i++) {
        if (p->args[i].flag)
            inspect_word(p, p->args[i].flag, i < p->package_at);
        if (p->args[i].text)
            inspect_word(p, p->args[i].text, i < p->package_at);
    }
    if (p->env_at < p->n_args && p->args[p->env_at].text)
        inspect_image(p, p->args[p->env_at].text);
}

/* Other users of the machine see the arguments of programs. */
static void inspect_secrets(struct mcti_plan *p)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        bool is_argument = false;
        for (size_t k = 0; k < p->n_args && p->inputs[i].secret; k++)
            is_argument |= mcti_template_has(p->args[k].text, i);
        if (is_argument)
            mcti_plan_note(p, false,
                           "%s is a secret, but becomes an argument, which other users of this machine can see",
                           p->inputs[i].name);
    }
}

void mcti_plan_inspect(struct mcti_plan *p)
{
    struct mcti_str url = mcti_str_of(p->url);
    if (p->command)
        inspect_command(p);
    inspect_secrets(p);
    if (p->url && mcti_str_starts(url, MCT_STR("http://")) && !mcti_auth_url_is_loopback(url))
        mcti_plan_note(p, true, "the connection is not encrypted: the URL begins with http://");
}
