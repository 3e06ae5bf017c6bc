/*
 * Iteration over a validated object or array in steps of bounded work: a value of megabytes is skipped in several
 * calls, between which others get their time. See scan.h for the iteration in one go.
 */
#ifndef MCT_JSON_STEP_H
#define MCT_JSON_STEP_H

#include "json/scan.h"

enum mcti_step {
    MCT_STEP_MORE, /* the work is used up: call again */
    MCT_STEP_GOT,  /* an element */
    MCT_STEP_END,  /* there are no more elements */
};

struct mcti_json_steps {
    const char *p, *end; /* what is left of the container */
    const char *from;    /* begin of the key or value that is being skipped; NULL: none */
    struct mcti_str key; /* of the member whose value is being skipped */
    bool is_object, has_key, in_string;
    unsigned depth; /* open containers in the value */
};

/* Opens an object or array; any other value has no elements. */
struct mcti_json_steps mcti_json_steps_open(struct mcti_str container);

/* Returns the next element; ret->key is absent for items of arrays. Looks at about *work bytes at most, and subtracts
 * them. */
enum mcti_step mcti_json_step(struct mcti_json_steps *s, size_t *work, struct mcti_json_member *ret);

#endif
