/*
 * Newline framing, sans I/O: bytes in, lines out. A line is passed on without its "\n" or "\r\n". A line that arrived
 * whole is passed on from the fed bytes without a copy; only an unfinished line is buffered, and no byte is scanned
 * twice.
 */
#ifndef MCT_IO_LINES_H
#define MCT_IO_LINES_H

#include "base/buf.h"

struct mcti_lines {
    struct mcti_buf rest;
    bool skipping; /* inside a line over the limit */
};

/* Receives each line that is not blank. Returns false to stop after this line. */
typedef bool (*mcti_line_fn)(void *data, struct mcti_str line);

void mcti_lines_init(struct mcti_lines *l, size_t max_line);
void mcti_lines_done(struct mcti_lines *l);

/* Consumes bytes from the front of *bytes and calls `fn` for each line; consumes all of them unless `fn` returns false.
 * Returns -1 if a line was over the limit: that line is dropped, and reading continues after it. */
int mcti_lines_feed(struct mcti_lines *l, struct mcti_str *bytes, mcti_line_fn fn, void *data);

/* Appends `frame` and a line feed. Line breaks in the white space of the frame become spaces. */
void mcti_lines_put(struct mcti_buf *to, struct mcti_str frame);

#endif
