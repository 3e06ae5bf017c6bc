/*
 * Answers the questions of servers on the command line: elicitations with --elicit or on the terminal, sampling
 * requests with --sampling-command. A capability without an answerer is not offered to servers.
 */
#ifndef MCT_CLI_ANSWERS_H
#define MCT_CLI_ANSWERS_H

#include "cli/command.h"

/* Creates the answerer that the options select. Returns -1 with *err if an option is invalid. Even then *ret may be
 * set, and belongs to the caller. */
int mcti_answers_new(struct mcti_app *app, struct mcti_answers **ret, struct mct_error *err);
void mcti_answers_free(struct mcti_answers *a);
const struct mcti_answerer *mcti_answers_answerer(const struct mcti_answers *a); /* NULL for NULL */

/* ---- ask/elicit_terminal.c: asks on the terminal, one question at a time ---- */

struct mcti_terminal;

struct mcti_terminal *mcti_terminal_new(struct mcti_app *app); /* NULL: no terminal, or out of memory */
void mcti_terminal_free(struct mcti_terminal *t);
void mcti_terminal_ask(struct mcti_terminal *t, struct mcti_ask *a);
void mcti_terminal_withdraw(struct mcti_terminal *t, struct mcti_ask *a);

/* ---- ask/sampling.c: runs a program for each sampling request ---- */

/* Answers `a` with the output of `command`, which is split into words like a shell does, without expansions. */
void mcti_sampling_ask(struct mcti_app *app, const char *command, struct mcti_ask *a);
void mcti_sampling_withdraw(struct mcti_ask *a);

#endif
