/*
 * A folder of binary contents: bytes too large to show inline are stored as files, and a result shows their paths. A
 * file is named after the digest of its content, so equal contents share one file. Closing the store deletes files that
 * are too old or exceed the limits.
 *
 * The calls block while they write; mcti_blob_store_close() scans the folder once. Not a cache: nothing is looked up
 * here later, and a path is valid for days at most.
 */
#ifndef MCT_RESOURCES_BLOB_STORE_H
#define MCT_RESOURCES_BLOB_STORE_H

#include "base/error.h"

#include <stdint.h>

struct mcti_blob_store {
    const char *dir;    /* created with mode 0700 if missing. Must belong to the user and be writable by no other; a
                         * symbolic link as its last component is refused */
    uint64_t max_bytes; /* limit of all files together */
    size_t max_files;
    uint64_t max_age_s; /* age limit, counted from the last time the content was stored */
    uint64_t now_s;     /* current time, since 1970 */

    int folder; /* private: descriptor of the folder */
};

/* Returns the default folder, owned by the caller: below $XDG_CACHE_HOME, or ~/.cache. Returns NULL if neither is
 * known. */
char *mcti_blob_store_default(void);

/* Opens the store whose members above `folder` the caller has set. On failure returns -1 and sets *err; then the store
 * must not be closed. */
int mcti_blob_store_open(struct mcti_blob_store *store, struct mct_error *err);

/*
 * Stores the bytes unless a file with them exists, and sets *ret_path to its path, owned by the caller. The file has
 * mode 0600 and the extension of mime_type (".bin" if the type is unknown). On failure returns -1 and sets *err.
 */
int mcti_blob_store_put(const struct mcti_blob_store *store, struct mcti_str bytes, struct mcti_str mime_type,
                        char **ret_path, struct mct_error *err);

/* Deletes files that are too old, then the oldest ones until the limits are met, and closes the store. Files with names
 * that the store does not give are kept. */
void mcti_blob_store_close(struct mcti_blob_store *store);

#endif
