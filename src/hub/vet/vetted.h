/*
 * Judges the lists of one provider, and keeps what was found about them. The judges are those of the vet that is the
 * provider's vetter; a provider without one is left alone.
 */
#ifndef MCT_HUB_VET_VETTED_H
#define MCT_HUB_VET_VETTED_H

#include "hub/core/registry.h"

const char *mcti_subject_word(enum mcti_subject subject);       /* "tool" …, "instructions", "serverInfo" */
const char *mcti_judgement_word(enum mcti_judgement judgement); /* "ok", "warn", "quarantine" */

void mcti_findings_clear(struct mcti_findings *f);

/* Adds a finding with copies of the texts. One that is not kept is counted. */
void mcti_findings_add(struct mcti_findings *f, const struct mcti_finding *finding);

/* Returns the finding with the strictest judgement; NULL: none is kept. */
const struct mcti_finding *mcti_findings_of(const struct mcti_findings *f, struct mcti_str id);

/* Returns whether an equal finding is there. */
bool mcti_findings_have(const struct mcti_findings *f, const struct mcti_finding *finding);

/* Members of struct mcti_vetter. An item that cannot be moved because memory is out is dropped. */
void mcti_vetted_split(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh,
                       struct mcti_items *barred);
void mcti_vetted_over(struct mcti_provider *p, enum mcti_kind kind);
void mcti_vetted_forget(struct mcti_provider *p);

/* Judges instructions and serverInfo. */
void mcti_vetted_identity(struct mcti_provider *p);

/* Judges everything that the provider has again, and notifies the registry of lists that change. Items stay where they
 * are in memory, lists do not. */
void mcti_vetted_again(struct mcti_provider *p);

/* Returns whether the object of a list, which the provider does not keep, may be shown. */
bool mcti_vetted_passes(struct mcti_provider *p, enum mcti_kind kind, struct mcti_str json);

/* Calls `fn` for each item of the kind in the server's order, quarantined ones included. */
void mcti_vetted_each(const struct mcti_provider *p, enum mcti_kind kind,
                      void (*fn)(void *data, const struct mcti_item *item, bool is_barred), void *data);

/* Returns the number of quarantined subjects. */
size_t mcti_vetted_n_barred(const struct mcti_provider *p);

/* Writes the findings as members of an object, without the braces, or nothing: quarantined (a number), findings
 * [{type, name?, judgement, judge, reason}], and findingsLeftOut if not all are written. */
void mcti_vetted_put(struct mcti_buf *to, const struct mcti_provider *p);

#endif
