/*
 * What the readers of configuration files share. A key is a row in a table that stands with what it is about:
 * servers.c, settings.c, policy.c, tokens.c, hooks.c. What a row can say is in fields.c; where in a file all this is,
 * in read.c.
 */
#ifndef MCT_CONFIG_READ_IMPL_H
#define MCT_CONFIG_READ_IMPL_H

#include "config/config.h"
#include "json/scan.h"

#include <sys/types.h>

/* A position in the text whose line is known. */
struct mcti_line_mark {
    const char *at;
    unsigned line;
};

/* Where we are, for messages. */
struct mcti_config_place {
    struct mcti_config *config;
    const char *file;
    struct mcti_line_mark *mark;       /* shared by the places of a file: the next line is counted from there */
    const char *path;                  /* "mcpServers.fs"; empty at the root */
    struct mcti_config_server *server; /* NULL outside of an entry */
    struct mcti_str entry;             /* the same, as it is written */
};

enum mcti_config_type {
    STRING,
    STRINGS,
    PAIRS,
    BOOL,
    UINT,
    BYTES,
    INT,
    SECONDS,
    MODE,
    DIALECTS,
    TOKENS,
    JSON,
    RULES,
    GROUPS,
    HOOKS,
    OBJECT,
    LATER,
    SKIP
};

struct mcti_config_field {
    const char *key;
    enum mcti_config_type type;
    size_t offset;
    const struct mcti_config_field *fields; /* OBJECT: its members, in the same struct; RULES: those of each */
    const char *hint;                       /* LATER: what to do; else what is said of it in entries of other types */
    size_t min, max;                        /* UINT, BYTES, SECONDS (in seconds) */
};

/* ---- read.c ---- */

/* Notes what is wrong with a member. A mistake costs the entry it stands in; outside of an entry it costs only itself.
 */
void mcti_config_mistake(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what);

/* Returns the line of `p`, counting from the line that was asked for before. */
unsigned mcti_config_line_at(const struct mcti_config_place *at, const char *p);

/* ---- exposure.c ---- */

/* Warns if the mode of a file gives other users what it holds: the servers and tokens from those numbers on. */
void mcti_config_check_mode(struct mcti_config *c, const char *file, mode_t mode, size_t first_server,
                            size_t first_token);

/* ---- fields.c ---- */

/* Reads the members of an object into *to; `fields` ends in a row without a key. */
void mcti_config_read_object(struct mcti_config_place *at, struct mcti_str object,
                             const struct mcti_config_field *fields, void *to);

/* Reads one. False: it is not what the row says, which has been noted. */
bool mcti_config_read_field(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m,
                            void *to);

/* Reads one item after the other, which is the place then. */
void mcti_config_read_items(struct mcti_config_place *at, struct mcti_str list,
                            void (*read)(struct mcti_config_place *at, struct mcti_str item));

/* The name of a member as text; NULL where it has none. */
char *mcti_config_key_dup(struct mcti_json_member m);

/* ---- servers.c ---- */

void mcti_config_read_servers(struct mcti_config_place *at, struct mcti_str map);

/* Whether a hint is of a row that this entry's type gives no effect to. */
bool mcti_config_is_elsewhere(const struct mcti_config_place *at, const char *hint);

/* ---- settings.c ---- */

void mcti_config_read_settings(struct mcti_config_place *at, struct mcti_json_member m);

/* ---- policy.c ---- */

extern const struct mcti_config_field mcti_config_policy_fields[],
    mcti_config_more_policy_fields[]; /* of the first section; of further ones */

void mcti_config_read_rule_sets(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_str object,
                                struct mcti_config_rule_sets *to);

/* ---- tokens.c ---- */

void mcti_config_read_tokens(struct mcti_config_place *at, struct mcti_str list);

/* ---- hooks.c ---- */

void mcti_config_read_hooks(struct mcti_config_place *at, struct mcti_str list);

#endif
