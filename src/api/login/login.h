/* What the functions of include/mcptools/auth.h share: the options of a program, and its persons and store. */
#ifndef MCT_API_LOGIN_LOGIN_H
#define MCT_API_LOGIN_LOGIN_H

#include "api/request.h"
#include "auth/login/login.h"

#include <mcptools/auth.h>

struct mcti_api_auth {
    struct mct_instance *api;
    struct mct_auth_opts opts;   /* its texts and store are the members below */
    struct mct_auth_store store; /* `load` NULL: none */
    char *redirect_uri;
    struct mcti_list persons;             /* one for each server that can log in */
    struct mcti_auth_store *opened_store; /* the store as logins use it; NULL: not open */
    struct mcti_connect_owner owner;
};

/* ---- person.c ---- */

/* Returns the person who logs in at the server, valid as long as the instance. Returns NULL if the program has set no
 * person, or when out of memory. */
const struct mcti_auth_person *mcti_api_auth_person(struct mct_instance *a, const char *server);

/* ---- store.c ---- */

/* Makes a store of the program's callbacks. Returns NULL and sets *err when out of memory. */
struct mcti_auth_store *mcti_api_auth_store(struct mcti_api_auth *auth, struct mct_error *err);

#endif
