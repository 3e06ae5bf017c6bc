/*
 * Marks of results from outside. Every marked result says so in _meta["mcptools/external"]. A frame, for models whose
 * host does not look there, is a text before the content and one behind it; the content itself is not changed.
 */
#ifndef MCT_HUB_CALL_EXTERNAL_MARK_H
#define MCT_HUB_CALL_EXTERNAL_MARK_H

#include "hub/core/call.h"

#define MCT_EXTERNAL_META "mcptools/external"

struct mcti_external_mark {
    struct mcti_str server, tool; /* tool absent: the result is of none */
    bool frames;                  /* the lists "content" of the result get a frame */
};

enum { MCT_EXTERNAL_MARK_BYTES = 32 * 1024 }; /* most that a mark adds to a result with one list "content" */

/* Writes the result with the mark. Fails if *to has no room for it. */
void mcti_external_mark_put(struct mcti_buf *to, struct mcti_str result, const struct mcti_external_mark *mark);

#endif
