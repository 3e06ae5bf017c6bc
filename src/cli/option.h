/*
 * The options of the command line as a table: options.c reads them and prints `--help`, tools/table-docs.c writes them
 * into man/mcptools.1.scd.
 */
#ifndef MCT_CLI_OPTION_H
#define MCT_CLI_OPTION_H

#include "base/str.h"

enum mcti_option_type {
    OPTION_FLAG,     /* bool, set to true */
    OPTION_TEXT,     /* const char * */
    OPTION_URL,      /* the same, for http and https */
    OPTION_WORD,     /* the same, one of the words */
    OPTION_ENUM,     /* an enum: the value of one of the words */
    OPTION_LIST,     /* struct mcti_strings: the option is repeatable */
    OPTION_SECONDS,  /* unsigned, in milliseconds */
    OPTION_DIALECTS, /* struct mcti_client_prefs: added to those named before */
    OPTION_EVENTS,   /* opened by mcti_events_option() */
};

struct mcti_option {
    const char *name; /* "--output" */
    char letter;      /* 'o': "-o" is the same; 0: there is no letter */
    enum mcti_option_type type;
    size_t offset;                 /* in struct mcti_options */
    const char *argument;          /* NULL: the option takes no value */
    const char *only;              /* the commands it belongs to; NULL: all */
    const struct mcti_word *words; /* WORD, ENUM */
    bool is_flag_of_serve;         /* with `serve` it takes no value */
    const char *help,
        *more; /* one line for --help; further sentences of the manual, or NULL. `code` between backquotes */
};

extern const struct mcti_option mcti_options[]; /* ends in a row without a name */

#endif
