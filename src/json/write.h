/* Writing JSON text into a buffer, and copying objects with a few members changed. */
#ifndef MCT_JSON_WRITE_H
#define MCT_JSON_WRITE_H

#include "json/scan.h"

/* A string value with quotes; bytes that are not UTF-8 become U+FFFD. */
void mcti_json_put_string(struct mcti_buf *to, struct mcti_str text);

/* The escape of one character of the basic plane: the short one where there is one, else \uXXXX. */
void mcti_json_put_escape(struct mcti_buf *to, unsigned code_point);

/* `"key":` preceded by a comma unless the last byte written opens an object or array. */
void mcti_json_put_key(struct mcti_buf *to, const char *key);

/* "key": "text" */
void mcti_json_put_member(struct mcti_buf *to, const char *key, struct mcti_str text);

/* "key": value, which is raw JSON. */
void mcti_json_put_raw(struct mcti_buf *to, const char *key, struct mcti_str value);

/* One change to an object: value is raw JSON; absent removes the member. */
struct mcti_json_set {
    const char *key;
    struct mcti_str value;
};

/*
 * Copies a validated object with changes: members that are named in `sets` get the new value in
 * their old place or are left out, those the object lacks are added at its end, everything else is
 * copied byte for byte. An absent `object` counts as {}.
 */
void mcti_json_put_object(struct mcti_buf *to, struct mcti_str object, const struct mcti_json_set *sets, size_t n_sets);

/* Copies validated JSON, which has raw line breaks between tokens only, with blanks in their place: for
 * framings that end a message, or a line of it, at a line break. */
void mcti_json_put_line(struct mcti_buf *to, struct mcti_str value);

/* Copies validated JSON without white space between tokens and with each string in its shortest form, so that equal
 * values in most forms become equal text; numbers stay as they are. */
void mcti_json_put_compact(struct mcti_buf *to, struct mcti_str value);

/* Copies validated JSON re-indented by two spaces; for people. */
void mcti_json_put_pretty(struct mcti_buf *to, struct mcti_str value);

#endif
