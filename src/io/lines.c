#include "io/lines.h"

#include "json/write.h"

void mct_lines_init(struct mct_lines *l, size_t max_line)
{
    *l = (struct mct_lines){ 0 };
    mct_buf_init(&l->rest, max_line);
}

void mct_lines_done(struct mct_lines *l)
{
    mct_buf_done(&l->rest);
}

static bool give(struct mct_str line, mct_line_fn fn, void *data)
{
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    return mct_str_trim(line).len == 0 || fn(data, line);
}

/* Keeps an unfinished piece; false when the line is too long. */
static bool keep(struct mct_lines *l, struct mct_str piece)
{
    if (l->skipping)
        return true;
    mct_buf_add(&l->rest, piece);
    if (mct_buf_ok(&l->rest))
        return true;
    mct_buf_done(&l->rest);
    l->skipping = true;
    return false;
}

static bool end_of_line(struct mct_lines *l, struct mct_str piece, mct_line_fn fn, void *data)
{
    bool go_on = true;
    if (l->skipping) {
        l->skipping = false;
    } else if (!l->rest.len) {
        go_on = give(piece, fn, data);
    } else {
        struct mct_buf whole = l->rest; /* moved out: fn may free the framer's owner */
        mct_buf_init(&l->rest, whole.max);
        go_on = give(mct_buf_str(&whole), fn, data);
        mct_buf_done(&whole);
    }
    return go_on;
}

int mct_lines_feed(struct mct_lines *l, struct mct_str *bytes, mct_line_fn fn, void *data)
{
    int r = 0;
    while (bytes->len) {
        const char *end = bytes->p + bytes->len, *nl = memchr(bytes->p, '\n', bytes->len);
        struct mct_str piece = mct_str_range(bytes->p, nl ? nl : end);
        bool kept = true;
        if (!nl || l->rest.len)
            kept = keep(l, piece);
        else if (!l->skipping && piece.len > l->rest.max)
            kept = false;
        if (!kept)
            r = -1;
        *bytes = mct_str_range(nl ? nl + 1 : end, end);
        if (!nl)
            return r;
        if (!kept)
            l->skipping = false; /* too long, but its end is here */
        else if (!end_of_line(l, piece, fn, data))
            return r;
    }
    return r;
}

void mct_lines_put(struct mct_buf *to, struct mct_str frame)
{
    mct_json_put_line(to, frame);
    mct_buf_addc(to, '\n');
}
