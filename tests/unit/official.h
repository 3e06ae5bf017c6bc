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
        snprintf(path, sizeof path, "%s/%s.json", SCHEMAS, mcti_rev_text((enum mcti_rev)rev));
        FILE *f = fopen(path, "r");
        official[rev] = calloc(1, FILE_BYTES);
        size_t n = f ? fread(official[rev], 1, FILE_BYTES - 1, f) : 0;
        if (f)
            fclose(f);
        if (!mcti_json_valid((struct mcti_str){ official[rev], n }, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
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
static bool is_official(enum mcti_rev rev, const char *type, struct mcti_str value, struct mcti_schema_fault *fault)
{
    char ref[128];
    struct mcti_buf schema;
    struct mcti_str file = mcti_str_of(official[rev]);
    while (file.len && strchr(" \r\n\t", file.p[file.len - 1]))
        file.len--;
    const char *where = mcti_json_get(file, "$defs").p ? "$defs" : "definitions";
    snprintf(ref, sizeof ref, "\"#/%s/%s\"", where, type);
    const struct mcti_json_set set = { "$ref", mcti_str_of(ref) };
    mcti_buf_init(&schema, FILE_BYTES);
    mcti_json_put_object(&schema, file, &set, 1);
    enum mcti_schema_verdict v = mcti_schema_check(mcti_buf_str(&schema), value, fault);
    mcti_buf_done(&schema);
    if (v == MCT_SCHEMA_UNUSABLE)
        fail_msg("%s %s: %s", mcti_rev_text(rev), type, fault->why);
    return v == MCT_SCHEMA_VALID;
}

static void must_be_official(enum mcti_rev rev, const char *type, struct mcti_str value)
{
    struct mcti_schema_fault fault = { "", "" };
    if (!mcti_json_valid(value, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("no JSON: %.*s", MCT_STR_ARG(value));
    if (!is_official(rev, type, value, &fault))
        fail_msg("no %s of %s: [%s] %s: %.*s", type, mcti_rev_text(rev), fault.where, fault.why, MCT_STR_ARG(value));
}

static inline void must_be(const struct mcti_buf *b, const char *out, const char *in)
{
    char text[TEXT];
    quoted(out, text);
    assert_true(mcti_buf_ok(b));
    if (!mcti_str_is(mcti_buf_str(b), text))
        fail_msg("\n%s\nbecame\n%.*s\nnot\n%s", in, MCT_STR_ARG(mcti_buf_str(b)), text);
}

#define IN "'inputSchema':{'type':'object'}"
#define TOOL(out) "{'name':'n'," IN ",'outputSchema':" out "}"
#define WRAP(s) "{'type':'object','properties':{'result':" s "},'required':['result']}"

#endif
