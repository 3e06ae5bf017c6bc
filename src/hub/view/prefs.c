#include "hub/view/prefs.h"

const struct mcti_word mcti_mode_words[] = {
    { "full", MCT_MODE_FULL },
    { "router", MCT_MODE_ROUTER },
    { "search", MCT_MODE_SEARCH },
    { 0 },
};

const struct mcti_word mcti_schemas_words[] = {
    { "original", MCT_SCHEMAS_ORIGINAL },
    { "openai", MCT_SCHEMAS_ORIGINAL + 1 },
    { "openai-strict", MCT_SCHEMAS_ORIGINAL + 2 },
    { "anthropic", MCT_SCHEMAS_ORIGINAL + 3 },
    { "gemini", MCT_SCHEMAS_ORIGINAL + 4 },
    { "xai", MCT_SCHEMAS_ORIGINAL + 5 },
    { "deepseek", MCT_SCHEMAS_ORIGINAL + 6 },
    { "llamacpp", MCT_SCHEMAS_ORIGINAL + 7 },
    { 0 },
};

bool mcti_prefs_mode(struct mcti_str word, enum mcti_mode *ret)
{
    const struct mcti_word *found = mcti_word_find(mcti_mode_words, word);
    if (found)
        *ret = (enum mcti_mode)found->value;
    return found;
}

struct mcti_offer mcti_prefs_offer(const struct mcti_client_prefs *prefs, const struct mcti_offer *otherwise)
{
    struct mcti_offer offer = *otherwise;
    if (prefs->has_dialects)
        offer.dialects = prefs->dialects;
    if (prefs->mode) {
        offer.alone = prefs->mode != MCT_MODE_FULL;
        offer.search = prefs->mode == MCT_MODE_SEARCH;
    }
    if (prefs->schemas)
        offer.schemas = prefs->schemas;
    if (prefs->ruled.rules)
        offer.ruled.rules = prefs->ruled.rules;
    offer.ruled.stranger |= prefs->ruled.stranger;
    return offer;
}

bool mcti_offer_same(const struct mcti_offer *a, const struct mcti_offer *b)
{
    return a->dialects == b->dialects && a->alone == b->alone && a->search == b->search && a->schemas == b->schemas &&
           a->ruled.rules == b->ruled.rules && a->ruled.stranger == b->ruled.stranger;
}
