/*
 * Servers in this process whose every answer is written in a golden file. Their items are those of a local provider;
 * lists and reads are answered from tables, word for word, or not at all.
 */
#ifndef MCT_TESTS_FAKE_H
#define MCT_TESTS_FAKE_H

#include "hub/core/registry.h"

/* What a URI is answered with; one of the three. */
struct fake_answer {
    char *uri;
    char *result; /* raw JSON */
    char *error;  /* raw JSON; both NULL: it never answers */
};

struct fake {
    struct mcti_provider *p;
    struct mcti_provider_ops ops;
    const struct mcti_provider_ops *base;
    struct fake_answer *answers;
    size_t n_answers;
    struct mct_error down;    /* kind NONE: it is up */
    bool starting;            /* and stays so */
    struct mcti_login *login; /* NULL: none */
    size_t page;              /* items of a page; 0: its lists are remembered */
    bool loops;               /* every page names the same cursor */
    bool list_never;          /* lists are never answered */
    char *list_error;         /* raw JSON, after the first page if there are pages */
    unsigned n_asked;         /* requests that reached it */
    struct mcti_list pending; /* of struct fake_request */
};

/* NULL when out of memory. `name` is copied. */
struct fake *fake_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log);
void fake_free(struct fake *f); /* when its provider has gone */

/* Takes the texts. */
void fake_answer(struct fake *f, struct fake_answer take_answer);

#endif
