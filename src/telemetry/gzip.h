#ifndef MCT_TELEMETRY_GZIP_H
#define MCT_TELEMETRY_GZIP_H

#include "base/buf.h"

/* Compresses the text of the buffer as gzip (RFC 1952), without a time. The buffer fails when out of memory. */
void mcti_gzip(struct mcti_buf *b);

#endif
