#include "io/fetch/body.h"

#include <stdlib.h>

struct mcti_body_own {
    unsigned refs;
    char bytes[];
};

static int body_set_long(struct mcti_body *b, const struct mcti_pieces *pieces)
{
    struct mcti_buf text;
    mcti_buf_init(&text, pieces->len);
    mcti_pieces_copy(&text, pieces);
    struct mcti_chunk *chunk = mcti_chunk_take(&text);
    mcti_buf_done(&text);
    if (!chunk)
        return -1;
    b->pieces = mcti_pieces_one(mcti_chunk_str(chunk));
    b->pieces.chunk = chunk;
    return 0;
}

int mcti_body_set(struct mcti_body *b, const struct mcti_pieces *pieces)
{
    size_t n = 1;
    if (!pieces->chunk && pieces->len >= MCT_SPLICE_BYTES)
        return body_set_long(b, pieces);
    for (unsigned i = 0; i < pieces->n; i++)
        n += mcti_pieces_shared(pieces, i) ? 0 : pieces->item[i].len;
    b->own = malloc(sizeof *b->own + n);
    if (!b->own)
        return -1;
    b->own->refs = 1;
    char *at = b->own->bytes;
    b->pieces = *pieces;
    for (unsigned i = 0; i < pieces->n; i++)
        if (!mcti_pieces_shared(pieces, i))
            b->pieces.item[i] = mcti_str_keep(&at, pieces->item[i]);
    *at = '\0';
    if (pieces->chunk)
        mcti_chunk_ref(pieces->chunk);
    return 0;
}

void mcti_body_share(struct mcti_body *b, const struct mcti_body *from)
{
    *b = *from;
    if (b->own)
        b->own->refs++;
    if (b->pieces.chunk)
        mcti_chunk_ref(b->pieces.chunk);
}

void mcti_body_done(struct mcti_body *b)
{
    mcti_chunk_unref(b->pieces.chunk);
    if (b->own && !--b->own->refs)
        free(b->own);
    *b = (struct mcti_body){ 0 };
}

size_t mcti_body_read(const struct mcti_body *b, size_t at, char *to, size_t n)
{
    size_t done = 0;
    for (unsigned i = 0; i < b->pieces.n && done < n; i++) {
        struct mcti_str item = b->pieces.item[i];
        if (at >= item.len) {
            at -= item.len;
            continue;
        }
        size_t part = item.len - at < n - done ? item.len - at : n - done;
        memcpy(to + done, item.p + at, part);
        done += part;
        at = 0;
    }
    return done;
}
