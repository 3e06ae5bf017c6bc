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

/* Returns the operator of an expression that its expansion begins with; 0: it has none. */
static char template_operator(struct mcti_str expression)
{
    return expression.len && strchr("#./;?&", expression.p[0]) ? expression.p[0] : '\0';
}

/* Receives an expression, without its braces, and the part of the URI that it matches. */
typedef void template_found_fn(void *data, struct mcti_str expression, struct mcti_str part);

/* Matches like a glob, with one backtracking point: the last expression may match one byte more. Calls `found`, which
 * may be NULL, for each expression whose end is known. */
static bool template_match(struct mcti_str t, struct mcti_str u, template_found_fn *found, void *data)
{
    size_t ti = 0, ui = 0, retry_t = 0, retry_u = 0, from = 0;
    struct mcti_str expression = MCT_STR_NONE;
    bool choice = false, wide = false;

    for (;;) {
        const char *close = ti < t.len && t.p[ti] == '{' ? memchr(t.p + ti, '}', t.len - ti) : NULL;
        if (close) {
            char next =
                found && expression.p && ti == retry_t ? template_operator(mcti_str_range(t.p + ti + 1, close)) : 0;
            while (next && ui < u.len && u.p[ui] != next && (wide || !template_stops(u.p[ui])))
                retry_u = ++ui; /* what comes before the operator belongs to the expression before */
            if (expression.p && found)
                found(data, expression, mcti_str_range(u.p + from, u.p + retry_u));
            expression = mcti_str_range(t.p + ti + 1, close);
            from = ui;
            wide = is_wide(expression);
            ti = retry_t = (size_t)(close - t.p) + 1;
            retry_u = ui;
            choice = true;
        } else if (ti < t.len && ui < u.len && t.p[ti] == u.p[ui]) {
            ti++;
            ui++;
        } else if (ti == t.len && ui == u.len) {
            if (expression.p && found)
                found(data, expression, mcti_str_range(u.p + from, u.p + retry_u));
            return true;
        } else if (choice && retry_u < u.len && (wide || !template_stops(u.p[retry_u]))) {
            ui = ++retry_u;
            ti = retry_t;
        } else {
            return false;
        }
    }
}

bool mcti_template_valid(struct mcti_str t)
{
    for (size_t i = 0; i < t.len; i++) {
        const char *close = t.p[i] == '{' ? memchr(t.p + i, '}', t.len - i) : NULL;
        if (!close && t.p[i] != '{' && t.p[i] != '}')
            continue;
        struct mcti_str inside = close ? mcti_str_range(t.p + i + 1, close) : MCT_STR_NONE;
        size_t operator= inside.len && strchr("+#./;?&", inside.p[0]) ? 1 : 0;
        if (inside.len == operator|| memchr(inside.p, '{', inside.len))
            return false;
        i += inside.len + 1;
    }
    return true;
}

bool mcti_template_matches(struct mcti_str t, struct mcti_str u)
{
    return template_match(t, u, NULL, NULL);
}

/* ---- variables ---- */

/* Writes "name":"value" with the value percent-decoded; a name is written without its modifier. */
static void put_variable(struct mcti_buf *to, struct mcti_str name, struct mcti_str value)
{
    struct mcti_buf text;
    size_t len = 0;
    while (len < name.len && name.p[len] != '*' && name.p[len] != ':')
        len++;
    if (!len)
        return;
    mcti_buf_init(&text, value.len + 1);
    for (size_t i = 0; i < value.len; i++) {
        int byte = mcti_str_percent(value, i);
        mcti_buf_addc(&text, byte < 0 ? value.p[i] : (char)byte);
        i += byte < 0 ? 0 : 2;
    }
    if (mcti_buf_last(to) != '{')
        mcti_buf_addc(to, ',');
    mcti_json_put_string(to, (struct mcti_str){ name.p, len });
    mcti_buf_addc(to, ':');
    mcti_json_put_string(to, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

/* Cuts the text before the first `c` off *rest and returns it; all of it if there is no `c`. */
static struct mcti_str template_cut(struct mcti_str *rest, char c)
{
    const char *at = rest->len ? memchr(rest->p, c, rest->len) : NULL;
    struct mcti_str head = { rest->p, at ? (size_t)(at - rest->p) : rest->len };
    size_t used = at ? head.len + 1 : head.len;
    *rest = (struct mcti_str){ rest->p + used, rest->len - used };
    return head;
}

/* Writes the variables of an expression with the operator '?', '&' or ';': pairs NAME=VALUE. */
static void put_pairs(struct mcti_buf *to, struct mcti_str part, char separator)
{
    while (part.len) {
        struct mcti_str value = template_cut(&part, separator), name = template_cut(&value, '=');
        put_variable(to, name, value);
    }
}

static void on_expression(void *data, struct mcti_str expression, struct mcti_str part)
{
    struct mcti_buf *to = data;
    char operator= expression.len && strchr("+#./;?&", expression.p[0]) ? expression.p[0] : '\0';
    char separator = operator&& strchr("./", operator) ? operator: ',';
    if (operator)
        expression = (struct mcti_str){ expression.p + 1, expression.len - 1 };
    if (operator&& operator!= '+' && part.len && part.p[0] == operator)
        part = (struct mcti_str){ part.p + 1, part.len - 1 };
    if (operator&& strchr(";?&", operator)) {
        put_pairs(to, part, operator== ';' ? ';' : '&');
        return;
    }
    while (expression.len) {
        struct mcti_str name = template_cut(&expression, ',');
        put_variable(to, name, expression.len ? template_cut(&part, separator) : part);
    }
}

void mcti_template_put_variables(struct mcti_buf *to, struct mcti_str template, struct mcti_str uri)
{
    mcti_buf_addc(to, '{');
    if (mcti_template_matches(template, uri))
        template_match(template, uri, on_expression, to);
    mcti_buf_addc(to, '}');
}
