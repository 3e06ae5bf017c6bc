/*
 * The catalogue: what servers said of themselves and listed when they were last connected, one file for each. A server
 * that is not running is shown with it, and it answers questions about names without starting anything. It is keyed by
 * the identity of the server's entry, and replaced as soon as the server lists something else.
 */
#ifndef MCT_HUB_CATALOGUE_CATALOGUE_H
#define MCT_HUB_CATALOGUE_CATALOGUE_H

#include "hub/core/provider.h"

/* What is kept of a server; owned. */
struct mcti_stored {
    struct mcti_server_info info; /* its plugins and `_meta` are not kept */
    struct mcti_items items[MCT_KIND_N];
};

void mcti_stored_clear(struct mcti_stored *s);

/* Reads the text of a file. Returns -1 with *err, and an empty *ret, if it is unusable as a whole: nothing of a damaged
 * file is used. */
int mcti_stored_parse(struct mcti_str text, struct mcti_stored *ret, struct mct_error *err);

/* Writes the text of a file: what the connected provider is and lists. */
void mcti_stored_put(struct mcti_buf *to, const struct mcti_provider *p);

struct mcti_catalogue {
    char *folder; /* owned; NULL: nothing is stored */
};

void mcti_catalogue_init(struct mcti_catalogue *c); /* the folder $XDG_CACHE_HOME/mcptools/catalogue */
void mcti_catalogue_done(struct mcti_catalogue *c);

/* Reads what is stored for `key`. Returns false, with an empty *ret, if there is nothing; an unusable file is logged as
 * debug message. */
bool mcti_catalogue_get(const struct mcti_catalogue *c, const char *key, const struct mcti_log *log,
                        struct mcti_stored *ret);

/* Stores what the provider is and lists, unless the file has it already. Failures are ignored. */
void mcti_catalogue_put(const struct mcti_catalogue *c, const char *key, const struct mcti_provider *p);

#endif
