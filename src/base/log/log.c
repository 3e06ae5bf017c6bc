#include "base/log/log.h"

#include "base/log/visible.h"

#include <stdarg.h>
#include <stdio.h>

void mcti_log(const struct mcti_log *log, enum mct_log_level level, const char *fmt, ...)
{
    if (!log || !log->write || level > log->level)
        return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    mcti_visible(line);
    log->write(level, line, log->data);
}

int mcti_log_level_find(struct mcti_str word, enum mct_log_level *ret_level)
{
    static const char *const words[] = { "error", "warn", "info", "debug" };
    for (int i = 0; i < 4; i++) {
        if (mcti_str_is(word, words[i])) {
            *ret_level = (enum mct_log_level)i;
            return 0;
        }
    }
    return -1;
}
