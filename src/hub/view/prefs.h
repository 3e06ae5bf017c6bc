/*
 * Preferences of one client: set by the operator for its token (serve.tokens), or by the client in its URL. A client
 * can restrict itself further than the operator does, but cannot gain rights.
 */
#ifndef MCT_HUB_VIEW_PREFS_H
#define MCT_HUB_VIEW_PREFS_H

#include "hub/guard/rate.h"
#include "base/str.h"
#include "hub/policy/ruled.h"

#include <stdint.h>

/* The provider for whose models tools are shown; the values stand in mcti_schemas_words only. */
enum mcti_schemas { MCT_SCHEMAS_UNSET, MCT_SCHEMAS_ORIGINAL };

enum mcti_mode { MCT_MODE_UNSET, MCT_MODE_FULL, MCT_MODE_ROUTER, MCT_MODE_SEARCH };

struct mcti_client_prefs {
    int64_t since_s;   /* wall clock: when the client enabled read-only mode itself */
    unsigned dialects; /* bits, see resources/dialect/dialect.h; valid if has_dialects */
    enum mcti_mode mode;
    enum mcti_schemas schemas;
    struct mcti_ruled ruled; /* set by the operator only; without rules: the general ones */
    bool has_dialects;
    bool read_only;
    bool read_only_by_client; /* the client has enabled read-only mode itself; otherwise the operator has */
};

/* A bearer token and its client. */
struct mcti_credential {
    char *token;
    char *name; /* name of the principal, also in logs */
    struct mcti_rate_rule rate;
    struct mcti_client_prefs prefs;
};

#define MCT_MODE_WORDS "full, router or search"
extern const struct mcti_word mcti_mode_words[];

#define MCT_SCHEMAS_WORDS "original, openai, openai-strict, anthropic, gemini, xai, deepseek or llamacpp"
extern const struct mcti_word mcti_schemas_words[];

/* Reads the word of a mode. Returns false and leaves *ret unchanged if the word is unknown. */
bool mcti_prefs_mode(struct mcti_str word, enum mcti_mode *ret);

/* The offer to a client: which tools of the servers it gets, and which resource tools in addition to them or instead of
 * them. */
struct mcti_offer {
    unsigned dialects; /* bits, see resources/dialect/dialect.h */
    bool alone;        /* the servers' tools are not listed ("router", "search") */
    bool search;       /* they can be found and called nevertheless ("search") */
    enum mcti_schemas schemas;
    struct mcti_ruled ruled; /* policy over the servers' tools */
};

bool mcti_offer_same(const struct mcti_offer *a, const struct mcti_offer *b);

/* Returns the offer from the preferences; members that are not set come from `otherwise`. */
struct mcti_offer mcti_prefs_offer(const struct mcti_client_prefs *prefs, const struct mcti_offer *otherwise);

#endif
