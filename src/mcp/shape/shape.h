/*
 * What one side says, in the form the revision of the other side has for it: results, list items,
 * questions of servers and the answers to them, errors. Only what the two revisions differ in is
 * touched; everything else, unknown members too, is copied byte for byte, and where nothing differs the
 * whole is one copy without an allocation. All JSON given has been validated. Going down loses as little as
 * the older revision allows.
 */
#ifndef MCT_MCP_SHAPE_SHAPE_H
#define MCT_MCP_SHAPE_SHAPE_H

#include "base/error.h"
#include "mcp/ask.h"
#include "mcp/method.h"

/*
 * Writes `result` (of a server speaking `from`) as `verb`'s result for a client speaking `to_rev`. Not for
 * the items of lists: see mcti_shape_item(). `output_schema`, for tools/call: the tool's outputSchema as
 * its server lists it, absent: none; where mcti_shape_item() changes it, structuredContent follows.
 *
 * 2026-07-28 clients get resultType, serverInfo and cache hints from handshake servers, and resultType where a
 * 2026-07-28 server leaves it out; handshake clients get none of these, and
 * structuredContent that is no object as {"result":…}. Before 2025-06-18 there is no structuredContent (it
 * becomes text, if there is no content) and a resource_link becomes text; before 2025-03-26 audio becomes
 * an embedded resource with the same bytes.
 */
void mcti_shape_result(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str result, enum mcti_rev from,
                       enum mcti_rev to_rev, struct mcti_str output_schema);

/* Whether a 2026-07-28 outputSchema (absent: none) has a root that handshake revisions do not know. */
bool mcti_shape_wraps(struct mcti_str output_schema);

/* Whether a stateless result is an answer at all or asks for input first. */
bool mcti_shape_is_complete(struct mcti_str result);

/* {"content":[TEXT],"isError":true}: what a handshake client is told instead of what its revision cannot
 * express. */
void mcti_shape_tool_says(struct mcti_buf *to, struct mcti_str text);

/*
 * Writes a list item of a server speaking `from` for clients speaking `to_rev`. `name`: a raw JSON string
 * that takes the place of its name; absent: it stays. Members that `to_rev` does not know are left out
 * (title, icons, outputSchema, …); a 2026-07-28 outputSchema that does not describe an object is wrapped
 * for handshake clients, {"result":…}; x-mcp-header annotations that break a rule are left out for
 * 2026-07-28 clients, which would ignore the tool otherwise.
 */
void mcti_shape_item(struct mcti_buf *to, enum mcti_kind kind, struct mcti_str item, struct mcti_str name,
                     enum mcti_rev from, enum mcti_rev to_rev);

/*
 * Writes the params (absent: none) of a server's question for a client speaking `to_rev`. -1 with *err when
 * that revision has no words for it; then *to holds a part. What belongs to the connection the question
 * came on is left out: the progress token, and `task`.
 */
int mcti_shape_ask(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str params, enum mcti_rev to_rev,
                   struct mct_error *err);

/* Writes a client's answer to such a question, a result, for a server speaking `to_rev`; fails as above. */
int mcti_shape_reply(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str reply, enum mcti_rev to_rev,
                     struct mct_error *err);

/*
 * Writes an error object of a server speaking `from` with the codes `to_rev` knows. "Not found" is -32002 on
 * one side and -32602 with data.uri on the other, where `uri` (a raw JSON string; absent: unknown) is
 * added if the server gave no data; data it gave stays. What is about the gateway's own exchange with the server
 * (-32020, -32022), what `to_rev` leaves undefined, and -32021 and -32042 where they mean nothing become -32603, with
 * message and data as they are. Needs the bytes of error and uri, and 64 more.
 */
void mcti_shape_error(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str error, enum mcti_rev from,
                      enum mcti_rev to_rev, struct mcti_str uri);

/* Writes the params of a notifications/progress under the token (raw) of the other side. */
void mcti_shape_progress(struct mcti_buf *to, struct mcti_str params, struct mcti_str token, enum mcti_rev to_rev);

#endif
