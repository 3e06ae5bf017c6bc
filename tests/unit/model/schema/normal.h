/* Normalised schemas: what the tests of them share. */
#ifndef MCT_TESTS_NORMAL_H
#define MCT_TESTS_NORMAL_H

#include "unit.h"
#include "golden.h"

#include "model/schema/profile.h"

enum { TEXT = 8192 };

#include "quoted.h"

static const char *const golden_files[] = { "arrays", "deepseek", "gemini", "llamacpp", "numbers", "openai", "openapi", "refs",
                                            "root", "strict", "strict_names", "unions", "xai" };

enum { N_FILES = sizeof golden_files / sizeof *golden_files };

static inline const struct mct_schema_profile *profile(const char *name)
{
    const struct mct_schema_profile *p = mct_schema_profile_find(mct_str_of(name));
    assert_non_null(p);
    return p;
}

/* Initialises *to. */
static inline void normalise(struct mct_buf *to, struct mct_str schema, const struct mct_schema_profile *p)
{
    struct mct_error err = { 0 };
    mct_buf_init(to, 64u << 20);
    if (mct_schema_normalise(to, schema, p, NULL, &err) < 0)
        fail_msg("%s of %.*s: %s", p->name, MCT_STR_ARG(schema), err.message);
    if (p->steps && !mct_json_valid(mct_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("no JSON: %.*s", MCT_STR_ARG(mct_buf_str(to)));
}

typedef void case_fn(struct mct_str row);

static inline void each_case(const char *file, case_fn *fn)
{
    struct mct_buf text;
    struct mct_json_fault fault;
    struct mct_str row;
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "schemas/%s.json", file);
    read_golden(&text, path);
    if (!mct_json_valid(mct_buf_str(&text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        fail_msg("%s at byte %zu: %s", path, fault.offset, fault.why);
    for (struct mct_json_iter it = mct_json_open(mct_buf_str(&text)); mct_json_next_item(&it, &row); n++)
        fn(row);
    assert_true(n > 0);
    mct_buf_done(&text);
}

static inline void put_bomb(struct mct_buf *to, int levels, const char *inner)
{
    mct_buf_init(to, 1u << 20);
    mct_buf_addz(to, "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/0\"}},\"$defs\":{");
    for (int i = 0; i < levels; i++)
        mct_buf_printf(to, "\"%d\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/%d\"},\"b\":{\"$ref\":\"#/$defs/%d\"}}},",
                       i, i + 1, i + 1);
    mct_buf_printf(to, "\"%d\":%s}}", levels, inner);
}

static inline void put_repeated(struct mct_buf *to, const char *before, const char *unit, const char *after, int n)
{
    mct_buf_init(to, 16u << 20);
    mct_buf_addz(to, before);
    for (int i = 0; i < n; i++)
        mct_buf_printf(to, unit, i, i + 1);
    mct_buf_addz(to, after);
}

#endif
