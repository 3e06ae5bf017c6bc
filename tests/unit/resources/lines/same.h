/* Blocks that are parsed, and compared with what they were written from. */
#ifndef MCT_TESTS_SAME_H
#define MCT_TESTS_SAME_H

#include "unit.h"

#include "resources/lines/block.h"

#include <jansson.h>

enum { TEXT = 4096 };

#include "quoted.h"

static struct mcti_buf out, keep;

static inline int setup(void **state)
{
    (void)state;
    mcti_buf_init(&out, 1u << 24);
    mcti_buf_init(&keep, 1u << 24);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    mcti_buf_done(&out);
    mcti_buf_done(&keep);
    return 0;
}

static inline void must_parse(struct mcti_str text, struct mcti_block *ret)
{
    struct mcti_json_fault fault;
    mcti_buf_clear(&keep);
    if (mcti_block_parse(text, &keep, ret, &fault) < 0)
        fail_msg("byte %zu: %s\n%.*s", fault.offset, fault.why, MCT_STR_ARG(text));
}

static inline void same_block(const struct mcti_block *a, const struct mcti_block *b)
{
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->one_line, b->one_line);
    assert_true(mcti_str_eq(a->summary, b->summary));
    assert_true(mcti_str_eq(a->data, b->data) && !a->data.p == !b->data.p);
    assert_true(mcti_str_eq(a->meta, b->meta) && !a->meta.p == !b->meta.p);
}

#endif
