#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

size_t mct_control_len(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x20 || u[0] == 0x7f)
        return 1;
    if (n >= 2 && u[0] == 0xc2 && u[1] >= 0x80 && u[1] <= 0x9f) /* C1 */
        return 2;
    if (n < 3 || u[0] != 0xe2)
        return 0;
    bool embeds = u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xaa && u[2] <= 0xae));
    bool isolates = u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9;
    return embeds || isolates ? 3 : 0;
}

size_t mct_unseen_len(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t control = mct_control_len(p, n);
    if (control)
        return control;
    if (n >= 3 && u[0] == 0xe2 && u[1] == 0x80 && ((u[2] >= 0x8b && u[2] <= 0x8d) || u[2] == 0xa8 || u[2] == 0xa9))
        return 3; /* U+200B to U+200D, U+2028, U+2029 */
    if (n >= 3 && ((u[0] == 0xe2 && u[1] == 0x81 && u[2] == 0xa0) || (u[0] == 0xef && u[1] == 0xbb && u[2] == 0xbf)))
        return 3; /* U+2060, U+FEFF */
    return n >= 4 && u[0] == 0xf3 && u[1] == 0xa0 && (u[2] == 0x80 || u[2] == 0x81) ? 4 : 0; /* U+E0000 to U+E007F */
}

void mct_visible(char *z)
{
    size_t left = strlen(z), n;
    for (; left; z += n, left -= n) {
        size_t bad = mct_control_len(z, left);
        memset(z, '?', bad);
        n = bad ? bad : 1;
    }
}

void mct_log(const struct mct_log *log, enum mct_log_level level, const char *fmt, ...)
{
    if (!log || !log->write || level > log->level)
        return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    mct_visible(line);
    log->write(level, line, log->data);
}

int mct_log_level_find(struct mct_str word, enum mct_log_level *ret_level)
{
    static const char *const words[] = { "error", "warn", "info", "debug" };
    for (int i = 0; i < 4; i++) {
        if (mct_str_is(word, words[i])) {
            *ret_level = (enum mct_log_level)i;
            return 0;
        }
    }
    return -1;
}
