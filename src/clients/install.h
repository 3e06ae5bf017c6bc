/*
 * Writes the entry of mcptools into the file of a client program, and takes it out again. What an edit does not name
 * stays byte for byte.
 */
#ifndef MCT_CLIENTS_INSTALL_H
#define MCT_CLIENTS_INSTALL_H

#include "clients/places.h"
#include "config/edit/edit.h"

#define MCT_CLIENT_ENTRY "mcptools"                /* the name of our entry */
#define MCT_CLIENT_TOKEN_VARIABLE "MCPTOOLS_TOKEN" /* has the token that the gateway wants */

/* How the program reaches mcptools: it starts it, or connects to the gateway. */
struct mcti_client_way {
    const char *program, *config; /* absolute paths */
    const char *url;              /* of the running gateway; NULL: the client starts mcptools */
    bool with_token;              /* the gateway wants a token */
};

/* ---- entry.c ---- */

/* Appends our entry as JSON. Returns -1 and sets *err if the program cannot have such an entry. */
int mcti_client_put_entry(struct mcti_buf *to, const struct mcti_client *client, const struct mcti_client_way *way,
                          struct mct_error *err);

/* Returns the file into which an entry is written: the one that the program has, or would create. NULL: there is none,
 * or out of memory. The caller frees it. */
char *mcti_client_target(const struct mcti_client *client, bool for_project);

/* Sets an entry of the program's file; an absent `entry` removes it. Returns 0; 1 if there is none to remove; -1 and
 * sets *err. */
int mcti_client_edit(struct mcti_edit *e, const struct mcti_client *client, const char *name, struct mcti_str entry,
                     struct mct_error *err);

/* Removes the object with the entries if it is empty. */
int mcti_client_drop_container(struct mcti_edit *e, const struct mcti_client *client, struct mct_error *err);

/* ---- toml.c ---- */

/* The same in a file of TOML: sets or removes [TABLE.NAME] with its sub-tables. */
int mcti_client_edit_toml(struct mcti_edit *e, const char *table, const char *name, struct mcti_str entry,
                          struct mct_error *err);

#endif
