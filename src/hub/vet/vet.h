/*
 * Judges of what servers say to models. Every list, the instructions and the serverInfo of a server that speaks MCP
 * pass all judges before anybody sees them, whether they were fetched, announced, or stored by an earlier run. A judge
 * says OK, WARN or QUARANTINE with a reason; the strictest counts. A quarantined item is in no list, and calls of it
 * are refused here. Nothing is judged if there is no judge.
 *
 * A struct mcti_vet belongs to the instance, which adds the judges and sets it as the vetter of its registry.
 */
#ifndef MCT_HUB_VET_VET_H
#define MCT_HUB_VET_VET_H

#include "hub/core/call.h"
#include "hub/names/template.h"
#include "hub/vet/vetted.h"

struct mcti_judge;

struct mcti_judge_ops {
    const char *name; /* "pins"; shown to people */
    /* Judges a subject by itself and its server. Appends the reason, without a final period, to `why`, which is empty
     * and bounded. Runs for each item of each fetched list: it must be fast, sends nothing, and may be called for
     * objects that no list has. */
    enum mcti_judgement (*judge)(struct mcti_judge *j, const struct mcti_vetted *what, struct mcti_buf *why);
    /* Tells the raw names or URIs of a list of `p`, a provider of the registry, before its items are judged. May be
     * NULL. */
    void (*listed)(struct mcti_judge *j, const struct mcti_provider *p, enum mcti_kind kind,
                   const struct mcti_items *list);
    /* Adds findings about subjects that are not there, when the list of p->items[kind] and p->barred[kind] is complete,
     * or for the texts about the server. Of a finding, subject, judgement, id and reason are used. May be NULL. */
    void (*missing)(struct mcti_judge *j, const struct mcti_provider *p, enum mcti_subject subject,
                    struct mcti_findings *to);
    /* Appends what a person can do about a finding: "'mcptools diff mail.send' shows the change". May be NULL. */
    void (*advise)(struct mcti_judge *j, const struct mcti_provider *p, const struct mcti_finding *finding,
                   struct mcti_buf *to);
    void (*free)(struct mcti_judge *j);
};

/* Embedded in the object of a judge as its first member. */
struct mcti_judge {
    const struct mcti_judge_ops *ops;
};

enum { MCT_VET_JUDGES = 4 };

struct mcti_vet {
    struct mcti_vetter vetter;
    struct mcti_registry *registry;
    struct mcti_judge *judges[MCT_VET_JUDGES]; /* owned */
    size_t n;
    bool is_off; /* the owner wants no judges */
    struct mcti_task again;
};

/* Makes the vet without judges. The registry is borrowed and outlives it. */
void mcti_vet_init(struct mcti_vet *v, struct mcti_registry *r);
void mcti_vet_done(struct mcti_vet *v); /* frees the judges; accepts a zeroed vet */

/* Adds a judge, and makes the vet the vetter of the registry. Servers that are there already are judged in the next
 * turn of the loop. */
void mcti_vet_add(struct mcti_vet *v, struct mcti_judge *take_judge);

/* Frees all judges: mcti_vet_again() then admits everything. */
void mcti_vet_clear(struct mcti_vet *v);

/* Has everything judged again in the next turn of the loop, because what a judge knows has changed. */
void mcti_vet_again(struct mcti_vet *v);

/* Sets *err to the refusal of a quarantined subject of `p`: which it is, why, and what to do. Returns -1. */
int mcti_vet_refuse(const struct mcti_provider *p, enum mcti_subject subject, struct mcti_str id,
                    struct mct_error *err);

/* Returns the quarantined item with this raw name or URI of the connection or of its origin; NULL: none. */
const struct mcti_item *mcti_vet_barred(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str id);

/* Fails with *err if the URI belongs to a quarantined resource, or to a quarantined template and no admitted
 * resource. */
int mcti_vet_check_uri(const struct mcti_provider *p, struct mcti_str uri, struct mct_error *err);

/* Fails with *err if the call is about a quarantined item of the connection `p`. */
int mcti_vet_check(const struct mcti_provider *p, const struct mcti_call *call, struct mct_error *err);

/* ---- for vetted.c ---- */

/* Asks all judges about one subject and adds what is found to `to`; NULL: only the judgement is needed. */
enum mcti_judgement mcti_vet_judge(struct mcti_vetter *v, const struct mcti_vetted *what, struct mcti_findings *to);

/* Tells all judges of a list that is judged next. */
void mcti_vet_listed(struct mcti_vetter *v, const struct mcti_provider *p, enum mcti_kind kind,
                     const struct mcti_items *list);

/* Completes p->findings[subject] by what is missing, and reports those that are not in `before`. */
void mcti_vet_judged(struct mcti_vetter *v, struct mcti_provider *p, enum mcti_subject subject,
                     const struct mcti_findings *before);

#endif
