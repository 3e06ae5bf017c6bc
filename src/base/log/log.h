/*
 * A log is handed to what needs one; there is no global. The library itself stays at debug; programs
 * choose the level. Control characters of foreign text are made visible, secrets never get here.
 */
#ifndef MCT_BASE_LOG_LOG_H
#define MCT_BASE_LOG_LOG_H

#include "base/str.h"

#include <mcptools/log.h>

struct mcti_log {
    enum mct_log_level level;
    mct_log_fn write; /* NULL: silent */
    void *data;
};

void mcti_log(const struct mcti_log *log, enum mct_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

extern const struct mcti_word mcti_log_level_words[]; /* "error", "warn", "info", "debug" */

#endif
