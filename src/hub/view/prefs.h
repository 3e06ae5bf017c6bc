/*
 * What is set for one client: by the operator, with its token (serve.tokens), and by itself, with the URL it uses. A
 * client can ask to be let do less than the operator allows, never more.
 */
#ifndef MCT_HUB_VIEW_PREFS_H
#define MCT_HUB_VIEW_PREFS_H

#include "base/str.h"
#include "hub/policy/ruled.h"

#include <stdint.h>

enum mcti_mode { MCT_MODE_UNSET, MCT_MODE_FULL, MCT_MODE_ROUTER, MCT_MODE_SEARCH };

struct mcti_client_prefs {
    int64_t since_s;   /* wall clock: when the client's own wish for read-only mode began */
    unsigned dialects; /* bits, see resources/dialect/dialect.h; counts if has_dialects */
    enum mcti_mode mode;
    struct mcti_ruled ruled; /* set by the operator only; no rules: those of everybody */
    bool has_dialects;
    bool read_only;
    bool own_wish; /* the client itself asked for read-only mode; otherwise the operator says so */
};

/* A bearer token and whose it is. */
struct mcti_credential {
    char *token;
    char *name; /* what its requests are told apart by, and told of by */
    struct mcti_client_prefs prefs;
};

#define MCT_MODE_WORDS "full, router or search"
extern const struct mcti_word mcti_mode_words[];

/* False for a word that is none; then nothing is set. */
bool mcti_prefs_mode(struct mcti_str word, enum mcti_mode *ret);

/* What a client is offered: which of the servers' tools, and what beside or instead of them. */
struct mcti_offer {
    unsigned dialects;       /* bits, see resources/dialect/dialect.h */
    bool alone;              /* the servers' tools are not shown ("router", "search") */
    bool search;             /* but can be found and called ("search") */
    struct mcti_ruled ruled; /* which of them, by policy */
};

bool mcti_offer_same(const struct mcti_offer *a, const struct mcti_offer *b);

/* What is set for it, and `otherwise` where nothing is. */
struct mcti_offer mcti_prefs_offer(const struct mcti_client_prefs *prefs, const struct mcti_offer *otherwise);

#endif
