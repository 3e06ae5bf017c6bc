/*
 * The tasks that commands have started and not waited for: a line of JSON for each, in
 * $XDG_STATE_HOME/mcptools/tasks.jsonl. The journal knows where a task is, never its result. Each task has a number,
 * because ids are long.
 */
#ifndef MCT_CLI_TASKS_JOURNAL_H
#define MCT_CLI_TASKS_JOURNAL_H

#include "base/error.h"
#include "json/write.h"

/* One task. Owned texts. */
struct mcti_task_note {
    uint64_t number;
    char *id; /* a JSON string */
    char *server, *tool, *status;
    uint64_t created_s, ttl_ms; /* since 1970; the server forgets the task after ttl_ms */
    bool has_ttl;
};

void mcti_task_note_done(struct mcti_task_note *n); /* accepts a zeroed one */

/* Adds a task and sets n->number. Tasks that have expired are removed. Returns -1 and sets *err on failure. */
int mcti_task_note_add(struct mcti_task_note *n, struct mct_error *err);

/* Finds the task with this number or id. Returns -1 and sets *err if there is none. */
int mcti_task_note_find(const char *word, struct mcti_task_note *ret, struct mct_error *err);

/* Records the status of the task with this number. A journal that cannot be written is left as it is. */
void mcti_task_note_status(uint64_t number, const char *status);

/* Removes the task with this number: its server has forgotten it. */
void mcti_task_note_remove(uint64_t number);

/* Calls `fn` for each task that has not expired, in the order of their numbers. */
void mcti_task_notes_each(void (*fn)(void *data, const struct mcti_task_note *n), void *data);

#endif
