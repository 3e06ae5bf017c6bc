/*
 * A log is passed to the objects that need one; there is no global log. Programs choose the level. Control characters
 * in foreign text are made visible. Secrets must never be logged.
 */
#ifndef MCT_BASE_LOG_LOG_H
#define MCT_BASE_LOG_LOG_H

#include "base/str.h"

#include <mcptools/log.h>

struct mcti_log {
    enum mct_log_level level;
    mct_log_fn write; /* NULL: no output */
    void *data;
};

void mcti_log(const struct mcti_log *log, enum mct_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

extern const struct mcti_word mcti_log_level_words[]; /* "error", "warn", "info", "debug" */

#endif
