/* The degraded view of a tool result: text a model or a person reads. */
#ifndef MCT_MODEL_DEGRADE_H
#define MCT_MODEL_DEGRADE_H

#include "base/buf.h"

/*
 * Appends the content blocks as text, a line end between them: text inline; image and audio as
 * "[Image result: MIME, SIZE]"; a resource's text inline, otherwise "[Resource: URI]"; a resource link
 * as "[NAME] URI"; unknown types, and what is not as the specification has it, as compact JSON. Structured content only
 * where there is no content.
 */
void mcti_degrade_result(struct mcti_buf *to, struct mcti_str result);

/* The same for those who take images: appends a JSON array of {"type":"text","text"} and {"type":"image","data",
 * "mimeType"}, one for each block, and nothing else. */
void mcti_degrade_content(struct mcti_buf *to, struct mcti_str result);

/* One block as text. */
void mcti_degrade_block(struct mcti_buf *to, struct mcti_str block);

/* "512B", "24KB", "1.5MB": decimal units. */
void mcti_degrade_size(struct mcti_buf *to, uint64_t bytes);

#endif
