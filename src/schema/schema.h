/*
 * JSON Schema validation over spans. No tree is built; memory is needed only for patterns, references by name,
 * unevaluated* and uniqueItems, and is bounded. Nothing is ever loaded.
 *
 * Dialects: 2020-12 (also without $schema), 2019-09, draft-07, draft-06 and draft-04. `format`, the content keywords
 * and unknown keywords are ignored. Both texts come from peers, so all work has a limit; a schema that reaches a limit
 * is unusable, not valid.
 *
 * Decisions (each tested in tests/unit/schema/test_keywords.c):
 * - numbers are compared exactly, as decimals of any size, also by multipleOf; 1.0 and 1e2 are integers in every
 *   dialect;
 * - for a duplicate keyword the last one counts; of a duplicate member of a value each one must match;
 * - `dependencies` works in every dialect, because the metaschemas reserve its name;
 * - a string with an unpaired surrogate escape is compared and matched as written;
 * - patterns are ECMA-262 with the flag u as far as PCRE2 supports it: \d and \w are ASCII, \s and \S include the white
 *   space of Unicode (\S not inside [ ]).
 */
#ifndef MCT_SCHEMA_SCHEMA_H
#define MCT_SCHEMA_SCHEMA_H

#include "base/str.h"

enum mcti_schema_verdict {
    MCT_SCHEMA_VALID,
    MCT_SCHEMA_INVALID, /* the value does not match */
    /* the schema cannot be applied: unknown dialect, malformed keyword, invalid pattern, external reference, too deep,
     * too much work, memory exhausted */
    MCT_SCHEMA_UNUSABLE,
};

struct mcti_schema_fault {
    /* JSON Pointer (RFC 6901) into the value, "" is the root; truncated if too long; control characters become '?' */
    char where[256];
    char why[256]; /* for people: "must be a number, not a string" */
};

/* Checks `value` against `schema`. Both texts must have been validated by mcti_json_valid(). `ret` may be NULL; it
 * receives the first failure and is unchanged if the value is valid. */
enum mcti_schema_verdict mcti_schema_check(struct mcti_str schema, struct mcti_str value,
                                           struct mcti_schema_fault *ret);

#endif
