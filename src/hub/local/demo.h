/*
 * The embedded demo server: a few tools, resources, a template and prompts with completion, without a process.
 * `mcptools serve` shows it if no server is configured.
 */
#ifndef MCT_HUB_LOCAL_DEMO_H
#define MCT_HUB_LOCAL_DEMO_H

#include "hub/core/provider.h"

/* Creates the provider. Returns NULL when out of memory. */
struct mcti_provider *mcti_provider_builtin_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log);

#endif
