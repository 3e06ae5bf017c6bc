#include "hub/view/prefs.h"

const struct mcti_word mcti_mode_words[] = {
    { "full", MCT_MODE_FULL },
    { "router", MCT_MODE_ROUTER },
    { "search", MCT_MODE_SEARCH },
    { 0 },
};

bool mct_prefs_mode(struct mct_str word, enum mct_mode *ret)
{
    const struct mcti_word *found = mcti_word_find(mcti_mode_words, word);
    if (found)
        *ret = (enum mct_mode)found->value;
    return found;
}

struct mct_offer mct_prefs_offer(const struct mct_client_prefs *prefs, const struct mct_offer *otherwise)
{
    struct mct_offer offer = *otherwise;
    if (prefs->has_dialects)
        offer.dialects = prefs->dialects;
    if (prefs->mode) {
        offer.alone = prefs->mode != MCT_MODE_FULL;
        offer.search = prefs->mode == MCT_MODE_SEARCH;
    }
    if (prefs->ruled.rules)
        offer.ruled.rules = prefs->ruled.rules;
    offer.ruled.stranger |= prefs->ruled.stranger;
    return offer;
}

bool mct_offer_same(const struct mct_offer *a, const struct mct_offer *b)
{
    return a->dialects == b->dialects && a->alone == b->alone && a->search == b->search &&
           a->ruled.rules == b->ruled.rules && a->ruled.stranger == b->ruled.stranger;
}
