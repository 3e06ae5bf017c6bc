/*
 * Where logins are kept: texts under keys. The kinds are rows in store.c: "file" (the default), "secret-service" (files
 * sealed with a key that `secret-tool` keeps), "memory"; a program that uses the library can bring its own.
 */
#ifndef MCT_AUTH_STORE_STORE_H
#define MCT_AUTH_STORE_STORE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strings.h"
#include "io/loop.h"

enum { MCT_AUTH_KEY_CHARS = 64, MCT_LIMIT_AUTH_BYTES = 1 << 20 };

struct mcti_auth_store;

struct mcti_auth_store_ops {
    const char *name;
    /* Appends the text stored under the key; nothing if there is none. Returns -1 and sets *err if it cannot be read
     * (MCT_ERR_CONFIG: it never will be, until a person or save() changes it). The buffer is a secret one. */
    int (*load)(struct mcti_auth_store *s, const char *key, struct mcti_buf *ret, struct mct_error *err);
    /* Stores the text; absent: removes it. It is on disk when the function returns 0. On failure returns -1 and sets
     * *err; the old text is still there. */
    int (*save)(struct mcti_auth_store *s, const char *key, struct mcti_str text, struct mct_error *err);
    /* Tries to lock the key for all processes and all other logins of this one. Returns 1: locked, 0: another holder
     * has it, -1 with *err. Never waits. A lock ends with its process. */
    int (*lock)(struct mcti_auth_store *s, const char *key, struct mct_error *err);
    void (*unlock)(struct mcti_auth_store *s, const char *key);
    /* Appends the keys of all texts. Returns -1 and sets *err on failure. NULL: keys are unknown. */
    int (*list)(struct mcti_auth_store *s, struct mcti_strings *ret, struct mct_error *err);
    /* Calls `changed` from the loop after any process, this one included, has changed a text; key NULL: unknown which.
     * If the system cannot watch, logs a warning and returns 0: changes are then seen when texts are loaded. Returns -1
     * and sets *err when out of memory. NULL: nobody else changes texts. */
    int (*watch)(struct mcti_auth_store *s, struct mcti_loop *loop, struct mct_error *err);
    void (*free)(struct mcti_auth_store *s); /* must be called before mcti_loop_done() if it is watched */
};

struct mcti_auth_store {
    const struct mcti_auth_store_ops *ops;
    void (*changed)(void *data, const char *key); /* set before watch() */
    void *data;
};

/* Writes the key of a server and principal: a digest, so that no URL is the name of a file. */
void mcti_auth_key(char ret[MCT_AUTH_KEY_CHARS + 1], struct mcti_str server_url, struct mcti_str principal);

/* Opens a store by the name of its kind. `folder` is used by those that keep files: NULL: $XDG_STATE_HOME/mcptools/
 * credentials, otherwise ~/.local/state/mcptools/credentials. Folders are created when something is saved. Returns NULL
 * and sets *err on failure. */
struct mcti_auth_store *mcti_auth_store_open(const char *kind, const char *folder, struct mct_error *err);
void mcti_auth_store_free(struct mcti_auth_store *s);

/* ---- the kinds ---- */

struct mcti_auth_store *mcti_auth_store_file(const char *folder, struct mct_error *err);
struct mcti_auth_store *mcti_auth_store_secret(const char *folder, struct mct_error *err);
struct mcti_auth_store *mcti_auth_store_memory(struct mct_error *err);

#endif
