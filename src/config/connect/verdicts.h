/*
 * What was found out about servers, kept over runs of the program in one small file, so that a short
 * command need not find it out again. A verdict holds for a day when the server was of the handshake era
 * (it may have learned the other since), for a week otherwise; a wrong one costs one failed attempt.
 */
#ifndef MCT_CONFIG_CONNECT_VERDICTS_H
#define MCT_CONFIG_CONNECT_VERDICTS_H

#include "hub/server/server.h"

struct mcti_verdicts {
    char *path;            /* owned; NULL: nothing is kept */
    struct mcti_buf text;  /* of the file, read when the first server asks */
    struct mcti_str known; /* the object in it; absent: not read yet */
};

/* $XDG_CACHE_HOME/mcptools/protocols.json, or below ~/.cache. */
void mcti_verdicts_init(struct mcti_verdicts *v);
void mcti_verdicts_done(struct mcti_verdicts *v);

/* `key` is the hash of what identifies the server. Leaves *ret alone when nothing is known. The file is read
 * once: what others write later is not seen. */
void mcti_verdicts_get(struct mcti_verdicts *v, const char *key, struct mcti_verdict *ret);

/* Failures to write are nobody's concern: it is found out again. */
void mcti_verdicts_put(const struct mcti_verdicts *v, const char *key, const struct mcti_verdict *verdict);

#endif
