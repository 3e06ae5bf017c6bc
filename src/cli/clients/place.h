/*
 * One change to the file of a client program at the terminal: planned, shown, confirmed, written, noted for an undo.
 */
#ifndef MCT_CLI_CLIENTS_PLACE_H
#define MCT_CLI_CLIENTS_PLACE_H

#include "cli/command.h"
#include "clients/install.h"

struct mcti_placing {
    struct mcti_app *app;
    const struct mcti_client *client;
    char *file;                       /* owned */
    struct mcti_buf entry;            /* ours, as JSON; empty: it is removed */
    const struct mcti_strings *leave; /* entries that are removed from the file, too; NULL: none */
    struct mcti_buf text;             /* the whole file as it will be, if `is_whole`: an undo */
    bool is_whole, was_new;           /* was_new: the undo removes the file */
    struct mcti_buf planned, diff;    /* the text that the plan is for, and its change */
    bool is_new, changed, written;
    char *backup; /* owned; NULL: the file is new */
};

void mcti_placing_init(struct mcti_placing *p, struct mcti_app *app, const struct mcti_client *client);
void mcti_placing_done(struct mcti_placing *p);

/* Finds the file: that of --file, or the program's. Fails if the program does not seem to be installed, unless --create
 * is given. `is_needed`: the file must exist. */
int mcti_placing_find(struct mcti_placing *p, bool is_needed, struct mct_error *err);

/* Plans the change and sets p->changed. Nothing is written. */
int mcti_placing_plan(struct mcti_placing *p, struct mct_error *err);

/* Shows the change on stderr, and asks unless --yes is given. Returns 1 if the answer is no, or with --dry-run; -1 and
 * sets *err if nobody can be asked. */
int mcti_placing_confirm(struct mcti_placing *p, const char *question, struct mct_error *err);

/* Writes the change. */
int mcti_placing_write(struct mcti_placing *p, struct mct_error *err);

/* Returns the client that a word names, or NULL and sets *err. */
const struct mcti_client *mcti_placing_client(const char *word, struct mct_error *err);

#endif
