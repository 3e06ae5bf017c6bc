/*
 * What went wrong, in a form a person and a program can read. `err` is always the last parameter of a function that can
 * fail, may be NULL, and is untouched on success. Each layer that knows more puts it in front:
 * "server 'git': starting 'npx': no such file".
 */
#ifndef MCPTOOLS_ERROR_H
#define MCPTOOLS_ERROR_H

#include <mcptools/api.h>

MCT_BEGIN_DECLS

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
    MCT_ERR_POLICY,  /* a rule says no (what models are to read is a result, not an error) */
    MCT_ERR_PARTIAL, /* some servers answered, some did not */
    MCT_ERR_CANCELLED,
    MCT_ERR_LIMIT,     /* a ceiling was reached */
    MCT_ERR_INTERNAL,  /* the system refuses what should always work */
    MCT_ERR_NO_MEMORY, /* an allocation failed */
    MCT_ERR_N_KINDS
};

/* It has no size of its own: it will not change. */
struct mct_error {
    enum mct_error_kind kind;
    int code;          /* JSON-RPC code; 0 means: the one of the kind */
    int http_status;   /* with which an HTTP server refused; 0: it was nothing of that sort */
    bool unsent;       /* it surely never reached the peer */
    char message[512]; /* may hold words of a server, with control characters: escape it before a terminal shows it */
};

/* "connect", "timeout", …: the word that -o json and the status show. */
MCT_API const char *mct_error_word(enum mct_error_kind kind);

MCT_END_DECLS

#endif
