/*
 * What was installed, so that it can be undone: a journal, and copies of files as they were, in the state folder of the
 * user. Copies may hold secrets, so only the user can read them.
 */
#ifndef MCT_CLIENTS_UNDO_H
#define MCT_CLIENTS_UNDO_H

#include "base/buf.h"
#include "base/error.h"

/* Keeps the text of a file of the program before it is changed. Returns -1 and sets *err. *ret_path is the copy, owned;
 * NULL if the file is new. */
int mcti_undo_keep(const char *client, bool is_new, struct mcti_str before, char **ret_path, struct mct_error *err);

/* A line of the journal. */
struct mcti_undo_note {
    const char *client, *file;
    const char *backup; /* that of mcti_undo_keep() */
    bool is_removal;    /* our entry was removed */
};

/* Notes in the journal that the file was changed. */
int mcti_undo_note(const struct mcti_undo_note *n, struct mcti_str before, struct mcti_str after,
                   struct mct_error *err);

/* Finds the text that the file had before mcptools was installed. Returns 0 if it is still as mcptools left it; 1
 * otherwise. *ret_was_new: there was no file. */
int mcti_undo_find(const char *file, struct mcti_str now, struct mcti_buf *ret_text, bool *ret_was_new);

#endif
