/* What a model wrote, and what a server answered: {"call":…,"result":…}. In every provider's form a call that is read
 * has a name and an object of arguments, and what goes back is JSON within its bounds. */
#include "base/limits.h"
#include "model/array.h"
#include "model/degrade.h"
#include "model/call.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool is_json(const struct mcti_buf *b, char type)
{
    struct mcti_json_top top;
    return mcti_buf_ok(b) && mcti_json_valid(mcti_buf_str(b), MCT_LIMIT_JSON_DEPTH + 8, &top, NULL) &&
           (!type || mcti_json_type(top.value) == type);
}

/* Blocks of text and images, and nothing else. */
static void degrade(struct mcti_str result)
{
    struct mcti_buf b;
    struct mcti_str block;
    mcti_buf_init(&b, 64u << 20);
    mcti_degrade_content(&b, result);
    must(is_json(&b, '['));
    for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&b)); mcti_json_next_item(&it, &block);) {
        bool image = mcti_json_is(mcti_json_get(block, "type"), "image");
        must(image || mcti_json_is(mcti_json_get(block, "type"), "text"));
        must(mcti_json_type(mcti_json_get(block, image ? "data" : "text")) == '"');
        must(!image || mcti_json_type(mcti_json_get(block, "mimeType")) == '"');
    }
    mcti_buf_done(&b);
}

static void answer(const struct mcti_array_format *f, struct mcti_str text, struct mcti_str result)
{
    struct mcti_model_call call;
    struct mcti_buf b;
    if (mcti_model_call_read(&call, f, text, NULL) < 0) {
        mcti_model_call_done(&call);
        return;
    }
    must(call.name && *call.name && is_json(&call.arguments, '{') && (!call.id.len || is_json(&call.id, 0)));
    mcti_buf_init(&b, 64u << 20);
    mcti_model_result_put(&b, f, &call, result);
    must(is_json(&b, '{'));
    mcti_buf_done(&b);
    mcti_model_call_done(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size };
    struct mcti_json_top top;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mcti_str call = mcti_json_get(top.value, "call"), result = mcti_json_get(top.value, "result");
    degrade(result);
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++)
        answer(f, call.p ? call : text, mcti_json_type(result) == '{' ? result : MCT_STR("{\"content\":[]}"));
    return 0;
}
