/*
 * The part of a system prompt that lists the known resources and the tools to read them with, for hosts that write
 * their own prompts. The tools are those of the dialect "bridge".
 */
#ifndef MCT_RESOURCES_PROMPT_BLOCK_H
#define MCT_RESOURCES_PROMPT_BLOCK_H

#include "hub/view/view.h"

/*
 * Appends the block, or nothing if no resource is known. The block begins with a line break, because it follows other
 * text. `prefix` begins the names of the tools.
 *
 * Names, descriptions, URIs and types come from servers: each is written on one line, without control characters, and
 * cut at 2 KB. The block is at most about 16 KB long; its last line then says how many resources are missing. A
 * resource whose URI is too long to be written whole counts as missing.
 */
void mcti_prompt_block(struct mcti_buf *to, const struct mcti_view *v, const char *prefix);

#endif
