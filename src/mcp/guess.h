/*
 * What a text that is no valid JSON-RPC message seems to be. Reads the members of the outermost object
 * with leniency: bytes that are no UTF-8, control characters and numbers that are none do not matter,
 * nor does an end that is missing. Good for finding the request that gets no answer because of it, and
 * for nothing else.
 */
#ifndef MCT_MCP_GUESS_H
#define MCT_MCP_GUESS_H

#include "base/str.h"

struct mcti_guess {
    struct mcti_str id; /* as written; absent: none was found */
    bool asks, answers; /* has a method; has a result or an error */
    bool is_rpc;        /* has "jsonrpc": no line of a log */
};

struct mcti_guess mcti_guess(struct mcti_str text);

#endif
