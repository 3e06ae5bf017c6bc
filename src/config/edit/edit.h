/*
 * Edits of files in JSON with comments, as spans of their text: what an edit does not name stays byte for byte. New
 * members are written in the style of their neighbours: indentation, line ends, one line or several, the comma behind
 * the last member.
 *
 * A path is a list of names, ended by NULL. A step into an object is the name of a member; a step into an array is the
 * index of an item, or "-" for the place behind the last one. Objects that are missing are created.
 *
 * Mistakes name the place: "FILE:LINE:COLUMN: what is wrong". A name on the path that stands twice in its object is
 * a mistake, because programs differ in which one they use.
 */
#ifndef MCT_CONFIG_EDIT_EDIT_H
#define MCT_CONFIG_EDIT_EDIT_H

#include "base/buf.h"
#include "base/error.h"

enum { MCT_EDIT_MAX_BYTES = 16 << 20 };

/* A text being edited. Functions that fail leave it as it was. */
struct mcti_edit {
    struct mcti_buf text; /* empty: a new file */
    const char *file;     /* for messages; NULL: they begin with the line */
    bool strict;          /* the file's program reads neither comments nor trailing commas: both are mistakes */
};

/* Copies `text`; `file` is borrowed. */
void mcti_edit_init(struct mcti_edit *e, const char *file, struct mcti_str text);
void mcti_edit_done(struct mcti_edit *e);

/* Sets a member or item to a JSON value, or adds it. An equal value is not written again. Returns 0, or -1 and sets
 * *err. */
int mcti_edit_set(struct mcti_edit *e, const char *const *path, struct mcti_str json, struct mct_error *err);

/* Like mcti_edit_set(), but returns 1 if there is a value already. */
int mcti_edit_insert(struct mcti_edit *e, const char *const *path, struct mcti_str json, struct mct_error *err);

/* Removes a member or item with its comma, and a comment behind it on its line; comments above it stay. Returns 0; 1 if
 * there is none; -1 and sets *err. */
int mcti_edit_remove(struct mcti_edit *e, const char *const *path, struct mct_error *err);

/* Gives a member another name, at its place. Returns 0; 1 if there is no such member; -1 and sets *err, also if the new
 * name is in use. */
int mcti_edit_rename(struct mcti_edit *e, const char *const *path, const char *name, struct mct_error *err);

/* A value that was found. */
struct mcti_edit_value {
    struct mcti_buf json; /* as written, without comments */
    unsigned line, column;
};

/* Looks a value up. Returns 0; 1 if there is none (*ret is then empty); -1 and sets *err. The caller ends *ret with
 * mcti_buf_done(&ret->json) after 0. */
int mcti_edit_get(const struct mcti_edit *e, const char *const *path, struct mcti_edit_value *ret,
                  struct mct_error *err);

/* ---- file.c: the same with files ---- */

/* How a file is to be edited. */
struct mcti_edit_job {
    const char *path; /* a link stands for the file that it names */
    bool strict;
    bool dry_run; /* the file is not written */
    /* Makes the edits. Returns -1 and sets *err if the file must stay as it is. Called once more if the folder was
     * missing and another mcptools has created the file meanwhile. */
    int (*edit)(void *data, struct mcti_edit *e, struct mct_error *err);
    void *data;
};

/* What became of a file. */
struct mcti_edit_outcome {
    bool created, changed;         /* with dry_run: would be */
    struct mcti_buf before, after; /* the texts */
};

/*
 * Edits a file. It is locked against other edits of mcptools, and written beside itself and moved to its place, with
 * the mode and the owner that it has; a new file has mode 0600, and folders for it are created with 0700. If another
 * program changes the file meanwhile, it is left alone and the edit fails. Returns 0, or -1 and sets *err; the caller
 * ends *ret with mcti_edit_outcome_done() in any case.
 */
int mcti_edit_file(const struct mcti_edit_job *job, struct mcti_edit_outcome *ret, struct mct_error *err);
void mcti_edit_outcome_done(struct mcti_edit_outcome *o);

/* ---- diff.c ---- */

/* Appends the differences of two texts as a unified diff, with three lines around each; nothing if they are equal. */
void mcti_edit_put_diff(struct mcti_buf *to, const char *file, struct mcti_str before, struct mcti_str after);

#endif
