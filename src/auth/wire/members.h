/*
 * Reads the members of a JSON object into a struct by a table, for documents and answers of servers. Duplicate members,
 * members of another type and texts with control characters or U+0000 make the object unusable. `null` and an empty
 * text count as absent. Unknown members are ignored.
 */
#ifndef MCT_AUTH_WIRE_MEMBERS_H
#define MCT_AUTH_WIRE_MEMBERS_H

#include "base/error.h"

#include <stddef.h>

enum mcti_member_type {
    MCT_MEMBER_TEXT,    /* char *, owned */
    MCT_MEMBER_SECRET,  /* the same, wiped by the end */
    MCT_MEMBER_STRINGS, /* struct mcti_strings */
    MCT_MEMBER_SCOPES,  /* the same; items that are no scopes are left out */
    MCT_MEMBER_BOOL,    /* bool */
    MCT_MEMBER_SECONDS, /* int64_t: a number, or a text of digits; unchanged unless it is positive */
};

struct mcti_member_row {
    const char *name;
    enum mcti_member_type type;
    size_t offset;                          /* of the member of the struct */
    size_t flag;                            /* of a bool that becomes true if the member is there; 0: none */
    bool needed;                            /* must be there */
    bool (*is_valid)(struct mcti_str text); /* of a text or item; NULL: any */
};

/* Reads `json` into *to, which the caller has initialized with defaults. Returns -1 and sets *err, naming the member;
 * what has been read so far must then be cleared. */
int mcti_members_read(void *to, const struct mcti_member_row *rows, size_t n_rows, struct mcti_str json,
                      struct mct_error *err);

/* Frees texts and lists of *to, and wipes the secrets. */
void mcti_members_clear(void *to, const struct mcti_member_row *rows, size_t n_rows);

#endif
