#include "auth/wire/form.h"

void mcti_form_put(struct mcti_buf *to, const char *name, struct mcti_str value)
{
    if (!value.p)
        return;
    if (to->len && !strchr("?&", mcti_buf_last(to)))
        mcti_buf_addc(to, '&');
    mcti_buf_add_percent(to, mcti_str_of(name));
    mcti_buf_addc(to, '=');
    mcti_buf_add_percent(to, value);
}

/* Decodes the character at *p, which is before `end`, and moves *p behind it. Returns NUL if it is malformed or NUL. */
static char form_next(const char **p, const char *end)
{
    int byte = mcti_str_percent(mcti_str_range(*p, end), 0);
    char c = **p;
    *p += byte < 0 ? 1 : 3;
    return byte >= 0 ? (char)byte : c == '%' ? '\0' : c == '+' ? ' ' : c;
}

int mcti_form_decode(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_mind(to, text);
    if (!text.len)
        return 0;
    for (const char *p = text.p, *end = text.p + text.len; p < end;) {
        char c = form_next(&p, end);
        if (!c)
            return -1;
        mcti_buf_addc(to, c);
    }
    return 0;
}

static bool form_name_is(struct mcti_str raw, const char *name)
{
    const char *p = raw.p, *end = raw.p + raw.len;
    while (p < end && *name && form_next(&p, end) == *name)
        name++;
    return p == end && !*name;
}

int mcti_form_get(struct mcti_str form, const char *name, struct mcti_buf *to)
{
    struct mcti_str value, key;
    int n = 0;
    while (mcti_str_split(&form, '&', &value))
        if (mcti_str_split(&value, '=', &key) && form_name_is(key, name) && !n++ && mcti_form_decode(to, value) < 0)
            return -1;
    return n;
}
