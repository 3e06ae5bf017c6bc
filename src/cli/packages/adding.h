/*
 * One server being added: from its source (a registry, a bundle, a URL, a command) over a plan with answers to an entry
 * that has been tried and written. commands/add.c takes the steps in order.
 */
#ifndef MCT_CLI_PACKAGES_ADDING_H
#define MCT_CLI_PACKAGES_ADDING_H

#include "cli/packages/packages.h"
#include "io/typed.h"
#include "packages/server_json.h"

/* ---- prompt.c: questions to the person at the terminal, one after the other ---- */

struct mcti_prompt {
    struct mcti_app *app;
    struct mcti_typed typed;
    char *line;
    bool is_open, done;
};

/* Opens the terminal if a person can be asked and may be: not with --yes or -o json. */
void mcti_prompt_open(struct mcti_prompt *p, struct mcti_app *app);
void mcti_prompt_close(struct mcti_prompt *p);

/* Prints the prompt and waits for a line, without the white space around it; owned. NULL: interrupted, or the end of
 * the input. What is typed at a prompt for a secret is not shown. */
char *mcti_prompt_line(struct mcti_prompt *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *mcti_prompt_secret(struct mcti_prompt *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Asks a question; an empty answer means `preset`. Returns false when interrupted. */
bool mcti_prompt_yes(struct mcti_prompt *p, bool preset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Asks for a number from 1 to n; an empty answer means `preset`. Returns 0 when interrupted. */
size_t mcti_prompt_number(struct mcti_prompt *p, size_t n, size_t preset);

/* ---- adding ---- */

struct mcti_adding_bundle;

struct mcti_adding {
    struct mcti_app *app;
    struct mcti_prompt prompt;
    struct mcti_plan plan;
    char *name, *file;                 /* of the entry, and the file that it goes to */
    struct mcti_pairs secrets;         /* files to write, and what to write into them */
    struct mcti_buf entry;             /* JSON */
    struct mcti_adding_bundle *bundle; /* see bundle.h; NULL: none */
    bool is_foreign;                   /* somebody else wrote the command: it must be confirmed */
    bool needs_login;                  /* found out by trying */
};

int mcti_adding_init(struct mcti_adding *a, struct mcti_app *app, struct mct_error *err);
void mcti_adding_done(struct mcti_adding *a);

/* Sets the name of the entry: --name, or `proposed`, which is taken. Fails if the file has it already, unless --force
 * is given. */
int mcti_adding_set_name(struct mcti_adding *a, char *take_proposed, struct mct_error *err);

/* ---- source.c: plans ---- */

/* Notes a program that is not installed; "python" becomes "python3" if only that is. */
void mcti_adding_check_program(struct mcti_adding *a);

/* Makes the plan of one version of a server in the registry. */
int mcti_adding_read_registry(struct mcti_adding *a, struct mcti_str name, struct mcti_str version,
                              struct mct_error *err);

/* Makes the plan of a file with a server.json. */
int mcti_adding_read_file(struct mcti_adding *a, const char *path, struct mct_error *err);

/* Makes the plan of a URL, or of a command and its arguments. */
int mcti_adding_take_url(struct mcti_adding *a, const char *url, struct mct_error *err);
int mcti_adding_take_command(struct mcti_adding *a, const char *const *words, size_t n, struct mct_error *err);

/* ---- choose.c ---- */

/* Lets the person choose among the servers that match the words; without words asks for them. Returns the name, owned,
 * or NULL with *err. */
char *mcti_adding_choose(struct mcti_adding *a, const char *const *words, size_t n, struct mct_error *err);

/* ---- given.c, ask.c: answers ---- */

/* Takes the answers of --env, --header and --arg. */
int mcti_adding_take_options(struct mcti_adding *a, struct mct_error *err);

/* Asks for what is missing, if a person can be asked; takes defaults, and variables of the environment for secrets. */
int mcti_adding_ask(struct mcti_adding *a, struct mct_error *err);

/* Answers a secret: text with "${" is a reference, other text will be stored in a file. */
int mcti_adding_answer_secret(struct mcti_adding *a, struct mcti_input *in, struct mcti_str text,
                              struct mct_error *err);

/* ---- secrets.c ---- */

/* Appends a reference to a file that will have the secret `key` of the entry. */
int mcti_secret_plan(struct mcti_adding *a, const char *key, struct mcti_str text, struct mcti_buf *to,
                     struct mct_error *err);

/* Writes the files, readable by their owner only. mcti_secret_end() removes what was there before, or with `undo` puts
 * it back. */
int mcti_secret_write(const struct mcti_adding *a, struct mct_error *err);
void mcti_secret_end(const struct mcti_adding *a, bool undo);

/* Appends the name of the variable that usually has the value of the input. */
void mcti_secret_put_variable(struct mcti_buf *to, const struct mcti_adding *a, const struct mcti_input *in);

/* ---- entry.c ---- */

/* Makes the entry of the plan. */
int mcti_adding_finish(struct mcti_adding *a, struct mct_error *err);

/* Prints what will run, and what is unusual about it. */
void mcti_adding_show(const struct mcti_adding *a);

/* Asks whether to go on. Fails if the answer is no, or if nobody can be asked and --yes is missing. */
int mcti_adding_confirm(struct mcti_adding *a, struct mct_error *err);

/* Writes the entry to the file. */
int mcti_adding_write(struct mcti_adding *a, struct mct_error *err);

/* ---- sandbox.c ---- */

/* Sets the sandbox of the entry: --sandbox, or what is sensible for its program. */
int mcti_adding_set_sandbox(struct mcti_adding *a, struct mcti_config_server *s, struct mct_error *err);

/* Prints the sandbox of the entry. */
void mcti_adding_show_sandbox(const struct mcti_adding *a);

/* ---- try.c ---- */

/* Connects to the server and prints what it is; offers a login if it wants one. Returns -1 with *err if it does not
 * work. A server that needs a login, or a variable that is not set here, counts as working. */
int mcti_adding_try(struct mcti_adding *a, struct mct_error *err);

#endif
