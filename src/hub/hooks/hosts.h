/*
 * Hooks of OpenClaw plugins: those that our own hosts (provider->hosts_plugins) tell of with the extension
 * "openclaw/hooks" (hosts/openclaw/README.md). They apply to the tools of all other servers; for its own tools a host
 * runs them itself. A stranger's server that declares the extension is not asked.
 *
 * Until a host has told, or has failed to start, calls wait. What it has told stands until it tells anew: calls are
 * blocked while it is down. Where a host that was up does not tell, or tells of what cannot be added, calls of what is
 * not its own fail until it has told; so they do where a required one did not come up, or has left out a plugin. One
 * that is not required and never came up is told of in the log, and calls pass.
 */
#ifndef MCT_HUB_HOOKS_HOSTS_H
#define MCT_HUB_HOOKS_HOSTS_H

#include "hub/hooks/hooks.h"

struct mcti_hook_hosts {
    struct mcti_watcher watcher;
    struct mcti_hooks *hooks;
    const struct mcti_log *log;
    struct mcti_list hosts;
};

/* Of the providers that are in the registry, before they are started. -1 when out of memory. */
int mcti_hook_hosts_open(struct mcti_hook_hosts *h, struct mcti_registry *r, struct mcti_hooks *hooks,
                         const struct mcti_log *log);

/* Before the hooks and the registry go; no call is under way any more. Safe when it was never opened, if it is zero. */
void mcti_hook_hosts_close(struct mcti_hook_hosts *h);

#endif
