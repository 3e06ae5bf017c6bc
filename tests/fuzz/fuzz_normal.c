/* Schemas and arguments of strangers: {"schema":…,"arguments":…}. For every profile the outcome is JSON within its
 * bounds, and arguments come back as JSON; what the tool accepted as it was. */
#include "base/limits.h"
#include "model/schema/profile.h"
#include "json/scan.h"
#include "schema/schema.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_json(const struct mcti_buf *b, size_t most)
{
    if (!mcti_buf_ok(b) || b->len > most || !mcti_json_valid(mcti_buf_str(b), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        abort();
}

static void normalise(struct mcti_str schema, const struct mcti_schema_profile *p)
{
    struct mcti_schema_report report;
    struct mcti_buf made, list;
    mcti_buf_init(&made, 64u << 20);
    mcti_buf_init(&list, 64u << 20);
    if (mcti_schema_normalise(&made, schema, p, &report, NULL) == 0) {
        expect_json(&made, 16 * (schema.len + MCT_LIMIT_SCHEMA_GROWTH_BYTES));
        mcti_schema_violations(&list, mcti_buf_str(&made), "parameters");
        expect_json(&list, 64u << 20);
    }
    mcti_buf_done(&made);
    mcti_buf_done(&list);
}

static void restore(struct mcti_str schema, struct mcti_str arguments, const struct mcti_schema_profile *p)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64u << 20);
    if (mcti_schema_restore(&b, schema, arguments, p, NULL) == 0) {
        expect_json(&b, 64u << 20);
        if (!p->html_entities && mcti_schema_check(schema, arguments, NULL) == MCT_SCHEMA_VALID &&
            !mcti_str_eq(mcti_buf_str(&b), arguments))
            abort();
    }
    mcti_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_json_top top;
    if (!mcti_json_valid((struct mcti_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mcti_str schema = mcti_json_get(top.value, "schema"), arguments = mcti_json_get(top.value, "arguments");
    schema = schema.p ? schema : top.value;
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++) {
        normalise(schema, p);
        if (arguments.p)
            restore(schema, arguments, p);
    }
    mcti_schema_strict_ok(&schema, 1);
    return 0;
}
