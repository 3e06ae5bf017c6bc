/*
 * Tables of configuration keys. A row describes the values of a key, the member that stores them, and the text of the
 * documentation: tools/table-docs.c prints the rows into docs/CONFIGURATION.md and man/mcptools.json.5. A file with a
 * table defines OWNER as the struct that has the members.
 */
#ifndef MCT_CONFIG_FIELDS_H
#define MCT_CONFIG_FIELDS_H

#include "base/str.h"

enum mcti_field_type {
    TYPE_STRING,   /* char *, owned */
    TYPE_STRINGS,  /* struct mcti_strings */
    TYPE_PAIRS,    /* struct mcti_pairs */
    TYPE_BOOL,     /* bool */
    TYPE_UINT,     /* unsigned */
    TYPE_BYTES,    /* size_t */
    TYPE_INT,      /* int */
    TYPE_SECONDS,  /* unsigned, in milliseconds */
    TYPE_ENUM,     /* an enum without negative values */
    TYPE_WORD,     /* const char *: the word of the table */
    TYPE_REVISION, /* struct mcti_server_protocol: one of the words, or a revision of MCP */
    TYPE_DIALECTS, /* struct mcti_client_prefs */
    TYPE_JSON,     /* char *, owned: the text of an object */
    TYPE_RULES,    /* struct mcti_config_rule_sets */
    TYPE_GROUPS,   /* struct mcti_config_rule_sets, whose items are lists only */
    TYPE_TOKENS,   /* read by a function of its own, like TYPE_HOOKS */
    TYPE_HOOKS,
    TYPE_OBJECT,  /* its members belong to the same struct */
    TYPE_LATER,   /* accepted, without effect */
    TYPE_SPECIAL, /* read by the function of its row */
};

struct mcti_config_place;
struct mcti_json_member;

struct mcti_config_field {
    const char *key;
    const char *help;   /* sentences; `code` between backquotes */
    const char *preset; /* the default as text, if the value alone does not show it */
    const char *unit;   /* unit of a number; TYPE_SPECIAL: the kind of value, for the documentation */
    const char *hint;   /* TYPE_LATER: the warning; TYPE_SPECIAL: "must be …" */
    const struct mcti_config_field
        *fields; /* TYPE_OBJECT: its members; TYPE_RULES, TYPE_TOKENS, TYPE_HOOKS: the members of each */
    /* TYPE_ENUM, TYPE_WORD, TYPE_REVISION; TYPE_OBJECT: of its first member, which may be written instead of it */
    const struct mcti_word *words;
    size_t offset;
    size_t min, max; /* TYPE_UINT, TYPE_BYTES, TYPE_SECONDS (in seconds) */
    /* TYPE_SPECIAL: reads the member into the struct that the table is about; returns false if the value is not what
     * `hint` says. */
    bool (*read)(struct mcti_config_place *at, const struct mcti_json_member *m, void *to);
    enum mcti_field_type type;
    unsigned only;   /* bits of the server types in whose entries it has an effect; 0: all */
    bool first_only; /* read only in the first "mcptools" section */
    bool or_one;     /* TYPE_STRINGS: a string stands for a list of one */
};

/* The offset of a member of OWNER, which must have this type. */
#define FIELD_AT(type, member) (offsetof(OWNER, member) + 0 * sizeof(_Generic(((OWNER *)0)->member, type : 1)))

/* Macros for rows. Further members of struct mcti_config_field may follow the help. A table ends in { 0 }. */
#define FIELD_STRING(key, member, ...) FIELD_ROW(key, TYPE_STRING, char *, member, __VA_ARGS__)
#define FIELD_STRINGS(key, member, ...) FIELD_ROW(key, TYPE_STRINGS, struct mcti_strings, member, __VA_ARGS__)
#define FIELD_PAIRS(key, member, ...) FIELD_ROW(key, TYPE_PAIRS, struct mcti_pairs, member, __VA_ARGS__)
#define FIELD_BOOL(key, member, ...) FIELD_ROW(key, TYPE_BOOL, bool, member, __VA_ARGS__)
#define FIELD_INT(key, member, ...) FIELD_ROW(key, TYPE_INT, int, member, __VA_ARGS__)
#define FIELD_JSON(key, member, ...) FIELD_ROW(key, TYPE_JSON, char *, member, __VA_ARGS__)
#define FIELD_DIALECTS(key, member, ...) FIELD_ROW(key, TYPE_DIALECTS, struct mcti_client_prefs, member, __VA_ARGS__)
#define FIELD_GROUPS(key, member, ...) FIELD_ROW(key, TYPE_GROUPS, struct mcti_config_rule_sets, member, __VA_ARGS__)
#define FIELD_UINT(key, member, least, most, ...)                                                                      \
    FIELD_ROW(key, TYPE_UINT, unsigned, member, __VA_ARGS__, .min = least, .max = most)
#define FIELD_BYTES(key, member, least, most, ...)                                                                     \
    FIELD_ROW(key, TYPE_BYTES, size_t, member, __VA_ARGS__, .min = least, .max = most, .unit = "bytes")
#define FIELD_SECONDS(key, member, least, most, ...)                                                                   \
    FIELD_ROW(key, TYPE_SECONDS, unsigned, member, __VA_ARGS__, .min = least, .max = most, .unit = "seconds")
#define FIELD_ENUM(key, member, table, ...) FIELD_ROW(key, TYPE_ENUM, unsigned, member, __VA_ARGS__, .words = table)
#define FIELD_WORD(key, member, table, ...) FIELD_ROW(key, TYPE_WORD, const char *, member, __VA_ARGS__, .words = table)
#define FIELD_REVISION(key, member, table, ...)                                                                        \
    FIELD_ROW(key, TYPE_REVISION, struct mcti_server_protocol, member, __VA_ARGS__, .words = table)
#define FIELD_RULES(key, member, table, ...)                                                                           \
    FIELD_ROW(key, TYPE_RULES, struct mcti_config_rule_sets, member, __VA_ARGS__, .fields = table)
#define FIELD_TOKENS(key, table, ...)                                                                                  \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = TYPE_TOKENS, .fields = table                                                         \
    }
#define FIELD_HOOKS(key, table, ...)                                                                                   \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = TYPE_HOOKS, .fields = table                                                          \
    }
#define FIELD_OBJECT(key, table, ...)                                                                                  \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = TYPE_OBJECT, .fields = table                                                         \
    }
#define FIELD_LATER(key, warning, ...)                                                                                 \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = TYPE_LATER, .hint = warning                                                          \
    }
#define FIELD_SPECIAL(key, function, must, ...)                                                                        \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = TYPE_SPECIAL, .hint = must, .read = function                                         \
    }
#define FIELD_ROW(key, kind, ctype, member, ...)                                                                       \
    {                                                                                                                  \
        key, __VA_ARGS__, .type = kind, .offset = FIELD_AT(ctype, member)                                              \
    }

/* The tables that several files use, or that are at the root of others. */
extern const struct mcti_config_field mcti_config_server_fields[], mcti_config_settings_fields[],
    mcti_config_policy_fields[], mcti_config_token_fields[], mcti_config_hook_fields[], mcti_config_tools_fields[],
    mcti_config_auth_fields[], mcti_config_results_fields[], mcti_config_apps_fields[];

#endif
