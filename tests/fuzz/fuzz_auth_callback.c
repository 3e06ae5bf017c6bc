/* The query of an authorization response: a parameter is counted as by a decoder that takes the query apart first. */
#include "auth/wire/form.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the number of parameters with that name. */
static int count(struct mcti_str query, const char *name, struct mcti_str *ret_first)
{
    struct mcti_str value, key;
    int n = 0;
    while (mcti_str_split(&query, '&', &value)) {
        struct mcti_buf b;
        mcti_buf_init(&b, 1u << 20);
        mcti_str_split(&value, '=', &key);
        if (mcti_form_decode(&b, key) == 0 && mcti_str_is(mcti_buf_str(&b), name) && !n++)
            *ret_first = value;
        mcti_buf_done(&b);
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "code", "state", "iss", "error", "error_description", "" };
    const struct mcti_str query = { (const char *)data, size };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mcti_buf value, first;
        struct mcti_str raw = MCT_STR_NONE;
        mcti_buf_init(&value, 1u << 20);
        mcti_buf_init(&first, 1u << 20);
        int n = mcti_form_get(query, names[i], &value), wanted = count(query, names[i], &raw);
        int decoded = wanted ? mcti_form_decode(&first, raw) : 0;
        if (n != (decoded < 0 ? -1 : wanted))
            abort();
        if (n > 0 && (!mcti_str_eq(mcti_buf_str(&value), mcti_buf_str(&first)) ||
                      (value.len && memchr(value.p, '\0', value.len))))
            abort();
        mcti_buf_done(&value);
        mcti_buf_done(&first);
    }
    return 0;
}
