/*
 * Items of servers that judges (hub/vet) have something to say about. A provider whose items come from a peer has a
 * vetter, which judges every list and the server's description of itself before anybody sees them. Quarantined items
 * stand in provider->barred instead of provider->items, so that views, lists, searches and counts need no check of
 * their own.
 */
#ifndef MCT_HUB_CORE_VETTED_H
#define MCT_HUB_CORE_VETTED_H

#include "base/buf.h"
#include "hub/core/item.h"
#include "mcp/era.h"

struct mcti_provider;

/* A part of a server that is judged: an item, by its kind, or a text about the whole server. */
enum mcti_subject {
    MCT_SUBJECT_TOOL = MCT_TOOL,
    MCT_SUBJECT_RESOURCE = MCT_RESOURCE,
    MCT_SUBJECT_TEMPLATE = MCT_TEMPLATE,
    MCT_SUBJECT_PROMPT = MCT_PROMPT,
    MCT_SUBJECT_INSTRUCTIONS = MCT_KIND_N, /* plain text */
    MCT_SUBJECT_SERVER_INFO,               /* an object */
    MCT_SUBJECT_N,
};

enum mcti_judgement { MCT_JUDGED_OK, MCT_JUDGED_WARN, MCT_JUDGED_QUARANTINE };

/* What is judged; borrowed during the judgement. */
struct mcti_vetted {
    const struct mcti_provider *provider; /* of the registry, even if a further connection lists it */
    enum mcti_subject subject;
    enum mcti_rev rev;    /* of the connection that lists it */
    struct mcti_str id;   /* raw name or URI; empty for instructions and serverInfo */
    struct mcti_str text; /* the object as the server wrote it; instructions: the plain text */
};

/* What one judge says about one subject. */
struct mcti_finding {
    enum mcti_subject subject;
    enum mcti_judgement judgement; /* never MCT_JUDGED_OK */
    const char *judge;             /* static */
    struct mcti_str id, reason;    /* NUL-terminated; of the same allocation as the finding */
};

/* Findings about all items of one kind, or about one text. */
struct mcti_findings {
    struct mcti_finding **v; /* owned */
    size_t n, cap;
    size_t n_left_out; /* beyond MCT_LIMIT_FINDINGS or the memory */
};

/* The functions by which hub/core and hub/server have a provider judged; they are those of hub/vet/vetted.h. */
struct mcti_vetter {
    /* Judges a fetched list and moves its quarantined items to *barred, which is empty. */
    void (*split)(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh, struct mcti_items *barred);
    /* Completes the judgement of a list that was split, once it is in the provider. */
    void (*over)(struct mcti_provider *p, enum mcti_kind kind);
    /* Judges everything that the provider has again, and notifies the registry of lists that change. */
    void (*again)(struct mcti_provider *p);
    void (*put_status)(struct mcti_buf *to, const struct mcti_provider *p);
    void (*forget)(struct mcti_provider *p); /* frees what is kept of the judgements */
};

#endif
