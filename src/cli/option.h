/*
 * The table of command-line options. options.c parses them, show/help.c prints them for --help, and complete/
 * completes them and their values. tools/table-docs.c writes them into man/mcptools.1.scd.
 */
#ifndef MCT_CLI_OPTION_H
#define MCT_CLI_OPTION_H

#include "base/str.h"

enum mcti_option_type {
    OPTION_FLAG,     /* bool, set to true */
    OPTION_TEXT,     /* const char * */
    OPTION_URL,      /* the same, for http and https */
    OPTION_WORD,     /* the same, one of `words` */
    OPTION_ENUM,     /* an enum: the value of one of `words` */
    OPTION_LIST,     /* struct mcti_strings: the option is repeatable */
    OPTION_SECONDS,  /* unsigned, in milliseconds */
    OPTION_DIALECTS, /* struct mcti_client_prefs: repeated options add up */
    OPTION_EVENTS,   /* read by mcti_events_option() */
};

struct mcti_option {
    const char *name; /* "--output" */
    char letter;      /* short form: 'o' for "-o"; 0: none */
    enum mcti_option_type type;
    size_t offset;                 /* in struct mcti_options */
    const char *argument;          /* as in `args` of commands, completed like those; NULL: the option takes no value */
    const char *only;              /* commands that have the option, separated by blanks; NULL: all */
    const struct mcti_word *words; /* accepted words of OPTION_WORD and OPTION_ENUM */
    const char *help,
        *more; /* line of --help; further sentences for the manual, or NULL. Code stands between backquotes */
};

/* Ends in a row without a name. Two options may have the same name if one is that of certain commands. */
extern const struct mcti_option mcti_options[];

struct mcti_command;

/* Returns the option that `name` means, or NULL: that of the command if it has one of this name. `command` may be
 * NULL. */
const struct mcti_option *mcti_option_find(struct mcti_str name, const struct mcti_command *command);

/* Returns true if the option is one of those that only certain commands have, and `command` is one of these. */
bool mcti_option_belongs(const struct mcti_option *o, const char *command);

#endif
