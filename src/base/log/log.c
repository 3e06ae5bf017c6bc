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

const struct mcti_word mcti_log_level_words[] = {
    { "error", MCT_LOG_ERROR }, { "warn", MCT_LOG_WARN }, { "info", MCT_LOG_INFO }, { "debug", MCT_LOG_DEBUG }, { 0 },
};
