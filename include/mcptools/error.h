/*
 * Errors of functions: a kind for programs, and a message for people.
 *
 * `err` is the last parameter of every function that can fail. It may be NULL. A function that fails returns
 * -1 or NULL and fills *err; a function that succeeds leaves *err as it was. Each function lists the kinds of
 * error it can return.
 *
 * The message says where the error happened, from the outside in: "server 'git': starting 'npx': no such
 * file".
 */
#ifndef MCPTOOLS_ERROR_H
#define MCPTOOLS_ERROR_H

#include <mcptools/common.h>

MCT_BEGIN_DECLS

enum mct_error_kind {
    MCT_ERR_NONE,
    MCT_ERR_USAGE,       /* invalid argument, or a function called at the wrong time */
    MCT_ERR_CONFIG,      /* invalid configuration */
    MCT_ERR_AUTH,        /* credentials are missing or were refused */
    MCT_ERR_CONNECT,     /* the server cannot be started or reached, or has disconnected */
    MCT_ERR_PROTOCOL,    /* the server violated the protocol */
    MCT_ERR_SERVER,      /* the server answered with a JSON-RPC error */
    MCT_ERR_TOOL,        /* the tool answered with isError; requests report this as a result, not as an error */
    MCT_ERR_NOT_FOUND,   /* no such tool, resource, prompt or server */
    MCT_ERR_UNSUPPORTED, /* this server or this version of the library cannot do that */
    MCT_ERR_TIMEOUT,     /* the deadline passed */
    MCT_ERR_POLICY,      /* a rule of the configuration forbids it */
    MCT_ERR_PARTIAL,     /* some servers failed and some did not */
    MCT_ERR_CANCELLED,   /* cancelled, or the instance is being closed */
    MCT_ERR_LIMIT,       /* a limit was reached */
    MCT_ERR_INTERNAL,    /* the system refused something that should always work */
    MCT_ERR_NO_MEMORY,   /* an allocation failed */
    MCT_ERR_INTEGRITY,   /* a file is not what its entry says: digest, size or frontmatter differ */
    MCT_ERR_N_KINDS
};

/* The program owns the struct, so its size never changes: later versions use the reserved words, which are
 * zero until then. */
struct mct_error {
    enum mct_error_kind kind;
    int code;                /* JSON-RPC error code; 0: none was received */
    int http_status;         /* status with which an HTTP server refused the request; 0: none */
    bool unsent;             /* the request certainly did not reach the server */
    char message[512];       /* may contain words of the server, with control characters: escape it for a terminal */
    char server[64];         /* name of the server that the error is about, cut to fit; "": none, or several */
    unsigned retry_after_ms; /* time after which a new attempt may succeed, as far as is known; 0: it is not */
    uintptr_t reserved[31];
};

/*
 * Returns the word for a kind of error: "connect", "timeout", … The output of `mcptools -o json` and
 * mct_instance_status() use the same words. Later versions may add kinds, so treat an unknown one as
 * MCT_ERR_INTERNAL.
 *
 *   kind  a kind that the library has set
 *
 * Threads: any.
 */
MCT_API const char *mct_error_word(enum mct_error_kind kind);

MCT_END_DECLS

#endif
