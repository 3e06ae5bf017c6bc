#include "resources/lines/error.h"

static const struct mcti_block_fault_row rows[MCT_FAULT_N] = {
    [MCT_FAULT_CONNECTION] = { "ConnectionFailed", MCT_SAY_CONNECTION, false, true, "Check Configuration",
                               .kind = MCT_ERR_CONNECT },
    [MCT_FAULT_TIMEOUT] = { "Timeout", MCT_SAY_TIMEOUT, false, true, "Check Configuration", .kind = MCT_ERR_TIMEOUT },
    [MCT_FAULT_NOT_FOUND] = { "ResourceNotFound", MCT_SAY_NOT_FOUND, true, false, "Available Resources List", true,
                              .kind = MCT_ERR_NOT_FOUND },
    [MCT_FAULT_DENIED] = { "PermissionDenied", MCT_SAY_DENIED, true, false, "Permission Denied", .kind = MCT_ERR_AUTH },
    [MCT_FAULT_INVALID_URI] = { "InvalidURI", MCT_SAY_INVALID_URI, false, true, .kind = MCT_ERR_USAGE },
    [MCT_FAULT_SERVER] = { "ServerError", MCT_SAY_SERVER, false, false, .kind = MCT_ERR_SERVER },
    [MCT_FAULT_REQUEST] = { "InvalidRequest", MCT_SAY_REQUEST, false, true, .kind = MCT_ERR_USAGE },
    [MCT_FAULT_CANCELLED] = { "Cancelled", MCT_SAY_CANCELLED, false, true, .kind = MCT_ERR_CANCELLED },
    [MCT_FAULT_INTERNAL] = { "InternalError", MCT_SAY_INTERNAL, false, false, .kind = MCT_ERR_INTERNAL },
};

/* The row of each kind of error, unless more is known of it. */
static const enum mcti_block_fault by_kind[MCT_ERR_N_KINDS] = {
    [MCT_ERR_USAGE] = MCT_FAULT_REQUEST,       [MCT_ERR_CONFIG] = MCT_FAULT_CONNECTION,
    [MCT_ERR_AUTH] = MCT_FAULT_CONNECTION,     [MCT_ERR_CONNECT] = MCT_FAULT_CONNECTION,
    [MCT_ERR_PROTOCOL] = MCT_FAULT_SERVER,     [MCT_ERR_SERVER] = MCT_FAULT_SERVER,
    [MCT_ERR_TOOL] = MCT_FAULT_SERVER,         [MCT_ERR_NOT_FOUND] = MCT_FAULT_NOT_FOUND,
    [MCT_ERR_UNSUPPORTED] = MCT_FAULT_SERVER,  [MCT_ERR_TIMEOUT] = MCT_FAULT_TIMEOUT,
    [MCT_ERR_POLICY] = MCT_FAULT_DENIED,       [MCT_ERR_PARTIAL] = MCT_FAULT_CONNECTION,
    [MCT_ERR_CANCELLED] = MCT_FAULT_CANCELLED, [MCT_ERR_LIMIT] = MCT_FAULT_SERVER,
    [MCT_ERR_INTERNAL] = MCT_FAULT_INTERNAL,   [MCT_ERR_NO_MEMORY] = MCT_FAULT_INTERNAL,
};

static const enum mcti_block_fault by_cause[] = {
    [MCT_CAUSE_OTHER] = MCT_FAULT_SERVER,
    [MCT_CAUSE_ABSENT] = MCT_FAULT_NOT_FOUND,
    [MCT_CAUSE_DENIED] = MCT_FAULT_DENIED,
    [MCT_CAUSE_MALFORMED] = MCT_FAULT_INVALID_URI,
};

const struct mcti_block_fault_row *mcti_block_fault_row(enum mcti_block_fault fault)
{
    return &rows[fault];
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 3986 section 3.1. */
static bool has_scheme(struct mcti_str uri)
{
    size_t n = 0;
    while (n < uri.len && (is_alpha(uri.p[n]) || (n && uri.p[n] && strchr("0123456789+-.", uri.p[n]))))
        n++;
    return n && n < uri.len && uri.p[n] == ':';
}

/* A read of a server without resources, or without this method, finds nothing. */
static bool lines_error_lacks_resources(const struct mct_error *err, struct mcti_str uri)
{
    return err->kind == MCT_ERR_UNSUPPORTED && uri.p;
}

enum mcti_block_fault mcti_block_fault_of(const struct mct_error *err, struct mcti_str uri)
{
    enum mcti_block_fault fault = by_kind[err->kind];
    bool schemeless = uri.p && !has_scheme(uri);
    if (err->kind == MCT_ERR_SERVER)
        fault = by_cause[mcti_cause_of(err, uri)];
    else if (lines_error_lacks_resources(err, uri))
        fault = MCT_FAULT_NOT_FOUND;
    if (fault != MCT_FAULT_TIMEOUT && (err->http_status == 401 || err->http_status == 403))
        fault = MCT_FAULT_DENIED;
    bool of_uri = fault == MCT_FAULT_SERVER || fault == MCT_FAULT_NOT_FOUND || fault == MCT_FAULT_REQUEST;
    return schemeless && of_uri ? MCT_FAULT_INVALID_URI : fault;
}
