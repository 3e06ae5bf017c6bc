/*
 * The body of a request that may be sent several times: short pieces are copied, the bytes of a long message are shared
 * (base/buf.h).
 */
#ifndef MCT_IO_HTTP_BODY_H
#define MCT_IO_HTTP_BODY_H

#include "base/buf.h"

struct mcti_body {
    struct mcti_pieces pieces; /* its chunk is a reference of the body. No piece: no body */
    struct mcti_body_own *own; /* the pieces that are not in the chunk; NULL: none */
};

/* Makes *b, which is zeroed or without a body, the body with these pieces. Returns -1 when out of memory. */
int mcti_body_set(struct mcti_body *b, const struct mcti_pieces *pieces);

/* Makes *b the same body as `from`, of which nothing is copied. */
void mcti_body_share(struct mcti_body *b, const struct mcti_body *from);
void mcti_body_done(struct mcti_body *b);

/* Copies bytes from offset `at` on. Returns their number: less than `n` at the end only. */
size_t mcti_body_read(const struct mcti_body *b, size_t at, char *to, size_t n);

#endif
