/*
 * One JSON-RPC message, parsed once by the span scanner and immutable. All spans point into the parsed frame and are
 * valid as long as it.
 */
#ifndef MCT_MCP_MESSAGE_H
#define MCT_MCP_MESSAGE_H

#include "base/buf.h"
#include "base/error.h"
#include "json/scan.h"

enum mcti_msg_kind {
    MCT_MSG_REQUEST,
    MCT_MSG_NOTIFICATION,
    MCT_MSG_RESULT,
    MCT_MSG_ERROR,
    MCT_MSG_BATCH, /* an array; only `text` is set */
};

struct mcti_msg_meta;

struct mcti_msg {
    enum mcti_msg_kind kind;
    struct mcti_chunk *chunk; /* borrowed: owner of the frame's bytes, if it is long; NULL: unknown */
    struct mcti_str text;     /* the whole value; after a parse error, the whole input */
    struct mcti_str id;       /* as written; absent for notifications and for errors without an id */
    struct mcti_str method;   /* without quotes */
    struct mcti_str params;   /* an object or absent */
    struct mcti_str result;   /* an object */
    struct mcti_str error;    /* an object */
    /* Members of the params, as long as there are not more than these: found in the same pass. */
    struct mcti_json_member param[MCT_JSON_INNER];
    size_t n_params;
    bool has_params;                       /* `param` has all of them */
    const struct mcti_msg_meta *meta_read; /* result of mcti_msg_read_meta(), borrowed; NULL: it was not read yet */
};

/*
 * Parses a message strictly: JSON-RPC 2.0 with the restrictions of MCP (ids are strings or numbers, params and results
 * are objects; duplicate envelope members are an error). On failure returns -1 and sets *err with code -32700 or
 * -32600, and ret->id if the id could be read.
 */
int mcti_msg_parse(struct mcti_str frame, struct mcti_msg *ret, struct mct_error *err);

/* The same for a frame whose bytes `chunk` owns (NULL: unknown), and refers to it. What was checked while they arrived
 * is not checked again. */
int mcti_msg_parse_chunk(struct mcti_str frame, struct mcti_chunk *chunk, struct mcti_msg *ret, struct mct_error *err);

/* Members of params that the gateway evaluates; absent spans if missing. */
struct mcti_msg_meta {
    struct mcti_str meta;                                          /* the `_meta` object */
    struct mcti_str progress_token;                                /* as written: string or number */
    struct mcti_str version, capabilities, client_info, log_level; /* 2026-07-28 */
};

/* Reads the members of `_meta`. Returns -1 and sets *err (-32602) if one of them is duplicated or has the wrong type.
 */
int mcti_msg_read_meta(const struct mcti_msg *msg, struct mcti_msg_meta *ret, struct mct_error *err);

/* Returns the same request in a copy of its text, without the members of its params. */
struct mcti_msg mcti_msg_in(const struct mcti_msg *request, const char *copy);

/* Returns the message with other params. */
struct mcti_msg mcti_msg_with_params(const struct mcti_msg *msg, struct mcti_str params);

/* Returns the first parameter `name`; absent if there is none. */
struct mcti_str mcti_msg_get(const struct mcti_msg *msg, const char *name);

/* Reads parameter `name`; absent is not an error. Returns -1 and sets *err (-32602) if it is duplicated. */
int mcti_msg_param(const struct mcti_msg *msg, const char *name, struct mcti_str *ret, struct mct_error *err);

/* Appends the text of the required string parameter `name` to `to`; otherwise like mcti_msg_param(). */
int mcti_msg_param_text(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *to,
                        struct mct_error *err);

/* Returns true if two ids, as written, are the same. */
bool mcti_msg_id_eq(struct mcti_str a, struct mcti_str b);

/* Converts an error object into *ret, with kind SERVER, its code and its message. */
void mcti_msg_read_error(struct mcti_str error, struct mct_error *ret);

/* Reads an error that the running gateway itself reports to a command. Returns false if it came from a server. */
bool mcti_msg_read_relayed(struct mcti_str error, struct mct_error *ret);

/* Returns code and message of an error object; `ret_message` is quoted. */
void mcti_msg_error_parts(struct mcti_str error, int64_t *ret_code, struct mcti_str *ret_message);

#endif
