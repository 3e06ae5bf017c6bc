#include "hub/names/template.h"

static bool template_stops(char c)
{
    return c == '/' || c == '?' || c == '#';
}

/* Returns true if the expression between the braces may expand to text with path separators. */
static bool is_wide(struct mcti_str expression)
{
    return expression.len == 0 || strchr("+#./;?&", expression.p[0]) || memchr(expression.p, '*', expression.len) ||
           memchr(expression.p, ',', expression.len);
}

/* Matches like a glob, with one backtracking point: the last expression may match one byte more. */
bool mcti_template_matches(struct mcti_str t, struct mcti_str u)
{
    size_t ti = 0, ui = 0, retry_t = 0, retry_u = 0;
    bool choice = false, wide = false;

    for (;;) {
        const char *close = ti < t.len && t.p[ti] == '{' ? memchr(t.p + ti, '}', t.len - ti) : NULL;
        if (close) {
            wide = is_wide(mcti_str_range(t.p + ti + 1, close));
            ti = retry_t = (size_t)(close - t.p) + 1;
            retry_u = ui;
            choice = true;
        } else if (ti < t.len && ui < u.len && t.p[ti] == u.p[ui]) {
            ti++;
            ui++;
        } else if (ti == t.len && ui == u.len) {
            return true;
        } else if (choice && retry_u < u.len && (wide || !template_stops(u.p[retry_u]))) {
            ui = ++retry_u;
            ti = retry_t;
        } else {
            return false;
        }
    }
}
