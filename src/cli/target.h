/* The server or item that a word of the command line names. */
#ifndef MCT_CLI_TARGET_H
#define MCT_CLI_TARGET_H

#include "cli/command.h"

struct mcti_target {
    struct mcti_provider *provider;
    const struct mcti_item *item; /* NULL: the server as a whole */
};

/*
 * Opens the app, starts the servers that `word` needs and finds the target. `word`: SERVER, SERVER.NAME, an exposed
 * name or a URL; NULL: all servers. `kind`: of the item. `want_item`: a server alone is an error. Returns 0, or the
 * exit status after printing the error.
 */
int mcti_target_open(struct mcti_app *app, const char *word, enum mcti_kind kind, bool want_item,
                     struct mcti_target *ret);

/* Fails with the unknown name of a server, and the known ones. */
int mcti_target_no_server(const struct mcti_app *app, const char *word, struct mct_error *err);

#endif
