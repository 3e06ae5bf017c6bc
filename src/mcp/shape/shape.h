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
 * the items of lists: see mct_shape_item(). `output_schema`, for tools/call: the tool's outputSchema as
 * its server lists it, absent: none; where mct_shape_item() changes it, structuredContent follows.
 *
 * 2026-07-28 clients get resultType, serverInfo and cache hints from handshake servers, and resultType where a
 * 2026-07-28 server leaves it out; handshake clients get none of these, and
 * structuredContent that is no object as {"result":…}. Before 2025-06-18 there is no structuredContent (it
 * becomes text, if there is no content) and a resource_link becomes text; before 2025-03-26 audio becomes
 * an embedded resource with the same bytes.
 */
void mct_shape_result(struct mct_buf *to, enum mct_verb verb, struct mct_str result, enum mct_rev from,
                      enum mct_rev to_rev, struct mct_str output_schema);

/* Whether a 2026-07-28 outputSchema (absent: none) has a root that handshake revisions do not know. */
bool mct_shape_wraps(struct mct_str output_schema);

/* Whether a stateless result is an answer at all or asks for input first. */
bool mct_shape_is_complete(struct mct_str result);

/* {"content":[TEXT],"isError":true}: what a handshake client is told instead of what its revision cannot
 * express. */
void mct_shape_tool_says(struct mct_buf *to, struct mct_str text);

/*
 * Writes a list item of a server speaking `from` for clients speaking `to_rev`. `name`: a raw JSON string
 * that takes the place of its name; absent: it stays. Members that `to_rev` does not know are left out
 * (title, icons, outputSchema, …); a 2026-07-28 outputSchema that does not describe an object is wrapped
 * for handshake clients, {"result":…}; x-mcp-header annotations that break a rule are left out for
 * 2026-07-28 clients, which would ignore the tool otherwise.
 */
void mct_shape_item(struct mct_buf *to, enum mct_kind kind, struct mct_str item, struct mct_str name,
                    enum mct_rev from, enum mct_rev to_rev);

/*
 * Writes the params (absent: none) of a server's question for a client speaking `to_rev`. -1 with *err when
 * that revision has no words for it; then *to holds a part. What belongs to the connection the question
 * came on is left out: the progress token, and `task`.
 */
int mct_shape_ask(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str params, enum mct_rev to_rev,
                  struct mct_error *err);

/* Writes a client's answer to such a question, a result, for a server speaking `to_rev`; fails as above. */
int mct_shape_reply(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str reply, enum mct_rev to_rev,
                    struct mct_error *err);

/*
 * Writes an error object of a server speaking `from` with the codes `to_rev` knows. "Not found" is -32002 on
 * one side and -32602 with data.uri on the other, where `uri` (a raw JSON string; absent: unknown) is
 * added if the server gave no data; data it gave stays. What is about the gateway's own exchange with the server (-32020,
 * -32022), what `to_rev` leaves undefined, and -32021 and -32042 where they mean nothing become -32603, with
 * message and data as they are. Needs the bytes of error and uri, and 64 more.
 */
void mct_shape_error(struct mct_buf *to, enum mct_verb verb, struct mct_str error, enum mct_rev from,
                     enum mct_rev to_rev, struct mct_str uri);

/* Writes the params of a notifications/progress under the token (raw) of the other side. */
void mct_shape_progress(struct mct_buf *to, struct mct_str params, struct mct_str token, enum mct_rev to_rev);

#endif
