/* Keywords for arrays. */
#include "schema/value.h"

#include <stdlib.h>

bool mcti_schema_min_items(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_least(run, mcti_schema_count(run, f->value), arg, "items");
}

bool mcti_schema_max_items(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_most(run, mcti_schema_count(run, f->value), arg, "items");
}

/* ---- uniqueItems ---- */

struct hashed {
    uint64_t hash;
    struct mcti_str item;
    size_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

static void hash_items(struct mcti_schema_run *run, struct mcti_str array, struct hashed *to)
{
    struct mcti_json_iter it = mcti_json_open(array);
    for (size_t i = 0; mcti_schema_next(run, &it, &to[i].item); i++) {
        to[i].hash = mcti_schema_hash(run, to[i].item);
        to[i].index = i;
    }
}

/* Compares items with the same hash, which are adjacent. Comparisons of different items cost work. */
static bool all_differ(struct mcti_schema_run *run, const struct hashed *h, size_t n)
{
    for (size_t i = 1; i < n && !run->stopped; i++)
        for (size_t k = i; k-- > 0 && h[k].hash == h[i].hash && mcti_schema_spend(run, 1);)
            if (mcti_schema_equal(run, h[k].item, h[i].item))
                return mcti_schema_mismatch(run, "must not have equal items; items %zu and %zu are equal", h[k].index,
                                            h[i].index);
    return !run->stopped;
}

bool mcti_schema_unique_items(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    size_t n = mcti_json_true(arg) ? mcti_schema_count(run, f->value) : 0;
    if (n < 2)
        return true;
    if (!mcti_schema_spend(run, n * 64)) /* limits the memory, too: a million items need 32 MiB */
        return false;
    struct hashed *h = calloc(n, sizeof *h);
    if (!h)
        return mcti_schema_stop(run, "has too many items to compare with the available memory");
    hash_items(run, f->value, h);
    if (!run->stopped)
        qsort(h, n, sizeof *h, by_hash);
    bool differ = all_differ(run, h, n);
    free(h);
    return differ;
}

/* ---- schemas for items ---- */

/* Returns, for any dialect, the schemas of the first items and the schema of all others. */
static void split_items(const struct mcti_schema_frame *f, struct mcti_str *ret_first, struct mcti_str *ret_rest)
{
    struct mcti_str old = f->word[W_OLD_ITEMS];
    bool is_list = mcti_json_type(old) == '[';
    *ret_first = is_list ? old : f->word[W_PREFIX_ITEMS];
    *ret_rest = is_list ? f->word[W_ADDITIONAL_ITEMS] : old.p ? old : f->word[W_ITEMS];
}

/* Checks `prefixItems`, `items` and `additionalItems` in one pass, on behalf of the first of them. */
bool mcti_schema_elements(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str first, rest, schema, item;
    if (f->word[W_PREFIX_ITEMS].p && arg.p != f->word[W_PREFIX_ITEMS].p)
        return true;
    split_items(f, &first, &rest);
    struct mcti_json_iter it = mcti_json_open(f->value), schemas = mcti_json_open(first);
    mcti_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mcti_schema_next(run, &it, &item); i++) {
        struct mcti_schema_place place = { .up = run->at, .index = i };
        if (!mcti_schema_next(run, &schemas, &schema))
            schema = rest;
        if (!schema.p)
            break;
        if (!mcti_schema_apply(run, schema, item, &place))
            return false;
        mcti_schema_mark(run, f, i);
    }
    return true;
}

bool mcti_schema_contains(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str item, min = f->word[W_MIN_CONTAINS], max = f->word[W_MAX_CONTAINS];
    struct mcti_json_iter it = mcti_json_open(f->value);
    size_t n = 0;
    mcti_schema_spend_bytes(run, f->value.len);
    run->quiet++;
    for (size_t i = 0; mcti_schema_next(run, &it, &item); i++) {
        if (!mcti_schema_apply(run, arg, item, run->at))
            continue;
        n++;
        if (f->dialect >= D2020) /* core section 10.3.1.3; different in 2019-09 */
            mcti_schema_mark(run, f, i);
    }
    run->quiet--;
    return mcti_schema_at_least(run, n, min.p ? min : MCT_STR("1"), "items that match \"contains\"") &&
           (!max.p || mcti_schema_at_most(run, n, max, "items that match \"contains\""));
}

bool mcti_schema_unevaluated_items(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_json_iter it = mcti_json_open(f->value);
    struct mcti_str item;
    mcti_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mcti_schema_next(run, &it, &item); i++) {
        struct mcti_schema_place place = { .up = run->at, .index = i };
        if (!run->marks.p[f->marks + i] && !mcti_schema_apply(run, arg, item, &place))
            return false;
        mcti_schema_mark(run, f, i);
    }
    return true;
}
