/* Lists of owned strings, and of pairs of them. */
#ifndef MCT_BASE_STRINGS_H
#define MCT_BASE_STRINGS_H

#include "base/str.h"

struct mcti_strings {
    char **v; /* owned */
    size_t n;
};

struct mcti_pair {
    char *key, *value;
};

struct mcti_pairs {
    struct mcti_pair *v;
    size_t n;
};

/* Appends a copy of the text. Returns -1 when out of memory. */
int mcti_strings_add(struct mcti_strings *s, struct mcti_str text);

/* Returns true if the list contains the text. */
bool mcti_strings_has(const struct mcti_strings *s, struct mcti_str text);

/* Frees the strings or pairs; the list is empty afterwards. */
void mcti_strings_clear(struct mcti_strings *s);
void mcti_pairs_clear(struct mcti_pairs *p);

#endif
