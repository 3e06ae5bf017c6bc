/*
 * The answers of the `mcp` agent (docs/RESOURCE_TOOLS.md, "lines"): a list, a text or an error, as a block. Pure
 * functions over plain inputs. Each appends to `to` without a line end behind it and returns 0; or -1 and
 * appends nothing when `to` cannot take it.
 */
#ifndef MCT_RESOURCES_LINES_ANSWER_H
#define MCT_RESOURCES_LINES_ANSWER_H

#include "resources/lines/block.h"
#include "resources/lines/error.h"

enum { MCT_BLOCK_AVAILABLE = 20 }; /* URIs told with "not found" */

/* return_spec.format of the kernel. */
enum mcti_block_format {
    MCT_BLOCK_DETAIL,  /* all there is */
    MCT_BLOCK_SUMMARY, /* the status line and the state, nothing else */
    MCT_BLOCK_RAW      /* of a read the content, of a list its data as JSON; of errors MCT_BLOCK_DETAIL */
};

struct mcti_block_look {
    enum mcti_block_format format;
    bool one_line;     /* state, data and meta on one line */
    bool kernel;       /* a timeout is a state of its own and no error */
    uint64_t limit_ms; /* after which there is a timeout; told in the kernel's form */
    uint64_t took_ms;  /* into meta, in seconds with one decimal */
    int64_t now_s;     /* the same, seconds since 1970 */
};

struct mcti_block_server {
    struct mcti_str name;
    const struct mcti_str *uris;
    size_t n_uris;
};

struct mcti_block_failure {
    struct mcti_str name;
    enum mcti_block_fault fault;
    struct mcti_str msg;
};

struct mcti_block_list {
    const struct mcti_block_server *servers; /* those that answered, in part at least */
    size_t n_servers;
    uint64_t n_resources;                    /* of all of them, of which `uris` may hold a part only */
    const struct mcti_block_failure *failed; /* those that did not, or in part only */
    size_t n_failed;
};

/*
 * Without failures a success. With some, partial, and `failed: [{name, type, msg}, ...]` follows the totals.
 * When no server answered, an error: the failure of the only one, otherwise ConnectionFailed with all reasons.
 */
int mcti_block_put_list(struct mcti_buf *to, const struct mcti_block_list *list, const struct mcti_block_look *look);

struct mcti_block_read {
    struct mcti_str uri, content;
    uint64_t original_size; /* bytes */
    bool truncated;
    uint64_t shown; /* characters of the content, if truncated */
};

/* Shortens the content to at most max_chars characters (Unicode scalar values), and notes that. */
void mcti_block_cut(struct mcti_block_read *read, uint64_t max_chars);

/* What stands for the content of a binary resource: "[blob: MIME, N bytes]"; an absent type is octet-stream. */
void mcti_block_put_blob(struct mcti_buf *to, struct mcti_str mime_type, uint64_t n_bytes);

/* The raw form is the content as it is given: whoever wants the whole does not cut it. */
int mcti_block_put_read(struct mcti_buf *to, const struct mcti_block_read *read, const struct mcti_block_look *look);

struct mcti_block_error {
    enum mcti_block_fault fault;
    struct mcti_str uri; /* absent: it was no read */
    struct mcti_str msg;
    const struct mcti_str *available;
    size_t n_available;
};

/*
 * data is {type, msg, recoverable} as in the seed. The hints its processing rules ask for have no field
 * there, so they follow the message in parentheses: "Check Configuration" after ConnectionFailed and Timeout,
 * "Permission Denied" after PermissionDenied. ResourceNotFound has one, "Available Resources List", only when
 * something is available; `available: [..]` is then the fourth member.
 */
int mcti_block_put_error(struct mcti_buf *to, const struct mcti_block_error *error, const struct mcti_block_look *look);

/* Seconds with at most one decimal: "0.8", "60". */
void mcti_block_put_time(struct mcti_buf *to, uint64_t ms);

/* "2025-01-29T10:30:00Z". */
void mcti_block_put_ts(struct mcti_buf *to, int64_t s);

#endif
