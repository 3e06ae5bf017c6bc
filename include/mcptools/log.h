/* Log lines. The library writes nowhere by itself: a program that wants to see them gives a function. */
#ifndef MCPTOOLS_LOG_H
#define MCPTOOLS_LOG_H

#include <mcptools/api.h>

MCT_BEGIN_DECLS

enum mct_log_level { MCT_LOG_ERROR, MCT_LOG_WARN, MCT_LOG_INFO, MCT_LOG_DEBUG };

/* `line` has no newline and no control characters, never a secret, and is valid for the call. */
typedef void (*mct_log_fn)(enum mct_log_level level, const char *line, void *data);

MCT_END_DECLS

#endif
