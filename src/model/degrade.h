/* The degraded form of a tool result: text for a model or a person. */
#ifndef MCT_MODEL_DEGRADE_H
#define MCT_MODEL_DEGRADE_H

#include "base/buf.h"

/*
 * Appends the content blocks as text, separated by line ends: text inline; image and audio as "[Image result: MIME,
 * SIZE]"; an embedded resource as its text, or as "[Resource: URI]"; a resource link as "[NAME] URI"; unknown or
 * invalid blocks as compact JSON. Structured content is written only if there is no content.
 */
void mcti_degrade_result(struct mcti_buf *to, struct mcti_str result);

/* Writes the same with `put`, long texts in pieces. */
void mcti_degrade_write(struct mcti_str result, void (*put)(void *data, struct mcti_str text), void *data);

/* Like mcti_degrade_result(), for readers that accept images: appends a JSON array with {"type":"text","text"} or
 * {"type":"image","data","mimeType"} for each block, and nothing else. */
void mcti_degrade_content(struct mcti_buf *to, struct mcti_str result);

/* Appends one block as text. */
void mcti_degrade_block(struct mcti_buf *to, struct mcti_str block);

/* Appends a size in decimal units: "512B", "24KB", "1.5MB". */
void mcti_degrade_size(struct mcti_buf *to, uint64_t bytes);

#endif
