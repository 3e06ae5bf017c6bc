#include "model/degrade.h"

#include "json/write.h"

void mcti_degrade_size(struct mcti_buf *to, uint64_t bytes)
{
    static const char *const units[] = { "B", "KB", "MB", "GB" };
    uint64_t tenths = bytes * 10;
    size_t u = 0;
    while (tenths >= 10000 && u < 3) {
        tenths = (tenths + 500) / 1000;
        u++;
    }
    mcti_buf_addu(to, tenths / 10);
    if (u && tenths % 10)
        mcti_buf_printf(to, ".%u", (unsigned)(tenths % 10));
    mcti_buf_addz(to, units[u]);
}

static bool has_string(struct mcti_str object, const char *key)
{
    return mcti_json_type(mcti_json_get(object, key)) == '"';
}

static void degrade_put_text(struct mcti_buf *to, struct mcti_str object, const char *key)
{
    struct mcti_str v = mcti_json_get(object, key);
    if (mcti_json_unescape_any(v, to) < 0)
        mcti_buf_add(to, v);
}

static uint64_t decoded_size(struct mcti_str base64)
{
    size_t n = base64.len > 2 ? base64.len - 2 : 0;
    uint64_t pad = n && base64.p[n] == '=' ? (n > 1 && base64.p[n - 1] == '=' ? 2 : 1) : 0;
    return n / 4 * 3 - pad;
}

/* ---- one block as text; each returns false, with nothing written, for a block that violates the specification ---- */

static bool put_media(struct mcti_buf *to, struct mcti_str block)
{
    if (!has_string(block, "mimeType") || !has_string(block, "data"))
        return false;
    mcti_buf_addz(to, mcti_json_is(mcti_json_get(block, "type"), "image") ? "[Image result: " : "[Audio result: ");
    degrade_put_text(to, block, "mimeType");
    mcti_buf_addz(to, ", ");
    mcti_degrade_size(to, decoded_size(mcti_json_get(block, "data")));
    mcti_buf_addc(to, ']');
    return true;
}

static bool degrade_put_resource(struct mcti_buf *to, struct mcti_str block)
{
    struct mcti_str resource = mcti_json_get(block, "resource");
    if (has_string(resource, "text") && mcti_json_get(resource, "text").len > 2) {
        degrade_put_text(to, resource, "text");
        return true;
    }
    if (!has_string(resource, "uri"))
        return false;
    mcti_buf_addz(to, "[Resource: ");
    degrade_put_text(to, resource, "uri");
    mcti_buf_addc(to, ']');
    return true;
}

static bool put_link(struct mcti_buf *to, struct mcti_str block)
{
    if (!has_string(block, "name") || !has_string(block, "uri"))
        return false;
    mcti_buf_addc(to, '[');
    degrade_put_text(to, block, "name");
    mcti_buf_addz(to, "] ");
    degrade_put_text(to, block, "uri");
    return true;
}

static bool put_plain_text(struct mcti_buf *to, struct mcti_str block)
{
    if (!has_string(block, "text"))
        return false;
    degrade_put_text(to, block, "text");
    return true;
}

void mcti_degrade_block(struct mcti_buf *to, struct mcti_str block)
{
    static const struct {
        const char *type;
        bool (*put)(struct mcti_buf *to, struct mcti_str block);
    } rows[] = { { "text", put_plain_text },
                 { "image", put_media },
                 { "audio", put_media },
                 { "resource", degrade_put_resource },
                 { "resource_link", put_link } };
    struct mcti_str type = mcti_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_json_is(type, rows[i].type) && rows[i].put(to, block))
            return;
    mcti_json_put_compact(to, block);
}

/* ---- whole results ---- */

/* Iterates over the content of the result; without content, sets *ret_instead to its structured content. */
static struct mcti_json_iter open_blocks(struct mcti_str result, struct mcti_str *ret_instead)
{
    struct mcti_str content = mcti_json_get(result, "content"), block;
    struct mcti_json_iter it = mcti_json_open(mcti_json_type(content) == '[' ? content : MCT_STR_NONE), first = it;
    struct mcti_str instead =
        strchr("[n", mcti_json_type(content)) /* or absent */ ? mcti_json_get(result, "structuredContent") : content;
    bool nothing = mcti_json_next_item(&first, &block) || mcti_json_type(instead) == 'n';
    *ret_instead = nothing ? MCT_STR_NONE : instead;
    return it;
}

