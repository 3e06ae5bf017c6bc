#include "hub/degrade.h"

#include "json/write.h"

void mct_degrade_size(struct mct_buf *to, uint64_t bytes)
{
    static const char *const units[] = { "B", "KB", "MB", "GB" };
    uint64_t tenths = bytes * 10;
    size_t u = 0;
    while (tenths >= 10000 && u < 3) {
        tenths = (tenths + 500) / 1000;
        u++;
    }
    mct_buf_addu(to, tenths / 10);
    if (u && tenths % 10)
        mct_buf_printf(to, ".%u", (unsigned)(tenths % 10));
    mct_buf_addz(to, units[u]);
}

/* A string member's text; nothing when it is absent. */
static void put_text(struct mct_buf *to, struct mct_str object, const char *key)
{
    size_t before = to->len;
    struct mct_str v = mct_json_get(object, key);
    if (mct_json_type(v) == '"' && mct_json_unescape(v, to) < 0) {
        to->len = before; /* an unpaired surrogate: the JSON form still tells it */
        mct_buf_add(to, v);
    }
}

static uint64_t decoded_size(struct mct_str base64)
{
    size_t n = base64.len > 2 ? base64.len - 2 : 0;
    uint64_t pad = n && base64.p[n] == '=' ? (n > 1 && base64.p[n - 1] == '=' ? 2 : 1) : 0;
    return n / 4 * 3 - pad;
}

static void put_media(struct mct_buf *to, struct mct_str block)
{
    mct_buf_addz(to, mct_json_is(mct_json_get(block, "type"), "image") ? "[Image result: "
                                                                       : "[Audio result: ");
    put_text(to, block, "mimeType");
    mct_buf_addz(to, ", ");
    mct_degrade_size(to, decoded_size(mct_json_get(block, "data")));
    mct_buf_addc(to, ']');
}

static void put_resource(struct mct_buf *to, struct mct_str block)
{
    struct mct_str resource = mct_json_get(block, "resource");
    struct mct_str text = mct_json_get(resource, "text");
    if (mct_json_type(text) == '"' && text.len > 2) {
        put_text(to, resource, "text");
        return;
    }
    mct_buf_addz(to, "[Resource: ");
    put_text(to, resource, "uri");
    mct_buf_addc(to, ']');
}

static void put_link(struct mct_buf *to, struct mct_str block)
{
    mct_buf_addc(to, '[');
    put_text(to, block, "name");
    mct_buf_addz(to, "] ");
    put_text(to, block, "uri");
}

static void put_plain_text(struct mct_buf *to, struct mct_str block)
{
    put_text(to, block, "text");
}

static void put_block(struct mct_buf *to, struct mct_str block)
{
    static const struct {
        const char *type;
        void (*put)(struct mct_buf *to, struct mct_str block);
    } rows[] = { { "text", put_plain_text }, { "image", put_media }, { "audio", put_media },
                 { "resource", put_resource }, { "resource_link", put_link } };
    struct mct_str type = mct_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (mct_json_is(type, rows[i].type)) {
            rows[i].put(to, block);
            return;
        }
    }
    mct_buf_add(to, block);
}

void mct_degrade_result(struct mct_buf *to, struct mct_str result)
{
    struct mct_str block, structured = mct_json_get(result, "structuredContent");
    size_t n = 0;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "content"));
    while (mct_json_next_item(&it, &block)) {
        if (n++)
            mct_buf_addc(to, '\n');
        put_block(to, block);
    }
    if (!n && structured.p)
        mct_buf_add(to, structured);
}
