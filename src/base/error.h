/*
 * What went wrong, in a form a person and a program can read. `err` is always the last parameter,
 * may be NULL, and is untouched on success. Each layer that knows more puts it in front:
 * "server 'git': starting 'npx': no such file".
 */
#ifndef MCT_BASE_ERROR_H
#define MCT_BASE_ERROR_H

#include "base/str.h"

enum mct_error_kind {
    MCT_ERR_NONE,
    MCT_ERR_USAGE,       /* the caller's words are off */
    MCT_ERR_CONFIG,      /* the configuration is off */
    MCT_ERR_AUTH,        /* credentials missing or refused */
    MCT_ERR_CONNECT,     /* the server cannot be started or reached, or went away */
    MCT_ERR_PROTOCOL,    /* the peer broke the protocol */
    MCT_ERR_SERVER,      /* the peer answered with a JSON-RPC error */
    MCT_ERR_TOOL,        /* the tool answered isError */
    MCT_ERR_NOT_FOUND,   /* no such tool, resource, prompt or server */
    MCT_ERR_UNSUPPORTED, /* known, but this peer or version does not do it */
    MCT_ERR_TIMEOUT,
    MCT_ERR_POLICY,
    MCT_ERR_PARTIAL,     /* some servers answered, some did not */
    MCT_ERR_CANCELLED,
    MCT_ERR_LIMIT,       /* a ceiling of limits.h */
    MCT_ERR_INTERNAL,
    MCT_ERR_N_KINDS
};

struct mct_error {
    enum mct_error_kind kind;
    int code;           /* JSON-RPC code; 0 means: the one of the kind */
    int http_status;    /* with which an HTTP server refused; 0: it was nothing of that sort */
    bool unsent;        /* it surely never reached the peer */
    char message[512];
};

/* One row of the table kind -> word -> JSON-RPC code -> exit status of the program. */
const char *mct_error_word(enum mct_error_kind kind);
int mct_error_rpc_code(const struct mct_error *err);
int mct_error_exit_status(enum mct_error_kind kind);

/* Sets *err and returns -1, so that `return mct_fail(err, …)` is a whole statement. */
int mct_fail(struct mct_error *err, enum mct_error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "what: " in front of the message; returns -1. */
int mct_error_wrap(struct mct_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
