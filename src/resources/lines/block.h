/*
 * The block with which the `mcp` agent answers (docs/RESOURCE_TOOLS.md, "lines"): a line with status and summary, and
 * below it state, data and meta, each on a line of its own or the three on one:
 *
 *   ✅ mcp 资源读取: file://readme.md (2.5KB)
 *     state: success | data: {uri: "file://readme.md", truncated: false} | meta: {agent: mcp, time: 0.3}
 *
 * Here is the form alone, both ways; what stands in a block is answer.h's. Of what the writer makes,
 * parsing and writing give the same bytes. A block read from elsewhere comes back canonical: see value.h.
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
    bool one_line;           /* state, data and meta on one line; of no meaning without data and meta */
    struct mcti_str summary; /* text of one line */
    struct mcti_str data;    /* a JSON object; absent: no such field */
    struct mcti_str meta;    /* the same */
};

const char *mcti_block_emoji(enum mcti_block_state state);
const char *mcti_block_word(enum mcti_block_state state);

/*
 * Appends the block, without a line end behind it. In the summary, blanks at the ends are dropped, and
 * control characters, which could end its line, become escapes. -1 when data or meta is no JSON object, or
 * `to` cannot take it; then nothing is appended.
 */
int mcti_block_put(struct mcti_buf *to, const struct mcti_block *block);

/*
 * Reads one block with nothing but white space around it. Line ends may be CRLF; white space may stand
 * wherever JSON allows it, line breaks too; the selector U+FE0F of the emoji may be missing; data and meta may be
 * missing, the order is fixed. The spans of *ret are in `keep`, to which they are appended, or absent; the JSON
 * is compact. -1 with the fault: its offset is that of the byte where something else was expected.
 */
int mcti_block_parse(struct mcti_str text, struct mcti_buf *keep, struct mcti_block *ret,
                     struct mcti_json_fault *fault);

#endif
