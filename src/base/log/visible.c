#include "base/log/visible.h"

#include "base/log/utf8.h"

size_t mcti_control_len(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x20 || u[0] == 0x7f)
        return 1;
    if (n >= 2 && u[0] == 0xc2 && u[1] >= 0x80 && u[1] <= 0x9f) /* C1 */
        return 2;
    if (n >= 2 && u[0] == 0xd8 && u[1] == 0x9c) /* U+061C */
        return 2;
    if (n < 3 || u[0] != 0xe2)
        return 0;
    bool embeds = u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xaa && u[2] <= 0xae));
    bool isolates = u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9;
    return embeds || isolates ? 3 : 0;
}

size_t mcti_unseen_len(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t control = mcti_control_len(p, n);
    if (control)
        return control;
    if (n >= 3 && u[0] == 0xe2 && u[1] == 0x80 && ((u[2] >= 0x8b && u[2] <= 0x8d) || u[2] == 0xa8 || u[2] == 0xa9))
        return 3; /* U+200B to U+200D, U+2028, U+2029 */
    if (n >= 3 && ((u[0] == 0xe2 && u[1] == 0x81 && u[2] == 0xa0) || (u[0] == 0xef && u[1] == 0xbb && u[2] == 0xbf)))
        return 3;                                                                            /* U+2060, U+FEFF */
    return n >= 4 && u[0] == 0xf3 && u[1] == 0xa0 && (u[2] == 0x80 || u[2] == 0x81) ? 4 : 0; /* U+E0000 to U+E007F */
}

/* Returns the length of the character at `p`; sets *ret_bad if it must not reach a terminal. */
static size_t visible_next(const char *p, const char *end, bool *ret_bad)
{
    size_t control = mcti_control_len(p, (size_t)(end - p)), len = control ? control : mcti_utf8_len(p, end);
    *ret_bad = control || !len;
    return len ? len : 1;
}

/* Returns true for tabs and line ends, where the form keeps them. "\r" alone is not a line end: it returns to the
 * beginning of the line. */
static bool may_stay(const char *p, const char *end, enum mcti_visible_form form)
{
    return form != MCT_VISIBLE_LINE && (*p == '\n' || *p == '\t' || (*p == '\r' && p + 1 < end && p[1] == '\n'));
}

void mcti_visible_put(struct mcti_buf *to, struct mcti_str text, enum mcti_visible_form form)
{
    const char *end = text.p + text.len;
    bool bad;
    size_t n;
    for (const char *p = text.p; p < end && mcti_buf_ok(to); p += n) {
        n = visible_next(p, end, &bad);
        if (!bad || may_stay(p, end, form))
            mcti_buf_add(to, (struct mcti_str){ p, n });
        else if (form == MCT_VISIBLE_JSON)
            mcti_buf_printf(to, "\\u%04x", mcti_utf8_len(p, end) ? mcti_utf8_at(p, n) : 0xfffdu);
        else
            mcti_buf_addc(to, '?');
    }
}

void mcti_visible(char *z)
{
    const char *p = z, *end = z + strlen(z);
    bool bad;
    while (p < end) {
        size_t n = visible_next(p, end, &bad);
        if (bad)
            *z = '?';
        else
            memmove(z, p, n);
        z += bad ? 1 : n;
        p += n;
    }
    *z = '\0';
}
