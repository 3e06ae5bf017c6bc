/*
 * A text that many share: counted references, charged once to the server that it came from, or to nobody.
 */
#ifndef MCT_HUB_CORE_TEXT_H
#define MCT_HUB_CORE_TEXT_H

#include "base/account.h"
#include "base/str.h"

struct mct_text {
    unsigned n_refs;
    struct mct_account *whole, *server; /* that it is charged to; NULL: not */
    size_t len;
    char p[];
};

/* With one reference. NULL when out of memory, or when an account, each of which may be NULL, has no room. */
struct mct_text *mct_text_new(struct mct_str s, struct mct_account *whole, struct mct_account *server);
struct mct_text *mct_text_ref(struct mct_text *t);
void mct_text_unref(struct mct_text *t); /* accepts NULL */

static inline struct mct_str mct_text_str(const struct mct_text *t)
{
    return (struct mct_str){ t->p, t->len };
}

#endif
