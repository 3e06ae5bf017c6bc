/*
 * Converts messages between revisions: results, list items, questions of servers and their answers, and errors. Only
 * the differences between the two revisions are changed; everything else, including unknown members, is copied byte for
 * byte. Without a difference the conversion is a single copy without an allocation. All JSON passed in must be
 * validated. Converting to an older revision loses as little as that revision allows.
 */
#ifndef MCT_MCP_SHAPE_SHAPE_H
#define MCT_MCP_SHAPE_SHAPE_H

#include "base/error.h"
#include "mcp/ask.h"
#include "mcp/method.h"

/*
 * Writes `result` of a server that speaks `from` as the result of `verb` for a client that speaks `to_rev`. List items
 * are converted by mcti_shape_item() instead. `output_schema` is, for tools/call, the tool's outputSchema as its server
 * lists it (absent: none); if mcti_shape_item() changes it, structuredContent is changed accordingly.
 *
 * For 2026-07-28 clients, resultType, serverInfo and cache hints are added to results of handshake servers, and a
 * missing resultType to results of 2026-07-28 servers. For handshake clients these are removed, and structuredContent
 * that is not an object becomes {"result":…}. Before 2025-06-18, structuredContent is removed (and becomes text if
 * there is no content), and a resource_link becomes text; before 2025-03-26, audio becomes an embedded resource with
 * the same bytes.
 */
void mcti_shape_result(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str result, enum mcti_rev from,
                       enum mcti_rev to_rev, struct mcti_str output_schema);

/* Returns true if a 2026-07-28 outputSchema (absent: none) has a root that handshake revisions do not allow. */
bool mcti_shape_wraps(struct mcti_str output_schema);

/* Returns true if a stateless result is an answer, false if it requests input first. */
bool mcti_shape_is_complete(struct mcti_str result);

/* Writes {"content":[TEXT],"isError":true}: replaces, for a handshake client, a result that its revision cannot
 * express. */
void mcti_shape_tool_says(struct mcti_buf *to, struct mcti_str text);

/*
 * Writes a list item of a server that speaks `from` for clients that speak `to_rev`. `name` is a raw JSON string that
 * replaces the item's name; absent: the name is kept. Members that `to_rev` does not have are removed (title, icons,
 * outputSchema, …). For handshake clients, a 2026-07-28 outputSchema that does not describe an object is wrapped:
 * {"result":…}. For 2026-07-28 clients, invalid x-mcp-header annotations are removed, because the client would ignore
 * the tool otherwise.
 */
void mcti_shape_item(struct mcti_buf *to, enum mcti_kind kind, struct mcti_str item, struct mcti_str name,
                     enum mcti_rev from, enum mcti_rev to_rev);

/* Writes an Implementation object (serverInfo) without the members that `to_rev` does not have. */
void mcti_shape_implementation(struct mcti_buf *to, struct mcti_str info, enum mcti_rev to_rev);

/*
 * Writes the params (absent: none) of a server's question for a client that speaks `to_rev`. The progress token and
 * `task` are removed, because they belong to the server's connection. If that revision cannot express the question,
 * returns -1, sets *err and leaves *to incomplete.
 */
int mcti_shape_ask(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str params, enum mcti_rev to_rev,
                   struct mct_error *err);

/* Writes a client's answer to such a question, a result, for a server that speaks `to_rev`; fails like
 * mcti_shape_ask(). */
int mcti_shape_reply(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str reply, enum mcti_rev to_rev,
                     struct mct_error *err);

/*
 * Writes an error object of a server that speaks `from` with the codes of `to_rev`. "Not found" is -32002 in handshake
 * revisions and -32602 with data.uri in 2026-07-28; `uri` (a raw JSON string; absent: unknown) is added if the server
 * sent no data. The following codes become -32603, with message and data kept: -32020 and -32022, which concern only
 * the gateway and the server; codes that `to_rev` does not define; and -32021 and -32042 where they have no meaning.
 * *to must have room for `error`, `uri` and 64 more bytes.
 */
void mcti_shape_error(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str error, enum mcti_rev from,
                      enum mcti_rev to_rev, struct mcti_str uri);

/* Writes the params of a notifications/progress with the other side's token (raw JSON). */
void mcti_shape_progress(struct mcti_buf *to, struct mcti_str params, struct mcti_str token, enum mcti_rev to_rev);

#endif
