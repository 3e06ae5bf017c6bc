/*
 * The programs that are clients of MCP servers: one row for each, with the files in which it keeps its servers, how it
 * writes an entry, and how to tell that it is installed. Imports, `mcptools install` and `mcptools inventory` use this
 * table; nothing else knows these facts.
 */
#ifndef MCT_CLIENTS_PLACES_H
#define MCT_CLIENTS_PLACES_H

#include "base/buf.h"
#include "base/strings.h"
#include "config/notation/document.h"

/* Whose servers a file has. LOCAL: one user's in one project (Claude Code). In order of precedence. */
enum mcti_client_scope { MCT_CLIENT_LOCAL, MCT_CLIENT_PROJECT, MCT_CLIENT_USER };

extern const struct mcti_word mcti_client_scopes[];

/* How a program writes the entry of a server. */
struct mcti_client_writing {
    const char *container[3]; /* the names that lead to the entries; ends in NULL */
    const char *stdio, *http; /* members in front of those of all programs, as JSON; NULL: none */
    const char *more;         /* members at the end, as JSON; NULL: none */
    const char *http_more;    /* the same for an entry with a URL; NULL: as `more` */
    const char *url;          /* key of the URL; NULL: "url" */
    const char *command;      /* key of the program; NULL: "command" */
    const char *file;         /* a file of its own for the entry; NULL: one of `user` */
    const char *variable;     /* how a text names a variable, for printf; NULL: it cannot, so HTTP has no token */
    const char *token_key;    /* key of an entry that names the variable with the token; NULL: a header has it */
    bool no_http;             /* only programs can be started */
    bool is_list;             /* "command" is a list with the arguments */
    bool comments, commas;    /* the program accepts comments, and commas behind the last member */
    bool by_hand;             /* mcptools does not write its file */
};

struct mcti_config;
struct mcti_client;

/* One file of a program, as it was read. */
struct mcti_client_found {
    const struct mcti_client *client;
    const char *file;
    enum mcti_client_scope scope;
    struct mcti_config *config;
};

/* Paths are patterns: "~" is the home folder, "${NAME:-X}" the value of the variable NAME, or X if that is not an
 * absolute path; "*" matches names of files. Relative paths are those of a project. */
struct mcti_client {
    const char *id, *title;
    const char *format;         /* of its files, as in `config import --from`; NULL: their names and keys tell it */
    const char *const *project; /* in order of precedence; end in NULL */
    const char *const *user;
    const char *const *signs; /* files and folders of which one exists if the program is installed, besides those */
    struct mcti_client_writing writes;
    /* Disables servers that lists outside of their entries switch off; NULL: there are none. */
    void (*settle)(struct mcti_client_found *f);
    bool has_local; /* the files of `user` have servers of projects, too */
};

extern const struct mcti_client mcti_clients[]; /* ends in a row without an id */

/* Returns the row, or NULL. */
const struct mcti_client *mcti_client_find(const char *id);

/* Returns the path of a pattern below `folder` (NULL: the working directory), without "*" replaced; NULL if the home
 * folder is not known, or out of memory. The caller frees it. */
char *mcti_client_path(const char *pattern, const char *folder);

/* Appends a path as people write it: "~" is the home folder. */
void mcti_client_put_path(struct mcti_buf *to, const char *path);

/* Appends the files that match the pattern. */
void mcti_client_match(const char *pattern, const char *folder, struct mcti_strings *to);

/* Returns true if the program seems to be installed for this user. */
bool mcti_client_is_here(const struct mcti_client *client);

#endif
