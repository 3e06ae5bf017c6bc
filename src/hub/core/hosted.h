/*
 * The plugins of a host of OpenClaw plugins, as the host reports them in `_meta["openclaw/plugins"]`: a JSON array of
 * objects with `id`, `state` ("loaded", "down", "left out"), `disabled`, `reason`, `needs`, `off`, `ignored` and
 * `hooks` (hosts/openclaw/README.md). Only the program's own host is believed (provider->hosts_plugins).
 */
#ifndef MCT_HUB_CORE_HOSTED_H
#define MCT_HUB_CORE_HOSTED_H

#include "hub/core/provider.h"

enum mcti_hosted_topic {
    MCT_HOSTED_FAULTS,  /* plugins that are left out or down, or lack something */
    MCT_HOSTED_OFF,     /* optional tools that nobody has asked for */
    MCT_HOSTED_IGNORED, /* what plugins have used without effect */
};

/* Takes the report of a host out of an object `_meta` or the parameters of a notification. Does nothing if `p` is no
 * plugin host or the report is missing; returns whether it has taken one. */
bool mcti_hosted_take(struct mcti_provider *p, struct mcti_str meta);

/* Returns whether no plugin is down, and none was left out except by the configuration. */
bool mcti_hosted_whole(const struct mcti_provider *p);

/* Returns whether a plugin is down whose hooks therefore block calls. */
bool mcti_hosted_blocks(const struct mcti_provider *p);

/* Calls `tell` with one sentence for each thing that there is to say of a topic. */
void mcti_hosted_tell(const struct mcti_provider *p, enum mcti_hosted_topic topic,
                      void (*tell)(void *data, const char *text), void *data);

#endif
