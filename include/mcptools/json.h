/*
 * JSON: a writer, and a reader without a tree. Small, for arguments and results; every JSON text of the library can be
 * read, and every JSON text that the library takes can be written.
 *
 *     struct mct_json_writer *w = mct_json_writer_new();
 *     mct_json_put_object(w, NULL);
 *     mct_json_put_text(w, "city", "Kraków");
 *     mct_json_put_array(w, "days");
 *     mct_json_put_int(w, NULL, 7);
 *     mct_json_put_end(w);
 *     mct_json_put_end(w);
 *     char *text = mct_json_writer_take(w, &err);      // {"city":"Kraków","days":[7]}, freed with mct_free()
 *
 *     struct mct_json json;
 *     int64_t day;
 *     if (mct_json_read(text, &json, &err) == 0 && mct_json_int(mct_json_at(mct_json_get(json, "days"), 0), &day))
 *         printf("%lld\n", (long long)day);
 *
 * Threads: any, for all functions of this header; a writer belongs to one thread at a time.
 */
#ifndef MCPTOOLS_JSON_H
#define MCPTOOLS_JSON_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

/* ---- writing ---- */

/* A writer. After a mistake or a failed allocation it ignores everything else, and mct_json_writer_take() says why. */
struct mct_json_writer;

/*
 * Creates a writer. NULL, if an allocation failed, is a writer that has failed.
 */
MCT_API struct mct_json_writer *mct_json_writer_new(void);

/*
 * Returns the text, which is one complete value, and frees the writer.
 *
 *   writer  may be NULL
 *
 * The text is to be freed with mct_free(). NULL with *err:
 *
 *   MCT_ERR_USAGE      an object or array was not ended, or a key was missing or given where none is allowed
 *   MCT_ERR_NO_MEMORY
 */
MCT_API char *mct_json_writer_take(struct mct_json_writer *writer, struct mct_error *err);

/*
 * Frees a writer without its text.
 *
 *   writer  NULL is allowed
 */
MCT_API void mct_json_writer_free(struct mct_json_writer *writer);

/*
 * Write one value. mct_json_put_object() and mct_json_put_array() begin a value that mct_json_put_end() ends. In a
 * text, bytes that are not UTF-8 become U+FFFD. A number that is not finite, and a NULL text, become null.
 *
 *   key     name of the member in an object; NULL in an array and for the outermost value
 *   text    the text, without quotes and escapes
 *   len     length of `text` in bytes
 *   number  the number
 *   value   the truth value
 *   json    one JSON value of any type, copied
 */
MCT_API void mct_json_put_object(struct mct_json_writer *writer, const char *key);
MCT_API void mct_json_put_array(struct mct_json_writer *writer, const char *key);
MCT_API void mct_json_put_end(struct mct_json_writer *writer);
MCT_API void mct_json_put_text(struct mct_json_writer *writer, const char *key, const char *text);
MCT_API void mct_json_put_text_len(struct mct_json_writer *writer, const char *key, const char *text, size_t len);
MCT_API void mct_json_put_int(struct mct_json_writer *writer, const char *key, int64_t number);
MCT_API void mct_json_put_number(struct mct_json_writer *writer, const char *key, double number);
MCT_API void mct_json_put_bool(struct mct_json_writer *writer, const char *key, bool value);
MCT_API void mct_json_put_null(struct mct_json_writer *writer, const char *key);
MCT_API void mct_json_put_json(struct mct_json_writer *writer, const char *key, const char *json);

/* ---- reading ---- */

enum mct_json_type {
    MCT_JSON_ABSENT,
    MCT_JSON_NULL,
    MCT_JSON_BOOL,
    MCT_JSON_NUMBER,
    MCT_JSON_TEXT,
    MCT_JSON_ARRAY,
    MCT_JSON_OBJECT
};

/* A value: a part of the text that was read, which must exist as long as its values are used. Zeroed: absent. Only
 * mct_json_read() makes values out of text, because the other functions rely on its checks. */
struct mct_json {
    const char *p;
    size_t len;
};

/*
 * Read a JSON text.
 *
 *   text      the text, which stays where it is
 *   len       its length in bytes
 *   ret_json  receives the value
 *
 * Return 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE  the text is NULL, or not valid JSON
 */
MCT_API int mct_json_read(const char *text, struct mct_json *ret_json, struct mct_error *err);
MCT_API int mct_json_read_len(const char *text, size_t len, struct mct_json *ret_json, struct mct_error *err);

/*
 * Returns the type of a value.
 */
MCT_API enum mct_json_type mct_json_type(struct mct_json json);

/*
 * Return a member of an object, or an element of an array; absent if there is none or the value is of another type.
 *
 *   key    name of the member
 *   index  number of the element, from 0
 */
MCT_API struct mct_json mct_json_get(struct mct_json json, const char *key);
MCT_API struct mct_json mct_json_at(struct mct_json json, size_t index);

/* An iteration over the members of an object or the elements of an array. */
struct mct_json_iter {
    struct mct_json key;   /* name of the member, a text; absent in an array */
    struct mct_json value; /* its value */
    struct mct_json rest;  /* for the library */
};

/*
 * Starts an iteration. A value that is neither object nor array has no elements.
 */
MCT_API struct mct_json_iter mct_json_each(struct mct_json json);

/*
 * Sets `key` and `value` to those of the next element.
 *
 * Returns false if there is none.
 */
MCT_API bool mct_json_next(struct mct_json_iter *iter);

/*
 * Store a value if it has the type; an integer must be written without fraction and exponent, and fit.
 *
 *   ret  receives the value; unchanged if the function returns false
 *
 * Return whether the value has the type.
 */
MCT_API bool mct_json_int(struct mct_json json, int64_t *ret);
MCT_API bool mct_json_number(struct mct_json json, double *ret);
MCT_API bool mct_json_bool(struct mct_json json, bool *ret);

/*
 * Returns the text of a value without quotes and escapes, to be freed with mct_free(). NULL if the value is not a
 * text, if the text contains U+0000 or an unpaired surrogate, or if an allocation failed.
 */
MCT_API char *mct_json_text(struct mct_json json);

/*
 * Returns true if a value is this text.
 *
 *   text  the text, without quotes and escapes
 */
MCT_API bool mct_json_is(struct mct_json json, const char *text);

MCT_END_DECLS

#endif
