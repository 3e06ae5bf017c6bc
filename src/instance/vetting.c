#include "instance/vetting.h"

static const struct mcti_vetting_row vetting_rows[] = {
    { "pins", mcti_instance_wants_pins, mcti_instance_make_pins, mcti_instance_use_pins },
    { "scan", mcti_instance_wants_scan, mcti_instance_make_scan, NULL },
};

enum { N_ROWS = sizeof vetting_rows / sizeof *vetting_rows };

/* Makes the judge of each row, NULL for those that are off. */
static int vetting_make(struct mcti_instance *i, struct mcti_judge *ret[N_ROWS])
{
    for (size_t k = 0; k < N_ROWS; k++) {
        const struct mcti_vetting_row *row = &vetting_rows[k];
        bool is_on = !i->vet.is_off && row->is_on(&i->config);
        ret[k] = is_on ? row->make(i) : NULL;
        if (!is_on || ret[k])
            continue;
        while (k-- > 0)
            if (ret[k])
                ret[k]->ops->free(ret[k]);
        return -1;
    }
    return 0;
}

int mcti_vetting_renew(struct mcti_instance *i)
{
    struct mcti_judge *made[N_ROWS];
    if (vetting_make(i, made) < 0)
        return -1;
    if (i->vet.n)
        mcti_vet_again(&i->vet);
    mcti_vet_clear(&i->vet);
    for (size_t k = 0; k < N_ROWS; k++) {
        if (made[k])
            mcti_vet_add(&i->vet, made[k]);
        if (vetting_rows[k].used)
            vetting_rows[k].used(i, made[k]);
    }
    return 0;
}
