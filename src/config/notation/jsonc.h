/* Converts JSON with comments and trailing commas to plain JSON of the same length, so that offsets and lines still
 * match the file. */
#ifndef MCT_CONFIG_NOTATION_JSONC_H
#define MCT_CONFIG_NOTATION_JSONC_H

#include "base/str.h"

/* Blanks comments (// and slash-star) and commas before a closing bracket, in place. */
void mcti_jsonc_blank(char *text, size_t len);

/* Return the line and the column (in bytes) of an offset. Both count from 1. */
unsigned mcti_line_of(const char *text, size_t offset);
unsigned mcti_column_of(const char *text, size_t offset);

#endif
