/*
 * Results in the form the asking revision expects. Only the members that the eras differ in are
 * touched; everything else is copied byte for byte.
 */
#ifndef MCT_HUB_SHAPE_H
#define MCT_HUB_SHAPE_H

#include "mcp/ask.h"
#include "mcp/method.h"

/* Writes `result` (of a server speaking `from`) as `verb`'s result for a client speaking `to_rev`.
 * 2026-07-28 clients get resultType and serverInfo, and cache hints where the revision demands them;
 * handshake clients get none of these. */
void mct_shape_result(struct mct_buf *to, enum mct_verb verb, struct mct_str result, enum mct_rev from,
                      enum mct_rev to_rev, bool wraps);
bool mct_shape_wraps(struct mct_str schema);
int mct_shape_ask(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str params, enum mct_rev to_rev, struct mct_error *err);
int mct_shape_reply(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str reply, enum mct_rev to_rev, struct mct_error *err);
bool mct_shape_progress(struct mct_buf *to, struct mct_str params, enum mct_rev to_rev);
void mct_shape_tool_says(struct mct_buf *to, struct mct_str text);

/* Whether a stateless result is an answer at all or asks for input first. */
bool mct_shape_is_complete(struct mct_str result);

/* Writes an error object with the codes `to_rev` knows (-32002 is a handshake code, -32602 with
 * data.uri the stateless one). */
void mct_shape_error(struct mct_buf *to, enum mct_verb verb, struct mct_str error, enum mct_rev to_rev);

#endif
