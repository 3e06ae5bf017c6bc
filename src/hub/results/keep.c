/* Makes a kept result of the blocks of a result, in steps of bounded work. */
#include "hub/results/impl.h"

#include "base/rand.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>

enum { DECODED = 4 }; /* a decoded byte is as much work as so many that are skipped */

void mcti_keeping_init(struct mcti_keeping *k, size_t max)
{
    *k = (struct mcti_keeping){ 0 };
    struct mcti_buf *const all[] = { &k->text, &k->rest, &k->block_at, &k->marks };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_init(all[i], max);
    mcti_buf_addz(&k->rest, "{\"blocks\":{");
}

void mcti_keeping_done(struct mcti_keeping *k)
{
    mcti_buf_done(&k->text);
    mcti_buf_done(&k->rest);
    mcti_buf_done(&k->block_at);
    mcti_buf_done(&k->marks);
}

bool mcti_keeping_ok(const struct mcti_keeping *k)
{
    return mcti_buf_ok(&k->text) && mcti_buf_ok(&k->rest) && mcti_buf_ok(&k->block_at) && mcti_buf_ok(&k->marks);
}

/* ---- lines ---- */

static void keep_put_offset(struct mcti_buf *to, size_t at)
{
    mcti_buf_add(to, (struct mcti_str){ (const char *)&at, sizeof at });
}

/* Counts the lines that end in the new part of the text, and notes where every MCT_RESULT_MARK_LINES-th begins: a line
 * far behind is found without a look at all before it. */
static void keep_count_lines(struct mcti_keeping *k)
{
    size_t from = k->n_seen;
    if (k->n_seen == k->text.len || !mcti_buf_ok(&k->text))
        return;
    if (!k->marks.len)
        keep_put_offset(&k->marks, 0);
    k->n_seen = k->text.len;
    const char *last = memrchr(k->text.p + from, '\n', k->n_seen - from), *p = k->text.p + k->n_counted;
    while (last && p <= last) {
        uint64_t until_mark = MCT_RESULT_MARK_LINES - k->n_lines % MCT_RESULT_MARK_LINES, left = until_mark;
        p = mcti_range_skip_lines(p, last + 1, &left);
        k->n_lines += until_mark - left;
        if (!left)
            keep_put_offset(&k->marks, (size_t)(p - k->text.p));
    }
    k->n_counted = (size_t)(p - k->text.p);
}

/* ---- blocks ---- */

/* Appends a line that stands for a block that is no text, and begins the block in `rest`, under its number. */
static void keep_put_other(struct mcti_keeping *k, const struct mcti_result_block *block)
{
    char key[24];
    mcti_buf_addc(&k->text, '[');
    if (block->type.len > MCT_LIMIT_NAME_BYTES || mcti_json_unescape_any(block->type, &k->text) < 0)
        mcti_buf_addz(&k->text, "unknown");
    mcti_buf_printf(&k->text, ", %zu bytes of JSON", block->whole.len);
    for (size_t i = 0; i < MCT_RESULT_ABOUT; i++) {
        struct mcti_str v = block->about[i];
        if (mcti_json_type(v) != '"' || v.len > MCT_LIMIT_URI_BYTES)
            continue;
        mcti_buf_addz(&k->text, ", ");
        mcti_json_unescape_any(v, &k->text);
    }
    mcti_buf_printf(&k->text, "; block=%zu]", k->n_blocks);
    snprintf(key, sizeof key, "%zu", k->n_blocks);
    mcti_json_put_key(&k->rest, key);
    k->span = block->whole;
}

size_t mcti_keeping_block(struct mcti_keeping *k, const struct mcti_result_block *block)
{
    if (k->n_blocks++)
        mcti_buf_addc(&k->text, '\n');
    size_t at = k->text.len;
    keep_put_offset(&k->block_at, at);
    if (block->text.p)
        k->decoding = mcti_json_text_open(block->text);
    else
        keep_put_other(k, block);
    return at;
}

bool mcti_keeping_more(struct mcti_keeping *k, size_t *work)
{
    size_t before = k->text.len, n = k->span.len < *work ? k->span.len : *work;
    if (n) {
        mcti_buf_add(&k->rest, (struct mcti_str){ k->span.p, n });
        k->span = (struct mcti_str){ k->span.p + n, k->span.len - n };
    }
    *work -= n;
    if (*work && mcti_json_text_next(&k->decoding, *work / DECODED + 1, &k->text)) {
        size_t done = (k->text.len - before) * DECODED;
        *work -= done < *work ? done : *work;
    }
    keep_count_lines(k);
    return mcti_keeping_ok(k) && (k->span.len || k->decoding.p < k->decoding.end);
}

void mcti_keeping_structured(struct mcti_keeping *k, struct mcti_str structured)
{
    mcti_buf_addc(&k->rest, '}');
    if (!k->n_blocks && structured.p)
        mcti_json_put_pretty(&k->text, structured);
    if (structured.p)
        mcti_json_put_key(&k->rest, "structuredContent");
    k->span = structured;
}

/* ---- the end ---- */

/* A line that would begin at the end is none. */
static void keep_drop_last_mark(struct mcti_keeping *k)
{
    size_t last;
    if (k->marks.len < sizeof last)
        return;
    memcpy(&last, k->marks.p + k->marks.len - sizeof last, sizeof last);
    k->marks.len -= last == k->text.len ? sizeof last : 0;
}

/* Moves the offsets of a buffer to an array; `n` is their number. */
static size_t *keep_take_offsets(struct mcti_buf *b, size_t *ret_n)
{
    *ret_n = b->len / sizeof(size_t);
    return (size_t *)(void *)mcti_buf_take(b);
}

struct mcti_kept *mcti_keeping_take(struct mcti_keeping *k)
{
    struct mcti_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    size_t len = k->text.len;
    mcti_buf_addc(&k->rest, '}');
    keep_drop_last_mark(k);
    *kept = (struct mcti_kept){ .len = len, .n_lines = k->n_lines + (len && mcti_buf_last(&k->text) != '\n') };
    kept->charged = sizeof *kept + k->block_at.len + k->marks.len + len + k->rest.len;
    mcti_random_id(kept->id);
    kept->text = mcti_buf_take(&k->text);
    kept->rest = mcti_buf_take(&k->rest);
    kept->block_at = keep_take_offsets(&k->block_at, &kept->n_blocks);
    kept->marks = keep_take_offsets(&k->marks, &kept->n_marks);
    if (kept->text && kept->rest && kept->block_at && kept->marks)
        return kept;
    mcti_kept_free(kept);
    return NULL;
}
