/* One completion, as the files of this room share it. */
#ifndef MCT_CLI_COMPLETE_IMPL_H
#define MCT_CLI_COMPLETE_IMPL_H

#include "cli/command.h"
#include "cli/complete/complete.h"
#include "cli/option.h"

enum {
    COMPLETE_NO_SPACE = 2,
    COMPLETE_NO_FILES = 4,
    COMPLETE_FOLDERS = 16,
    COMPLETE_NO_OPTIONS = 64, /* not printed: "--" has been typed */
    COMPLETE_MOST = 1000,     /* candidates */
};

struct mcti_complete {
    const struct mcti_command *command; /* NULL: its name is being typed */
    bool wants_help;                    /* the command is `help` */
    struct mcti_strings words;          /* positional words before the one to complete, without quotes */
    struct mcti_strings files;          /* values of --config */
    struct mcti_strings servers;        /* values of --server */
    bool is_adhoc;                      /* --url or --stdio: the configured servers do not count */

    char *typed;             /* the word to complete, without quotes */
    struct mcti_str before;  /* the part of it that stays: "--server=", "a," */
    struct mcti_str current; /* the rest */
    size_t cut;              /* bytes of a candidate that the shell has already */

    unsigned limit_ms;         /* for the whole answer */
    struct mcti_config config; /* valid with is_configured */
    bool is_configured;
    struct mcti_buf out;
    size_t n;
    unsigned flags;
};

/* ---- words.c ---- */

/* Returns a word without the quotes and backslashes of bash, to free(). NULL when out of memory. */
char *mcti_complete_unquote(const char *word);

/* Reads the words before the last one into command, words, files, servers and is_adhoc. Returns the option whose value
 * the last word is, or NULL. */
const struct mcti_option *mcti_complete_read(struct mcti_complete *c, int n, char *const *words);

/* ---- usage.c ---- */

/* is_literal: `thing` is the word itself; otherwise it stands for words, such as "SERVER". */
typedef void (*mcti_complete_next_fn)(struct mcti_complete *c, struct mcti_str thing, bool is_literal);

/* Calls `next` for each thing that can follow the words c->words on a usage line of `usage`. */
void mcti_complete_usage(struct mcti_complete *c, const char *usage, mcti_complete_next_fn next);

/* Calls `next` for each alternative of one word, or of the argument of an option. */
void mcti_complete_alternatives(struct mcti_complete *c, struct mcti_str word, mcti_complete_next_fn next);

/* ---- sources.c ---- */

/* Adds the candidates for what a word in capital letters on a usage line stands for. */
void mcti_complete_thing(struct mcti_complete *c, struct mcti_str thing);

/* Returns true if mcti_complete_thing() knows the word, also one without candidates. */
bool mcti_complete_knows(struct mcti_str thing);

/* ---- answer.c ---- */

/* Adds a candidate if it begins with what has been typed. `description` may be absent. Both may be foreign text. */
void mcti_complete_add(struct mcti_complete *c, struct mcti_str value, struct mcti_str description);

/* Adds the files whose paths begin with what has been typed behind `mark`, which stands in front of candidates. */
void mcti_complete_paths(struct mcti_complete *c, const char *mark);

/* ---- servers.c ---- */

/* Returns the configuration, read on first use; NULL if it cannot be read. */
const struct mcti_config *mcti_complete_config(struct mcti_complete *c);

/* Returns the name of the server that `word` begins with, or NULL. *ret_rest (may be NULL) is what follows the name and
 * a dot; NULL if there is no dot. */
const char *mcti_complete_server(struct mcti_complete *c, const char *word, const char **ret_rest);

/* Adds the names of servers, with `ending` behind them. */
void mcti_complete_server_names(struct mcti_complete *c, const char *ending);

struct mcti_complete_items {
    const char *server;
    enum mcti_kind kind;
    void (*each)(struct mcti_complete *c, const struct mcti_complete_items *items, struct mcti_str item);
    void *data; /* for `each` */
};

/* Calls items->each for each item of the server that is known without starting it. */
void mcti_complete_items(struct mcti_complete *c, const struct mcti_complete_items *items);

/* Replaces the text in `to` by a string member of an object, and returns it. */
struct mcti_str mcti_complete_text(struct mcti_str object, const char *key, struct mcti_buf *to);

/* Adds SERVER.ITEM for tools or prompts. */
void mcti_complete_item_names(struct mcti_complete *c, enum mcti_kind kind);

/* Adds the URIs of resources, of the server in c->words if one is named. */
void mcti_complete_uris(struct mcti_complete *c);

/* ---- stored.c ---- */

/* Calls items->each for each item that the server listed when it last ran. */
void mcti_complete_stored_items(struct mcti_complete *c, const struct mcti_complete_items *items);

/* ---- live.c ---- */

/* Calls items->each for each item that the running gateway lists. Returns false if none runs, or the server is down. */
bool mcti_complete_live_items(struct mcti_complete *c, const struct mcti_complete_items *items);

/* Adds what the server proposes for the first variable of a template of URIs, if the word begins like the template. */
void mcti_complete_template_values(struct mcti_complete *c, const char *server, struct mcti_str template);

/* Adds what the server proposes as values of an argument of a prompt. */
void mcti_complete_prompt_values(struct mcti_complete *c, const char *server, struct mcti_str prompt,
                                 struct mcti_str key);

/* ---- keys.c ---- */

/* Adds the keys of settings and of entries of servers, step by step. */
void mcti_complete_keys(struct mcti_complete *c);

/* Adds the values of the key that is the second word. */
void mcti_complete_key_values(struct mcti_complete *c);

/* ---- arguments.c ---- */

/* Adds key= or key=VALUE for the tool or prompt in c->words. */
void mcti_complete_arguments(struct mcti_complete *c);

#endif
