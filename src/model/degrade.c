#include "model/degrade.h"

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

static bool has_string(struct mct_str object, const char *key)
{
    return mct_json_type(mct_json_get(object, key)) == '"';
}

static void put_text(struct mct_buf *to, struct mct_str object, const char *key)
{
    size_t before = to->len;
    struct mct_str v = mct_json_get(object, key);
    if (mct_json_unescape(v, to) < 0) {
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

/* ---- one block as text; each false, with nothing written, for a block that is not as the specification has it ---- */

static bool put_media(struct mct_buf *to, struct mct_str block)
{
    if (!has_string(block, "mimeType") || !has_string(block, "data"))
        return false;
    mct_buf_addz(to, mct_json_is(mct_json_get(block, "type"), "image") ? "[Image result: "
                                                                       : "[Audio result: ");
    put_text(to, block, "mimeType");
    mct_buf_addz(to, ", ");
    mct_degrade_size(to, decoded_size(mct_json_get(block, "data")));
    mct_buf_addc(to, ']');
    return true;
}

static bool put_resource(struct mct_buf *to, struct mct_str block)
{
    struct mct_str resource = mct_json_get(block, "resource");
    if (has_string(resource, "text") && mct_json_get(resource, "text").len > 2) {
        put_text(to, resource, "text");
        return true;
    }
    if (!has_string(resource, "uri"))
        return false;
    mct_buf_addz(to, "[Resource: ");
    put_text(to, resource, "uri");
    mct_buf_addc(to, ']');
    return true;
}

static bool put_link(struct mct_buf *to, struct mct_str block)
{
    if (!has_string(block, "name") || !has_string(block, "uri"))
        return false;
    mct_buf_addc(to, '[');
    put_text(to, block, "name");
    mct_buf_addz(to, "] ");
    put_text(to, block, "uri");
    return true;
}

static bool put_plain_text(struct mct_buf *to, struct mct_str block)
{
    if (!has_string(block, "text"))
        return false;
    put_text(to, block, "text");
    return true;
}

void mct_degrade_block(struct mct_buf *to, struct mct_str block)
{
    static const struct {
        const char *type;
        bool (*put)(struct mct_buf *to, struct mct_str block);
    } rows[] = { { "text", put_plain_text }, { "image", put_media }, { "audio", put_media },
                 { "resource", put_resource }, { "resource_link", put_link } };
    struct mct_str type = mct_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mct_json_is(type, rows[i].type) && rows[i].put(to, block))
            return;
    mct_json_put_compact(to, block);
}

/* ---- all of a result ---- */

/* Begins with what stands for the result: its content; where there is none, its structured part. */
static struct mct_json_iter open_blocks(struct mct_str result, struct mct_str *ret_instead)
{
    struct mct_str content = mct_json_get(result, "content"), block;
    struct mct_json_iter it = mct_json_open(mct_json_type(content) == '[' ? content : MCT_STR_NONE), first = it;
    struct mct_str instead = strchr("[n", mct_json_type(content)) /* or absent */ ? mct_json_get(result, "structuredContent") : content;
    bool nothing = mct_json_next_item(&first, &block) || mct_json_type(instead) == 'n';
    *ret_instead = nothing ? MCT_STR_NONE : instead;
    return it;
}

void mct_degrade_result(struct mct_buf *to, struct mct_str result)
{
    struct mct_str block, instead;
    struct mct_json_iter it = open_blocks(result, &instead);
    for (size_t n = 0; mct_json_next_item(&it, &block); n++) {
        mct_buf_addz(to, n ? "\n" : "");
        mct_degrade_block(to, block);
    }
    if (instead.p)
        mct_json_put_compact(to, instead);
}

static void put_text_block(struct mct_buf *to, struct mct_str value, void (*put)(struct mct_buf *to, struct mct_str value))
{
    struct mct_buf text;
    mct_buf_init(&text, to->max);
    put(&text, value);
    mct_buf_addz(to, "{\"type\":\"text\"");
    mct_json_put_member(to, "text", mct_buf_str(&text));
    mct_buf_addc(to, '}');
    to->failed |= !mct_buf_ok(&text);
    mct_buf_done(&text);
}

/* Text and image in the very words of the server, so that an unpaired surrogate stays one. */
static void put_content_block(struct mct_buf *to, struct mct_str block)
{
    struct mct_str type = mct_json_get(block, "type");
    if (mct_json_is(type, "text") && has_string(block, "text")) {
        mct_buf_addz(to, "{\"type\":\"text\"");
        mct_json_put_raw(to, "text", mct_json_get(block, "text"));
        mct_buf_addc(to, '}');
    } else if (mct_json_is(type, "image") && has_string(block, "data") && has_string(block, "mimeType")) {
        mct_buf_addz(to, "{\"type\":\"image\"");
        mct_json_put_raw(to, "data", mct_json_get(block, "data"));
        mct_json_put_raw(to, "mimeType", mct_json_get(block, "mimeType"));
        mct_buf_addc(to, '}');
    } else {
        put_text_block(to, block, mct_degrade_block);
    }
}

void mct_degrade_content(struct mct_buf *to, struct mct_str result)
{
    struct mct_str block, instead;
    struct mct_json_iter it = open_blocks(result, &instead);
    mct_buf_addc(to, '[');
    for (size_t n = 0; mct_json_next_item(&it, &block); n++) {
        mct_buf_addz(to, n ? "," : "");
        put_content_block(to, block);
    }
    if (instead.p)
        put_text_block(to, instead, mct_json_put_compact);
    mct_buf_addc(to, ']');
}
