#include "hub/core/untrusted.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "json/scan.h"

/* Returns the length of an invisible character at `p`, 0 if it is visible. U+2028 and U+2029 break lines; models read
 * U+E0000 to U+E007F, but no terminal shows them. */
static size_t unseen_len(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (n >= 3 && u[0] == 0xe2 && u[1] == 0x80 && (u[2] == 0xa8 || u[2] == 0xa9))
        return 3;
    if (n >= 4 && u[0] == 0xf3 && u[1] == 0xa0 && (u[2] == 0x80 || u[2] == 0x81))
        return 4;
    return mcti_control_len(p, n);
}

bool mcti_untrusted_put(struct mcti_buf *to, struct mcti_str text, size_t max)
{
    const char *end = text.p + text.len;
    bool blank = false;
    size_t from = to->len, n;
    for (const char *p = text.p; p < end; p += n) {
        bool space = strchr(" \t\r\n\v\f", *p) && *p;
        size_t bad = space ? 1 : unseen_len(p, (size_t)(end - p));
        n = bad ? bad : mcti_utf8_len(p, end);
        blank |= space;
        if (bad || !n) {
            n = n ? n : 1;
            continue;
        }
        bool gap = blank && to->len > from;
        if (to->len - from + gap + n > max || !mcti_buf_ok(to))
            return false;
        if (gap)
            mcti_buf_addc(to, ' ');
        mcti_buf_add(to, (struct mcti_str){ p, n });
        blank = false;
    }
    return mcti_buf_ok(to);
}

bool mcti_untrusted_put_json(struct mcti_buf *to, struct mcti_str value, size_t max)
{
    struct mcti_str plain;
    struct mcti_buf text;
    if (mcti_json_plain(value, &plain))
        return mcti_untrusted_put(to, plain, max);
    mcti_buf_init(&text, value.len);
    mcti_json_unescape_any(value, &text);
    mcti_buf_mind(to, mcti_buf_str(&text));
    bool whole = mcti_untrusted_put(to, mcti_buf_str(&text), max);
    mcti_buf_done(&text);
    return whole;
}
