/* Writes JSON text to a buffer, and copies objects with a few members changed. */
#ifndef MCT_JSON_WRITE_H
#define MCT_JSON_WRITE_H

#include "base/error.h"
#include "json/scan.h"

/* Writes a string value with quotes; invalid UTF-8 becomes U+FFFD. */
void mcti_json_put_string(struct mcti_buf *to, struct mcti_str text);

/* Writes a finite number in the shortest of the forms that are read as the same number, whatever the locale of the
 * program is. */
void mcti_json_put_double(struct mcti_buf *to, double number);

/* Writes the escape of a character of the Basic Multilingual Plane: the short form if there is one, otherwise \uXXXX.
 */
void mcti_json_put_escape(struct mcti_buf *to, unsigned code_point);

/* Writes `"key":`, preceded by a comma unless the last byte opens an object or array. */
void mcti_json_put_key(struct mcti_buf *to, const char *key);

/* Writes "key":"text". */
void mcti_json_put_member(struct mcti_buf *to, const char *key, struct mcti_str text);

/* Writes "key":value; `value` is raw JSON. */
void mcti_json_put_raw(struct mcti_buf *to, const char *key, struct mcti_str value);

/* Writes "key":"2026-07-28T09:30:00Z". */
void mcti_json_put_time(struct mcti_buf *to, const char *key, uint64_t wall_s);

/* Writes the members "kind" and "message" of an error. */
void mcti_json_put_fault(struct mcti_buf *to, enum mct_error_kind kind, const char *message);

/* Writes "error":{"kind":…,"message":…}. */
void mcti_json_put_error(struct mcti_buf *to, const struct mct_error *err);

/* A change to an object; `value` is raw JSON, absent removes the member. */
struct mcti_json_set {
    const char *key;
    struct mcti_str value;
};

/*
 * Copies a validated object with changes: members named in `sets` get the new value at their place or are removed,
 * missing ones are added at the end, everything else is copied byte for byte, each value at once (so splices are whole
 * values). An absent `object` counts as {}.
 */
void mcti_json_put_object(struct mcti_buf *to, struct mcti_str object, const struct mcti_json_set *sets, size_t n_sets);

/* Copies validated JSON, replacing the line breaks between tokens by blanks: for framings in which a line break ends a
 * message or a line of it. */
void mcti_json_put_line(struct mcti_buf *to, struct mcti_str value);

/* Does the same in place, to memory that can be written. */
void mcti_json_blank_lines(struct mcti_str value);

/* Copies validated JSON without white space between tokens and with each string in its shortest form, so that equal
 * values mostly become equal text; numbers are kept. */
void mcti_json_put_compact(struct mcti_buf *to, struct mcti_str value);

/* Returns 1 if no object in the validated value has two members of the same name, however the names are escaped; 0 if
 * one has, and -1 when out of memory. */
int mcti_json_unique(struct mcti_str value);

/* Copies validated JSON with an indentation of two spaces, for people. */
void mcti_json_put_pretty(struct mcti_buf *to, struct mcti_str value);

#endif
