/* Comparison of values, numbers and texts, for the keywords. For schema/ only. */
#ifndef MCT_SCHEMA_VALUE_H
#define MCT_SCHEMA_VALUE_H

#include "schema/impl.h"

/* ---- equal.c ---- */

/* Compares JSON values: numbers by value, objects regardless of order, strings unescaped. */
bool mcti_schema_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b);
/* Returns a hash that is equal for equal values; peers cannot construct collisions (base/hash.h). */
uint64_t mcti_schema_hash(struct mcti_schema_run *run, struct mcti_str value);

/* ---- number.c ---- */

/* Compares two numbers exactly; returns <0, 0 or >0. */
int mcti_schema_number_cmp(struct mcti_str a, struct mcti_str b);
bool mcti_schema_number_whole(struct mcti_str n);
int mcti_schema_number_sign(struct mcti_str n);
uint64_t mcti_schema_number_hash(uint64_t seed, struct mcti_str n);
/* Returns 1 if `a` is a multiple of `b`, which is above 0; 0 if not; -1 if `b` has too many digits. */
int mcti_schema_number_multiple(struct mcti_str a, struct mcti_str b);

/* ---- pattern.c, ecma.c ---- */

/* Returns true if the text matches the pattern, a string of the schema without its quotes. */
bool mcti_schema_match(struct mcti_schema_run *run, struct mcti_str raw_pattern, struct mcti_str text);
void mcti_schema_patterns_done(struct mcti_schema_run *run);

/* Appends an ECMA-262 pattern in PCRE2 syntax. */
void mcti_schema_ecma(struct mcti_buf *to, struct mcti_str pattern);

/* ---- value.c, object.c, run.c ---- */

/* Compare `n` with the argument of a counting keyword; `what` names the counted things in the message. */
bool mcti_schema_at_least(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);
bool mcti_schema_at_most(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);

/* Returns the number of children of an object or array. */
size_t mcti_schema_count(struct mcti_schema_run *run, struct mcti_str value);

#endif
