/*
 * One authorization from a refused request to tokens: discovery, checks, client id, scopes, grant (see
 * docs/internals/auth.md for the order). Stores nothing: the login does.
 */
#ifndef MCT_AUTH_FLOW_FLOW_H
#define MCT_AUTH_FLOW_FLOW_H

#include "auth/grant/grant.h"
#include "auth/wire/challenge.h"

struct mcti_flow;

struct mcti_flow_opts {
    const struct mcti_auth_env *env;
    const struct mcti_challenge *challenge; /* of the refusal; NULL: none. Copied */
    const char *wanted_scope;               /* scopes in addition (step-up, --scope); NULL: none. Copied */
    bool only_wanted;                       /* wanted_scope is the whole wish: --scope of a person */
    struct mcti_auth_records *known;        /* stored logins: registrations are reused; lasts until done() */
    const char *issuer;                     /* the authorization server to use (--issuer); NULL: any. Copied */
    bool forget_registration;               /* the stored registration was refused: register again */
    struct mcti_nonces *nonces;
    unsigned *n_authorizations; /* counts authorization requests; the flow stops at MCT_AUTH_REQUESTS */
    /* Called once, from the loop, unless cancelled: with a login to move from, or with the reason. After a failure
     * `refused` is the error of the authorization server, or NULL. Kinds of *err: MCT_ERR_NOT_FOUND: the server has no
     * login; MCT_ERR_AUTH: a person must authorize and there is none, or the authorization was refused;
     * MCT_ERR_TIMEOUT: nobody finished it. */
    void (*done)(void *data, struct mcti_auth_record *take_login, const struct mct_error *err,
                 const struct mcti_oauth_error *refused);
    void *data;
};

/* PERSON_MS: for a person to authorize, except with the device flow, whose codes expire by themselves; MACHINE_MS: for
 * all steps before that, and for a grant without a person. */
enum { MCT_AUTH_REQUESTS = 3, MCT_AUTH_PERSON_MS = 300000, MCT_AUTH_MACHINE_MS = 30000 };

/* Starts a flow. Returns NULL and sets *err on failure. The env must outlive the flow. */
struct mcti_flow *mcti_flow_start(const struct mcti_flow_opts *opts, struct mct_error *err);

/* Takes a URL that a person pasted or a program received. Returns -1 and sets *err if it does not belong to this flow,
 * which goes on waiting. */
int mcti_flow_paste(struct mcti_flow *f, struct mcti_str url, struct mct_error *err);
void mcti_flow_cancel(struct mcti_flow *f); /* NULL does nothing */

/* ---- discover.c ---- */

/* Where a server's authorization happens. */
struct mcti_discovery {
    char *resource; /* as published; NULL: not sent (no metadata: a server of 2025-03-26) */
    bool has_resource_metadata;
    struct mcti_resource_metadata prm; /* empty without metadata */
    struct mcti_issuer_metadata as;
    bool has_issuer_metadata; /* false: the default endpoints of 2025-03-26 */
};

struct mcti_discover;

struct mcti_discover_opts {
    const struct mcti_auth_env *env;
    const char *resource_metadata;         /* URL of the challenge; NULL: none */
    const struct mcti_auth_records *known; /* issuers with a stored login are preferred; may be NULL */
    const char *issuer;                    /* as in struct mcti_flow_opts */
    /* Called once, from the loop, unless cancelled: with what was found, to move from, or with the reason. */
    void (*done)(void *data, struct mcti_discovery *take_found, const struct mct_error *err);
    void *data;
};

/* Finds and checks the metadata of the server and its authorization server. What `opts` points to must last until
 * done(). A server without any metadata has the default endpoints of 2025-03-26, which may not exist. Returns NULL and
 * sets *err on failure. */
struct mcti_discover *mcti_discover_start(const struct mcti_discover_opts *opts, struct mct_error *err);
void mcti_discover_cancel(struct mcti_discover *d); /* NULL does nothing */
void mcti_discovery_clear(struct mcti_discovery *d);

#endif
