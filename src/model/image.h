/* Images in results: whether a provider accepts them. */
#ifndef MCT_MODEL_IMAGE_H
#define MCT_MODEL_IMAGE_H

#include "base/buf.h"

struct mcti_provider_rules;

/* Appends the base64 text of an image block, and sets *ret_mime to the type of the image: what its first bytes say,
 * else what the block says. If the provider would refuse the image, returns -1 and appends to `why` the text that
 * replaces it. */
int mcti_model_image_read(struct mcti_buf *to, const struct mcti_provider_rules *rules, struct mcti_str block,
                          const char **ret_mime, struct mcti_buf *why);

#endif
