/* Expands variables in all texts of a JSON value. The file limits the depth of recursion. */
#include "config/expand.h"

#include "json/write.h"

#include <stdlib.h>

static int put_text(struct mct_buf *to, struct mct_str v, struct mct_error *err)
{
    char *text = mct_json_dup(v);
    bool expands = text && strstr(text, "${");
    char *expanded = expands ? mct_expand(text, err) : NULL;
    if (expanded)
        mct_json_put_string(to, mct_str_of(expanded));
    else
        mct_buf_add(to, v);
    free(expanded);
    free(text);
    return expands && !expanded ? -1 : 0;
}

static int put_members(struct mct_buf *to, struct mct_str v, struct mct_error *err)
{
    struct mct_json_member m;
    size_t n = 0;
    mct_buf_addc(to, '{');
    for (struct mct_json_iter it = mct_json_open(v); mct_json_next_member(&it, &m); n++) {
        mct_buf_addz(to, n ? ",\"" : "\"");
        mct_buf_add(to, m.key);
        mct_buf_addz(to, "\":");
        if (mct_expand_json(to, m.value, err) < 0)
            return mct_error_wrap(err, "%.*s", MCT_STR_ARG(m.key));
    }
    mct_buf_addc(to, '}');
    return 0;
}

static int put_items(struct mct_buf *to, struct mct_str v, struct mct_error *err)
{
    struct mct_str item;
    size_t n = 0;
    mct_buf_addc(to, '[');
    for (struct mct_json_iter it = mct_json_open(v); mct_json_next_item(&it, &item); n++) {
        mct_buf_addz(to, n ? "," : "");
        if (mct_expand_json(to, item, err) < 0)
            return mct_error_wrap(err, "[%zu]", n);
    }
    mct_buf_addc(to, ']');
    return 0;
}

int mct_expand_json(struct mct_buf *to, struct mct_str v, struct mct_error *err)
{
    switch (mct_json_type(v)) {
    case '{':
        return put_members(to, v, err);
    case '[':
        return put_items(to, v, err);
    case '"':
        return put_text(to, v, err);
    default:
        mct_buf_add(to, v);
        return 0;
    }
}
