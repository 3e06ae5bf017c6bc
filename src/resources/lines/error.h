/* The error table of the line protocol (docs/RESOURCE_TOOLS.md, "lines"), and the mapping of errors to its rows. */
#ifndef MCT_RESOURCES_LINES_ERROR_H
#define MCT_RESOURCES_LINES_ERROR_H

#include "base/error.h"

enum mcti_block_fault {
    MCT_FAULT_CONNECTION, /* and every error without a row of its own */
    MCT_FAULT_TIMEOUT,
    MCT_FAULT_NOT_FOUND,
    MCT_FAULT_DENIED,
    MCT_FAULT_INVALID_URI,
    MCT_FAULT_N
};

struct mcti_block_fault_row {
    const char *type;
    const char *summary;
    bool with_uri; /* the URI follows the summary */
    bool recoverable;
    const char *hint; /* hint that the protocol requires; NULL: none */
    bool hint_lists;  /* the hint is written only if a list of available resources follows */
};

const struct mcti_block_fault_row *mcti_block_fault_row(enum mcti_block_fault fault);

/*
 * Returns the row of an error, by kind, JSON-RPC code and HTTP status. `uri` is the URI that was read, or absent.
 * -32602 means "not found" only if its message names the URI; "not found" for a URI without a scheme is an invalid URI.
 */
enum mcti_block_fault mcti_block_fault_of(const struct mct_error *err, struct mcti_str uri);

#endif
