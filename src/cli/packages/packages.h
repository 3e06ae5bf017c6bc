/*
 * Finding servers in a registry and adding them to the configuration, for the commands `search` and `add`: requests,
 * questions on the terminal, what is shown before anything is written.
 */
#ifndef MCT_CLI_PACKAGES_PACKAGES_H
#define MCT_CLI_PACKAGES_PACKAGES_H

#include "cli/command.h"
#include "io/fetch/client.h"
#include "packages/found.h"
#include "packages/plan.h"

/* ---- registry.c ---- */

/* Returns the base URL of the registry: --registry, $MCPTOOLS_REGISTRY_URL, the configuration, or the official one. */
const char *mcti_packages_registry(const struct mcti_app *app);

/* Searches for servers that match all words, best first. Sends at most a few requests; *ret_more: there may be further
 * ones. Returns -1 with *err. The caller ends *ret with mcti_found_done() in any case. */
int mcti_packages_search(struct mcti_app *app, const struct mcti_strings *words, struct mcti_found *ret, bool *ret_more,
                         struct mct_error *err);

/* Fetches one version of a server; `version` absent: the newest. *ret_entry is in `body`. Returns -1 with *err. */
int mcti_packages_fetch(struct mcti_app *app, struct mcti_str name, struct mcti_str version, struct mcti_buf *body,
                        struct mcti_found_entry *ret_entry, struct mct_error *err);

/* ---- found.c ---- */

/* Prints a server on two lines, the second one behind `indent` spaces. */
void mcti_packages_print_one(const struct mcti_app *app, const struct mcti_found_server *f, unsigned indent);

/* Prints foreign text and a line end behind `indent` spaces, broken between words if stdout is a terminal. */
void mcti_packages_print_text(const struct mcti_app *app, struct mcti_str text, unsigned indent);

/* Prints what a search has found. */
void mcti_packages_print(const struct mcti_app *app, const struct mcti_found *l);

#endif
