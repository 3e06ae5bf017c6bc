/*
 * Hooks of OpenClaw plugins. The program's own plugin hosts (provider->hosts_plugins) list them with the extension
 * "openclaw/hooks" (hosts/openclaw/README.md). The hooks apply to the tools of all other servers; a host runs them
 * itself for its own tools. The extension of other servers is ignored.
 *
 * Calls wait until each host has listed its hooks or has failed to start. A list stays valid until the host sends a new
 * one; while the host is down, its hooks fail and thus block calls. Calls to other servers' tools fail if a host that
 * was connected stops listing its hooks, or lists one that cannot be added, until it lists them again; and if a
 * required host does not start, or has left out a plugin. If a host that is not required never starts, this is logged,
 * and calls pass.
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

/* Watches the plugin hosts in the registry; called before they are started. They are never removed from it. Returns -1
 * when out of memory. */
int mcti_hook_hosts_open(struct mcti_hook_hosts *h, struct mcti_registry *r, struct mcti_hooks *hooks,
                         const struct mcti_log *log);

/* Called before the hooks and the registry are freed; no call may be open. Does nothing if *h is zero. */
void mcti_hook_hosts_close(struct mcti_hook_hosts *h);

#endif
