/*
 * The answers of the `mcp` agent (docs/RESOURCE_TOOLS.md, "lines"): a list, a text or an error, written as a block.
 * Pure functions over plain inputs. The mcti_block_put_…() functions with a `style` append to `to`, without a final
 * line end, and return 0; if `to` is too small they append nothing and return -1.
 */
#ifndef MCT_RESOURCES_LINES_ANSWER_H
#define MCT_RESOURCES_LINES_ANSWER_H

#include "resources/lines/block.h"
#include "resources/lines/error.h"

enum { MCT_BLOCK_AVAILABLE = 20 }; /* largest number of URIs listed with "not found" */

/* The kernel's return_spec.format. */
enum mcti_block_format {
    MCT_BLOCK_DETAIL,  /* everything */
    MCT_BLOCK_SUMMARY, /* only the status line and the state */
    MCT_BLOCK_RAW      /* read: the content; list: its data as JSON; errors: like MCT_BLOCK_DETAIL */
};

struct mcti_block_style {
    enum mcti_block_format format;
    enum mcti_language language; /* of the first line; unset: Chinese */
    bool one_line;               /* state, data and meta on one line */
    bool kernel;                 /* a timeout is a state of its own instead of an error */
    uint64_t limit_ms;           /* the timeout, named in the kernel's form only, and only if it has passed */
    uint64_t took_ms;            /* for meta, in seconds with one decimal */
    int64_t now_s;               /* for meta, seconds since 1970 */
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
    const struct mcti_block_server *servers; /* servers that answered, at least in part */
    size_t n_servers;
    uint64_t n_resources;                    /* total of all servers; `uris` may hold only a part of them */
    const struct mcti_block_failure *failed; /* servers that did not answer, or only in part */
    size_t n_failed;
};

/*
 * Appends a list. The state is `success` if no server failed. Otherwise it is `partial`, and `failed: [{name, type,
 * msg}, ...]` follows the totals. If no server answered, appends an error with all reasons: of their common type, or
 * ConnectionFailed if one of them is, or of the type of the first.
 */
int mcti_block_put_list(struct mcti_buf *to, const struct mcti_block_list *list, const struct mcti_block_style *style);

struct mcti_block_read {
    struct mcti_str uri, content;
    uint64_t original_size; /* in bytes */
    bool truncated;
    uint64_t shown; /* characters of the content, if truncated */
};

/* Shortens a content of more than whole_chars characters (Unicode scalar values) to the first shown_chars and sets
 * `truncated` and `shown`. */
void mcti_block_cut(struct mcti_block_read *read, uint64_t whole_chars, uint64_t shown_chars);

/* Appends "[blob: MIME, N bytes]" in place of binary contents; an empty mime_type is written as
 * application/octet-stream. */
void mcti_block_put_blob(struct mcti_buf *to, struct mcti_str mime_type, uint64_t n_bytes);

/* Appends a resource that was read. The raw form is the content as given: the caller does not cut it. */
int mcti_block_put_read(struct mcti_buf *to, const struct mcti_block_read *read, const struct mcti_block_style *style);

struct mcti_block_error {
    enum mcti_block_fault fault;
    struct mcti_str uri; /* absent: not a read */
    struct mcti_str msg;
    const struct mcti_str *available;
    size_t n_available;
};

/*
 * Appends an error whose data is {type, msg, recoverable}. The protocol has no member for hints, so they follow the
 * message in parentheses: "Check Configuration" after ConnectionFailed and Timeout, "Permission Denied" after
 * PermissionDenied. ResourceNotFound has the hint "Available Resources List" only if something is available;
 * `available: [..]` is then the fourth member.
 */
int mcti_block_put_error(struct mcti_buf *to, const struct mcti_block_error *error,
                         const struct mcti_block_style *style);

/* Appends seconds with at most one decimal: "0.8", "60". */
void mcti_block_put_time(struct mcti_buf *to, uint64_t ms);

/* Appends a time like "2025-01-29T10:30:00Z". */
void mcti_block_put_ts(struct mcti_buf *to, int64_t s);

#endif
