/* Keywords for any value, numbers and strings. */
#include "schema/value.h"

#include <stdio.h>

/* ---- type ---- */

static const struct {
    const char *name, *shown;
    const char *first; /* results of mcti_json_type() for this type */
    bool whole;
} types[] = {
    { "string", "a string", "\"", false },   { "object", "an object", "{", false },
    { "number", "a number", "0", false },    { "integer", "an integer", "0", true },
    { "boolean", "a boolean", "tf", false }, { "array", "an array", "[", false },
    { "null", "null", "n", false },
};

enum { N_TYPES = sizeof types / sizeof *types };

/* Returns the row of a type name; N_TYPES if it is unknown. */
static size_t find_type(struct mcti_str name)
{
    size_t i = 0;
    while (i < N_TYPES && !mcti_json_is(name, types[i].name))
        i++;
    return i;
}

static bool is_of(struct mcti_str value, size_t type)
{
    return strchr(types[type].first, mcti_json_type(value)) && (!types[type].whole || mcti_schema_number_whole(value));
}

static const char *shown_type(struct mcti_str value)
{
    size_t i = 0;
    while (!strchr(types[i].first, mcti_json_type(value)))
        i++;
    return types[i].shown;
}

static bool bad_type(struct mcti_schema_run *run, struct mcti_str arg)
{
    return mcti_schema_stop(run, "unknown \"type\" in the schema: %.*s%s", MCT_SCHEMA_SHOW(arg));
}

static bool one_type(struct mcti_schema_run *run, struct mcti_str value, struct mcti_str arg)
{
    size_t i = find_type(arg);
    if (i == N_TYPES)
        return bad_type(run, arg);
    if (is_of(value, i))
        return true;
    if (types[i].whole && mcti_json_type(value) == '0')
        return mcti_schema_mismatch(run, "must be an integer");
    return mcti_schema_mismatch(run, "must be %s, not %s", types[i].shown, shown_type(value));
}

bool mcti_schema_type(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str name;
    if (mcti_json_type(arg) == '"')
        return one_type(run, f->value, arg);
    if (!mcti_schema_spend_bytes(run, arg.len))
        return false;
    for (struct mcti_json_iter it = mcti_json_open(arg); mcti_json_next_item(&it, &name);) {
        size_t i = find_type(name);
        if (i == N_TYPES)
            return bad_type(run, name);
        if (is_of(f->value, i))
            return true;
    }
    return mcti_schema_mismatch(run, "must be one of the types %.*s%s, not %s", MCT_SCHEMA_SHOW(arg),
                                shown_type(f->value));
}

/* ---- enum and const ---- */

bool mcti_schema_const(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_equal(run, f->value, arg) || mcti_schema_mismatch(run, "must be %.*s%s", MCT_SCHEMA_SHOW(arg));
}

bool mcti_schema_enum(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str item;
    if (!mcti_schema_spend_bytes(run, arg.len))
        return false;
    for (struct mcti_json_iter it = mcti_json_open(arg); mcti_schema_next(run, &it, &item);)
        if (mcti_schema_equal(run, f->value, item))
            return true;
    return mcti_schema_mismatch(run, "must be one of %.*s%s", MCT_SCHEMA_SHOW(arg));
}

/* ---- numbers ---- */

/* Compares value and limit: `order` is -1 for below, 1 for above; equality passes unless `strictly`. */
static bool schema_value_compare(struct mcti_schema_run *run, struct mcti_str value, struct mcti_str limit, int order,
                                 bool strictly)
{
    static const char *const comparisons[2][2] = { { "at most", "less than" }, { "at least", "greater than" } };
    if (!mcti_schema_spend_bytes(run, value.len + limit.len))
        return false;
    int cmp = mcti_schema_number_cmp(value, limit) * order;
    return cmp > 0 || (!cmp && !strictly) ||
           mcti_schema_mismatch(run, "must be %s %.*s%s", comparisons[order > 0][strictly], MCT_SCHEMA_SHOW(limit));
}

bool mcti_schema_minimum(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return schema_value_compare(run, f->value, arg, 1, mcti_json_true(f->word[W_OLD_EXCLUSIVE_MINIMUM]));
}

bool mcti_schema_maximum(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return schema_value_compare(run, f->value, arg, -1, mcti_json_true(f->word[W_OLD_EXCLUSIVE_MAXIMUM]));
}

bool mcti_schema_exclusive_minimum(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return schema_value_compare(run, f->value, arg, 1, true);
}

bool mcti_schema_exclusive_maximum(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return schema_value_compare(run, f->value, arg, -1, true);
}

bool mcti_schema_multiple_of(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    if (!mcti_schema_spend(run, f->value.len + arg.len))
        return false;
    int is = mcti_schema_number_sign(arg) > 0 ? mcti_schema_number_multiple(f->value, arg) : -1;
    if (is < 0)
        return mcti_schema_stop(run,
                                "the schema's \"multipleOf\" must be above 0 and have at most 19 digits, not %.*s%s",
                                MCT_SCHEMA_SHOW(arg));
    return is || mcti_schema_mismatch(run, "must be a multiple of %.*s%s", MCT_SCHEMA_SHOW(arg));
}

/* ---- counts ---- */

static int cmp_count(size_t n, struct mcti_str arg)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%zu", n);
    return mcti_schema_number_cmp((struct mcti_str){ text, (size_t)len }, arg);
}

bool mcti_schema_at_least(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what)
{
    return cmp_count(n, arg) >= 0 ||
           mcti_schema_mismatch(run, "must have at least %.*s%s %s, not %zu", MCT_SCHEMA_SHOW(arg), what, n);
}

bool mcti_schema_at_most(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what)
{
    return cmp_count(n, arg) <= 0 ||
           mcti_schema_mismatch(run, "must have at most %.*s%s %s, not %zu", MCT_SCHEMA_SHOW(arg), what, n);
}

/* ---- strings ---- */

/* Returns the position after the escape of one code point: a surrogate pair or an unpaired surrogate counts as one. */
static const char *behind_escape(const char *p, const char *end)
{
    if (p[1] != 'u')
        return p + 2;
    bool high = (p[2] | 32) == 'd' && strchr("89abAB", p[3]);
    p += 6;
    bool low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' && (p[2] | 32) == 'd' && strchr("cdefCDEF", p[3]);
    return high && low ? p + 6 : p;
}

static size_t code_points(struct mcti_schema_run *run, struct mcti_str string)
{
    struct mcti_str raw = mcti_schema_raw(string);
    const char *end = raw.p + raw.len;
    size_t n = 0;
    mcti_schema_spend(run, raw.len / 4);
    for (const char *p = raw.p; p < end; n++) {
        if (*p == '\\') {
            p = behind_escape(p, end);
            continue;
        }
        for (p++; p < end && ((unsigned char)*p & 0xc0) == 0x80;)
            p++;
    }
    return n;
}

bool mcti_schema_min_length(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_least(run, code_points(run, f->value), arg, "characters");
}

bool mcti_schema_max_length(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_most(run, code_points(run, f->value), arg, "characters");
}

bool mcti_schema_pattern(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str pattern = mcti_schema_raw(arg), text = mcti_schema_text(run, &run->text, mcti_schema_raw(f->value));
    return mcti_schema_match(run, pattern, text) ||
           mcti_schema_mismatch(run, "must match the pattern \"%.*s%s\"", MCT_SCHEMA_SHOW(pattern));
}
