/* Systems without the mechanisms of Linux: a strict sandbox fails, and a best-effort one protects nothing. */
#include "io/sandbox/sandbox.h"

#include <stdlib.h>

struct mcti_sandbox {
    char nothing;
};

struct mcti_sandbox *mcti_sandbox_new(const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    struct mcti_sandbox *s = w->mode == MCT_SANDBOX_STRICT ? NULL : calloc(1, sizeof *s);
    if (w->mode == MCT_SANDBOX_STRICT)
        mcti_fail(err, MCT_ERR_CONNECT,
                  "the sandbox is \"strict\", but only Linux has sandboxes; \"off\" starts the server "
                  "without one");
    else if (!s)
        mcti_no_memory(err);
    return s;
}

void mcti_sandbox_free(struct mcti_sandbox *s)
{
    free(s);
}

void mcti_sandbox_started(struct mcti_sandbox *s)
{
    (void)s;
}

bool mcti_sandbox_kill(struct mcti_sandbox *s)
{
    (void)s;
    return false;
}

void mcti_sandbox_take_gate(struct mcti_sandbox *s, struct mcti_sandbox_gate *ret)
{
    (void)s;
    *ret = (struct mcti_sandbox_gate){ .fd = -1 };
}

char *const *mcti_sandbox_environ(struct mcti_sandbox *s, char *const *envp)
{
    (void)s;
    return envp;
}

struct mcti_str mcti_sandbox_report(const struct mcti_sandbox *s)
{
    return s ? MCT_STR("{\"mode\":\"best-effort\",\"landlock\":0,\"seccomp\":false,\"network\":\"on\",\"cgroup\":false,"
                       "\"lacks\":[\"there is no sandbox on this system: the server may do what its user may\"]}")
             : MCT_STR_NONE;
}

const char *mcti_sandbox_enter(const struct mcti_sandbox *s)
{
    (void)s;
    return NULL;
}

bool mcti_sandbox_taints(const struct mcti_sandbox *s)
{
    (void)s;
    return false;
}

void mcti_sandbox_probe(struct mcti_sandbox_offer *ret)
{
    *ret = (struct mcti_sandbox_offer){ .why_no_cgroup = "only Linux has cgroups" };
}
