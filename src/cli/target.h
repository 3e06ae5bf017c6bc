/* What a command line names: a server, an item of a server, or an item by its exposed name. */
#ifndef MCT_CLI_TARGET_H
#define MCT_CLI_TARGET_H

#include "cli/command.h"

struct mcti_target {
    struct mcti_provider *provider;
    const struct mcti_item *item; /* NULL: the server as a whole */
};

/*
 * Opens the app with the servers the word needs (one, where it names one), starts them and finds the
 * target. `word` NULL: all servers. Returns 0 or the exit status, the failure having been printed.
 */
int mcti_target_open(struct mcti_app *app, const char *word, enum mcti_kind kind, bool want_item,
                     struct mcti_target *ret);

#endif
