/* Newline framing: cut anywhere, the same lines. */
#include "cut.h"

#include "io/lines.h"

static bool collect(void *data, struct mct_str line)
{
    mct_buf_add(data, line);
    mct_buf_addc(data, '\n');
    return true;
}

static void feed(struct mct_buf *out, struct mct_str before, struct mct_str behind)
{
    struct mct_lines l;
    mct_buf_init(out, 1u << 22);
    mct_lines_init(&l, 64);
    mct_lines_feed(&l, &before, collect, out);
    mct_lines_feed(&l, &behind, collect, out);
    mct_lines_done(&l);
}
