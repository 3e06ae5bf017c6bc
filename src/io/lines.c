#include "io/lines.h"

#include "base/limits.h"
#include "json/scan.h"
#include "json/write.h"

#include <stdlib.h>

void mcti_lines_init(struct mcti_lines *l, size_t max_line)
{
    *l = (struct mcti_lines){ 0 };
    mcti_buf_init(&l->rest, max_line);
}

/* Drops the unfinished line. */
static void io_lines_forget(struct mcti_lines *l)
{
    mcti_buf_done(&l->rest);
    free(l->check);
    l->check = NULL;
}

void mcti_lines_done(struct mcti_lines *l)
{
    io_lines_forget(l);
}

static bool io_lines_give(struct mcti_lines *l, struct mcti_str line, mcti_line_fn fn, void *data)
{
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    if (mcti_str_trim(line).len)
        return fn(data, line);
    l->wasted += line.len + MCT_WASTE_LINE;
    return true;
}

static void io_lines_note_head(struct mcti_lines *l, struct mcti_str line)
{
    l->head_len = line.len < sizeof l->head ? line.len : sizeof l->head;
    memcpy(l->head, line.p, l->head_len);
}

/* Appends `piece` to the unfinished line; returns false if the line is over the limit. */
static bool io_lines_keep(struct mcti_lines *l, struct mcti_str piece)
{
    if (l->skipping) {
        l->wasted += piece.len;
        return true;
    }
    mcti_buf_add(&l->rest, piece);
    if (mcti_buf_ok(&l->rest))
        return true;
    l->wasted += l->rest.len + piece.len;
    io_lines_note_head(l, l->rest.len ? (struct mcti_str){ l->rest.p, l->rest.len } : piece);
    io_lines_forget(l);
    l->skipping = true;
    return false;
}

/* Drops a line that arrived whole. */
static bool io_lines_drop(struct mcti_lines *l, struct mcti_str line)
{
    io_lines_note_head(l, line);
    l->wasted += line.len;
    return false;
}

static bool end_of_line(struct mcti_lines *l, struct mcti_str piece, mcti_line_fn fn, void *data)
{
    bool go_on = true;
    if (l->skipping) {
        l->skipping = false;
    } else if (!l->rest.len) {
        l->chunk = NULL;
        go_on = io_lines_give(l, piece, fn, data);
    } else {
        struct mcti_buf whole = l->rest; /* moved out of `l`, because fn may free its owner */
        struct mcti_chunk *chunk = mcti_json_chunk_take(&whole, &l->check);
        mcti_buf_init(&l->rest, l->rest.max);
        l->chunk = chunk;
        go_on = io_lines_give(l, chunk ? mcti_chunk_str(chunk) : mcti_buf_str(&whole), fn, data);
        if (chunk)
            mcti_chunk_unref(chunk);
        else
            mcti_buf_done(&whole);
    }
    return go_on;
}

int mcti_lines_feed(struct mcti_lines *l, struct mcti_str *bytes, mcti_line_fn fn, void *data)
{
    while (bytes->len) {
        const char *end = bytes->p + bytes->len, *nl = memchr(bytes->p, '\n', bytes->len);
        struct mcti_str piece = mcti_str_range(bytes->p, nl ? nl : end);
        bool kept = true;
        if (!nl || l->rest.len)
            kept = io_lines_keep(l, piece);
        else if (!l->skipping && piece.len > l->rest.max)
            kept = io_lines_drop(l, piece);
        *bytes = mcti_str_range(nl ? nl + 1 : end, end);
        if (!kept && nl)
            l->skipping = false; /* the line was over the limit and ends here */
        if (!kept)
            return -1;
        if (!nl && !l->skipping)
            mcti_json_arrived(&l->check, mcti_buf_str(&l->rest));
        if (!nl || !end_of_line(l, piece, fn, data))
            return 0;
    }
    return 0;
}

int mcti_lines_send(struct mcti_out *out, const struct mcti_pieces *frame)
{
    struct mcti_buf *queue = mcti_out_buf(out);
    for (unsigned i = 0; i < frame->n; i++)
        mcti_json_blank_lines(frame->item[i]);
    mcti_out_add(out, frame);
    mcti_buf_addc(queue, '\n');
    return mcti_out_commit(out);
}

void mcti_lines_put(struct mcti_buf *to, struct mcti_str frame)
{
    mcti_json_put_line(to, frame);
    mcti_buf_addc(to, '\n');
}
