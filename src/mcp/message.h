/*
 * One JSON-RPC message, parsed once by the span scanner and never changed. Every span points into the
 * frame it was parsed from and lives as long as that.
 */
#ifndef MCT_MCP_MESSAGE_H
#define MCT_MCP_MESSAGE_H

#include "base/error.h"
#include "json/scan.h"

enum mcti_msg_kind {
    MCT_MSG_REQUEST,
    MCT_MSG_NOTIFICATION,
    MCT_MSG_RESULT,
    MCT_MSG_ERROR,
    MCT_MSG_BATCH, /* an array; only `text` is set */
};

struct mcti_msg {
    enum mcti_msg_kind kind;
    struct mcti_str text;   /* the whole value; where parsing failed, what was given */
    struct mcti_str id;     /* as written; absent for notifications and errors without an id */
    struct mcti_str method; /* unquoted */
    struct mcti_str params; /* an object, or absent */
    struct mcti_str result; /* an object */
    struct mcti_str error;  /* an object */
};

/*
 * Parses strictly (JSON-RPC 2.0 with MCP's narrowing: ids are strings or numbers, params and results
 * are objects; duplicated envelope members are an error). On failure returns -1 and sets *err with
 * code -32700 or -32600; ret->id is set then too, if the id could be read.
 */
int mcti_msg_parse(struct mcti_str frame, struct mcti_msg *ret, struct mct_error *err);

/* Members of a request's params that the gateway acts on. Absent ones are absent spans. */
struct mcti_msg_meta {
    struct mcti_str meta;                                          /* the `_meta` object */
    struct mcti_str progress_token;                                /* as written: string or number */
    struct mcti_str version, capabilities, client_info, log_level; /* 2026-07-28 */
};

/* -1 with *err (-32602) when a member that is acted on is doubled or of the wrong type. */
int mcti_msg_read_meta(const struct mcti_msg *msg, struct mcti_msg_meta *ret, struct mct_error *err);

/* The one member of params with that name; -1 with *err (-32602) when it is there twice. Absent is no
 * error. */
int mcti_msg_param(const struct mcti_msg *msg, const char *name, struct mcti_str *ret, struct mct_error *err);

/* As above for a string that must be there: appends its text. */
int mcti_msg_param_text(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *to,
                        struct mct_error *err);

/* Whether two ids as written are the same id. */
bool mcti_msg_id_eq(struct mcti_str a, struct mcti_str b);

/* An error object as an error of kind SERVER with its code and message. */
void mcti_msg_read_error(struct mcti_str error, struct mct_error *ret);

/* code and message of an error object; `ret_message` as written (quoted). */
void mcti_msg_error_parts(struct mcti_str error, int64_t *ret_code, struct mcti_str *ret_message);

#endif
