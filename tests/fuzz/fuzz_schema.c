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
    struct mcti_schema_fault fault;
    struct mcti_json_top top;
    struct mcti_headers headers;
    struct mcti_buf b;
    if (!mcti_json_valid((struct mcti_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mcti_str schema = mcti_json_get(top.value, "schema"), value = mcti_json_get(top.value, "value");
    if (schema.p && mcti_schema_check(schema, value, &fault) > MCT_SCHEMA_UNUSABLE)
        abort();
    if (mcti_param_headers_check(top.value, NULL) == 0) {
        mcti_headers_init(&headers);
        mcti_headers_put_params(&headers, top.value, value);
        mcti_headers_done(&headers);
    }
    mcti_buf_init(&b, 1u << 20);
    mcti_elicit_put_accept(&b, top.value, mcti_json_type(value) == '{' ? value : MCT_STR("{}"));
    if (mcti_buf_ok(&b) && !mcti_json_valid(mcti_buf_str(&b), MCT_LIMIT_JSON_DEPTH + 4, NULL, NULL))
        abort();
    mcti_buf_done(&b);
    return 0;
}
