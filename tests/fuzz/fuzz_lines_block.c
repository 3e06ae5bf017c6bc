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

static bool same(struct mcti_str a, struct mcti_str b)
{
    return !a.p == !b.p && mcti_str_eq(a, b);
}

static void must_be_json(struct mcti_str text)
{
    must(!text.p || mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL));
}

/* Writes the block, reads it, and writes what was read. */
static void there_and_back(const struct mcti_block *b, bool canonical)
{
    struct mcti_buf text, keep, again;
    struct mcti_block back;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&again, MCT_LIMIT_MESSAGE_BYTES);
    must(mcti_block_put(&text, b) == 0 && mcti_utf8_valid(mcti_buf_str(&text)));
    must(mcti_block_parse(mcti_buf_str(&text), &keep, &back, NULL) == 0);
    must(!canonical || (back.state == b->state && back.one_line == b->one_line && same(back.summary, b->summary) &&
                        same(back.data, b->data) && same(back.meta, b->meta)));
    must(mcti_block_put(&again, &back) == 0 && mcti_str_eq(mcti_buf_str(&again), mcti_buf_str(&text)));
    must_be_json(back.data);
    must_be_json(back.meta);
    mcti_buf_done(&text);
    mcti_buf_done(&keep);
    mcti_buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size };
    struct mcti_json_fault fault = { 0, NULL };
    struct mcti_json_top top;
    struct mcti_block b;
    struct mcti_buf keep;
    mcti_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_block_parse(text, &keep, &b, &fault) == 0)
        there_and_back(&b, true);
    else
        must(fault.why && fault.offset <= size);
    mcti_buf_done(&keep);
    if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mcti_json_type(top.value) == '{')
        there_and_back(&(struct mcti_block){ .summary = text, .data = top.value, .meta = top.value }, false);
    else
        there_and_back(&(struct mcti_block){ .summary = text }, false);
    return 0;
}
