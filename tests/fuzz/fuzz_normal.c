/* Schemas and arguments of strangers: {"schema":…,"arguments":…}. For every profile the outcome is JSON within its
 * bounds, and arguments come back as JSON; what the tool accepted as it was. */
#include "base/limits.h"
#include "model/schema/profile.h"
#include "json/scan.h"
#include "schema/schema.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_json(const struct mct_buf *b, size_t most)
{
    if (!mct_buf_ok(b) || b->len > most || !mct_json_valid(mct_buf_str(b), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        abort();
}

static void normalise(struct mct_str schema, const struct mct_schema_profile *p)
{
    struct mct_schema_report report;
    struct mct_buf made, list;
    mct_buf_init(&made, 64u << 20);
    mct_buf_init(&list, 64u << 20);
    if (mcti_schema_normalise(&made, schema, p, &report, NULL) == 0) {
        expect_json(&made, 16 * (schema.len + MCT_LIMIT_SCHEMA_GROWTH_BYTES));
        mct_schema_violations(&list, mct_buf_str(&made), "parameters");
        expect_json(&list, 64u << 20);
    }
    mct_buf_done(&made);
    mct_buf_done(&list);
}

static void restore(struct mct_str schema, struct mct_str arguments, const struct mct_schema_profile *p)
{
    struct mct_buf b;
    mct_buf_init(&b, 64u << 20);
    if (mct_schema_restore(&b, schema, arguments, p, NULL) == 0) {
        expect_json(&b, 64u << 20);
        if (!p->html_entities && mct_schema_check(schema, arguments, NULL) == MCT_SCHEMA_VALID &&
            !mct_str_eq(mct_buf_str(&b), arguments))
            abort();
    }
    mct_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_json_top top;
    if (!mct_json_valid((struct mct_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mct_str schema = mct_json_get(top.value, "schema"), arguments = mct_json_get(top.value, "arguments");
    schema = schema.p ? schema : top.value;
    for (const struct mct_schema_profile *p = mct_schema_profiles; p->name; p++) {
        normalise(schema, p);
        if (arguments.p)
            restore(schema, arguments, p);
    }
    mct_schema_strict_ok(&schema, 1);
    return 0;
}
