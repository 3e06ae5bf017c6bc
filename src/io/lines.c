#include "io/lines.h"

#include "json/write.h"

void mcti_lines_init(struct mcti_lines *l, size_t max_line)
{
    *l = (struct mcti_lines){ 0 };
    mcti_buf_init(&l->rest, max_line);
}

void mcti_lines_done(struct mcti_lines *l)
{
    mcti_buf_done(&l->rest);
}

static bool io_lines_give(struct mcti_str line, mcti_line_fn fn, void *data)
{
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    return mcti_str_trim(line).len == 0 || fn(data, line);
}

/* Appends `piece` to the unfinished line; returns false if the line is over the limit. */
static bool io_lines_keep(struct mcti_lines *l, struct mcti_str piece)
{
    if (l->skipping)
        return true;
    mcti_buf_add(&l->rest, piece);
    if (mcti_buf_ok(&l->rest))
        return true;
    mcti_buf_done(&l->rest);
    l->skipping = true;
    return false;
}

static bool end_of_line(struct mcti_lines *l, struct mcti_str piece, mcti_line_fn fn, void *data)
{
    bool go_on = true;
    if (l->skipping) {
        l->skipping = false;
    } else if (!l->rest.len) {
        go_on = io_lines_give(piece, fn, data);
    } else {
        struct mcti_buf whole = l->rest; /* moved out of `l`, because fn may free its owner */
        mcti_buf_init(&l->rest, whole.max);
        go_on = io_lines_give(mcti_buf_str(&whole), fn, data);
        mcti_buf_done(&whole);
    }
    return go_on;
}

int mcti_lines_feed(struct mcti_lines *l, struct mcti_str *bytes, mcti_line_fn fn, void *data)
{
    int r = 0;
    while (bytes->len) {
        const char *end = bytes->p + bytes->len, *nl = memchr(bytes->p, '\n', bytes->len);
        struct mcti_str piece = mcti_str_range(bytes->p, nl ? nl : end);
        bool kept = true;
        if (!nl || l->rest.len)
            kept = io_lines_keep(l, piece);
        else if (!l->skipping && piece.len > l->rest.max)
            kept = false;
        if (!kept)
            r = -1;
        *bytes = mcti_str_range(nl ? nl + 1 : end, end);
        if (!nl)
            return r;
        if (!kept)
            l->skipping = false; /* the line was over the limit and ends here */
        else if (!end_of_line(l, piece, fn, data))
            return r;
    }
    return r;
}

void mcti_lines_put(struct mcti_buf *to, struct mcti_str frame)
{
    mcti_json_put_line(to, frame);
    mcti_buf_addc(to, '\n');
}
