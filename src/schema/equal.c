/* Equality of JSON values, and hashes that agree with it. */
#include "schema/impl.h"

#include "base/hash.h"

static bool equal(struct mct_schema_run *run, struct mct_str a, struct mct_str b, int depth);
static uint64_t hash(struct mct_schema_run *run, uint64_t seed, struct mct_str value, int depth);

static bool deep(struct mct_schema_run *run, int depth)
{
    if (depth < MCT_SCHEMA_VALUE_DEPTH)
        return false;
    mct_schema_stop(run, "is nested too deeply to be compared");
    return true;
}

static bool equal_arrays(struct mct_schema_run *run, struct mct_str a, struct mct_str b, int depth)
{
    struct mct_json_iter at_a = mct_json_open(a), at_b = mct_json_open(b);
    struct mct_str x, y;
    bool more;
    while ((more = mct_schema_next(run, &at_a, &x)) && mct_schema_next(run, &at_b, &y))
        if (!equal(run, x, y, depth + 1))
            return false;
    return !more && !mct_schema_next(run, &at_b, &y);
}

/* Whether every member of a is in b; with its value, or (the other way round) the name alone: values
 * once more would double the work at each level. */
static bool has_members(struct mct_schema_run *run, struct mct_str a, struct mct_str b, bool values, int depth)
{
    struct mct_json_iter at = mct_json_open(b);
    struct mct_json_member m;
    struct mct_str other;
    for (struct mct_json_iter it = mct_json_open(a); mct_schema_next_member(run, &it, &m);)
        if (!mct_schema_find(run, b, &at, m.key, &other) || (values && !equal(run, m.value, other, depth + 1)))
            return false;
    return true;
}

static bool equal_objects(struct mct_schema_run *run, struct mct_str a, struct mct_str b, int depth)
{
    return mct_schema_count(run, a) == mct_schema_count(run, b) && has_members(run, a, b, true, depth) &&
           has_members(run, b, a, false, depth);
}

static bool equal(struct mct_schema_run *run, struct mct_str a, struct mct_str b, int depth)
{
    char type = mct_json_type(a);
    if (type != mct_json_type(b))
        return false;
    if (deep(run, depth) || !mct_schema_spend_bytes(run, a.len < b.len ? a.len : b.len))
        return false;
    switch (type) {
    case '0':
        return mct_schema_number_cmp(a, b) == 0;
    case '"':
        return mct_schema_same_text(run, mct_schema_raw(a), mct_schema_raw(b));
    case '[':
        return equal_arrays(run, a, b, depth);
    case '{':
        return equal_objects(run, a, b, depth);
    default:
        return true;
    }
}

bool mct_schema_equal(struct mct_schema_run *run, struct mct_str a, struct mct_str b)
{
    return equal(run, a, b, 0) && !run->stopped;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    return mct_hash(a, (struct mct_str){ (const char *)&b, sizeof b });
}

static uint64_t hash_text(struct mct_schema_run *run, uint64_t seed, struct mct_str raw)
{
    return mct_hash(seed, mct_schema_text(run, &run->text, raw));
}

static uint64_t hash_array(struct mct_schema_run *run, uint64_t seed, struct mct_str value, int depth)
{
    struct mct_str item;
    uint64_t h = mix(seed, '[');
    for (struct mct_json_iter it = mct_json_open(value); mct_schema_next(run, &it, &item);)
        h = mix(h, hash(run, h, item, depth + 1));
    return h;
}

/* A sum, as the order of members means nothing. */
static uint64_t hash_object(struct mct_schema_run *run, uint64_t seed, struct mct_str value, int depth)
{
    struct mct_json_member m;
    uint64_t h = mix(seed, '{');
    for (struct mct_json_iter it = mct_json_open(value); mct_schema_next_member(run, &it, &m);)
        h += hash(run, hash_text(run, seed, m.key), m.value, depth + 1);
    return h;
}

static uint64_t hash(struct mct_schema_run *run, uint64_t seed, struct mct_str value, int depth)
{
    char type = mct_json_type(value);
    if (deep(run, depth) || !mct_schema_spend_bytes(run, value.len))
        return 0;
    switch (type) {
    case '0':
        return mct_schema_number_hash(mix(seed, '0'), value);
    case '"':
        return hash_text(run, mix(seed, '"'), mct_schema_raw(value));
    case '[':
        return hash_array(run, seed, value, depth);
    case '{':
        return hash_object(run, seed, value, depth);
    default:
        return mix(seed, (uint64_t)type);
    }
}

uint64_t mct_schema_hash(struct mct_schema_run *run, struct mct_str value)
{
    return hash(run, 0, value, 0);
}
