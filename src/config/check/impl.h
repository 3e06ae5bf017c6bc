/* Shared by the files of config/check. */
#ifndef MCT_CONFIG_CHECK_IMPL_H
#define MCT_CONFIG_CHECK_IMPL_H

#include "config/check/check.h"
#include "config/edit/edit.h"

/* A check of all servers. */
struct mcti_check {
    struct mcti_config *config;
    struct mcti_edit text; /* of the file that was looked at last */
    char *file;            /* its name; NULL: none */
};

/* Records a mistake in a key of an entry; `inner` (may be NULL) is a name or an index below it. An empty key stands for
 * the entry itself. */
void mcti_check_blame(struct mcti_check *k, const struct mcti_config_server *s, const char *key, const char *inner,
                      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
