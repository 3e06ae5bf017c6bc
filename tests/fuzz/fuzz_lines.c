/* Newline framing: cut anywhere, the same lines. */
#include "cut.h"

#include "io/lines.h"

static bool collect(void *data, struct mcti_str line)
{
    mcti_buf_add(data, line);
    mcti_buf_addc(data, '\n');
    return true;
}

static void feed(struct mcti_buf *out, struct mcti_str before, struct mcti_str behind)
{
    struct mcti_lines l;
    mcti_buf_init(out, 1u << 22);
    mcti_lines_init(&l, 64);
    while (mcti_lines_feed(&l, &before, collect, out) < 0)
        continue;
    while (mcti_lines_feed(&l, &behind, collect, out) < 0)
        continue;
    mcti_lines_done(&l);
}
