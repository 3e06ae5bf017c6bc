/* The nearest of some names to a misspelt one, for error messages. */
#ifndef MCT_BASE_LOG_NEAR_H
#define MCT_BASE_LOG_NEAR_H

#include "base/str.h"

enum { MCT_NEAR_NAME_BYTES = 64, MCT_NEAR_HINT_BYTES = MCT_NEAR_NAME_BYTES + 32 };

/* A search. Begins with `word` set and everything else zero. */
struct mcti_near {
    struct mcti_str word;
    unsigned distance;                  /* of `best` */
    char best[MCT_NEAR_NAME_BYTES + 1]; /* "": nothing is near enough */
};

/* Compares a name: insertions, deletions, substitutions and exchanged neighbours count one each, and case does not
 * count. A name is near if at most a third of the word's letters, and at most three, differ. Of equally near names the
 * first one counts. Names longer than MCT_NEAR_NAME_BYTES are not compared. */
void mcti_near_try(struct mcti_near *n, struct mcti_str name);

/* Compares each name of a list with commas between: "full, router, search". */
void mcti_near_try_list(struct mcti_near *n, struct mcti_str names);

/* Writes "; did you mean 'NAME'?" to `to`, or "" if no name is near. Returns `to`. */
const char *mcti_near_hint(const struct mcti_near *n, char to[MCT_NEAR_HINT_BYTES]);

#endif
