/* Message parsing and every operation that trusts a validated span: no crash, and what is written is
 * valid again. Both forms of the string scanner are compared in the unit tests. */
#include "base/limits.h"
#include "json/write.h"
#include "mcp/message.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_valid(const struct mcti_buf *b)
{
    if (mcti_buf_ok(b) && !mcti_json_valid(mcti_buf_str(b), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        abort();
}

static void rewrite(struct mcti_str object)
{
    const struct mcti_json_set sets[] = { { "id", MCT_STR("7") }, { "a", MCT_STR_NONE }, { "new", MCT_STR("[]") } };
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_json_put_object(&b, object, sets, 3);
    check_valid(&b);
    mcti_buf_clear(&b);
    mcti_json_put_pretty(&b, object);
    check_valid(&b);
    mcti_buf_done(&b);
}

static void unescape_all(struct mcti_str object)
{
    struct mcti_json_member m;
    struct mcti_buf text, again;
    mcti_buf_init(&text, 1u << 20);
    mcti_buf_init(&again, 1u << 20);
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);) {
        mcti_buf_clear(&text);
        mcti_buf_clear(&again);
        if (mcti_json_unescape(m.value, &text) < 0)
            continue;
        mcti_json_put_string(&again, mcti_buf_str(&text));
        check_valid(&again);
    }
    mcti_buf_done(&text);
    mcti_buf_done(&again);
}

/* The verdict on a text does not depend on the pieces in which it comes. Each has a place of its own, so that a look
 * behind its end is found. */
static void check_pieces(struct mcti_str text, size_t step)
{
    struct mcti_json_fault whole = { 0, "" }, pieces = { 0, "" };
    struct mcti_json_top top, again;
    struct mcti_json_scan scan;
    bool ok = mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &whole);
    mcti_json_scan_begin(&scan, MCT_LIMIT_JSON_DEPTH);
    for (size_t n = step; n < text.len; n += step) {
        char *part = malloc(n);
        memcpy(part, text.p, n);
        mcti_json_scan_more(&scan, (struct mcti_str){ part, n });
        free(part);
    }
    if (mcti_json_scan_end(&scan, text, &again, &pieces) != ok || pieces.offset != whole.offset ||
        strcmp(pieces.why, whole.why) != 0 || (ok && (again.n != top.n || !mcti_str_eq(again.value, top.value))))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    struct mct_error err;
    char *copy = mcti_str_dup((struct mcti_str){ (const char *)data, size });
    struct mcti_str text = { copy, size };
    struct mcti_json_top top;
    check_pieces(text, 1 + size % 50);
    if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mcti_json_type(top.value) == '{') {
        rewrite(top.value);
        unescape_all(top.value);
    }
    if (mcti_msg_parse(text, &msg, &err) == 0 && msg.method.p)
        mcti_msg_read_meta(&msg, &meta, &err);
    free(copy);
    return 0;
}
