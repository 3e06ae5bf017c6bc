/* The families, and the rule over all of them. */
#include "scan/impl.h"

static const struct mcti_scan_rule combined[] = {
    { "combined", MCT_SCAN_HARD, "MCP03", "has several signs of an attack in one text",
      "a strong soft sign and another one, or four weak ones: an order to the model with a request for silence",
      "Read the text with the soft findings beside this one." },
};

const struct mcti_scan_family mcti_scan_combined = { combined, SCAN_COUNT(combined), NULL, NULL };

/* Unicode first: what it finds is gone when words are read. */
const struct mcti_scan_family *const mcti_scan_families[] = {
    &mcti_scan_unicode,   &mcti_scan_markup,   &mcti_scan_decode,   &mcti_scan_secret, &mcti_scan_confuse,
    &mcti_scan_directive, &mcti_scan_intent,   &mcti_scan_exfil,    &mcti_scan_shadow, &mcti_scan_schema,
    &mcti_scan_command,   &mcti_scan_mismatch, &mcti_scan_combined,
};
const size_t mcti_scan_n_families = SCAN_COUNT(mcti_scan_families);

void mcti_scan_each_rule(void (*each)(void *data, const struct mcti_scan_rule *rule), void *data)
{
    for (size_t i = 0; i < mcti_scan_n_families; i++)
        for (size_t k = 0; k < mcti_scan_families[i]->n; k++)
            each(data, &mcti_scan_families[i]->rules[k]);
}

const struct mcti_scan_rule *mcti_scan_rule_find(struct mcti_str id)
{
    for (size_t i = 0; i < mcti_scan_n_families; i++)
        for (size_t k = 0; k < mcti_scan_families[i]->n; k++)
            if (mcti_str_is(id, mcti_scan_families[i]->rules[k].id))
                return &mcti_scan_families[i]->rules[k];
    return NULL;
}

const char *mcti_scan_severity_word(enum mcti_scan_severity severity)
{
    return severity == MCT_SCAN_HARD ? "hard" : "soft";
}
