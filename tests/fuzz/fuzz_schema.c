/* Schemas and values of strangers: {"schema":…,"value":…}. Whatever they hold, there is a verdict. */
#include "base/limits.h"
#include "json/scan.h"
#include "mcp/elicit.h"
#include "mcp/http/headers.h"
#include "schema/schema.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_schema_fault fault;
    struct mct_json_top top;
    struct mct_headers headers;
    struct mct_buf b;
    if (!mct_json_valid((struct mct_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mct_str schema = mct_json_get(top.value, "schema"), value = mct_json_get(top.value, "value");
    if (schema.p && mct_schema_check(schema, value, &fault) > MCT_SCHEMA_UNUSABLE)
        abort();
    if (mct_param_headers_check(top.value, NULL) == 0) {
        mct_headers_init(&headers);
        mct_headers_put_params(&headers, top.value, value);
        mct_headers_done(&headers);
    }
    mct_buf_init(&b, 1u << 20);
    mct_elicit_put_accept(&b, top.value, mct_json_type(value) == '{' ? value : MCT_STR("{}"));
    if (mct_buf_ok(&b) && !mct_json_valid(mct_buf_str(&b), MCT_LIMIT_JSON_DEPTH + 4, NULL, NULL))
        abort();
    mct_buf_done(&b);
    return 0;
}
