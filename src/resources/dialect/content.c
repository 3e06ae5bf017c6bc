/* Contents of resources: lengths of texts, and bytes of base64 blobs, both read from raw JSON strings. */
#include "resources/dialect/impl.h"

#include "base/base64.h"

size_t mcti_dialect_text_len(struct mcti_str text)
{
    struct mcti_str plain;
    struct mcti_buf b;
    if (mcti_json_plain(text, &plain))
        return plain.len;
    mcti_buf_init(&b, text.len);
    mcti_json_unescape_any(text, &b);
    size_t n = b.len;
    mcti_buf_done(&b);
    return n;
}

int mcti_dialect_put_blob(struct mcti_buf *to, struct mcti_str blob)
{
    struct mcti_str plain;
    struct mcti_buf text;
    if (mcti_json_plain(blob, &plain))
        return mcti_base64_get(to, plain);
    mcti_buf_init(&text, blob.len); /* some servers escape every '/' */
    int r = mcti_json_unescape(blob, &text) == 0 ? mcti_base64_get(to, mcti_buf_str(&text)) : -1;
    mcti_buf_done(&text);
    return r;
}

size_t mcti_dialect_blob_size(struct mcti_str blob)
{
    struct mcti_buf bytes;
    mcti_buf_init(&bytes, blob.len);
    size_t n = mcti_dialect_put_blob(&bytes, blob) == 0 ? bytes.len : mcti_dialect_text_len(blob);
    mcti_buf_done(&bytes);
    return n;
}
