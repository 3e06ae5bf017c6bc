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

/* Where we are, for messages. */
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

/* Notes what is wrong with a member. A mistake costs the entry it stands in; outside of an entry it costs only itself. */
void config_mistake(struct place *at, struct mct_json_member m, bool fatal, const char *what);

/* Returns the line of `p`, counting from the line that was asked for before. */
unsigned config_line_at(const struct place *at, const char *p);

/* ---- exposure.c ---- */

/* Warns if the mode of a file gives other users what it holds: the servers and tokens from those numbers on. */
void config_check_mode(struct mct_config *c, const char *file, mode_t mode, size_t first_server, size_t first_token);

/* ---- fields.c ---- */

/* Reads the members of an object into *to; `fields` ends in a row without a key. */
void config_read_object(struct place *at, struct mct_str object, const struct field *fields, void *to);

/* Reads one. False: it is not what the row says, which has been noted. */
bool config_read_field(struct place *at, const struct field *f, struct mct_json_member m, void *to);

/* Reads one item after the other, which is the place then. */
void config_read_items(struct place *at, struct mct_str list, void (*read)(struct place *at, struct mct_str item));

/* The name of a member as text; NULL where it has none. */
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
