/* The error table of the line protocol (docs/RESOURCE_TOOLS.md, "lines"), and the row of it that stands for an error of
 * ours. */
#ifndef MCT_RESOURCES_LINES_ERROR_H
#define MCT_RESOURCES_LINES_ERROR_H

#include "base/error.h"

enum mcti_block_fault {
    MCT_FAULT_CONNECTION, /* and everything that has no row of its own */
    MCT_FAULT_TIMEOUT,
    MCT_FAULT_NOT_FOUND,
    MCT_FAULT_DENIED,
    MCT_FAULT_INVALID_URI,
    MCT_FAULT_N
};

struct mcti_block_fault_row {
    const char *type;
    const char *summary;
    bool with_uri; /* behind the summary */
    bool recoverable;
    const char *hint; /* what the seed's processing rules want to be told; NULL: nothing */
    bool hint_lists;  /* the hint is about what is available: without that there is none */
};

const struct mcti_block_fault_row *mcti_block_fault_row(enum mcti_block_fault fault);

/*
 * By kind, JSON-RPC code and HTTP status. `uri` is what was to be read, or absent: -32602 means "not
 * found" only when its message names the URI, and what is not found and has no scheme is an invalid URI.
 */
enum mcti_block_fault mcti_block_fault_of(const struct mct_error *err, struct mcti_str uri);

#endif
