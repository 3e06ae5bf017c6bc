/*
 * Log lines of the library. The library itself writes nowhere: a program that wants the lines sets a function
 * in struct mct_instance_opts.
 */
#ifndef MCPTOOLS_LOG_H
#define MCPTOOLS_LOG_H

#include <mcptools/common.h>

MCT_BEGIN_DECLS

enum mct_log_level { MCT_LOG_ERROR, MCT_LOG_WARN, MCT_LOG_INFO, MCT_LOG_DEBUG };

/* Receives one line. `line` has no newline, no control characters and no secrets; it is valid during the call
 * only. */
typedef void (*mct_log_fn)(enum mct_log_level level, const char *line, void *data);

MCT_END_DECLS

#endif
