/* Telemetry of an instance, see telemetry/telemetry.h. */
#ifndef MCT_INSTANCE_TELEMETRY_H
#define MCT_INSTANCE_TELEMETRY_H

#include "instance/instance.h"

/* The log of everything in the instance: writes to the owner's log, and to telemetry. */
struct mcti_log mcti_instance_tee(struct mcti_instance *i, const struct mcti_log *log);

/* Opens telemetry if the configuration or the environment switches it on. `lookup` returns a variable of the
 * environment; NULL: none is read. Returns -1 with *err. */
int mcti_instance_open_telemetry(struct mcti_instance *i, const char *(*lookup)(const char *name),
                                 struct mct_error *err);

/* Begins to send what is left, and ends the recording. `done` sets *flag; at once if there is nothing to send. */
void mcti_instance_flush_telemetry(struct mcti_instance *i, void (*done)(void *flag), bool *flag);
void mcti_instance_close_telemetry(struct mcti_instance *i);

#endif
