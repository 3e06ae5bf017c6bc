/* For parsers of streams: the same bytes cut in two at any place must give the same outcome. The target
 * defines feed(), which writes down all that came of the bytes. */
#ifndef MCT_TESTS_CUT_H
#define MCT_TESTS_CUT_H

#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Initialises *out and gives the parser the bytes before and behind the cut. */
static void feed(struct mcti_buf *out, struct mcti_str before, struct mcti_str behind);

static void feed_cut(struct mcti_buf *out, const uint8_t *data, size_t cut, size_t size)
{
    const char *p = (const char *)data;
    feed(out, (struct mcti_str){ p, cut }, (struct mcti_str){ p + cut, size - cut });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_buf whole, cut;
    if (!size)
        return 0;
    feed_cut(&whole, data, size, size);
    feed_cut(&cut, data, data[0] % size, size);
    if (!mcti_str_eq(mcti_buf_str(&whole), mcti_buf_str(&cut)))
        abort();
    mcti_buf_done(&whole);
    mcti_buf_done(&cut);
    return 0;
}

#endif
