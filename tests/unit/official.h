/*
 * For tests of what each revision is told. Texts are written with ' for "; values can be held against the official
 * schema of a revision. Included by one file of a program.
 */
#ifndef MCT_TESTS_OFFICIAL_H
#define MCT_TESTS_OFFICIAL_H

#include "base/limits.h"
#include "json/write.h"
#include "mcp/era.h"
#include "schema/schema.h"

enum { TEXT = 8192, FILE_BYTES = 1 << 20 };

#include "quoted.h"

#define R1 MCT_REV_2024_11_05
#define R2 MCT_REV_2025_03_26
#define R3 MCT_REV_2025_06_18
#define R4 MCT_REV_2025_11_25
#define R5 MCT_REV_2026_07_28

#define N_OF(rows) (sizeof rows / sizeof *rows)

/* ---- the official schemas ---- */

static char *official[MCT_REV_N];

static int read_schemas(void **state)
{
    char path[512];
    (void)state;
    for (int rev = R1; rev <= R5; rev++) {
        snprintf(path, sizeof path, "%s/%s.json", SCHEMAS, mct_rev_text((enum mct_rev)rev));
        FILE *f = fopen(path, "r");
        official[rev] = calloc(1, FILE_BYTES);
        size_t n = f ? fread(official[rev], 1, FILE_BYTES - 1, f) : 0;
        if (f)
            fclose(f);
        if (!mct_json_valid((struct mct_str){ official[rev], n }, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
            return -1;
    }
    return 0;
}

static int forget_schemas(void **state)
{
    (void)state;
    for (int rev = R1; rev <= R5; rev++)
        free(official[rev]);
    return 0;
}

/* Whether the value is what the revision calls `type`. */
static bool is_official(enum mct_rev rev, const char *type, struct mct_str value, struct mct_schema_fault *fault)
{
    char ref[128];
    struct mct_buf schema;
    struct mct_str file = mct_str_of(official[rev]);
    while (file.len && strchr(" \r\n\t", file.p[file.len - 1]))
        file.len--;
    const char *where = mct_json_get(file, "$defs").p ? "$defs" : "definitions";
    snprintf(ref, sizeof ref, "\"#/%s/%s\"", where, type);
    const struct mct_json_set set = { "$ref", mct_str_of(ref) };
    mct_buf_init(&schema, FILE_BYTES);
    mct_json_put_object(&schema, file, &set, 1);
    enum mct_schema_verdict v = mct_schema_check(mct_buf_str(&schema), value, fault);
    mct_buf_done(&schema);
    if (v == MCT_SCHEMA_UNUSABLE)
        fail_msg("%s %s: %s", mct_rev_text(rev), type, fault->why);
    return v == MCT_SCHEMA_VALID;
}

static void must_be_official(enum mct_rev rev, const char *type, struct mct_str value)
{
    struct mct_schema_fault fault = { "", "" };
    if (!mct_json_valid(value, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("no JSON: %.*s", MCT_STR_ARG(value));
    if (!is_official(rev, type, value, &fault))
        fail_msg("no %s of %s: [%s] %s: %.*s", type, mct_rev_text(rev), fault.where, fault.why, MCT_STR_ARG(value));
}

static inline void must_be(const struct mct_buf *b, const char *out, const char *in)
{
    char text[TEXT];
    quoted(out, text);
    assert_true(mct_buf_ok(b));
    if (!mct_str_is(mct_buf_str(b), text))
        fail_msg("\n%s\nbecame\n%.*s\nnot\n%s", in, MCT_STR_ARG(mct_buf_str(b)), text);
}

#define IN "'inputSchema':{'type':'object'}"
#define TOOL(out) "{'name':'n'," IN ",'outputSchema':" out "}"
#define WRAP(s) "{'type':'object','properties':{'result':" s "},'required':['result']}"

#endif
