#ifndef BENCH_RESPONSE_H
#define BENCH_RESPONSE_H

#include <stdbool.h>

#include "text.h"

enum progress { PENDING, DONE, FAILED };

/* The body is raw.data + head_len, body_len long; chunk framing is removed
 * in place, chunk_at being the first byte not yet decoded. */
struct response {
    struct text raw;
    size_t head_len, body_len, content_length, chunk_at;
    int status;
    bool chunked, keep_alive;
};

/* Forgets the content, keeps the memory. */
void response_reset(struct response *response);

/* To be called after bytes were appended to raw. */
enum progress response_advance(struct response *response);

/* Returns the value up to the line end, its length in *len, or NULL. */
const char *response_header(const struct response *response, const char *name, size_t *len);

#endif
