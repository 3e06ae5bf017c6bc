/* What servers say now beside their pins, for the commands pin, diff and approve. */
#ifndef MCT_CLI_PINS_PINNING_H
#define MCT_CLI_PINS_PINNING_H

#include "cli/command.h"
#include "pins/pins.h"

/* One word of the command line. */
struct mcti_pinning_word {
    const struct mcti_config_server *server;
    const char *item; /* NULL: all of the server */
};

/* One item that differs. */
struct mcti_pinning_change {
    const char *server;
    unsigned subject;
    const char *id;
    const char *was, *is; /* objects of parts; NULL: none */
    enum mcti_rev rev;
};

struct mcti_pinning {
    struct mcti_app *app;
    struct mcti_pinning_word *words;
    size_t n_words; /* 0: all servers */
    struct mcti_pins was, now;
    char **read; /* paths that were read into `was` */
    size_t n_read;
    bool is_damaged; /* a file cannot be used, and counts as empty */
};

/* Starts the servers of the command line, all of them without words, and reads what they say and their pins.
 * `repairs`: without words, files of pins that cannot be used count as empty. Returns 0, or the exit status after
 * printing the error. The caller ends *ret in any case. */
int mcti_pinning_open(struct mcti_pinning *ret, struct mcti_app *app, bool repairs);
void mcti_pinning_done(struct mcti_pinning *p);

/* Returns whether the words select the item. */
bool mcti_pinning_selects(const struct mcti_pinning *p, const char *server, const char *id);

/* Calls `fn` for each selected item that differs. Returns their number. */
size_t mcti_pinning_each(const struct mcti_pinning *p, void (*fn)(void *data, const struct mcti_pinning_change *c),
                         void *data);

/* Prints the differences as unified diffs, or with -o json as a document. Returns the number of items that differ. */
size_t mcti_pinning_print(const struct mcti_pinning *p);

#endif
