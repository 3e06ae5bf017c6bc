/*
 * The id under which a client knows a task: server, tool and the server's own id, sealed with the principal. It needs
 * no memory of the gateway, and no escapes in JSON and headers.
 */
#ifndef MCT_GATEWAY_TASKS_ID_H
#define MCT_GATEWAY_TASKS_ID_H

#include "base/seal.h"

enum { MCT_TASK_ID_BYTES = 16384 }; /* longest id that clients get */

struct mcti_task_id {
    char *server, *tool; /* name of the server, and its own name of the tool */
    char *own;           /* the server's id of the task, a JSON string */
};

/* Writes the id, a JSON string. */
void mcti_task_id_put(struct mcti_buf *to, struct mcti_str key, struct mcti_str principal,
                      const struct mcti_task_id *id);

/* Reads an id. Returns -1 if it was not written with this key and principal. */
int mcti_task_id_read(struct mcti_str text, struct mcti_str key, struct mcti_str principal, struct mcti_task_id *ret);

void mcti_task_id_done(struct mcti_task_id *id); /* accepts a zeroed one */

#endif
