/*
 * Tools as <mcptools/tool.h> defines them, in a provider_local: those of a program and those of C plugins. Here are
 * also the functions of that header. What its author does wrong (two answers, an answer after the end) is logged and
 * ignored.
 */
#ifndef MCT_HUB_LOCAL_TOOL_H
#define MCT_HUB_LOCAL_TOOL_H

#include "hub/local/local.h"

#include <mcptools/tool.h>

/* Adds the tool. `meta`: raw JSON object, its `_meta`; absent: none. -1 with *err: then free_data is not called. */
int mcti_local_add_tool(struct mcti_provider *p, const struct mct_tool_def *def, struct mcti_str meta,
                        struct mct_error *err);

/* Functions that have yet to hear of a cancellation hear of it now: their provider goes. */
void mcti_local_tools_settle(struct mcti_list *cancelled);

#endif
