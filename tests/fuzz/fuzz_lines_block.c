/* One text as a block and as the JSON of one: what can be read is written, and read again as the same. */
#include "base/limits.h"
#include "base/log/utf8.h"
#include "resources/lines/block.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool same(struct mct_str a, struct mct_str b)
{
    return !a.p == !b.p && mct_str_eq(a, b);
}

static void must_be_json(struct mct_str text)
{
    must(!text.p || mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL));
}

/* Writes the block, reads it, and writes what was read. */
static void there_and_back(const struct mct_block *b, bool canonical)
{
    struct mct_buf text, keep, again;
    struct mct_block back;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&again, MCT_LIMIT_MESSAGE_BYTES);
    must(mct_block_put(&text, b) == 0 && mct_utf8_valid(mct_buf_str(&text)));
    must(mct_block_parse(mct_buf_str(&text), &keep, &back, NULL) == 0);
    must(!canonical || (back.state == b->state && back.one_line == b->one_line && same(back.summary, b->summary) &&
                        same(back.data, b->data) && same(back.meta, b->meta)));
    must(mct_block_put(&again, &back) == 0 && mct_str_eq(mct_buf_str(&again), mct_buf_str(&text)));
    must_be_json(back.data);
    must_be_json(back.meta);
    mct_buf_done(&text);
    mct_buf_done(&keep);
    mct_buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_str text = { (const char *)data, size };
    struct mct_json_fault fault = { 0, NULL };
    struct mct_json_top top;
    struct mct_block b;
    struct mct_buf keep;
    mct_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    if (mct_block_parse(text, &keep, &b, &fault) == 0)
        there_and_back(&b, true);
    else
        must(fault.why && fault.offset <= size);
    mct_buf_done(&keep);
    if (mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mct_json_type(top.value) == '{')
        there_and_back(&(struct mct_block){ .summary = text, .data = top.value, .meta = top.value }, false);
    else
        there_and_back(&(struct mct_block){ .summary = text }, false);
    return 0;
}
