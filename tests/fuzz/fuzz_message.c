/* Message parsing and every operation that trusts a validated span: no crash, and what is written is
 * valid again. Both forms of the string scanner are compared in the unit tests. */
#include "base/limits.h"
#include "json/write.h"
#include "mcp/message.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_valid(const struct mct_buf *b)
{
    if (mct_buf_ok(b) && !mct_json_valid(mct_buf_str(b), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        abort();
}

static void rewrite(struct mct_str object)
{
    const struct mct_json_set sets[] = { { "id", MCT_STR("7") }, { "a", MCT_STR_NONE }, { "new", MCT_STR("[]") } };
    struct mct_buf b;
    mct_buf_init(&b, 1u << 20);
    mct_json_put_object(&b, object, sets, 3);
    check_valid(&b);
    mct_buf_clear(&b);
    mct_json_put_pretty(&b, object);
    check_valid(&b);
    mct_buf_done(&b);
}

static void unescape_all(struct mct_str object)
{
    struct mct_json_member m;
    struct mct_buf text, again;
    mct_buf_init(&text, 1u << 20);
    mct_buf_init(&again, 1u << 20);
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);) {
        mct_buf_clear(&text);
        mct_buf_clear(&again);
        if (mct_json_unescape(m.value, &text) < 0)
            continue;
        mct_json_put_string(&again, mct_buf_str(&text));
        check_valid(&again);
    }
    mct_buf_done(&text);
    mct_buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_msg msg;
    struct mct_msg_meta meta;
    struct mct_error err;
    char *copy = mct_str_dup((struct mct_str){ (const char *)data, size });
    struct mct_str text = { copy, size };
    struct mct_json_top top;
    if (mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mct_json_type(top.value) == '{') {
        rewrite(top.value);
        unescape_all(top.value);
    }
    if (mct_msg_parse(text, &msg, &err) == 0 && msg.method.p)
        mct_msg_read_meta(&msg, &meta, &err);
    free(copy);
    return 0;
}
