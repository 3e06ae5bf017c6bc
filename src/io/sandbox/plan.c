/* Prepares a sandbox, and enters it. */
#include "io/sandbox/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 20 };

/* ---- preparing ---- */

static struct mcti_sandbox *sandbox_alloc(const struct mcti_sandbox_wish *w)
{
    struct mcti_sandbox *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->mode = w->mode;
    s->network = w->network ? w->network : MCT_SANDBOX_NET_ON;
    s->allow = w->allow;
    s->ruleset_fd = s->user_ns = s->net_ns = s->gate.fd = s->cgroup_procs_fd = -1;
    struct mcti_buf *const texts[] = { &s->report,     &s->faults,      &s->limits,
                                       &s->paths.read, &s->paths.write, &s->paths.absent };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        mcti_buf_init(texts[i], MAX_TEXT);
    return s;
}

static int sandbox_prepare_filter(struct mcti_sandbox *s, struct mct_error *err)
{
    if (!mcti_filter_is_available())
        return mcti_sandbox_lacks(s, err,
                                  "system calls are not filtered, and so the network is not limited: the "
                                  "kernel has no seccomp filters, or none for this machine");
    return mcti_filter_compile(mcti_sandbox_denied, mcti_sandbox_n_denied, s, &s->filter) < 0 ? mcti_no_memory(err) : 0;
}

/* The order matters: each step looks at what the ones before have got. */
static int sandbox_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    if (mcti_sandbox_folder_make(s, w->label ? w->label : "", err) < 0)
        return -1;
    s->cgroup_holds = mcti_cgroup_prepare(s, w, s->no_cgroup, sizeof s->no_cgroup);
    if (mcti_namespace_prepare(s, w, err) < 0 || mcti_sandbox_limits_prepare(s, w, err) < 0 ||
        sandbox_prepare_filter(s, err) < 0 || mcti_landlock_prepare(s, w, err) < 0)
        return -1;
    return mcti_sandbox_write_report(s, err);
}

struct mcti_sandbox *mcti_sandbox_new(const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    struct mcti_sandbox *s = sandbox_alloc(w);
    if (!s) {
        mcti_no_memory(err);
        return NULL;
    }
    if (sandbox_prepare(s, w, err) == 0)
        return s;
    mcti_sandbox_free(s);
    return NULL;
}

static void sandbox_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void mcti_sandbox_started(struct mcti_sandbox *s)
{
    if (!s)
        return;
    sandbox_close(&s->ruleset_fd);
    sandbox_close(&s->user_ns);
    sandbox_close(&s->net_ns);
    sandbox_close(&s->cgroup_procs_fd);
    free(s->filter.filter);
    s->filter = (struct sock_fprog){ 0 };
    for (size_t i = 0; s->envp && s->envp[i]; i++)
        mcti_secret_free(s->envp[i]);
    free(s->envp);
    s->envp = NULL;
}

void mcti_sandbox_free(struct mcti_sandbox *s)
{
    if (!s)
        return;
    mcti_sandbox_started(s);
    sandbox_close(&s->gate.fd);
    mcti_cgroup_remove(s);
    if (s->folder)
        mcti_sandbox_folder_remove(s->folder);
    free(s->folder);
    struct mcti_buf *const texts[] = { &s->report,     &s->faults,      &s->limits,
                                       &s->paths.read, &s->paths.write, &s->paths.absent };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        mcti_buf_done(texts[i]);
    free(s);
}

bool mcti_sandbox_kill(struct mcti_sandbox *s)
{
    return s && mcti_cgroup_kill(s);
}

void mcti_sandbox_take_gate(struct mcti_sandbox *s, struct mcti_sandbox_gate *ret)
{
    *ret = s->gate;
    s->gate.fd = -1;
}

/* ---- the environment ---- */

/* Variables that a sandbox sets, and their spelling in another case. */
static const struct {
    const char *name;
    bool proxy; /* of the proxy; only with an allow-list */
} variables[] = {
    { "TMPDIR", false },     { "TMP", false },      { "TEMP", false },    { "HTTP_PROXY", true },
    { "HTTPS_PROXY", true }, { "ALL_PROXY", true }, { "NO_PROXY", true }, { "http_proxy", true },
    { "https_proxy", true }, { "all_proxy", true }, { "no_proxy", true }, { "NODE_USE_ENV_PROXY", true },
};

enum { N_VARIABLES = sizeof variables / sizeof *variables };

static bool sandbox_sets(const struct mcti_sandbox *s, const char *entry)
{
    size_t n = strcspn(entry, "=");
    for (size_t i = 0; i < N_VARIABLES; i++)
        if (strlen(variables[i].name) == n && !strncmp(entry, variables[i].name, n))
            return !variables[i].proxy || s->gate.port;
    return false;
}

static char *variable_text(const struct mcti_sandbox *s, size_t i)
{
    const char *name = variables[i].name, *secret = s->gate.secret;
    char *text = NULL;
    int r;
    if (!variables[i].proxy)
        r = asprintf(&text, "%s=%s", name, s->folder);
    else if (!strcasecmp(name, "NO_PROXY"))
        r = asprintf(&text, "%s=localhost,127.0.0.1,::1", name);
    else if (!strcmp(name, "NODE_USE_ENV_PROXY"))
        r = asprintf(&text, "%s=1", name);
    else
        r = asprintf(&text, "%s=http://%s%s%s127.0.0.1:%u", name, *secret ? "mcptools:" : "", secret,
                     *secret ? "@" : "", s->gate.port);
    return r < 0 ? NULL : text;
}

char *const *mcti_sandbox_environ(struct mcti_sandbox *s, char *const *envp)
{
    size_t n = 0, at = 0;
    bool failed = false;
    while (envp && envp[n])
        n++;
    s->envp = calloc(n + N_VARIABLES + 1, sizeof *s->envp);
    for (size_t i = 0; s->envp && i < n && !failed; i++)
        if (!sandbox_sets(s, envp[i]))
            failed = !(s->envp[at++] = strdup(envp[i]));
    for (size_t i = 0; s->envp && i < N_VARIABLES && !failed; i++)
        if (!variables[i].proxy || s->gate.port)
            failed = !(s->envp[at++] = variable_text(s, i));
    return failed ? NULL : s->envp;
}

/* ---- entering ---- */

static int enter_no_new_privileges(const struct mcti_sandbox *s)
{
    (void)s;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static const struct {
    const char *name;
    int (*enter)(const struct mcti_sandbox *s);
} steps[] = {
    { "cgroup", mcti_cgroup_enter },
    { "namespaces", mcti_namespace_enter },
    { "limits", mcti_sandbox_limits_enter },
    { "capabilities", mcti_capabilities_drop },
    { "no_new_privs", enter_no_new_privileges },
    { "landlock", mcti_landlock_enter },
    { "seccomp", mcti_filter_enter }, /* the last one: it forbids calls of the others */
};

const char *mcti_sandbox_enter(const struct mcti_sandbox *s)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].enter(s) < 0)
            return steps[i].name;
    return NULL;
}

bool mcti_sandbox_taints(const struct mcti_sandbox *s)
{
    return s->user_ns >= 0 || s->drop_capabilities;
}

void mcti_sandbox_probe(struct mcti_sandbox_offer *ret)
{
    *ret = (struct mcti_sandbox_offer){
        .landlock = mcti_landlock_abi(),
        .seccomp = mcti_filter_is_available(),
        .namespaces = mcti_namespace_is_available(),
    };
    ret->cgroup = mcti_cgroup_is_available(ret->why_no_cgroup, sizeof ret->why_no_cgroup);
}
