/* A text with a reference count, shared by many clients and charged once to the server that sent it. */
#ifndef MCT_HUB_CORE_TEXT_H
#define MCT_HUB_CORE_TEXT_H

#include "base/account.h"
#include "base/str.h"

struct mcti_text {
    unsigned n_refs;
    struct mcti_account *whole, *server; /* accounts charged for the text; may be NULL */
    size_t len;
    char p[];
};

/* Creates a text with one reference. Returns NULL when out of memory or when an account is full. */
struct mcti_text *mcti_text_new(struct mcti_str s, struct mcti_account *whole, struct mcti_account *server);
struct mcti_text *mcti_text_ref(struct mcti_text *t);
void mcti_text_unref(struct mcti_text *t); /* accepts NULL */

static inline struct mcti_str mcti_text_str(const struct mcti_text *t)
{
    return (struct mcti_str){ t->p, t->len };
}

#endif
