/* Outputs compared byte for byte with files of tests/golden; the line end of a file's last line is not part of it. */
#ifndef MCT_TESTS_GOLDEN_H
#define MCT_TESTS_GOLDEN_H

#include "unit.h"

static void read_golden(struct mcti_buf *to, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, GOLDEN "/%s", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be read", path);
    mcti_buf_init(to, 1u << 20);
    char *room = mcti_buf_reserve(to, 1u << 20);
    assert_non_null(room);
    to->len = fread(room, 1, 1u << 20, f);
    fclose(f);
    assert_true(to->len > 0 && to->p[to->len - 1] == '\n');
    to->len--;
}

#endif
