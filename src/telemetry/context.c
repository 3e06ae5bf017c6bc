#include "telemetry/context.h"

#include "base/rand.h"

#include <stdio.h>

enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53 };

/* Copies `n` hex digits in lower case. Returns false if one is not a lower-case digit, or if all are zero. */
static bool copy_id(const char *from, size_t n, char *to)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (mcti_hex_digit(from[i]) < 0 || (from[i] >= 'A' && from[i] <= 'F'))
            return false;
        any |= from[i] != '0';
        to[i] = from[i];
    }
    to[n] = '\0';
    return any;
}

static int byte_at(const char *p)
{
    int high = mcti_hex_digit(p[0]), low = mcti_hex_digit(p[1]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool mcti_trace_parse(struct mcti_str text, struct mcti_trace_context *ret)
{
    struct mcti_trace_context c;
    if (text.len < MCT_TRACEPARENT_LEN)
        return false;
    int version = byte_at(text.p), flags = byte_at(text.p + FLAGS_AT);
    bool fits = version == 0 ? text.len == MCT_TRACEPARENT_LEN
                             : text.len == MCT_TRACEPARENT_LEN || text.p[MCT_TRACEPARENT_LEN] == '-';
    if (version < 0 || version == 0xff || flags < 0 || !fits || text.p[TRACE_AT - 1] != '-' ||
        text.p[SPAN_AT - 1] != '-' || text.p[FLAGS_AT - 1] != '-' || !copy_id(text.p + TRACE_AT, 32, c.trace) ||
        !copy_id(text.p + SPAN_AT, 16, c.span))
        return false;
    c.flags = (unsigned)flags;
    *ret = c;
    return true;
}

void mcti_trace_begin(const struct mcti_trace_context *parent, struct mcti_trace_context *ret)
{
    unsigned char bytes[24];
    mcti_random(bytes, sizeof bytes);
    bytes[0] |= 1; /* an id of zeros is not valid */
    bytes[16] |= 1;
    mcti_hex(bytes, 16, ret->trace);
    mcti_hex(bytes + 16, 8, ret->span);
    if (parent)
        memcpy(ret->trace, parent->trace, sizeof ret->trace);
    ret->flags = parent ? parent->flags : 0;
}

void mcti_trace_format(const struct mcti_trace_context *c, char to[MCT_TRACEPARENT_LEN + 1])
{
    snprintf(to, MCT_TRACEPARENT_LEN + 1, "00-%.32s-%.16s-%02x", c->trace, c->span, c->flags & 0xff);
}
