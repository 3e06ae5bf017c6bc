/*
 * Commands that edit configuration files: which file they edit, what they say about it, and the keys of the command
 * line ("serve.http", "fs.timeout") as paths and values in the file.
 */
#ifndef MCT_CLI_EDIT_EDIT_H
#define MCT_CLI_EDIT_EDIT_H

#include "cli/command.h"
#include "config/edit/edit.h"
#include "config/fields.h"
#include "json/scan.h"

/* ---- target.c ---- */

/* Returns the file that new entries and settings go to, to free(): the first --config; else ./mcptools.json if it
 * exists or --project is given; else that of the user. NULL: out of memory, or the user has no folder. */
char *mcti_change_target(const struct mcti_options *opt, struct mct_error *err);

/* Fails if files of mcptools are not written in the notation of this one. */
int mcti_change_check_notation(const char *file, struct mct_error *err);

/* Returns true if the file is one of mcptools, or was named with --config. */
bool mcti_change_is_ours(const struct mcti_app *app, const char *file);

/* Fails if the entry is in a file of another program, or in none; the error says where, and what to do. */
int mcti_change_check_owner(const struct mcti_app *app, const struct mcti_config_server *s, struct mct_error *err);

/* Returns the path of the object with the entries of servers in a text, of at most two steps, ended by NULL. */
const char *const *mcti_change_container(const struct mcti_edit *e);

/* ---- change.c ---- */

/* A change of a file, and what it is called. */
struct mcti_change {
    struct mcti_app *app;
    const char *file;
    int (*edit)(void *data, struct mcti_edit *e, struct mct_error *err);
    void *data;
    const char *done; /* "added fs" */
};

/*
 * Makes a change, unless it makes the configuration in the file invalid, and prints which file was changed; with
 * --dry-run prints the differences instead. Returns 0, or -1 and sets *err.
 */
int mcti_change_run(const struct mcti_change *c, struct mct_error *err);

/* Keeps the trust of a file whose text was `before` and becomes that of `e`, unless with --dry-run. For the end of
 * edits. If it cannot be recorded, warns. Returns -1 and sets *err when out of memory. */
int mcti_change_keep_trust(const struct mcti_app *app, const char *file, struct mcti_str before,
                           const struct mcti_edit *e, struct mct_error *err);

/* Warns on stderr that a value is a secret, which will stand in the file; `hint` is how to write it instead. */
void mcti_change_warn_secret(const char *name, const char *value, const char *file);

/* ---- entry.c ---- */

/* The entries of one file. Zeroed: of none so far. */
struct mcti_change_entries {
    char *file;                 /* owned */
    struct mcti_buf text;       /* the object with the entries; empty: the file is not in JSON */
    struct mcti_json_iter next; /* behind the entry that was found last */
};

void mcti_change_entries_done(struct mcti_change_entries *x);

/* Appends members to an object that is not empty: those that the server's entry has in its file, without their secrets
 * and without the keys in `but`, which ends in NULL. */
void mcti_change_put_members(struct mcti_change_entries *x, const struct mcti_config_server *s, const char *const *but,
                             struct mcti_buf *to);

/* ---- key.c ---- */

enum { MCT_KEY_STEPS = 16 };

/* A key of the command line. */
struct mcti_change_key {
    const struct mcti_config_server *server; /* it is about this one; NULL: a setting */
    const struct mcti_config_field *field;   /* the row of the value; NULL: any JSON, or the whole entry */
    bool is_text;                            /* the value is a string whatever the row says */
    const char *steps[MCT_KEY_STEPS + 1];    /* below the entry, or below "mcptools" */
    size_t n_steps;
    char *text; /* owned; the steps are in it */
    const char *name;
};

/* Reads a key. Returns -1 and sets *err if there is no such key; the error suggests a similar one. The caller ends *ret
 * with mcti_change_key_done() in any case. */
int mcti_change_key_read(const struct mcti_app *app, const char *word, struct mcti_change_key *ret,
                         struct mct_error *err);
void mcti_change_key_done(struct mcti_change_key *k);

/* Appends the value that the words of the command line stand for, as JSON. Several words are a list. */
int mcti_change_key_put_value(const struct mcti_change_key *k, const char *const *words, size_t n, struct mcti_buf *to,
                              struct mct_error *err);

/* Writes the whole path in a file to `ret`. */
enum { MCT_KEY_PATH = MCT_KEY_STEPS + 4 };
void mcti_change_key_path(const struct mcti_change_key *k, const struct mcti_edit *e, const char *ret[MCT_KEY_PATH]);

#endif
