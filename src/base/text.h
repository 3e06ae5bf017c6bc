/* A text with a reference count, shared by many clients and charged once to the server that sent it. */
#ifndef MCT_BASE_TEXT_H
#define MCT_BASE_TEXT_H

#include "base/account.h"
#include "base/list.h"
#include "base/str.h"

/* The account of a server, and the texts that are charged to it; embedded in its provider. A text may outlive it. */
struct mcti_text_payer {
    struct mcti_account account;
    struct mcti_list texts;
};

void mcti_text_payer_init(struct mcti_text_payer *p);
void mcti_text_payer_done(struct mcti_text_payer *p); /* the texts that remain are charged to nobody */

struct mcti_text {
    unsigned n_refs;
    struct mcti_list node;          /* in server->texts */
    struct mcti_account *whole;     /* charged for the text; NULL: none */
    struct mcti_text_payer *server; /* too; NULL: none, or it is gone */
    size_t len;
    char p[];
};

/* Creates a text with one reference. Returns NULL when out of memory or when an account is full. */
struct mcti_text *mcti_text_new(struct mcti_str s, struct mcti_account *whole, struct mcti_text_payer *server);
struct mcti_text *mcti_text_ref(struct mcti_text *t);
void mcti_text_unref(struct mcti_text *t); /* accepts NULL */

static inline struct mcti_str mcti_text_str(const struct mcti_text *t)
{
    return (struct mcti_str){ t->p, t->len };
}

#endif
