/* Attributes of OTLP in JSON: objects in an array, each behind a comma unless it is the first. */
#ifndef MCT_TELEMETRY_ATTRIBUTES_H
#define MCT_TELEMETRY_ATTRIBUTES_H

#include "json/write.h"

/* Appends an attribute; an absent text adds nothing. Texts longer than `MCT_ATTRIBUTE_BYTES` are cut. */
enum { MCT_ATTRIBUTE_BYTES = 4096 };
void mcti_attribute_text(struct mcti_buf *to, const char *key, struct mcti_str text);
void mcti_attribute_int(struct mcti_buf *to, const char *key, int64_t number);

/* Appends the text of a value: of a string without its quotes, otherwise the JSON. */
void mcti_attribute_value(struct mcti_buf *to, const char *key, struct mcti_str json);

/* Appends the member "key":"NUMBER": 64-bit integers are strings in OTLP. */
void mcti_otlp_put_u64(struct mcti_buf *to, const char *key, uint64_t number);

#endif
