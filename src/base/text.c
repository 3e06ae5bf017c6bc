#include "base/text.h"

#include <stdlib.h>

static size_t text_size_of(const struct mcti_text *t)
{
    return sizeof *t + t->len;
}

static void text_release(struct mcti_account *a, size_t n)
{
    if (a)
        mcti_account_release(a, MCT_HELD_EVENT, n);
}

void mcti_text_payer_init(struct mcti_text_payer *p)
{
    p->account = (struct mcti_account){ 0 };
    mcti_list_init(&p->texts);
}

void mcti_text_payer_done(struct mcti_text_payer *p)
{
    while (!mcti_list_empty(&p->texts)) {
        struct mcti_text *t = MCT_CONTAINER(p->texts.next, struct mcti_text, node);
        mcti_list_remove(&t->node);
        t->server = NULL;
    }
}

struct mcti_text *mcti_text_new(struct mcti_str s, struct mcti_account *whole, struct mcti_text_payer *payer)
{
    size_t size = sizeof(struct mcti_text) + s.len;
    struct mcti_account *server = payer ? &payer->account : NULL;
    struct mcti_text *t = NULL;
    if (whole && mcti_account_charge(whole, MCT_HELD_EVENT, size))
        return NULL;
    if (!server || !mcti_account_charge(server, MCT_HELD_EVENT, size)) {
        t = malloc(size);
        if (!t)
            text_release(server, size);
    }
    if (!t) {
        text_release(whole, size);
        return NULL;
    }
    *t = (struct mcti_text){ .n_refs = 1, .whole = whole, .server = payer, .len = s.len };
    mcti_list_init(&t->node);
    if (payer)
        mcti_list_append(&payer->texts, &t->node);
    memcpy(t->p, s.p, s.len);
    return t;
}

struct mcti_text *mcti_text_ref(struct mcti_text *t)
{
    t->n_refs++;
    return t;
}

void mcti_text_unref(struct mcti_text *t)
{
    if (!t || --t->n_refs)
        return;
    text_release(t->whole, text_size_of(t));
    text_release(t->server ? &t->server->account : NULL, text_size_of(t));
    mcti_list_remove(&t->node);
    free(t);
}
