/*
 * Accounts count the memory that clients and servers make the gateway hold. They form a tree: a connection or session
 * is below its principal, principals are below the whole gateway. A charge counts at every account up to the root, or
 * at none. An account is embedded in its owner and allocates nothing; it does not know the content of the bytes.
 */
#ifndef MCT_BASE_ACCOUNT_H
#define MCT_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mcti_held {
    MCT_HELD_REQUEST,      /* requests being read, or waiting for their answer */
    MCT_HELD_ANSWER,       /* bytes that a client has not read yet */
    MCT_HELD_EVENT,        /* events kept for clients that reconnect */
    MCT_HELD_CALL,         /* MCP requests in progress */
    MCT_HELD_SUBSCRIPTION, /* URIs of subscribed resources */
    MCT_HELD_PARKED,       /* answers and notifications kept for clients that must fetch them */
    MCT_HELD_N
};

const char *mcti_held_word(enum mcti_held kind); /* "request" … */

/* A limit, shared by all accounts of a level. */
struct mcti_account_rule {
    size_t share;        /* bytes */
    size_t reserve;      /* part of the share that is reserved for accounts below that hold little */
    size_t small;        /* limit of "little", in bytes */
    const char *refusal; /* message for the client: the limit reached and its configuration key */
};

struct mcti_tally {
    size_t held[MCT_HELD_N];
    uint64_t refused[MCT_HELD_N];
};

struct mcti_account {
    struct mcti_account *parent;          /* NULL: the root */
    const struct mcti_account_rule *rule; /* NULL: no limit */
    struct mcti_tally *tally;             /* NULL: not counted by kind */
    size_t held;
};

/* Charges `n` bytes. Returns NULL, or the account that would exceed its share; then nothing was charged. */
struct mcti_account *mcti_account_charge(struct mcti_account *a, enum mcti_held kind, size_t n);

/* Returns the account that would exceed its share by a charge of `n` bytes after `freed` bytes were released, or NULL
 * if the charge would succeed. Charges and counts nothing. */
struct mcti_account *mcti_account_over(struct mcti_account *a, size_t n, size_t freed);

/* Counts a refusal that was decided elsewhere, at `a` and all accounts above it. */
void mcti_account_count_refusal(struct mcti_account *a, enum mcti_held kind);

/* Charges `n` bytes without checking the limit, for bytes that exist already and have a limit elsewhere. */
void mcti_account_add(struct mcti_account *a, enum mcti_held kind, size_t n);
void mcti_account_release(struct mcti_account *a, enum mcti_held kind, size_t n);

/* Changes a charge of *charged bytes to `n` bytes and sets *charged. Returns like mcti_account_charge(); on failure
 * *charged is unchanged. A decrease never fails. */
struct mcti_account *mcti_account_set(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n);

/* mcti_account_set() without checking the limit. */
void mcti_account_put(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n);

/* Returns true if `a` is `above` or below it. */
bool mcti_account_within(const struct mcti_account *a, const struct mcti_account *above);

/* ---- the gateway's memory ---- */

enum mcti_level { MCT_LEVEL_WHOLE, MCT_LEVEL_PRINCIPAL, MCT_LEVEL_CLIENT, MCT_LEVEL_SERVER, MCT_LEVEL_N };

struct mcti_memory_opts {
    size_t bytes; /* total; 0: MCT_LIMIT_MEMORY_BYTES */
    unsigned principal_share, client_share,
        server_share; /* percentages of the total; 0: the defaults of base/limits.h */
    bool apart;       /* there are several principals */
};

struct mcti_memory {
    struct mcti_account whole;
    struct mcti_tally tally;
    struct mcti_account_rule rules[MCT_LEVEL_N];
};

void mcti_memory_init(struct mcti_memory *m, const struct mcti_memory_opts *opts);

/* Sets other limits; what is held stays. */
void mcti_memory_set(struct mcti_memory *m, const struct mcti_memory_opts *opts);

#endif
