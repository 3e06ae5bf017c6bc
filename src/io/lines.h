/*
 * Newline framing, sans I/O: bytes in, lines out. A line is passed on without its "\n" or "\r\n". A line that arrived
 * whole is passed on from the fed bytes without a copy; only an unfinished line is buffered, and no byte is scanned
 * twice.
 */
#ifndef MCT_IO_LINES_H
#define MCT_IO_LINES_H

#include "io/out.h"

enum { MCT_LINES_HEAD = 256 };

struct mcti_lines {
    struct mcti_buf rest;
    struct mcti_json_scan *check; /* of a long unfinished line; NULL: none */
    struct mcti_chunk
        *chunk;    /* while a line is passed on that had been buffered: its bytes, if it is long; else NULL */
    bool skipping; /* inside a line over the limit */
    size_t
        wasted; /* bytes of blank lines and of lines over the limit, with MCT_WASTE_LINE for each; the owner resets it */
    char head[MCT_LINES_HEAD]; /* beginning of the last line over the limit */
    size_t head_len;
};

/* Receives each line that is not blank. Returns false to stop after this line. */
typedef bool (*mcti_line_fn)(void *data, struct mcti_str line);

void mcti_lines_init(struct mcti_lines *l, size_t max_line);
void mcti_lines_done(struct mcti_lines *l);

/* Consumes bytes from the front of *bytes and calls `fn` for each line; consumes all of them unless `fn` returns false.
 * Stops and returns -1 as soon as a line exceeds the limit; `head` has its beginning, and the next calls skip its rest.
 */
int mcti_lines_feed(struct mcti_lines *l, struct mcti_str *bytes, mcti_line_fn fn, void *data);

/* Appends `frame` and a line feed. Line breaks in the white space of the frame become spaces. */
void mcti_lines_put(struct mcti_buf *to, struct mcti_str frame);

/* Sends the frame and a line feed as one unit, in the same way; line breaks in its chunk become spaces there. Returns
 * like mcti_out_commit(). */
int mcti_lines_send(struct mcti_out *out, const struct mcti_pieces *frame);

#endif
