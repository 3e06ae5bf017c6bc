/* A member added to a file with comments: if the file is valid, so is the result, which has the member, and everything
 * else in it is what the file had. */
#include "config/import/import.h"
#include "config/notation/jsonc.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_member(struct mcti_buf *text)
{
    struct mcti_json_top top;
    if (text->len >= 3 && !memcmp(text->p, "\xef\xbb\xbf", 3))
        memset(text->p, ' ', 3);
    mcti_jsonc_blank(text->p, text->len);
    return mcti_json_valid(mcti_buf_str(text), 512, &top, NULL) &&
           mcti_json_get(mcti_json_get(top.value, "mcpServers"), "added").p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const path[] = { "mcpServers", NULL };
    struct mct_error err;
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 24);
    mcti_buf_add(&text, (struct mcti_str){ (const char *)data, size });
    if (mcti_config_merge(&text, path, "added", MCT_STR("{\"command\":\"x\"}"), &err) >= 0 && !has_member(&text))
        abort();
    mcti_buf_done(&text);
    return 0;
}
