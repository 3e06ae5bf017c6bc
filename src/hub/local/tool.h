/*
 * Tools as <mcptools/tool.h> defines them, in a local provider: the tools of a program and of C plugins. tool.c also
 * implements the functions of that header. A second answer to a call, or one after its end, is logged and ignored.
 */
#ifndef MCT_HUB_LOCAL_TOOL_H
#define MCT_HUB_LOCAL_TOOL_H

#include "hub/local/local.h"

#include <mcptools/tool.h>

/* Adds the tool. `meta` is its `_meta` as a raw JSON object, or absent. On failure returns -1, sets *err and does not
 * call free_data. */
int mcti_local_add_tool(struct mcti_provider *p, const struct mct_tool_def *def, struct mcti_str meta,
                        struct mct_error *err);

/* Reports the pending cancellations at once, because the provider is about to be freed. */
void mcti_local_tools_settle(struct mcti_list *cancelled);

#endif
