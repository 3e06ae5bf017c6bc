/*
 * What the command line answers when a server asks: elicitations with --elicit or on the terminal,
 * samplings with --sampling-command. Without these a server is not told that it could ask.
 */
#ifndef MCT_CLI_ANSWERS_H
#define MCT_CLI_ANSWERS_H

#include "cli/command.h"

/* *ret is NULL when nothing can be answered. -1 with *err when an option is not usable. */
int mcti_answers_new(struct mcti_app *app, struct mcti_answers **ret, struct mct_error *err);
void mcti_answers_free(struct mcti_answers *a);
const struct mcti_answerer *mcti_answers_answerer(const struct mcti_answers *a); /* NULL for NULL */

/* ---- elicit_terminal.c: asks on the terminal, one question after the other ---- */

struct mcti_terminal;

struct mcti_terminal *mcti_terminal_new(struct mcti_app *app); /* NULL when there is no terminal */
void mcti_terminal_free(struct mcti_terminal *t);
void mcti_terminal_ask(struct mcti_terminal *t, struct mcti_ask *a);
void mcti_terminal_withdraw(struct mcti_terminal *t, struct mcti_ask *a);

/* ---- sampling.c: asks a program ---- */

/* `command` is split as a shell would, without expansions. */
void mcti_sampling_ask(struct mcti_app *app, const char *command, struct mcti_ask *a);
void mcti_sampling_withdraw(struct mcti_ask *a);

#endif
