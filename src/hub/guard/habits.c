#include "hub/guard/habits.h"

#include "base/limits.h"

#include <stdlib.h>

enum { HABIT_WAYS = 8 };

struct habit_entry {
    uint64_t what; /* call.what */
    enum mcti_habit habit;
};

/* Rows of HABIT_WAYS entries; a full row overwrites tools that do not ask. */
struct mcti_habits {
    struct habit_entry v[MCT_LIMIT_HABITS];
};

/* Returns the index of the entry of the tool or prompt `what`, or of the entry of its row that it may replace. */
static size_t habit_place(const struct mcti_habits *table, uint64_t what)
{
    size_t row = what % (MCT_LIMIT_HABITS / HABIT_WAYS) * HABIT_WAYS, least = row;
    for (size_t i = row; i < row + HABIT_WAYS; i++) {
        if (table->v[i].what == what)
            return i;
        if (table->v[i].habit < table->v[least].habit)
            least = i;
    }
    return least;
}

enum mcti_habit mcti_habits_get(const struct mcti_habits *table, uint64_t what)
{
    const struct habit_entry *h = table ? &table->v[habit_place(table, what)] : NULL;
    return h && h->what == what ? h->habit : MCT_HABIT_UNKNOWN;
}

void mcti_habits_note(struct mcti_habits **table, uint64_t what, enum mcti_habit habit)
{
    if (!*table && !(*table = calloc(1, sizeof **table)))
        return;
    struct habit_entry *h = &(*table)->v[habit_place(*table, what)];
    if (habit >= h->habit) /* keeps MCT_HABIT_ASKS: the question of a call may have been assigned to another one */
        *h = (struct habit_entry){ what, habit };
}
