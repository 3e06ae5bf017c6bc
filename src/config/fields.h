/*
 * Tables of configuration keys. A row says what a key takes, where its value goes, and what the documents say of it:
 * tools/table-docs.c prints the rows into docs/CONFIGURATION.md and man/mcptools.json.5. A file with a table defines
 * OWNER as the struct that the values are members of.
 */
#ifndef MCT_CONFIG_FIELDS_H
#define MCT_CONFIG_FIELDS_H

#include "base/str.h"

enum type {
    STRING,    /* char *, owned */
    STRINGS,   /* struct mct_strings */
    PAIRS,     /* struct mct_pairs */
    BOOL,      /* bool */
    UINT,      /* unsigned */
    BYTES,     /* size_t */
    INT,       /* int */
    SECONDS,   /* unsigned, in milliseconds */
    ENUM,      /* an enum without negative values */
    WORD,      /* const char *: the word of the table */
    REVISION,  /* struct mcti_server_protocol: one of the words, or a revision of MCP */
    DIALECTS,  /* struct mct_client_prefs */
    JSON,      /* char *, owned: the text of an object */
    RULES,     /* struct mct_config_rule_sets */
    GROUPS,    /* the same, of lists alone */
    TOKENS,    /* each has a reader of its own */
    HOOKS,
    OBJECT,    /* its members are of the same struct */
    LATER,     /* accepted, without effect */
};

struct field {
    const char *key;
    const char *help;              /* sentences; `code` between backquotes */
    const char *preset;            /* the default where the value alone does not show it */
    const char *unit;              /* of a number */
    const char *hint;              /* LATER: the warning */
    const struct field *fields;    /* OBJECT: its members; RULES, TOKENS, HOOKS: the members of each */
    const struct mcti_word *words; /* ENUM, WORD, REVISION */
    size_t offset;
    size_t min, max;               /* UINT, BYTES, SECONDS (in seconds) */
    enum type type;
    unsigned only;                 /* bits: it has an effect in entries of these server types only; 0: in all */
    bool first_only;               /* read in the first "mcptools" section only */
};

/* The offset of a member of OWNER, which must have this type. */
#define FIELD_AT(type, member) (offsetof(OWNER, member) + 0 * sizeof(_Generic(((OWNER *)0)->member, type: 1)))

/* Rows. Further members of struct field may follow the help. A table ends in { 0 }. */
#define FIELD_STRING(key, member, ...) FIELD_ROW(key, STRING, char *, member, __VA_ARGS__)
#define FIELD_STRINGS(key, member, ...) FIELD_ROW(key, STRINGS, struct mct_strings, member, __VA_ARGS__)
#define FIELD_PAIRS(key, member, ...) FIELD_ROW(key, PAIRS, struct mct_pairs, member, __VA_ARGS__)
#define FIELD_BOOL(key, member, ...) FIELD_ROW(key, BOOL, bool, member, __VA_ARGS__)
#define FIELD_INT(key, member, ...) FIELD_ROW(key, INT, int, member, __VA_ARGS__)
#define FIELD_JSON(key, member, ...) FIELD_ROW(key, JSON, char *, member, __VA_ARGS__)
#define FIELD_DIALECTS(key, member, ...) FIELD_ROW(key, DIALECTS, struct mct_client_prefs, member, __VA_ARGS__)
#define FIELD_GROUPS(key, member, ...) FIELD_ROW(key, GROUPS, struct mct_config_rule_sets, member, __VA_ARGS__)
#define FIELD_UINT(key, member, least, most, ...) \
    FIELD_ROW(key, UINT, unsigned, member, __VA_ARGS__, .min = least, .max = most)
#define FIELD_BYTES(key, member, least, most, ...) \
    FIELD_ROW(key, BYTES, size_t, member, __VA_ARGS__, .min = least, .max = most, .unit = "bytes")
#define FIELD_SECONDS(key, member, least, most, ...) \
    FIELD_ROW(key, SECONDS, unsigned, member, __VA_ARGS__, .min = least, .max = most, .unit = "seconds")
#define FIELD_ENUM(key, member, table, ...) FIELD_ROW(key, ENUM, unsigned, member, __VA_ARGS__, .words = table)
#define FIELD_WORD(key, member, table, ...) FIELD_ROW(key, WORD, const char *, member, __VA_ARGS__, .words = table)
#define FIELD_REVISION(key, member, table, ...) \
    FIELD_ROW(key, REVISION, struct mcti_server_protocol, member, __VA_ARGS__, .words = table)
#define FIELD_RULES(key, member, table, ...) \
    FIELD_ROW(key, RULES, struct mct_config_rule_sets, member, __VA_ARGS__, .fields = table)
#define FIELD_TOKENS(key, table, ...) { key, __VA_ARGS__, .type = TOKENS, .fields = table }
#define FIELD_HOOKS(key, table, ...) { key, __VA_ARGS__, .type = HOOKS, .fields = table }
#define FIELD_OBJECT(key, table, ...) { key, __VA_ARGS__, .type = OBJECT, .fields = table }
#define FIELD_LATER(key, warning, ...) { key, __VA_ARGS__, .type = LATER, .hint = warning }
#define FIELD_ROW(key, kind, ctype, member, ...) { key, __VA_ARGS__, .type = kind, .offset = FIELD_AT(ctype, member) }

/* The tables that are read from more than one file, or are the beginning of all others. */
extern const struct field config_server_fields[], config_settings_fields[], config_policy_fields[], config_token_fields[],
    config_hook_fields[];

#endif
