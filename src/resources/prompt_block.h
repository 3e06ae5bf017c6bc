/*
 * The part of a system prompt that tells a model of the resources there are and of the tools that reach them.
 * For hosts that write their own prompts; the tools are those of the dialect "bridge".
 */
#ifndef MCT_RESOURCES_PROMPT_BLOCK_H
#define MCT_RESOURCES_PROMPT_BLOCK_H

#include "hub/view/view.h"

/*
 * Appends the block; nothing when no resource is known. It begins with a line break, as it is put behind something.
 *
 * Names, descriptions, URIs and types are the servers' words: each is put on one line without control characters and
 * cut at 2 KB, and the block ends with how many are missing when it would be longer than 16 KB. A resource whose URI
 * would have to be cut is one of these.
 */
void mcti_prompt_block(struct mcti_buf *to, const struct mcti_view *v);

#endif
