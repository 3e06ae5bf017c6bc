/* Server-sent events: cut anywhere, the same events, id and retry. */
#include "cut.h"

#include "io/http/sse.h"

static bool collect(void *data, struct mcti_str type, struct mcti_str text)
{
    mcti_buf_add(data, type);
    mcti_buf_addc(data, '\x01');
    mcti_buf_add(data, text);
    mcti_buf_addc(data, '\x02');
    return true;
}

static void feed(struct mcti_buf *out, struct mcti_str before, struct mcti_str behind)
{
    struct mcti_sse s;
    mcti_buf_init(out, 1u << 22);
    mcti_sse_init(&s, 64);
    int a = mcti_sse_feed(&s, &before, collect, out);
    int b = mcti_sse_feed(&s, &behind, collect, out);
    mcti_buf_printf(out, "%d %u ", a < 0 || b < 0, s.has_retry ? s.retry_ms : 0);
    mcti_buf_add(out, mcti_buf_str(&s.last_id));
    if (s.data.len > 64 || s.line.len > 128)
        abort();
    mcti_sse_done(&s);
}
