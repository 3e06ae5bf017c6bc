/* What the readers of configuration files share: read.c is the tables, other readers have files of their own. */
#ifndef MCT_CONFIG_READ_IMPL_H
#define MCT_CONFIG_READ_IMPL_H

#include "config/config.h"
#include "json/scan.h"

/* Where we are, for messages. */
struct place {
    struct mct_config *config;
    const char *file, *text;
    const char *path; /* "mcpServers.fs"; empty at the root */
    struct mct_config_server *server; /* NULL outside of an entry */
    struct mct_str entry;             /* the same, as it is written */
};

enum type { STRING, STRINGS, PAIRS, BOOL, UINT, INT, SECONDS, MODE, DIALECTS, TOKENS, JSON, RULES, GROUPS, HOOKS,
            OBJECT, LATER, SKIP };

struct field {
    const char *key;
    enum type type;
    size_t offset;
    const struct field *fields; /* OBJECT: its members, in the same struct; RULES: those of each */
    const char *hint;           /* LATER: what to do; else what is said of it in entries of other types */
    unsigned min, max;          /* UINT, SECONDS (in seconds) */
};

/* Notes what is wrong with a member. A mistake costs the entry it stands in; outside of an entry it costs only itself. */
void config_mistake(struct place *at, struct mct_json_member m, bool fatal, const char *what);

/* Reads the members of an object into *to; `fields` ends in a row without a key. */
void config_read_object(struct place *at, struct mct_str object, const struct field *fields, void *to);

/* ---- hooks.c ---- */

void config_read_hooks(struct place *at, struct mct_json_member m);

#endif
