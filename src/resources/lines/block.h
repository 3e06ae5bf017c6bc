/*
 * The block in which the `mcp` agent answers (docs/RESOURCE_TOOLS.md, "lines"): a line with status and summary, then
 * state, data and meta, each on a line of its own or all three on one:
 *
 *   ✅ mcp 资源读取: file://readme.md (2.5KB)
 *     state: success | data: {uri: "file://readme.md", truncated: false} | meta: {agent: mcp, time: 0.3}
 *
 * This file writes and reads the form only; answer.h writes the contents. Parsing a block of this writer and writing it
 * again gives the same bytes. A block from elsewhere becomes canonical, see value.h.
 */
#ifndef MCT_RESOURCES_LINES_BLOCK_H
#define MCT_RESOURCES_LINES_BLOCK_H

#include "json/scan.h"

enum mcti_block_state {
    MCT_BLOCK_SUCCESS,
    MCT_BLOCK_PARTIAL,
    MCT_BLOCK_PENDING,
    MCT_BLOCK_ERROR,
    MCT_BLOCK_TIMEOUT,
    MCT_BLOCK_N_STATES
};

struct mcti_block {
    enum mcti_block_state state;
    bool one_line;           /* state, data and meta on one line; ignored without data and meta */
    struct mcti_str summary; /* one line of text */
    struct mcti_str data;    /* a JSON object; absent: the field is left out */
    struct mcti_str meta;    /* like data */
};

const char *mcti_block_emoji(enum mcti_block_state state);
const char *mcti_block_word(enum mcti_block_state state);

/*
 * Appends the block without a final line end. White space at the ends of the summary is dropped, and its control
 * characters, which could end the line, are escaped. If data or meta is not a JSON object, or `to` is too small,
 * appends nothing and returns -1.
 */
int mcti_block_put(struct mcti_buf *to, const struct mcti_block *block);

/*
 * Parses one block, surrounded by nothing but white space. Line ends may be CRLF; white space, line breaks included,
 * may stand wherever JSON allows it; the selector U+FE0F of the emoji may be missing. data and meta are optional; the
 * order is fixed. The spans of *ret point into `keep`, to which they are appended, or are absent; the JSON is compact.
 * On failure returns -1 and sets the fault: its offset is that of the unexpected byte.
 */
int mcti_block_parse(struct mcti_str text, struct mcti_buf *keep, struct mcti_block *ret,
                     struct mcti_json_fault *fault);

#endif
