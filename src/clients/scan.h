/*
 * Reads the files of client programs where they lie, each into a configuration of its own, so that a mistake in one
 * costs nothing else.
 */
#ifndef MCT_CLIENTS_SCAN_H
#define MCT_CLIENTS_SCAN_H

#include "config/import/import.h"
#include "clients/places.h"

struct mcti_client_scan {
    bool for_import;                                        /* references to variables are kept */
    bool only_shows;                                        /* nothing is used, so no file needs trust */
    void (*found)(struct mcti_client_found *f, void *data); /* may take servers out of f->config */
    void *data;
};

/* Reads each file that the program has for this user and the working directory, in order of precedence. */
void mcti_client_scan(const struct mcti_client *client, const struct mcti_client_scan *scan);

/* Reads one file as that of the program. */
void mcti_client_scan_file(const struct mcti_client *client, const struct mcti_client_scan *scan, const char *path,
                           enum mcti_client_scope scope);

/* Returns true if the entry leads to mcptools: it starts `mcptools serve`, or is the URL of the gateway that listens at
 * `address` ("127.0.0.1:8931"). */
bool mcti_client_is_ours(const struct mcti_config_server *s, const char *address);

/* Returns true if both entries are of the same server: the same program and arguments, or the same URL. With another
 * environment or other headers they may be two accounts, unless they have the same name. */
bool mcti_client_is_same(const struct mcti_config_server *a, const struct mcti_config_server *b);

/* ---- adopt.c ---- */

/* Adds the servers of the programs that "import" names, which come after those of the files. A name that another
 * program's server has already gets the program's id behind it. */
void mcti_client_import(struct mcti_config *c);

/* Returns the name for a server of that program: its own, or if `c` has that for another server, one that ends in the
 * program's id. NULL: `c` has the server already, whose name is *ret_same; or out of memory. The caller frees it. */
char *mcti_client_name(const struct mcti_config *c, const struct mcti_config_server *s, const char *id,
                       const char **ret_same);

/* ---- off.c: lists outside of entries ---- */

void mcti_client_settle_claude(struct mcti_client_found *f);
void mcti_client_settle_gemini(struct mcti_client_found *f);
void mcti_client_settle_copilot(struct mcti_client_found *f);

/* Disables servers of the .mcp.json in the working directory that the user has switched off in Claude Code. */
void mcti_client_settle_discovered(struct mcti_config *c);

#endif