void mcti_degrade_result(struct mcti_buf *to, struct mcti_str result)
{
    struct mcti_str block, instead;
    struct mcti_json_iter it = open_blocks(result, &instead);
    for (size_t n = 0; mcti_json_next_item(&it, &block); n++) {
        mcti_buf_addz(to, n ? "\n" : "");
        mcti_degrade_block(to, block);
    }
    if (instead.p)
        mcti_json_put_compact(to, instead);
}

static void degrade_write_block(struct mcti_str block, struct mcti_buf *scratch,
                                void (*put)(void *data, struct mcti_str text), void *data)
{
    enum { PIECE = 1 << 16 };
    struct mcti_str value =
        mcti_json_is(mcti_json_get(block, "type"), "text") ? mcti_json_get(block, "text") : MCT_STR_NONE;
    struct mcti_json_text text = mcti_json_text_open(value);
    mcti_buf_clear(scratch);
    if (value.len <= PIECE) {
        mcti_degrade_block(scratch, block);
        put(data, mcti_buf_str(scratch));
        return;
    }
    for (; mcti_json_text_next(&text, PIECE, scratch); mcti_buf_clear(scratch))
        put(data, mcti_buf_str(scratch));
}

void mcti_degrade_write(struct mcti_str result, void (*put)(void *data, struct mcti_str text), void *data)
{
    struct mcti_str block, instead;
    struct mcti_json_iter it = open_blocks(result, &instead);
    struct mcti_buf scratch;
    mcti_buf_init(&scratch, (size_t)1 << 32);
    for (size_t n = 0; mcti_json_next_item(&it, &block); n++) {
        if (n)
            put(data, MCT_STR("\n"));
        degrade_write_block(block, &scratch, put, data);
    }
    mcti_buf_clear(&scratch);
    if (instead.p)
        mcti_json_put_compact(&scratch, instead);
    put(data, mcti_buf_str(&scratch));
    mcti_buf_done(&scratch);
}

static void put_text_block(struct mcti_buf *to, struct mcti_str value,
                           void (*put)(struct mcti_buf *to, struct mcti_str value))
{
    struct mcti_buf text;
    mcti_buf_init(&text, to->max);
    put(&text, value);
    mcti_buf_addz(to, "{\"type\":\"text\"");
    mcti_json_put_member(to, "text", mcti_buf_str(&text));
    mcti_buf_addc(to, '}');
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

/* Appends a text or image block with the raw members of the server, so that an unpaired surrogate is kept. */
static void put_content_block(struct mcti_buf *to, struct mcti_str block)
{
    struct mcti_str type = mcti_json_get(block, "type");
    if (mcti_json_is(type, "text") && has_string(block, "text")) {
        mcti_buf_addz(to, "{\"type\":\"text\"");
        mcti_json_put_raw(to, "text", mcti_json_get(block, "text"));
        mcti_buf_addc(to, '}');
    } else if (mcti_json_is(type, "image") && has_string(block, "data") && has_string(block, "mimeType")) {
        mcti_buf_addz(to, "{\"type\":\"image\"");
        mcti_json_put_raw(to, "data", mcti_json_get(block, "data"));
        mcti_json_put_raw(to, "mimeType", mcti_json_get(block, "mimeType"));
        mcti_buf_addc(to, '}');
    } else {
        put_text_block(to, block, mcti_degrade_block);
    }
}

void mcti_degrade_content(struct mcti_buf *to, struct mcti_str result)
{
    struct mcti_str block, instead;
    struct mcti_json_iter it = open_blocks(result, &instead);
    mcti_buf_addc(to, '[');
    for (size_t n = 0; mcti_json_next_item(&it, &block); n++) {
        mcti_buf_addz(to, n ? "," : "");
        put_content_block(to, block);
    }
    if (instead.p)
        put_text_block(to, instead, mcti_json_put_compact);
    mcti_buf_addc(to, ']');
}
