/*
 * Expands ${VAR} and ${VAR:-default} in configured texts, and what names a secret elsewhere: ${file:PATH},
 * ${cmd:COMMAND LINE} and ${credential:NAME}. A command blocks the caller for up to 10 s.
 */
#ifndef MCT_CONFIG_EXPAND_EXPAND_H
#define MCT_CONFIG_EXPAND_EXPAND_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strings.h"

/* Returns the expanded text, owned by the caller. Values are not expanded again. "$${" is a literal "${". Returns NULL
 * and sets *err if a variable without default is not set, or a secret cannot be had. */
char *mcti_expand(const char *text, struct mct_error *err);

/* Like mcti_expand(), and replaces a leading "~/" or a lone "~" by the home directory. */
char *mcti_expand_path(const char *text, struct mct_error *err);

/* Like mcti_expand_path(), for a path relative to the folder of the configuration file `file` (NULL: to the working
 * directory). */
char *mcti_expand_from(const char *text, const char *file, struct mct_error *err);

/* Puts the folder of the configuration file in front of relative paths in "${file:PATH}", so that the text means the
 * same wherever it is expanded. Returns -1 when out of memory; the text is then unchanged. *text may be NULL. */
int mcti_expand_anchor(char **text, const char *file);

/* Appends valid JSON with the variables in its strings expanded; `file` is the configuration file. A value stays inside
 * its string, whatever it contains. On failure returns -1 and sets *err, which names the place in the JSON. */
int mcti_expand_json(struct mcti_buf *to, struct mcti_str value, const char *file, struct mct_error *err);

/* ---- words.c ---- */

/* Splits a command line into words like a shell, without expansions. On failure returns -1 and sets *err; the list is
 * then empty. */
int mcti_expand_split(const char *line, struct mcti_strings *ret, struct mct_error *err);

/* Appends a word of a command line, quoted for a shell if it has to be. */
void mcti_expand_put_word(struct mcti_buf *to, struct mcti_str word);

/* ---- secret.c ---- */

/* If what is between "${" and "}" names a secret, appends it and returns 1; otherwise returns 0. On failure returns -1
 * and sets *err. "!file:PATH", which only config/import/variables.c writes, is a file in one of a few folders. */
int mcti_expand_secret(struct mcti_str inside, struct mcti_buf *to, struct mct_error *err);

/* Returns the '}' that ends the "${" at `p`, or NULL. Quotes and backslashes of a command line hide a '}'. */
const char *mcti_expand_end(const char *p);

#endif
