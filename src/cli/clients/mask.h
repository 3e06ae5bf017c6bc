/* Hides values of other entries in the preview of an edit. */
#ifndef MCT_CLI_CLIENTS_MASK_H
#define MCT_CLI_CLIENTS_MASK_H

#include "base/buf.h"

/* Appends a unified diff with each text value replaced by "***" that is not in `shown`, which is the text of our own
 * entry. Keys, brackets and comments stay. `is_toml`: the file is not JSON. */
void mcti_mask_diff(struct mcti_buf *to, struct mcti_str diff, struct mcti_str shown, bool is_toml);

#endif
