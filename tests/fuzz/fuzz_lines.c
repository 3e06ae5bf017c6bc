/* Newline framing: the same bytes cut in two at any place give the same lines. */
#include "io/lines.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool collect(void *data, struct mct_str line)
{
    mct_buf_add(data, line);
    mct_buf_addc(data, '\n');
    return true;
}

static void feed(struct mct_buf *out, const uint8_t *data, size_t cut, size_t size)
{
    struct mct_lines l;
    mct_buf_init(out, 1u << 22);
    mct_lines_init(&l, 64);
    mct_lines_feed(&l, (struct mct_str){ (const char *)data, cut }, collect, out);
    mct_lines_feed(&l, (struct mct_str){ (const char *)data + cut, size - cut }, collect, out);
    mct_lines_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_buf whole, cut;
    if (!size)
        return 0;
    feed(&whole, data, size, size);
    feed(&cut, data, data[0] % size, size);
    if (!mct_str_eq(mct_buf_str(&whole), mct_buf_str(&cut)))
        abort();
    mct_buf_done(&whole);
    mct_buf_done(&cut);
    return 0;
}
