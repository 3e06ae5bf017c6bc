/* Server-sent events: the same bytes cut in two at any place give the same events, id and retry. */
#include "io/sse.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool collect(void *data, struct mct_str type, struct mct_str text)
{
    mct_buf_add(data, type);
    mct_buf_addc(data, '\x01');
    mct_buf_add(data, text);
    mct_buf_addc(data, '\x02');
    return true;
}

static void feed(struct mct_buf *out, const uint8_t *data, size_t cut, size_t size)
{
    struct mct_sse s;
    mct_buf_init(out, 1u << 22);
    mct_sse_init(&s, 64);
    int a = mct_sse_feed(&s, (struct mct_str){ (const char *)data, cut }, collect, out);
    int b = mct_sse_feed(&s, (struct mct_str){ (const char *)data + cut, size - cut }, collect, out);
    mct_buf_printf(out, "%d %u ", a < 0 || b < 0, s.has_retry ? s.retry_ms : 0);
    mct_buf_add(out, mct_buf_str(&s.last_id));
    if (s.data.len > 64 || s.line.len > 128)
        abort();
    mct_sse_done(&s);
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
