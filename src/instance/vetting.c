#include "instance/vetting.h"

static const struct mcti_vetting_row vetting_rows[] = {
    { "pins", mcti_instance_wants_pins, mcti_instance_make_pins },
    { 0 },
};

int mcti_vetting_renew(struct mcti_instance *i)
{
    struct mcti_judge *made[MCT_VET_JUDGES];
    size_t n = 0;
    for (const struct mcti_vetting_row *row = vetting_rows; row->name; row++) {
        if (i->vet.is_off || !row->is_on(&i->config))
            continue;
        made[n] = row->make(i);
        if (made[n]) {
            n++;
            continue;
        }
        for (size_t k = 0; k < n; k++)
            made[k]->ops->free(made[k]);
        return -1;
    }
    if (i->vet.n)
        mcti_vet_again(&i->vet);
    mcti_vet_clear(&i->vet);
    for (size_t k = 0; k < n; k++)
        mcti_vet_add(&i->vet, made[k]);
    return 0;
}
