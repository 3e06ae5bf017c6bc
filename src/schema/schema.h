/*
 * JSON Schema over spans: does a value match a schema? Without a tree; memory is needed only for
 * patterns, references by name, unevaluated* and uniqueItems, and is bounded. Nothing is ever fetched.
 *
 * Dialects: 2020-12 (also when there is no $schema), 2019-09, draft-07, draft-06 and draft-04. `format`,
 * the content keywords and whatever is unknown say nothing. Both texts come from peers, so every kind
 * of work has a ceiling, and what meets one is unusable, not valid.
 *
 * Decisions (tests/unit/schema/test_keywords.c holds each):
 * - numbers are compared as the decimals they are written as, exactly and at any size, also by
 *   multipleOf; 1.0 and 1e2 are integers in every dialect;
 * - of a keyword that stands twice in a schema the last counts; of a member that stands twice in a
 *   value each must match;
 * - `dependencies` works in every dialect, as the metaschemas keep the name for it;
 * - a string with an unpaired surrogate escape is compared and matched as it is written;
 * - patterns are ECMA-262 with the flag u as far as PCRE2 can do it: \d and \w mean ASCII, \s and \S also
 *   the white space of Unicode (\S not inside [ ]).
 */
#ifndef MCT_SCHEMA_SCHEMA_H
#define MCT_SCHEMA_SCHEMA_H

#include "base/str.h"

enum mcti_schema_verdict {
    MCT_SCHEMA_VALID,
    MCT_SCHEMA_INVALID,  /* the value does not match */
    MCT_SCHEMA_UNUSABLE, /* the schema cannot be applied: unknown dialect, malformed keyword, bad pattern,
                          * a reference that leaves the document, too deep, too much work, no memory */
};

struct mcti_schema_fault {
    char where[256]; /* JSON pointer (RFC 6901) into the value, "" is the root; cut when too long; control
                      * characters are '?' */
    char why[256];   /* for a person: "must be a number, not a string" */
};

/* Both texts have been validated by mcti_json_valid() and are borrowed for the call. `ret` may be NULL; it
 * names the first failure and is untouched when the value is valid. */
enum mcti_schema_verdict mcti_schema_check(struct mcti_str schema, struct mcti_str value,
                                           struct mcti_schema_fault *ret);

#endif
