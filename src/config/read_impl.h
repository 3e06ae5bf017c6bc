/*
 * Shared by the readers of configuration files. A key is a row in a table (fields.h): server_fields.c, settings_fields.c,
 * policy.c, tokens.c and hooks.c have them. fields.c reads values by these rows, read.c finds the objects in a file.
 */
#ifndef MCT_CONFIG_READ_IMPL_H
#define MCT_CONFIG_READ_IMPL_H

#include "config/config.h"
#include "config/fields.h"
#include "json/scan.h"

#include <sys/types.h>

/* A position in the text whose line is known. */
struct line_mark {
    const char *at;
    unsigned line;
};

/* A place in a file, for messages. */
struct place {
    struct mct_config *config;
    const char *file;
    struct line_mark *mark; /* shared by the places of a file: the next line is counted from there */
    const char *path; /* "mcpServers.fs"; empty at the root */
    struct mct_config_server *server; /* NULL outside of an entry */
    struct mct_str entry;             /* the same, as it is written */
    bool is_further; /* in a "mcptools" section behind the first: rows with first_only are skipped */
};

/* ---- read.c ---- */

/* Notes what is wrong with a member. A fatal mistake disables the entry of a server; outside of entries it breaks the
 * configuration. */
void config_mistake(struct place *at, struct mct_json_member m, bool fatal, const char *what);

/* Returns the line of `p`. Counts from the position of the previous call. */
unsigned config_line_at(const struct place *at, const char *p);

/* ---- exposure.c ---- */

/* Warns if the mode of a file lets other users read secrets of it or change it. The file added the servers and tokens from
 * these numbers on. */
void config_check_mode(struct mct_config *c, const char *file, mode_t mode, size_t first_server, size_t first_token);

/* ---- fields.c ---- */

/* Reads the members of an object into *to; `fields` ends in a row without a key. */
void config_read_object(struct place *at, struct mct_str object, const struct field *fields, void *to);

/* Reads one member. Notes a value of the wrong type, and returns false then. */
bool config_read_field(struct place *at, const struct field *f, struct mct_json_member m, void *to);

/* Calls `read` for each item of a list, with a place that names the item. */
void config_read_items(struct place *at, struct mct_str list, void (*read)(struct place *at, struct mct_str item));

/* Returns the name of a member as text, or NULL if it is not valid Unicode. */
char *config_key_dup(struct mct_json_member m);

/* ---- servers.c ---- */

void config_read_servers(struct place *at, struct mct_str map);

/* Returns true if keys of the server types in `types` (bits) have no effect in this entry. 0 stands for all types. */
bool config_is_elsewhere(const struct place *at, unsigned types);

/* ---- settings.c ---- */

void config_read_settings(struct place *at, struct mct_json_member m);

/* ---- policy.c ---- */

void config_read_rule_sets(struct place *at, const struct field *f, struct mct_str object, struct mct_config_rule_sets *to);

/* ---- tokens.c ---- */

void config_read_tokens(struct place *at, struct mct_str list);

/* ---- hooks.c ---- */

void config_read_hooks(struct place *at, struct mct_str list);

#endif
