/* Files of the catalogue. One that is read is written, and read again as the same. */
#include "hub/catalogue/catalogue.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_put(struct mcti_buf *to, struct mcti_stored *s)
{
    struct mcti_provider p = { .info = s->info };
    memcpy(p.items, s->items, sizeof p.items);
    mcti_stored_put(to, &p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_stored stored, again;
    struct mcti_buf first, second;
    if (mcti_stored_parse((struct mcti_str){ (const char *)data, size }, &stored, NULL) < 0)
        return 0;
    mcti_buf_init(&first, 1u << 24);
    mcti_buf_init(&second, 1u << 24);
    fuzz_put(&first, &stored);
    if (mcti_stored_parse(mcti_buf_str(&first), &again, NULL) < 0)
        abort();
    fuzz_put(&second, &again);
    if (!mcti_str_eq(mcti_buf_str(&first), mcti_buf_str(&second)))
        abort();
    mcti_buf_done(&first);
    mcti_buf_done(&second);
    mcti_stored_clear(&stored);
    mcti_stored_clear(&again);
    return 0;
}
