/* Schemas and values that are made as text. */
#ifndef MCT_TESTS_BUFS_H
#define MCT_TESTS_BUFS_H

#include "unit.h"

#include "row.h"
#include "schema/schema.h"

static inline enum mct_schema_verdict check_bufs(struct mct_buf *schema, struct mct_buf *value, struct mct_schema_fault *f)
{
    assert_true(mct_buf_ok(schema) && mct_buf_ok(value));
    enum mct_schema_verdict v = mct_schema_check(mct_buf_str(schema), mct_buf_str(value), f);
    mct_buf_done(schema);
    mct_buf_done(value);
    return v;
}

static inline void add_times(struct mct_buf *to, const char *text, int n)
{
    while (n--)
        mct_buf_addz(to, text);
}

#endif
