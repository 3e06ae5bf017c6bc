/*
 * One JSON-RPC message, parsed once by the span scanner and never changed. Every span points into the
 * frame it was parsed from and lives as long as that.
 */
#ifndef MCT_MCP_MESSAGE_H
#define MCT_MCP_MESSAGE_H

#include "base/error.h"
#include "json/scan.h"

enum mct_msg_kind {
    MCT_MSG_REQUEST,
    MCT_MSG_NOTIFICATION,
    MCT_MSG_RESULT,
    MCT_MSG_ERROR,
    MCT_MSG_BATCH, /* an array; only `text` is set */
};

struct mct_msg {
    enum mct_msg_kind kind;
    struct mct_str text;   /* the whole value; where parsing failed, what was given */
    struct mct_str id;     /* as written; absent for notifications and errors without an id */
    struct mct_str method; /* unquoted */
    struct mct_str params; /* an object, or absent */
    struct mct_str result; /* an object */
    struct mct_str error;  /* an object */
};

/*
 * Parses strictly (JSON-RPC 2.0 with MCP's narrowing: ids are strings or numbers, params and results
 * are objects; duplicated envelope members are an error). On failure returns -1 and sets *err with
 * code -32700 or -32600; ret->id is set then too, if the id could be read.
 */
int mct_msg_parse(struct mct_str frame, struct mct_msg *ret, struct mct_error *err);

/* Members of a request's params that the gateway acts on. Absent ones are absent spans. */
struct mct_msg_meta {
    struct mct_str meta;           /* the `_meta` object */
    struct mct_str progress_token; /* as written: string or number */
    struct mct_str version, capabilities, client_info, log_level; /* 2026-07-28 */
};

/* -1 with *err (-32602) when a member that is acted on is doubled or of the wrong type. */
int mct_msg_read_meta(const struct mct_msg *msg, struct mct_msg_meta *ret, struct mct_error *err);

/* The one member of params with that name; -1 with *err (-32602) when it is there twice. Absent is no
 * error. */
int mct_msg_param(const struct mct_msg *msg, const char *name, struct mct_str *ret,
                  struct mct_error *err);

/* As above for a string that must be there: appends its text. */
int mct_msg_param_text(const struct mct_msg *msg, const char *name, size_t max, struct mct_buf *to,
                       struct mct_error *err);

/* Whether two ids as written are the same id. */
bool mct_msg_id_eq(struct mct_str a, struct mct_str b);

/* An error object as an error of kind SERVER with its code and message. */
void mct_msg_read_error(struct mct_str error, struct mct_error *ret);

/* code and message of an error object; `ret_message` as written (quoted). */
void mct_msg_error_parts(struct mct_str error, int64_t *ret_code, struct mct_str *ret_message);

#endif
