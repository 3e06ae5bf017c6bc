#include "telemetry/gzip.h"

#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 /* 16: a gzip header */, MEMORY_LEVEL = 8 };

void mcti_gzip(struct mcti_buf *b)
{
    z_stream z = { 0 };
    struct mcti_buf out;
    if (!mcti_buf_ok(b))
        return;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        b->failed = true;
        return;
    }
    size_t room = deflateBound(&z, b->len);
    mcti_buf_init(&out, room);
    z.next_in = (unsigned char *)b->p;
    z.avail_in = (uInt)b->len;
    z.next_out = (unsigned char *)mcti_buf_reserve(&out, room);
    z.avail_out = (uInt)room;
    if (!z.next_out || deflate(&z, Z_FINISH) != Z_STREAM_END)
        out.failed = true;
    out.len = z.total_out;
    deflateEnd(&z);
    mcti_buf_done(b);
    *b = out;
}
