/*
 * The judges of an instance (hub/vet): which there are is a table in vetting.c, which of them judge is up to the
 * configuration.
 */
#ifndef MCT_INSTANCE_VETTING_H
#define MCT_INSTANCE_VETTING_H

#include "instance/instance.h"

/* One kind of judge. */
struct mcti_vetting_row {
    const char *name;
    /* Returns true if the configuration has the judge say something about some server. */
    bool (*is_on)(const struct mcti_config *c);
    /* Creates the judge, which may borrow from the instance, but from its configuration only until the next reload.
     * Returns NULL when out of memory. */
    struct mcti_judge *(*make)(struct mcti_instance *i);
    /* Called when the judge is in use, in the place of an earlier one that exists no more. NULL: none is in use. May
     * itself be NULL. */
    void (*used)(struct mcti_instance *i, struct mcti_judge *j);
};

/* ---- pins.c ---- */

bool mcti_instance_wants_pins(const struct mcti_config *c);
struct mcti_judge *mcti_instance_make_pins(struct mcti_instance *i);
void mcti_instance_use_pins(struct mcti_instance *i, struct mcti_judge *j);

/* ---- scan.c ---- */

bool mcti_instance_wants_scan(const struct mcti_config *c);
struct mcti_judge *mcti_instance_make_scan(struct mcti_instance *i);

/* ---- vetting.c ---- */

/* Makes the judges as configured, if the instance vets, in the place of the old ones; servers that are there already
 * are judged in the next turn of the loop. Called before servers are created and after each reload. Returns -1 when out
 * of memory: the old judges stay. */
int mcti_vetting_renew(struct mcti_instance *i);

#endif
