/* What a command line names: a server, an item of a server, or an item by its exposed name. */
#ifndef MCT_CLI_TARGET_H
#define MCT_CLI_TARGET_H

#include "cli/command.h"

struct mct_target {
    struct mct_provider *provider;
    const struct mct_item *item; /* NULL: the server as a whole */
};

/*
 * Opens the app with the servers the word needs (one, where it names one), starts them and finds the
 * target. `word` NULL: all servers. Returns 0 or the exit status, the failure having been printed.
 */
int mct_target_open(struct mct_app *app, const char *word, enum mct_kind kind, bool want_item,
                    struct mct_target *ret);

#endif
