/*
 * Tools, resources and prompts as <mcptools/tool.h> and <mcptools/provide.h> define them, in a local provider: those of
 * a program and of C plugins. The files def.c, call.c, reply.c and ask.c also implement the functions of these headers
 * and of <mcptools/client.h>. A second answer to a call, or one after its end, is logged and ignored.
 */
#ifndef MCT_HUB_LOCAL_TOOL_H
#define MCT_HUB_LOCAL_TOOL_H

#include "hub/local/local.h"

#include <mcptools/provide.h>

/* Add a definition. On failure return -1, set *err and do not call free_data. `meta` is the `_meta` of a plugin's tool
 * as a raw JSON object, or absent. */
int mcti_local_add_tool(struct mcti_provider *p, const struct mct_tool_def *def, struct mcti_str meta,
                        struct mct_error *err);
int mcti_local_add_resource(struct mcti_provider *p, const struct mct_resource_def *def, struct mct_error *err);
int mcti_local_add_prompt(struct mcti_provider *p, const struct mct_prompt_def *def, struct mct_error *err);

/* Removes the resource with that URI or template. Returns -1 if there is none. */
int mcti_local_remove_resource(struct mcti_provider *p, const char *uri);

/* Notifies the subscribers of a resource. Returns -1 with *err if the provider has no such resource, or one without
 * updates. */
int mcti_local_resource_updated(struct mcti_provider *p, const char *uri, struct mct_error *err);

/* Reports the pending cancellations at once, because the provider is about to be freed. */
void mcti_local_tools_settle(struct mcti_list *cancelled);

#endif
