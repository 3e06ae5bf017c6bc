/*
 * `mcptools trust`: shows what configuration files would start, and records that the user trusts them. The bytes that
 * were shown are those that are recorded.
 */
#ifndef MCT_CLI_TRUST_TRUST_H
#define MCT_CLI_TRUST_TRUST_H

#include "cli/command.h"
#include "config/import/import.h"

enum { MCT_TRUST_READINGS = 3 };

/* A file in question. */
struct mcti_trust_file {
    char *file;                    /* as it was named; owned */
    struct mcti_trust_location at; /* where it lies */
    struct mcti_buf text;          /* its content */
    struct stat st;                /* of the content */
    struct mcti_trust_verdict verdict;
    /* What it says, as mcptools itself and each program whose file it may be read it. */
    struct mcti_config readings[MCT_TRUST_READINGS];
    size_t n_readings;
    bool has_settings;
};

struct mcti_trust_files {
    struct mcti_trust_file *v; /* owned with their contents */
    size_t n;
};

/* ---- gather.c ---- */

/* Reads a file, or each file in a folder that mcptools may find there. Returns -1 and sets *err if a named file cannot
 * be read. */
int mcti_trust_gather(struct mcti_trust_files *to, const char *word, struct mct_error *err);
void mcti_trust_files_done(struct mcti_trust_files *files);

/* Returns true if a later reading has this server as an earlier one has it. */
bool mcti_trust_is_shown(const struct mcti_trust_file *f, size_t reading, const struct mcti_config_server *s);

/* Returns the word for the state of a file. */
const char *mcti_trust_word(const struct mcti_trust_verdict *v);

/* Writes what is unusual about the file itself, one sentence at each call; returns false if there is nothing left. */
enum { MCT_TRUST_NOTES = 3 };
bool mcti_trust_put_note(const struct mcti_trust_file *f, size_t i, struct mcti_buf *to);

/* ---- texts.c ---- */

/* Calls `each` with each text of the entry in which variables are expanded. */
void mcti_trust_each_text(const struct mcti_config_server *s, void (*each)(void *data, const char *text), void *data);

/* Adds what the texts of the entry, or of the settings, are expanded with: "NAME", "file:PATH", "cmd:COMMAND LINE". */
void mcti_trust_expansions(const struct mcti_config_server *s, struct mcti_strings *to);
void mcti_trust_expansions_in(const char *text, struct mcti_strings *to);

/* Calls `each` with the path ("serve.tokens[0].token") and the value of each setting of mcptools in the file. Values of
 * secrets are "***". */
void mcti_trust_each_setting(const struct mcti_trust_file *f,
                             void (*each)(void *data, struct mcti_str path, struct mcti_str value), void *data);

/* Adds what those values are expanded with. */
void mcti_trust_setting_expansions(const struct mcti_trust_file *f, struct mcti_strings *to);

/* ---- preview.c, preview_json.c ---- */

/* Prints what the file would bring, without anything that could steer the terminal or hide. */
void mcti_trust_print(const struct mcti_app *app, const struct mcti_trust_file *f);

/* Appends the same as an object; `recorded`: whether it is trusted now. */
void mcti_trust_put_json(struct mcti_buf *to, const struct mcti_trust_file *f, bool recorded);

/* ---- records.c ---- */

int mcti_trust_list(struct mcti_app *app);   /* `trust --list` */
int mcti_trust_forget(struct mcti_app *app); /* `trust --revoke` */

#endif
