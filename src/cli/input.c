#include "cli/input.h"

#include <errno.h>
#include <stdio.h>

static int read_all(struct mcti_buf *to, FILE *f)
{
    size_t n;
    do {
        char *at = mcti_buf_reserve(to, 65536);
        n = at ? fread(at, 1, 65536, f) : 0;
        to->len += n;
    } while (n);
    return ferror(f) ? errno : 0;
}

int mcti_input_read(struct mcti_buf *to, const char *path, struct mct_error *err)
{
    bool is_stdin = !strcmp(path, "-");
    FILE *f = is_stdin ? stdin : fopen(path, "re");
    if (!f)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: %s", path, strerror(errno));
    int failed = read_all(to, f);
    if (!is_stdin)
        fclose(f);
    if (failed)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: %s", path, strerror(failed));
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "%s: the file is too large", path);
}
