#include "telemetry/attributes.h"

#include <inttypes.h>
#include <stdio.h>

static void attribute_open(struct mcti_buf *to, const char *key)
{
    if (mcti_buf_last(to) == '}')
        mcti_buf_addc(to, ',');
    mcti_buf_addz(to, "{\"key\":");
    mcti_json_put_string(to, mcti_str_of(key));
    mcti_buf_addz(to, ",\"value\":{");
}

void mcti_attribute_text(struct mcti_buf *to, const char *key, struct mcti_str text)
{
    if (!text.p)
        return;
    attribute_open(to, key);
    if (text.len > MCT_ATTRIBUTE_BYTES)
        text.len = MCT_ATTRIBUTE_BYTES;
    mcti_json_put_member(to, "stringValue", text);
    mcti_buf_addz(to, "}}");
}

void mcti_attribute_int(struct mcti_buf *to, const char *key, int64_t number)
{
    attribute_open(to, key);
    mcti_buf_printf(to, "\"intValue\":\"%" PRId64 "\"}}", number);
}

void mcti_attribute_value(struct mcti_buf *to, const char *key, struct mcti_str json)
{
    struct mcti_buf text;
    if (mcti_json_type(json) != '"') {
        mcti_attribute_text(to, key, json);
        return;
    }
    mcti_buf_init(&text, json.len + 16);
    mcti_json_unescape_any(json, &text);
    mcti_attribute_text(to, key, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

void mcti_otlp_put_u64(struct mcti_buf *to, const char *key, uint64_t number)
{
    mcti_json_put_key(to, key);
    mcti_buf_printf(to, "\"%" PRIu64 "\"", number);
}
