/*
 * The error table of the line protocol (docs/RESOURCE_TOOLS.md, "lines"), and the mapping of errors to its rows. The
 * first five rows are those of the seed of the protocol; it leaves the others open.
 */
#ifndef MCT_RESOURCES_LINES_ERROR_H
#define MCT_RESOURCES_LINES_ERROR_H

#include "resources/lines/language.h"
#include "resources/cause.h"

enum mcti_block_fault {
    MCT_FAULT_CONNECTION,
    MCT_FAULT_TIMEOUT,
    MCT_FAULT_NOT_FOUND,
    MCT_FAULT_DENIED,
    MCT_FAULT_INVALID_URI,
    MCT_FAULT_SERVER,    /* anything else that a connected server said */
    MCT_FAULT_REQUEST,   /* the request itself is wrong */
    MCT_FAULT_CANCELLED, /* the caller gave up */
    MCT_FAULT_INTERNAL,
    MCT_FAULT_N
};

struct mcti_block_fault_row {
    const char *type;
    enum mcti_phrase summary;
    bool with_uri; /* the URI follows the summary */
    bool recoverable;
    const char *hint;         /* hint that the protocol requires; NULL: none */
    bool hint_lists;          /* the hint is written only if a list of available resources follows */
    enum mct_error_kind kind; /* for the exit status */
};

const struct mcti_block_fault_row *mcti_block_fault_row(enum mcti_block_fault fault);

/*
 * Returns the row of an error, by its kind, by what the server said and by HTTP status. `uri` is the URI that was read,
 * or absent. "Not found" for a URI without a scheme is an invalid URI.
 */
enum mcti_block_fault mcti_block_fault_of(const struct mct_error *err, struct mcti_str uri);

#endif
