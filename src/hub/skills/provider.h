/*
 * A server of skills in a folder: each folder in it with a SKILL.md is one. What is served is a snapshot: entries and
 * files always fit together. The folder is looked at again when skills are listed.
 */
#ifndef MCT_HUB_SKILLS_PROVIDER_H
#define MCT_HUB_SKILLS_PROVIDER_H

#include "hub/core/provider.h"

/* Creates the provider. `path` is copied. `why` of a kind: the entry has a mistake, and the provider fails with it.
 * Returns NULL when out of memory. */
struct mcti_provider *mcti_provider_skills_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log,
                                               const char *path, const struct mct_error *why);

#endif
