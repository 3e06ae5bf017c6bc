/* For parsers of streams: the same bytes cut in two at any place must give the same outcome. The target
 * defines feed(), which writes down all that came of the bytes. */
#ifndef MCT_TESTS_CUT_H
#define MCT_TESTS_CUT_H

#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Initialises *out and gives the parser the bytes before and behind the cut. */
static void feed(struct mct_buf *out, struct mct_str before, struct mct_str behind);

static void feed_cut(struct mct_buf *out, const uint8_t *data, size_t cut, size_t size)
{
    const char *p = (const char *)data;
    feed(out, (struct mct_str){ p, cut }, (struct mct_str){ p + cut, size - cut });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_buf whole, cut;
    if (!size)
        return 0;
    feed_cut(&whole, data, size, size);
    feed_cut(&cut, data, data[0] % size, size);
    if (!mct_str_eq(mct_buf_str(&whole), mct_buf_str(&cut)))
        abort();
    mct_buf_done(&whole);
    mct_buf_done(&cut);
    return 0;
}

#endif
