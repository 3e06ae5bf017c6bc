#include "auth/wire/text.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"

bool mcti_text_is_visible(struct mcti_str text, const char *without)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] <= ' ' || (unsigned char)text.p[i] > '~' || strchr(without, text.p[i]))
            return false;
    return true;
}

void mcti_text_show(char *to, size_t size, struct mcti_str text)
{
    size_t len = 0, n;
    if (!text.len)
        text = MCT_STR("");
    const char *end = text.p + text.len;
    for (const char *p = text.p; p < end; p += n) {
        size_t control = mcti_control_len(p, (size_t)(end - p)), valid = mcti_utf8_len(p, end);
        bool bad = control || !valid;
        n = control ? control : valid ? valid : 1;
        if (len + (bad ? 1 : n) >= size)
            break;
        memcpy(to + len, bad ? "?" : p, bad ? 1 : n);
        len += bad ? 1 : n;
    }
    to[len] = '\0';
}
