#include "json/write.h"

#include <stdlib.h>

static int unique_cmp(const void *a, const void *b)
{
    return mcti_str_cmp(*(const struct mcti_str *)a, *(const struct mcti_str *)b);
}

/* Returns 1 if no two of the keys are equal, otherwise 0. Sorts them. */
static int unique_keys(struct mcti_str *keys, size_t n)
{
    qsort(keys, n, sizeof *keys, unique_cmp);
    for (size_t i = 1; i < n; i++)
        if (mcti_str_eq(keys[i - 1], keys[i]))
            return 0;
    return 1;
}

static int unique_members(struct mcti_str object)
{
    struct mcti_json_member member;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &member);)
        n++;
    struct mcti_str *keys = n > 1 ? calloc(n, sizeof *keys) : NULL;
    if (!keys)
        return n > 1 ? -1 : 1;
    n = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &member);)
        keys[n++] = member.key;
    int r = unique_keys(keys, n);
    free(keys);
    return r;
}

/* Checks compact JSON. The depth of the recursion is that of the value, which its validation has limited. */
static int unique_value(struct mcti_str value)
{
    struct mcti_json_iter it = mcti_json_open(value);
    bool is_object = mcti_json_type(value) == '{';
    int r = is_object ? unique_members(value) : 1;
    struct mcti_json_member member;
    while (r == 1 && (is_object ? mcti_json_next_member(&it, &member) : mcti_json_next_item(&it, &member.value)))
        if (mcti_json_type(member.value) == '{' || mcti_json_type(member.value) == '[')
            r = unique_value(member.value);
    return r;
}

int mcti_json_unique(struct mcti_str value)
{
    struct mcti_buf compact;
    mcti_buf_init_secret(&compact, value.len); /* it may be a private key */
    mcti_json_put_compact(&compact, value);
    int r = mcti_buf_ok(&compact) ? unique_value(mcti_buf_str(&compact)) : -1;
    mcti_buf_done(&compact);
    return r;
}
