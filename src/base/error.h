/*
 * Errors for people and programs. `err` is always the last parameter, may be NULL, and is unchanged on success. Each
 * layer prefixes the message with its context: "server 'git': starting 'npx': no such file".
 */
#ifndef MCT_BASE_ERROR_H
#define MCT_BASE_ERROR_H

#include "base/str.h"

#include <mcptools/error.h>

/* These and mct_error_word() map an error kind to its JSON-RPC code, exit status and word, from one table. */
int mcti_error_rpc_code(const struct mct_error *err);
int mcti_error_exit_status(enum mct_error_kind kind);
enum mct_error_kind mcti_error_kind_of(struct mcti_str word); /* MCT_ERR_INTERNAL for an unknown word */

/* Sets *err and returns -1, for use as `return mcti_fail(err, …)`. */
int mcti_fail(struct mct_error *err, enum mct_error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets *err to MCT_ERR_NO_MEMORY with the text below; returns -1. */
int mcti_no_memory(struct mct_error *err);

/* For answers and messages without a struct mct_error. */
#define MCT_NO_MEMORY_TEXT "out of memory"

/* Prefixes the message with "context: "; returns -1. */
int mcti_error_wrap(struct mct_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * ---- kept errors ----
 *
 * An error that a long-lived object keeps takes memory only while there is one: the object has a pointer, which is
 * &mcti_error_none at first, never NULL, and set by these functions only.
 */
extern const struct mct_error mcti_error_none;

/* Replaces the kept error by a copy of `err`, which may be the kept one. NULL, or kind NONE: frees it. Without memory
 * for the copy its kind is kept, with the text "out of memory". */
void mcti_error_keep(const struct mct_error **kept, const struct mct_error *err);

/* Keeps an error with that message. */
void mcti_error_keep_new(const struct mct_error **kept, enum mct_error_kind kind, const char *message);

#endif
