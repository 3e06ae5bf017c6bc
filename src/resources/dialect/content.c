/* What stands in the contents of resources: texts and blobs, however their servers have written them. */
#include "resources/dialect/impl.h"

#include "base/base64.h"

size_t dialect_text_len(struct mct_str text)
{
    struct mct_str plain;
    struct mct_buf b;
    if (mct_json_plain(text, &plain))
        return plain.len;
    mct_buf_init(&b, text.len);
    mct_json_unescape_any(text, &b);
    size_t n = b.len;
    mct_buf_done(&b);
    return n;
}

int dialect_put_blob(struct mct_buf *to, struct mct_str blob)
{
    struct mct_str plain;
    struct mct_buf text;
    if (mct_json_plain(blob, &plain))
        return mct_base64_get(to, plain);
    mct_buf_init(&text, blob.len); /* some servers escape every '/' */
    int r = mct_json_unescape(blob, &text) == 0 ? mct_base64_get(to, mct_buf_str(&text)) : -1;
    mct_buf_done(&text);
    return r;
}

size_t dialect_blob_size(struct mct_str blob)
{
    struct mct_buf bytes;
    mct_buf_init(&bytes, blob.len);
    size_t n = dialect_put_blob(&bytes, blob) == 0 ? bytes.len : dialect_text_len(blob);
    mct_buf_done(&bytes);
    return n;
}
