/* Schemas and values that are generated as text. */
#ifndef MCT_TESTS_BUFS_H
#define MCT_TESTS_BUFS_H

#include "unit.h"

#include "row.h"
#include "schema/schema.h"

static inline enum mcti_schema_verdict check_bufs(struct mcti_buf *schema, struct mcti_buf *value,
                                                  struct mcti_schema_fault *f)
{
    assert_true(mcti_buf_ok(schema) && mcti_buf_ok(value));
    enum mcti_schema_verdict v = mcti_schema_check(mcti_buf_str(schema), mcti_buf_str(value), f);
    mcti_buf_done(schema);
    mcti_buf_done(value);
    return v;
}

static inline void add_times(struct mcti_buf *to, const char *text, int n)
{
    while (n--)
        mcti_buf_addz(to, text);
}

#endif
