/*
 * Which configuration files that the user did not write may be used: those that `mcptools trust` has recorded, by their
 * path and the SHA-256 of their content, in $XDG_STATE_HOME/mcptools/trust.jsonl. This room knows paths and bytes only;
 * config/import/ decides which files need trust, and what is left of a file without it.
 */
#ifndef MCT_CONFIG_TRUST_TRUST_H
#define MCT_CONFIG_TRUST_TRUST_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strings.h"

enum { MCT_TRUST_DIGEST_CHARS = 64 };

/* Where a file lies: its name in its real folder, and the file that this leads to if it is a symbolic link. */
struct mcti_trust_location {
    char *path;   /* absolute; owned */
    char *target; /* owned; NULL: the path leads to the file itself */
};

/* CHANGED: another content was trusted at this place. */
enum mcti_trust { MCT_TRUST_YES, MCT_TRUST_NO, MCT_TRUST_CHANGED };

struct mcti_trust_verdict {
    enum mcti_trust trust;
    bool had_settings;    /* a trusted content had a section "mcptools" */
    bool by_environment;  /* YES because MCPTOOLS_TRUST names it, whatever its content is */
    struct mct_error why; /* why the records cannot be used; kind NONE: they can */
};

/* One record. */
struct mcti_trust_record {
    char *path, *target, *digest, *time; /* owned; target: NULL: none */
    bool has_settings;
};

/* ---- location.c ---- */

/* Finds out where the file lies; it may be missing. Returns -1 and sets *err on failure. The caller ends *ret with
 * mcti_trust_location_done() in any case. */
int mcti_trust_locate(const char *file, struct mcti_trust_location *ret, struct mct_error *err);
void mcti_trust_location_done(struct mcti_trust_location *l);

/* Returns true if the environment variable MCPTOOLS_TRUST, a list of absolute paths with colons between, names the file
 * or a folder above it. */
bool mcti_trust_has_variable(const struct mcti_trust_location *l);

/* ---- records.c ---- */

/* Returns the path of the file with the records, to free(); NULL: the user has no folder, or out of memory. */
char *mcti_trust_file(void);

void mcti_trust_digest(struct mcti_str text, char ret[MCT_TRUST_DIGEST_CHARS + 1]);

/* Calls `each` with each record, the oldest first. Lines that are no records are skipped. Returns -1 and sets *err if
 * the file may not be believed: it belongs to another user, or others may change it. */
int mcti_trust_each(void (*each)(void *data, const struct mcti_trust_record *r), void *data, struct mct_error *err);

/* Records that this content at this place is trusted. Returns -1 and sets *err on failure. */
int mcti_trust_add(const struct mcti_trust_location *l, struct mcti_str text, bool has_settings, struct mct_error *err);

/* Removes all records of the file or folder at `path`, an absolute path. Sets *ret_paths to the paths of files that
 * were removed. */
int mcti_trust_revoke(const char *path, struct mcti_strings *ret_paths, struct mct_error *err);

/* ---- check.c ---- */

/* Decides whether the file with this content is trusted. When in doubt it is not. */
void mcti_trust_check(const char *file, struct mcti_str text, struct mcti_trust_verdict *ret);

#endif
