/*
 * Which tools and prompts of a server ask questions: a table of fixed size, with memory from the first habit on. Owned
 * by the provider of the server; a call in flight has its own copy of its habit.
 */
#ifndef MCT_HUB_GUARD_HABITS_H
#define MCT_HUB_GUARD_HABITS_H

#include "hub/core/call.h"

struct mcti_habits; /* NULL: none was noted */

/* Returns what is known of calls with the hash `what`. */
enum mcti_habit mcti_habits_get(const struct mcti_habits *table, uint64_t what);

/* Notes a habit. Without memory for the table, habits stay unknown. */
void mcti_habits_note(struct mcti_habits **table, uint64_t what, enum mcti_habit habit);

#endif
