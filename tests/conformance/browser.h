/* A person with a browser that gets the page and follows redirects. Nobody has to click in the suite's servers. */
#ifndef MCT_TESTS_BROWSER_H
#define MCT_TESTS_BROWSER_H

#include "auth/auth.h"

struct browser;

struct browser *browser_new(struct mcti_loop *loop);
const struct mcti_auth_person *browser_person(struct browser *b);
void browser_free(struct browser *b);

#endif
