/*
 * Bytes that are too unwieldy to be shown, kept as files whose paths are shown instead. A file's name is made of its
 * content, so that the same content is one file. Old files go when new ones come: what a path was given for is a matter
 * of days.
 *
 * The calls block, for as long as it takes to write so many bytes; closing looks through the folder, once.
 */
#ifndef MCT_RESOURCES_BLOB_STORE_H
#define MCT_RESOURCES_BLOB_STORE_H

#include "base/error.h"

#include <stdint.h>

struct mcti_blob_store {
    const char *dir; /* made with mode 0700 where it is missing. Must be the user's own and nobody else's to write; the
                      * last part of the path is not followed when it is a symbolic link */
    uint64_t max_bytes; /* of all files together */
    size_t max_files;
    uint64_t max_age_s; /* since a file was written, or its content came again */
    uint64_t now_s;     /* since 1970 */

    int folder; /* its own */
};

/* The folder for what resources have, owned: in $XDG_CACHE_HOME, or ~/.cache. NULL when neither is known. */
char *mcti_blob_store_default(void);

/* The members above are set. -1 with *err; then it is not to be closed. */
int mcti_blob_store_open(struct mcti_blob_store *store, struct mct_error *err);

/*
 * Writes the bytes, or finds them there already; *ret_path is owned. The file is of mode 0600 and has the extension of
 * its type (".bin" for those that are not known). -1 with *err.
 */
int mcti_blob_store_put(const struct mcti_blob_store *store, struct mcti_str bytes, struct mcti_str mime_type,
                        char **ret_path, struct mct_error *err);

/* Files of the store go that are too old, and the oldest until the others are not too many; those that were put last
 * are the last to go. Files that the store has not named are left alone. */
void mcti_blob_store_close(struct mcti_blob_store *store);

#endif
