/* Names at the end of an error message, as many as it has room for: "known: a, b, c and 57 more". */
#ifndef MCT_BASE_LOG_NAMES_H
#define MCT_BASE_LOG_NAMES_H

#include "base/error.h"

/* Begins with `err` set, whose message the names follow, and everything else zero. */
struct mcti_names {
    struct mct_error *err; /* NULL: nothing is written */
    const char *between;   /* NULL: ", " */
    size_t n, n_shown;
};

/* Appends a name. It is only counted if it does not fit, or if one before it did not; the first one is cut. */
void mcti_names_add(struct mcti_names *l, struct mcti_str name);

/* Appends the number of names that did not fit. Returns -1. */
int mcti_names_end(struct mcti_names *l);

#endif
