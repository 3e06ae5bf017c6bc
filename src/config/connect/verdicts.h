/*
 * The file of verdicts: the eras and transports that servers were found to support. A later run of a short command
 * reads a verdict instead of trying them again. A verdict is valid for a day if the server was of the handshake era,
 * since it may have been updated, and for a week otherwise. A wrong verdict costs one failed attempt.
 */
#ifndef MCT_CONFIG_CONNECT_VERDICTS_H
#define MCT_CONFIG_CONNECT_VERDICTS_H

#include "hub/server/server.h"

struct mcti_verdicts {
    char *path;            /* owned; NULL: nothing is stored */
    struct mcti_buf text;  /* contents of the file, read on the first mcti_verdicts_get() */
    struct mcti_str known; /* the object in the text; absent: not read yet */
};

/* Sets the path to $XDG_CACHE_HOME/mcptools/protocols.json, or to the same file below ~/.cache. */
void mcti_verdicts_init(struct mcti_verdicts *v);
void mcti_verdicts_done(struct mcti_verdicts *v);

/* Sets *ret to the stored verdict; leaves it unchanged if there is none. `key` is the hash of the server's identity.
 * The file is read once: later changes by other programs are not seen. */
void mcti_verdicts_get(struct mcti_verdicts *v, const char *key, struct mcti_verdict *ret);

/* Stores a verdict. Failures to write are ignored: the verdict is found again later. */
void mcti_verdicts_put(const struct mcti_verdicts *v, const char *key, const struct mcti_verdict *verdict);

#endif
