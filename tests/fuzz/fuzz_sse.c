/* Server-sent events: cut anywhere, the same events, id and retry. */
#include "cut.h"

#include "io/http/sse.h"

static bool collect(void *data, struct mct_str type, struct mct_str text)
{
    mct_buf_add(data, type);
    mct_buf_addc(data, '\x01');
    mct_buf_add(data, text);
    mct_buf_addc(data, '\x02');
    return true;
}

static void feed(struct mct_buf *out, struct mct_str before, struct mct_str behind)
{
    struct mct_sse s;
    mct_buf_init(out, 1u << 22);
    mct_sse_init(&s, 64);
    int a = mct_sse_feed(&s, &before, collect, out);
    int b = mct_sse_feed(&s, &behind, collect, out);
    mct_buf_printf(out, "%d %u ", a < 0 || b < 0, s.has_retry ? s.retry_ms : 0);
    mct_buf_add(out, mct_buf_str(&s.last_id));
    if (s.data.len > 64 || s.line.len > 128)
        abort();
    mct_sse_done(&s);
}
