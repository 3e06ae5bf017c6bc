/* The judge "pins": compares what servers say with their pins. */
#ifndef MCT_PINS_JUDGE_H
#define MCT_PINS_JUDGE_H

#include "config/config.h"
#include "hub/vet/vet.h"

/* Creates the judge for the servers of the configuration, and reads their pins. Returns NULL when out of memory. */
struct mcti_judge *mcti_pins_judge_new(const struct mcti_config *c, const struct mcti_log *log);

/* Reads the pins again. */
void mcti_pins_judge_renew(struct mcti_judge *j);

/* Returns whether a file of pins cannot be used, so that its servers are quarantined. */
bool mcti_pins_judge_lacks_file(const struct mcti_judge *j);

/* Appends the paths of the files. Returns -1 when out of memory. */
int mcti_pins_judge_files(const struct mcti_judge *j, struct mcti_strings *to);

#endif
