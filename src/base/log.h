/*
 * A log is handed to what needs one; there is no global. The library itself stays at debug; programs
 * choose the level. Control characters of foreign text are made visible, secrets never get here.
 */
#ifndef MCT_BASE_LOG_H
#define MCT_BASE_LOG_H

#include "base/str.h"

#include <mcptools/log.h>

struct mct_log {
    enum mct_log_level level;
    mct_log_fn write; /* NULL: silent */
    void *data;
};

void mct_log(const struct mct_log *log, enum mct_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "error", "warn", "info" or "debug" -> level; -1 when it is none of them. */
int mct_log_level_find(struct mct_str word, enum mct_log_level *ret_level);

/* How many bytes at the beginning of n are one character that steers a terminal or hides text (C0, C1, DEL,
 * the bidirectional controls); 0: none is. */
size_t mct_control_len(const char *p, size_t n);

/* The same, and what else a person does not see or takes for the end of a line: line and paragraph separators, spaces and
 * joiners without width, tag characters. Joiners mean something in some languages and in emoji: this is for what a person
 * decides upon, not for texts in general. */
size_t mct_unseen_len(const char *p, size_t n);

/* Replaces control characters by '?' in place: foreign text on its way to a terminal or log. */
void mct_visible(char *z);

#endif
