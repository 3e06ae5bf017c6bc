/*
 * Takes servers of other programs into mcptools.json: of files, or of all files that a program has. Reports each
 * server as it goes. One edit of the file writes them all.
 */
#ifndef MCT_CLI_CLIENTS_TAKE_H
#define MCT_CLI_CLIENTS_TAKE_H

#include "clients/scan.h"
#include "cli/command.h"
#include "config/edit/edit.h"

struct mcti_take {
    const struct mcti_app *app;
    char *path;                     /* of mcptools.json; owned */
    struct mcti_edit *edit;         /* of that file; set by mcti_take_open() */
    struct mcti_config target;      /* what it has, with what has been added */
    const struct mcti_client *from; /* the program whose servers are taken now; NULL: those of a named file */
    const char *file;
    struct mcti_buf list;          /* the servers, as JSON */
    struct mcti_buf problems;      /* the same for mistakes and warnings */
    struct mcti_strings warnings;  /* to be printed at the end */
    struct mcti_strings variables; /* that the added servers need and that are not set */
    struct mcti_buf users;         /* as JSON: the variables with the servers that need them */
    struct mcti_strings taken;     /* names in the source of servers that the target has now */
    bool quiet;                    /* prints nothing */
    size_t n_added, n_left_out;
};

/* `take_path` is freed by mcti_take_done(). */
void mcti_take_init(struct mcti_take *t, const struct mcti_app *app, char *take_path);
void mcti_take_done(struct mcti_take *t);

/* Reads the target, whose text is being edited. Returns -1 and sets *err if that has a mistake. */
int mcti_take_open(struct mcti_take *t, struct mcti_edit *edit, struct mct_error *err);

/* Takes the servers of a configuration that was read for an import. Returns -1 and sets *err. */
int mcti_take_servers(struct mcti_take *t, const struct mcti_config *source, struct mct_error *err);

/* Takes the servers of all files of a program. */
int mcti_take_client(struct mcti_take *t, const struct mcti_client *client, struct mct_error *err);

/* Takes the servers of one file, which is one of the program. */
int mcti_take_client_file(struct mcti_take *t, const struct mcti_client *client, const char *file, bool is_project,
                          struct mct_error *err);

/* Prints what was written, with -o json as {"file","written","servers","variables","problems"}. */
void mcti_take_report(struct mcti_take *t);

#endif
