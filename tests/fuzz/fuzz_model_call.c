/* What a model wrote, and what a server answered: {"call":…,"result":…}. In every provider's form a call that is read has a name and
 * an object of arguments, and what goes back is JSON within its bounds. */
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

static bool is_json(const struct mct_buf *b, char type)
{
    struct mct_json_top top;
    return mct_buf_ok(b) && mct_json_valid(mct_buf_str(b), MCT_LIMIT_JSON_DEPTH + 8, &top, NULL) &&
           (!type || mct_json_type(top.value) == type);
}

/* Blocks of text and images, and nothing else. */
static void degrade(struct mct_str result)
{
    struct mct_buf b;
    struct mct_str block;
    mct_buf_init(&b, 64u << 20);
    mct_degrade_content(&b, result);
    must(is_json(&b, '['));
    for (struct mct_json_iter it = mct_json_open(mct_buf_str(&b)); mct_json_next_item(&it, &block);) {
        bool image = mct_json_is(mct_json_get(block, "type"), "image");
        must(image || mct_json_is(mct_json_get(block, "type"), "text"));
        must(mct_json_type(mct_json_get(block, image ? "data" : "text")) == '"');
        must(!image || mct_json_type(mct_json_get(block, "mimeType")) == '"');
    }
    mct_buf_done(&b);
}

static void answer(const struct mct_array_format *f, struct mct_str text, struct mct_str result)
{
    struct mct_model_call call;
    struct mct_buf b;
    if (mct_model_call_read(&call, f, text, NULL) < 0) {
        mct_model_call_done(&call);
        return;
    }
    must(call.name && *call.name && is_json(&call.arguments, '{') && (!call.id.len || is_json(&call.id, 0)));
    mct_buf_init(&b, 64u << 20);
    mct_model_result_put(&b, f, &call, result);
    must(is_json(&b, '{'));
    mct_buf_done(&b);
    mct_model_call_done(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_str text = { (const char *)data, size };
    struct mct_json_top top;
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    struct mct_str call = mct_json_get(top.value, "call"), result = mct_json_get(top.value, "result");
    degrade(result);
    for (const struct mct_array_format *f = mct_array_formats; f->name; f++)
        answer(f, call.p ? call : text, mct_json_type(result) == '{' ? result : MCT_STR("{\"content\":[]}"));
    return 0;
}
