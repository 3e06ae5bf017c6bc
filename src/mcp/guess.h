/*
 * Guesses the kind of a text that is not a valid JSON-RPC message. Reads the members of the outermost object leniently:
 * invalid UTF-8, control characters, malformed numbers and a missing end are accepted. Use it only to find the request
 * that will get no answer because of that text.
 */
#ifndef MCT_MCP_GUESS_H
#define MCT_MCP_GUESS_H

#include "base/str.h"

struct mcti_guess {
    struct mcti_str id; /* as written; absent if none was found */
    bool asks, answers; /* asks: has a method; answers: has a result or an error */
    bool is_rpc;        /* has "jsonrpc", so it is not a log line */
};

struct mcti_guess mcti_guess(struct mcti_str text);

#endif
