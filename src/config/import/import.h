/*
 * Reads configuration files: mcptools' own, and those of other programs, whose formats are in formats.c. Writes the
 * servers that were read from one file into another one (`mcptools config import`).
 */
#ifndef MCT_CONFIG_IMPORT_IMPORT_H
#define MCT_CONFIG_IMPORT_IMPORT_H

#include "config/config.h"

#include <sys/stat.h>

/* Reads the text of one file. The ending of the name `file` tells the notation, and the file's name and keys tell the
 * format. Leaves out entries whose name is known already: the first file wins. */
void mcti_config_read(struct mcti_config *c, const char *file, const char *text, size_t len);

/* Reads a file; if it cannot be opened, returns -1 and sets *err. */
int mcti_config_read_file(struct mcti_config *c, const char *path, struct mct_error *err);

/* The same; a file that was found in the working directory must belong to this user and be trusted (trusted.c). */
int mcti_config_read_found(struct mcti_config *c, const char *path, bool is_found_here, struct mct_error *err);

/* Appends the text of a file that was found in the working directory. Returns -1 and sets *err if it cannot be read, is
 * no regular file, or belongs to another user. */
int mcti_config_load_found(const char *path, struct mcti_buf *to, struct stat *ret_st, struct mct_error *err);

/* Appends the text of a file of at most 16 MiB. Returns -1 if it cannot be read. */
int mcti_config_load(const char *path, struct mcti_buf *to);

/* Reads every file found in the standard places (sources.c), in order; returns their number. */
size_t mcti_config_discover(struct mcti_config *c);

/* Appends the paths of the standard places, whether files exist there or not. Returns -1 when out of memory. */
int mcti_config_places(struct mcti_strings *to);

/* Returns true if the file is one of those that mcti_config_discover() reads. */
bool mcti_config_is_found(const char *file);

/* The files of mcptools itself: in the working directory, and of the user (to free(); NULL: the user has no folder, or
 * memory is exhausted). They are the first ones that mcti_config_discover() reads. */
extern const char mcti_config_native_here[];
char *mcti_config_native_file(void);

/* Returns true if the entry starts `mcptools serve --config FILE` with that file, and so itself if it stands in it. */
bool mcti_config_serves(const struct mcti_config_server *s, const char *file);

/* Returns true if the entry starts `mcptools serve`, with whatever file. */
bool mcti_config_starts_mcptools(const struct mcti_config_server *s);

/* Returns the object of the working directory in "projects" of Claude Code's file; absent if there is none. */
struct mcti_str mcti_config_project_here(struct mcti_str root);

/* Returns true if a format of this name exists. */
bool mcti_config_has_format(const char *name);

/* ---- trusted.c: files that the user did not write ---- */

/* Adds what may be known of a file that is not trusted: a problem, and the names of its servers, which cannot be used.
 * They take no name from other servers. Returns -1 when out of memory. */
int mcti_config_add_distrusted(struct mcti_config *c, const char *path, struct mcti_str text,
                               const struct mcti_trust_verdict *verdict);

/* Notes that a file is not trusted. Returns -1 when out of memory. */
int mcti_config_note_distrust(struct mcti_config *c, const char *file, enum mcti_trust trust, bool had_settings);

/* Returns the note about a file; NULL: it is trusted, or was not found. */
const struct mcti_config_distrust *mcti_config_distrust_of(const struct mcti_config *c, const char *file);

/* Writes why a file is not used, and the command that changes that. */
void mcti_config_put_distrust(struct mcti_buf *to, const char *file, enum mcti_trust trust, const char *why);

/* Returns true if the text has settings of mcptools, as a file of that name. */
bool mcti_config_has_settings(const char *file, struct mcti_str text);

/* Records trust for the text that mcptools is about to write into a file, if what it replaces is trusted or empty, and
 * the file is not the user's own. Returns -1 and sets *err on failure. */
int mcti_config_keep_trust(const char *file, struct mcti_str before, struct mcti_str after, struct mct_error *err);

/* ---- entry.c ---- */

/* Appends the entry of a server as JSON, with the keys that mcptools.json has for it. */
void mcti_config_put_entry(struct mcti_buf *to, const struct mcti_config_server *s);

#endif
