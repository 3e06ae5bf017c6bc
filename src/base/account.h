/*
 * Counts the memory that clients and servers make the gateway hold. Accounts form a tree: a connection or a session
 * stands below its principal, and principals stand below the whole gateway. A charge counts at every account up to the
 * root, or at none. An account is embedded in its owner and allocates nothing; it does not know what the bytes are.
 */
#ifndef MCT_BASE_ACCOUNT_H
#define MCT_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mcti_held {
    MCT_HELD_REQUEST,      /* requests while they are read, and while they wait for their answer */
    MCT_HELD_ANSWER,       /* bytes that a client has not read yet */
    MCT_HELD_EVENT,        /* events kept for clients that come back */
    MCT_HELD_CALL,         /* MCP requests under way */
    MCT_HELD_SUBSCRIPTION, /* URIs of resources that a client wants to hear of */
    MCT_HELD_PARKED,       /* answers and notifications for clients that must come back for them */
    MCT_HELD_N
};

const char *mcti_held_word(enum mcti_held kind); /* "request" … */

/* A ceiling. Accounts of the same level share one. */
struct mcti_account_rule {
    size_t share;        /* bytes */
    size_t reserve;      /* the part of them that is only for accounts below that hold little */
    size_t small;        /* what "little" means, in bytes */
    const char *refusal; /* tells a client which limit was met, and the configuration key */
};

struct mcti_tally {
    size_t held[MCT_HELD_N];
    uint64_t refused[MCT_HELD_N];
};

struct mcti_account {
    struct mcti_account *parent;          /* NULL: the root */
    const struct mcti_account_rule *rule; /* NULL: no ceiling */
    struct mcti_tally *tally;             /* NULL: not counted by kind */
    size_t held;
};

/* Charges `n` bytes. Returns NULL, or the account that would go over its share: then nothing was charged. */
struct mcti_account *mcti_account_charge(struct mcti_account *a, enum mcti_held kind, size_t n);

/* Returns the account that would go over its share with `n` bytes more, after `freed` bytes were released. NULL: a
 * charge succeeds then. Charges and counts nothing. */
struct mcti_account *mcti_account_over(struct mcti_account *a, size_t n, size_t freed);

/* Counts a refusal at the account and above it, for one that was decided elsewhere. */
void mcti_account_count_refusal(struct mcti_account *a, enum mcti_held kind);

/* Charges without asking: for bytes that are there already and bounded otherwise. */
void mcti_account_add(struct mcti_account *a, enum mcti_held kind, size_t n);
void mcti_account_release(struct mcti_account *a, enum mcti_held kind, size_t n);

/* Makes *charged, which is what was charged so far, become `n`. Returns as mcti_account_charge() does, with *charged
 * unchanged on failure. Less never fails. */
struct mcti_account *mcti_account_set(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n);

/* The same without asking. */
void mcti_account_put(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n);

/* Whether `a` is `above` or stands below it. */
bool mcti_account_within(const struct mcti_account *a, const struct mcti_account *above);

/* ---- the whole ---- */

enum mcti_level { MCT_LEVEL_WHOLE, MCT_LEVEL_PRINCIPAL, MCT_LEVEL_CLIENT, MCT_LEVEL_SERVER, MCT_LEVEL_N };

struct mcti_memory_opts {
    size_t bytes;                                         /* for everything; 0: MCT_LIMIT_MEMORY_BYTES */
    unsigned principal_share, client_share, server_share; /* in percent of that; 0: the defaults of limits.h */
    bool apart;                                           /* there are several principals */
};

struct mcti_memory {
    struct mcti_account whole;
    struct mcti_tally tally;
    struct mcti_account_rule rules[MCT_LEVEL_N];
};

void mcti_memory_init(struct mcti_memory *m, const struct mcti_memory_opts *opts);

#endif
