/* Queries for kept results: any URI is refused or gives a part of the text that is valid UTF-8. */
#include "hub/results/results.h"
#include "json/write.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char text[] = "one\r\ntwo \xc3\xa4\n\nneedle NEEDLE needle\n\xf0\x9f\x98\x80 end";
static char rest[] = "{\"blocks\":{\"2\":{\"type\":\"image\",\"data\":\"QQ==\",\"mimeType\":\"image/png\"}},"
                     "\"structuredContent\":{\"a\":[1,{\"b/c\":\"deep\\ntext\"}]}}";

static void check_utf8(const struct mcti_buf *b)
{
    struct mcti_buf json;
    mcti_buf_init(&json, 6 * b->len + 16);
    mcti_json_put_string(&json, mcti_buf_str(b));
    if (memmem(json.p, json.len, "\xef\xbf\xbd", 3))
        abort();
    mcti_buf_done(&json);
}

static void ask(struct mcti_str uri, size_t max)
{
    const struct mcti_kept k = { .text = text, .len = sizeof text - 1, .n_lines = 5, .rest = rest };
    struct mcti_result_query q;
    struct mct_error err;
    struct mcti_buf part, note, whole;
    mcti_buf_init(&part, 1u << 20);
    mcti_buf_init(&note, 1u << 16);
    mcti_buf_init(&whole, 1u << 20);
    mcti_result_query_init(&q);
    if (mcti_result_query_read(&q, uri, &err) == 0) {
        q.max = max;
        if (mcti_result_put_range(&part, &note, &k, &q, &err) == 0)
            check_utf8(&part);
        q.max = 0;
        if (mcti_result_put_read(&whole, &k, &q, MCT_STR("u"), &err) == 0 &&
            !mcti_json_valid(mcti_buf_str(&whole), 16, NULL, NULL))
            abort();
    }
    mcti_result_query_done(&q);
    mcti_buf_done(&part);
    mcti_buf_done(&note);
    mcti_buf_done(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_buf uri;
    if (!size)
        return 0;
    mcti_buf_init(&uri, size + 64);
    mcti_buf_addz(&uri, MCT_RESULT_URI "id");
    mcti_buf_add(&uri, (struct mcti_str){ (const char *)data + 1, size - 1 });
    ask(mcti_buf_str(&uri), data[0] % 64);
    mcti_buf_done(&uri);
    return 0;
}
