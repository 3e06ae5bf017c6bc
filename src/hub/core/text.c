#include "hub/core/text.h"

#include <stdlib.h>

static size_t size_of(const struct mct_text *t)
{
    return sizeof *t + t->len;
}

static void release(struct mct_account *a, size_t n)
{
    if (a)
        mct_account_release(a, MCT_HELD_EVENT, n);
}

struct mct_text *mct_text_new(struct mct_str s, struct mct_account *whole, struct mct_account *server)
{
    size_t size = sizeof(struct mct_text) + s.len;
    struct mct_text *t = NULL;
    if (whole && mct_account_charge(whole, MCT_HELD_EVENT, size))
        return NULL;
    if (!server || !mct_account_charge(server, MCT_HELD_EVENT, size)) {
        t = malloc(size);
        if (!t)
            release(server, size);
    }
    if (!t) {
        release(whole, size);
        return NULL;
    }
    *t = (struct mct_text){ .n_refs = 1, .whole = whole, .server = server, .len = s.len };
    memcpy(t->p, s.p, s.len);
    return t;
}

struct mct_text *mct_text_ref(struct mct_text *t)
{
    t->n_refs++;
    return t;
}

void mct_text_unref(struct mct_text *t)
{
    if (!t || --t->n_refs)
        return;
    release(t->whole, size_of(t));
    release(t->server, size_of(t));
    free(t);
}
