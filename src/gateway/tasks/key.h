/*
 * The key that seals ids of tasks. Clients keep ids for as long as tasks live, so the key outlives the gateway: it is
 * in a file that only the user may read, made when the first id is needed.
 */
#ifndef MCT_GATEWAY_TASKS_KEY_H
#define MCT_GATEWAY_TASKS_KEY_H

#include "base/error.h"
#include "base/seal.h"

/* The key that was replaced is in a file with this name behind that of the key. */
#define MCT_TASK_KEY_OLD ".old"

/* Reads the key that was replaced. Returns 1; 0 if there is none; -1 with *err if it cannot be used. */
int mcti_task_key_load_old(const char *path, unsigned char ret[MCT_SEAL_KEY_BYTES], struct mct_error *err);

/* Reads the key from the file, or makes both. Returns -1 and sets *err if that is impossible. */
int mcti_task_key_load(const char *path, unsigned char ret[MCT_SEAL_KEY_BYTES], struct mct_error *err);

#endif
