/* Expands variables in all strings of a JSON value. The recursion is bounded, because validation of the configuration
 * file limits the nesting. */
#include "config/expand/expand.h"

#include "json/write.h"

#include <stdlib.h>

static int expand_json_put_text(struct mcti_buf *to, struct mcti_str v, const char *file, struct mct_error *err)
{
    unsigned long failures = mcti_memory_failures();
    char *text = mcti_json_dup(v), *expanded = NULL;
    bool expands = text && strstr(text, "${");
    int r = text || mcti_memory_failures() == failures ? 0 : mcti_no_memory(err);
    if (r == 0 && expands && mcti_expand_anchor(&text, file) < 0)
        r = mcti_no_memory(err);
    if (r == 0 && expands && !(expanded = mcti_expand(text, err)))
        r = -1;
    if (expanded)
        mcti_json_put_string(to, mcti_str_of(expanded));
    else
        mcti_buf_add(to, v);
    free(expanded);
    free(text);
    return r;
}

static int put_members(struct mcti_buf *to, struct mcti_str v, const char *file, struct mct_error *err)
{
    struct mcti_json_member m;
    size_t n = 0;
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_member(&it, &m); n++) {
        mcti_buf_addz(to, n ? ",\"" : "\"");
        mcti_buf_add(to, m.key);
        mcti_buf_addz(to, "\":");
        if (mcti_expand_json(to, m.value, file, err) < 0)
            return mcti_error_wrap(err, "%.*s", MCT_STR_ARG(m.key));
    }
    mcti_buf_addc(to, '}');
    return 0;
}

static int put_items(struct mcti_buf *to, struct mcti_str v, const char *file, struct mct_error *err)
{
    struct mcti_str item;
    size_t n = 0;
    mcti_buf_addc(to, '[');
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_item(&it, &item); n++) {
        mcti_buf_addz(to, n ? "," : "");
        if (mcti_expand_json(to, item, file, err) < 0)
            return mcti_error_wrap(err, "[%zu]", n);
    }
    mcti_buf_addc(to, ']');
    return 0;
}

int mcti_expand_json(struct mcti_buf *to, struct mcti_str v, const char *file, struct mct_error *err)
{
    switch (mcti_json_type(v)) {
    case '{':
        return put_members(to, v, file, err);
    case '[':
        return put_items(to, v, file, err);
    case '"':
        return expand_json_put_text(to, v, file, err);
    default:
        mcti_buf_add(to, v);
        return 0;
    }
}
