/* Prints what a server says of itself. */
#ifndef MCT_CLI_SHOW_IDENTITY_H
#define MCT_CLI_SHOW_IDENTITY_H

#include "cli/command.h"

/* Prints the members of `object` that mcti_provider_put_identity() writes: name and version, or all if `at_length`. */
void mcti_identity_print(const struct mcti_app *app, struct mcti_str object, bool at_length);

/* Prints the lines of a text with a mark in front. */
void mcti_identity_print_indented(const struct mcti_app *app, struct mcti_str text);

#endif
