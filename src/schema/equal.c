/* Equality of JSON values, and consistent hashes. */
#include "schema/value.h"

#include "base/hash.h"

static bool equal_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b, int depth);
static uint64_t equal_hash(struct mcti_schema_run *run, uint64_t seed, struct mcti_str value, int depth);

static bool equal_deep(struct mcti_schema_run *run, int depth)
{
    if (depth < MCT_SCHEMA_VALUE_DEPTH)
        return false;
    mcti_schema_stop(run, "is nested too deeply to be compared");
    return true;
}

static bool equal_arrays(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b, int depth)
{
    struct mcti_json_iter at_a = mcti_json_open(a), at_b = mcti_json_open(b);
    struct mcti_str x, y;
    bool more;
    while ((more = mcti_schema_next(run, &at_a, &x)) && mcti_schema_next(run, &at_b, &y))
        if (!equal_equal(run, x, y, depth + 1))
            return false;
    return !more && !mcti_schema_next(run, &at_b, &y);
}

/* Returns true if `b` has every member of `a`, with the same value if `values` is set. Comparing the values in both
 * directions would double the work at each level. */
static bool has_members(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b, bool values, int depth)
{
    struct mcti_json_iter at = mcti_json_open(b);
    struct mcti_json_member m;
    struct mcti_str other;
    for (struct mcti_json_iter it = mcti_json_open(a); mcti_schema_next_member(run, &it, &m);)
        if (!mcti_schema_find(run, b, &at, m.key, &other) || (values && !equal_equal(run, m.value, other, depth + 1)))
            return false;
    return true;
}

static bool equal_objects(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b, int depth)
{
    return mcti_schema_count(run, a) == mcti_schema_count(run, b) && has_members(run, a, b, true, depth) &&
           has_members(run, b, a, false, depth);
}

static bool equal_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b, int depth)
{
    char type = mcti_json_type(a);
    if (type != mcti_json_type(b))
        return false;
    if (equal_deep(run, depth) || !mcti_schema_spend_bytes(run, a.len < b.len ? a.len : b.len))
        return false;
    switch (type) {
    case '0':
        return mcti_schema_number_cmp(a, b) == 0;
    case '"':
        return mcti_schema_same_text(run, mcti_schema_raw(a), mcti_schema_raw(b));
    case '[':
        return equal_arrays(run, a, b, depth);
    case '{':
        return equal_objects(run, a, b, depth);
    default:
        return true;
    }
}

bool mcti_schema_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b)
{
    return equal_equal(run, a, b, 0) && !run->stopped;
}

static uint64_t equal_mix(uint64_t a, uint64_t b)
{
    return mcti_hash(a, (struct mcti_str){ (const char *)&b, sizeof b });
}

static uint64_t hash_text(struct mcti_schema_run *run, uint64_t seed, struct mcti_str raw)
{
    return mcti_hash(seed, mcti_schema_text(run, &run->text, raw));
}

static uint64_t hash_array(struct mcti_schema_run *run, uint64_t seed, struct mcti_str value, int depth)
{
    struct mcti_str item;
    uint64_t h = equal_mix(seed, '[');
    for (struct mcti_json_iter it = mcti_json_open(value); mcti_schema_next(run, &it, &item);)
        h = equal_mix(h, equal_hash(run, h, item, depth + 1));
    return h;
}

/* Adds up the hashes of the members, as their order is insignificant. */
static uint64_t hash_object(struct mcti_schema_run *run, uint64_t seed, struct mcti_str value, int depth)
{
    struct mcti_json_member m;
    uint64_t h = equal_mix(seed, '{');
    for (struct mcti_json_iter it = mcti_json_open(value); mcti_schema_next_member(run, &it, &m);)
        h += equal_hash(run, hash_text(run, seed, m.key), m.value, depth + 1);
    return h;
}

static uint64_t equal_hash(struct mcti_schema_run *run, uint64_t seed, struct mcti_str value, int depth)
{
    char type = mcti_json_type(value);
    if (equal_deep(run, depth) || !mcti_schema_spend_bytes(run, value.len))
        return 0;
    switch (type) {
    case '0':
        return mcti_schema_number_hash(equal_mix(seed, '0'), value);
    case '"':
        return hash_text(run, equal_mix(seed, '"'), mcti_schema_raw(value));
    case '[':
        return hash_array(run, seed, value, depth);
    case '{':
        return hash_object(run, seed, value, depth);
    default:
        return equal_mix(seed, (uint64_t)type);
    }
}

uint64_t mcti_schema_hash(struct mcti_schema_run *run, struct mcti_str value)
{
    return equal_hash(run, 0, value, 0);
}
