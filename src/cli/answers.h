/*
 * What the command line answers when a server asks: elicitations with --elicit or on the terminal,
 * samplings with --sampling-command. Without these a server is not told that it could ask.
 */
#ifndef MCT_CLI_ANSWERS_H
#define MCT_CLI_ANSWERS_H

#include "cli/command.h"

/* *ret is NULL when nothing can be answered. -1 with *err when an option is not usable. */
int mct_answers_new(struct mct_app *app, struct mct_answers **ret, struct mct_error *err);
void mct_answers_free(struct mct_answers *a);
const struct mct_answerer *mct_answers_answerer(const struct mct_answers *a); /* NULL for NULL */

/* ---- elicit_terminal.c: asks on the terminal, one question after the other ---- */

struct mct_terminal;

struct mct_terminal *mct_terminal_new(struct mct_app *app); /* NULL when there is no terminal */
void mct_terminal_free(struct mct_terminal *t);
void mct_terminal_ask(struct mct_terminal *t, struct mct_ask *a);
void mct_terminal_withdraw(struct mct_terminal *t, struct mct_ask *a);

/* ---- sampling.c: asks a program ---- */

/* `command` is split as a shell would, without expansions. */
void mct_sampling_ask(struct mct_app *app, const char *command, struct mct_ask *a);
void mct_sampling_withdraw(struct mct_ask *a);

#endif
