/* Rows of schema, value and verdict. */
#ifndef MCT_TESTS_ROW_H
#define MCT_TESTS_ROW_H

#include "unit.h"

#include "schema/schema.h"

enum { TEXT = 4096 };

#include "quoted.h"

/* One check. Texts are written with ' for ", for readability. */
struct row {
    const char *schema, *value;
    enum mcti_schema_verdict verdict;
    const char *where; /* NULL: any */
    const char *why;   /* part of the message; NULL: any */
};

#define YES MCT_SCHEMA_VALID

#define NO MCT_SCHEMA_INVALID
#define BAD MCT_SCHEMA_UNUSABLE

#define D4 "'$schema':'http://json-schema.org/draft-04/schema#',"
#define D6 "'$schema':'http://json-schema.org/draft-06/schema#',"

#define D7 "'$schema':'http://json-schema.org/draft-07/schema#',"
#define D2019 "'$schema':'https://json-schema.org/draft/2019-09/schema',"

static inline void check_row(const struct row *r)
{
    char schema[TEXT], value[TEXT], why[TEXT];
    struct mcti_schema_fault f = { "untouched", "untouched" };
    enum mcti_schema_verdict v = mcti_schema_check(json(r->schema, schema), json(r->value, value), &f);
    if (v != r->verdict)
        fail_msg("verdict %d, not %d: %s on %s: [%s] %s", v, r->verdict, schema, value, f.where, f.why);
    if (v == MCT_SCHEMA_VALID)
        assert_string_equal(f.why, "untouched");
    if (r->where && strcmp(f.where, r->where) != 0)
        fail_msg("at [%s], not [%s]: %s on %s: %s", f.where, r->where, schema, value, f.why);
    if (r->why && !strstr(f.why, quoted(r->why, why)))
        fail_msg("says '%s', not '%s': %s on %s", f.why, r->why, schema, value);
}

#define CHECK(rows)                                                                                                    \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        for (size_t i_ = 0; i_ < sizeof rows / sizeof *rows; i_++)                                                     \
            check_row(&rows[i_]);                                                                                      \
    } while (0)

#endif
