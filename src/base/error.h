/*
 * What went wrong, in a form a person and a program can read. `err` is always the last parameter,
 * may be NULL, and is untouched on success. Each layer that knows more puts it in front:
 * "server 'git': starting 'npx': no such file".
 */
#ifndef MCT_BASE_ERROR_H
#define MCT_BASE_ERROR_H

#include "base/str.h"

#include <mcptools/error.h>

/* With mct_error_word(), one row of the table kind -> word -> JSON-RPC code -> exit status of the program. */
int mcti_error_rpc_code(const struct mct_error *err);
int mcti_error_exit_status(enum mct_error_kind kind);

/* Sets *err and returns -1, so that `return mcti_fail(err, …)` is a whole statement. */
int mcti_fail(struct mct_error *err, enum mct_error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets *err to MCT_ERR_NO_MEMORY with the text below; returns -1. */
int mcti_no_memory(struct mct_error *err);

/* For answers and messages that are text alone. */
#define MCT_NO_MEMORY_TEXT "out of memory"

/* Puts "what: " in front of the message; returns -1. */
int mcti_error_wrap(struct mct_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
