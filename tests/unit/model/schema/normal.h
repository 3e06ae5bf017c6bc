/* Normalised schemas: what the tests of them share. */
#ifndef MCT_TESTS_NORMAL_H
#define MCT_TESTS_NORMAL_H

#include "unit.h"
#include "golden.h"

#include "model/schema/profile.h"

enum { TEXT = 8192 };

#include "quoted.h"

static const char *const golden_files[] = { "arrays",   "deepseek", "draft",        "gemini",  "keys",
                                            "llamacpp", "numbers",  "openai",       "openapi", "refs",
                                            "root",     "strict",   "strict_names", "unions",  "xai" };

enum { N_FILES = sizeof golden_files / sizeof *golden_files };

static inline const struct mcti_schema_profile *profile(const char *name)
{
    const struct mcti_schema_profile *p = mcti_schema_profile_find(mcti_str_of(name));
    assert_non_null(p);
    return p;
}

/* Initialises *to. */
static inline void normalise(struct mcti_buf *to, struct mcti_str schema, const struct mcti_schema_profile *p)
{
    struct mct_error err = { 0 };
    mcti_buf_init(to, 64u << 20);
    if (mcti_schema_normalise(to, schema, p, NULL, &err) < 0)
        fail_msg("%s of %.*s: %s", p->name, MCT_STR_ARG(schema), err.message);
    if (p->steps && !mcti_json_valid(mcti_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("no JSON: %.*s", MCT_STR_ARG(mcti_buf_str(to)));
}

typedef void case_fn(struct mcti_str row);

static inline void each_case(const char *file, case_fn *fn)
{
    struct mcti_buf text;
    struct mcti_json_fault fault;
    struct mcti_str row;
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "schemas/%s.json", file);
    read_golden(&text, path);
    if (!mcti_json_valid(mcti_buf_str(&text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        fail_msg("%s at byte %zu: %s", path, fault.offset, fault.why);
    for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&text)); mcti_json_next_item(&it, &row); n++)
        fn(row);
    assert_true(n > 0);
    mcti_buf_done(&text);
}

static inline void put_bomb(struct mcti_buf *to, int levels, const char *inner)
{
    mcti_buf_init(to, 1u << 20);
    mcti_buf_addz(to, "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/0\"}},\"$defs\":{");
    for (int i = 0; i < levels; i++)
        mcti_buf_printf(to,
                        "\"%d\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/"
                        "%d\"},\"b\":{\"$ref\":\"#/$defs/%d\"}}},",
                        i, i + 1, i + 1);
    mcti_buf_printf(to, "\"%d\":%s}}", levels, inner);
}

static inline void put_repeated(struct mcti_buf *to, const char *before, const char *unit, const char *after, int n)
{
    mcti_buf_init(to, 16u << 20);
    mcti_buf_addz(to, before);
    for (int i = 0; i < n; i++)
        mcti_buf_printf(to, unit, i, i + 1);
    mcti_buf_addz(to, after);
}

#endif
