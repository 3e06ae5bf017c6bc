#include "hub/prefs.h"

bool mct_prefs_mode(struct mct_str word, enum mct_mode *ret)
{
    bool full = mct_str_is(word, "full");
    if (!full && !mct_str_is(word, "router"))
        return false;
    *ret = full ? MCT_MODE_FULL : MCT_MODE_ROUTER;
    return true;
}

struct mct_offer mct_prefs_offer(const struct mct_client_prefs *prefs, const struct mct_offer *otherwise)
{
    struct mct_offer offer = *otherwise;
    if (prefs->has_dialects)
        offer.dialects = prefs->dialects;
    if (prefs->mode)
        offer.alone = prefs->mode == MCT_MODE_ROUTER;
    return offer;
}
