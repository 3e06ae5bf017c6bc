#include "auth/wire/challenge.h"

#include "auth/wire/text.h"
#include "base/limits.h"

/* Takes the next scope of a list. Returns false at its end. */
static bool scope_next(struct mcti_str *rest, struct mcti_str *ret)
{
    while (mcti_str_split(rest, ' ', ret))
        if (ret->len)
            return true;
    return false;
}

static bool scope_has(struct mcti_str list, struct mcti_str scope)
{
    struct mcti_str one;
    while (scope_next(&list, &one))
        if (mcti_str_eq(one, scope))
            return true;
    return false;
}

bool mcti_scope_covers(struct mcti_str whole, struct mcti_str part)
{
    struct mcti_str one;
    while (scope_next(&part, &one))
        if (!scope_has(whole, one))
            return false;
    return true;
}

/* Appends the scopes of `list` that `to` does not have behind `from`. */
static void scope_put_missing(struct mcti_buf *to, size_t from, struct mcti_str list)
{
    struct mcti_str one;
    while (scope_next(&list, &one) && mcti_buf_ok(to)) {
        if (to->len > from && scope_has(mcti_str_range(to->p + from, to->p + to->len), one))
            continue;
        if (to->len > from)
            mcti_buf_addc(to, ' ');
        mcti_buf_add(to, one);
    }
}

void mcti_scope_put_union(struct mcti_buf *to, struct mcti_str a, struct mcti_str b)
{
    const size_t from = to->len;
    scope_put_missing(to, from, a);
    scope_put_missing(to, from, b);
}

bool mcti_scope_is_valid(struct mcti_str scope)
{
    struct mcti_str one;
    if (scope.len > MCT_LIMIT_AUTH_SCOPE_BYTES)
        return false;
    while (scope_next(&scope, &one))
        if (!mcti_text_is_visible(one, "\"\\"))
            return false;
    return true;
}
