/*
 * Watches files by the folders that they are in, so that a file is seen that is replaced by another one, vanishes and
 * comes back, does not exist yet, or is reached through symbolic links. Where the system cannot watch a folder, the
 * files are looked at every two seconds.
 */
#ifndef MCT_INSTANCE_WATCH_H
#define MCT_INSTANCE_WATCH_H

#include "base/strings.h"
#include "io/loop.h"

struct mcti_config_watch;

struct mcti_config_watch_ops {
    /* Appends the paths of the files; called again after each change. Returns -1 when out of memory. */
    int (*places)(void *data, struct mcti_strings *to);
    /* Called from the loop when one of the files has changed, a moment after the last change. */
    void (*changed)(void *data);
};

/* Returns NULL when out of memory. */
struct mcti_config_watch *mcti_config_watch_new(struct mcti_loop *loop, const struct mcti_config_watch_ops *ops,
                                                void *data);

/* Forgets what has changed so far: the files were read otherwise. Lists them again. NULL does nothing. */
void mcti_config_watch_renew(struct mcti_config_watch *w);

void mcti_config_watch_free(struct mcti_config_watch *w);

#endif
