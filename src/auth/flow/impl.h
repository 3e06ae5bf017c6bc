/* What the files of the room share: the flow, and its steps. */
#ifndef MCT_AUTH_FLOW_IMPL_H
#define MCT_AUTH_FLOW_IMPL_H

#include "auth/flow/flow.h"
#include "auth/net/redirect.h"

struct mcti_flow {
    struct mcti_flow_opts opts;
    const struct mcti_auth_env *env;
    const struct mcti_grant_ops *ops;
    struct mcti_challenge challenge; /* copy */
    char *wanted_scope, *issuer;     /* copies; NULL: none */

    struct mcti_discover *discover; /* while it runs */
    struct mcti_discovery found;
    char *scope;           /* asked for; "": none */
    bool scope_is_guess;   /* these are all that the metadata of the server lists */
    struct mcti_key *dpop; /* NULL: tokens are not bound */

    struct mcti_redirect *redirect; /* NULL: closed, or not needed */
    char *redirect_uri;             /* NULL: not needed */
    struct mcti_auth_request *registering;
    bool registers_plainly; /* without the optional members */
    bool switches_host;     /* the redirect URI of a registration has the other loopback host */

    struct mcti_auth_record login; /* first the registration, at the end all of it */
    struct mcti_key *key;          /* of private_key_jwt; NULL: none */
    bool is_stored;                /* the registration is one of opts.known */

    struct mcti_oauth_client client; /* with texts of `login` and of the settings, for the grant */
    struct mcti_grant *grant;        /* while it runs */
    struct mcti_timer deadline;
    const char *step; /* what is done now, for the message of the deadline */

    /* what was refused and is done in another way, each once */
    bool forgets_registration, without_guess, is_again;
};

/* ---- flow.c ---- */

/* Ends the flow, which must not be used afterwards: with f->login, or with the reason. */
void mcti_flow_end(struct mcti_flow *f, const struct mct_error *err, const struct mcti_oauth_error *refused);

/* Goes on behind the discovery: scopes, client, grant. */
void mcti_flow_go_on(struct mcti_flow *f);

/* Returns the stored login at the issuer that was found, or NULL. */
const struct mcti_auth_record *mcti_flow_known(const struct mcti_flow *f);

/* Returns the time limit of the grant: for the person to authorize, or for a machine. */
unsigned mcti_flow_wait_ms(const struct mcti_flow *f);

/* Notes what is done now. */
void mcti_flow_step(struct mcti_flow *f, const char *step);

/* Sets *err: the server has no login. Returns -1. */
int mcti_flow_no_login(const struct mcti_flow *f, struct mct_error *err);

/* ---- check.c: the functions return -1 and set *err if something is wrong ---- */

/* Checks that the metadata is about the server. */
int mcti_check_resource(const struct mcti_resource_metadata *prm, struct mcti_str server_url, struct mct_error *err);

/* Returns the issuer that a person or the configuration names, or NULL. */
const char *mcti_pinned_issuer(const struct mcti_discover_opts *opts);

/* Chooses one of the listed authorization servers; *ret is borrowed. */
int mcti_choose_issuer(const struct mcti_resource_metadata *prm, const struct mcti_discover_opts *opts,
                       struct mcti_str *ret, struct mct_error *err);

/* Checks that the metadata is that of `issuer`, and its endpoints. `is_guess`: one slash at the end does not matter. */
int mcti_check_issuer(const struct mcti_issuer_metadata *as, const char *issuer, bool is_guess, struct mct_error *err);

/* Checks that the authorization server has what the grant needs. */
int mcti_check_grant(const struct mcti_flow *f, struct mct_error *err);

/* ---- the steps; those that return int set *err when they return -1 ---- */

/* Writes f->scope. */
int mcti_flow_choose_scope(struct mcti_flow *f, struct mct_error *err);

/* Makes f->dpop if tokens are to be bound to a key. */
int mcti_flow_choose_dpop(struct mcti_flow *f, struct mct_error *err);

/* Finds a client id and opens the redirect listener if the grant needs one. Returns 1, or 0 if the client is being
 * registered: mcti_flow_authorize() or mcti_flow_end() follows. */
int mcti_flow_choose_client(struct mcti_flow *f, struct mct_error *err);

/* Returns the client that was found. */
struct mcti_oauth_client mcti_flow_client(const struct mcti_flow *f);

/* Sets *err: there is no client id, because the authorization server does what `why` says. Returns -1. */
int mcti_flow_lacks_client(const struct mcti_flow *f, const char *why, struct mct_error *err);

/* Sends a registration (RFC 7591). */
int mcti_flow_register(struct mcti_flow *f, struct mct_error *err);

/* Starts the grant with the client that was found. */
void mcti_flow_authorize(struct mcti_flow *f);

/* Completes f->login. Moves the tokens there. Returns -1 when out of memory. */
int mcti_flow_complete(struct mcti_flow *f, struct mcti_token_set *tokens);

/* ---- listen.c ---- */

/* Opens the listener instead of the one that is open, if the grant needs one and the person brings no redirect URI of
 * its own, and writes f->redirect_uri. `port` 0: any. */
int mcti_flow_listen(struct mcti_flow *f, unsigned port, bool says_localhost, struct mct_error *err);

/* The same with the configured host and port, or at any other port if that is in use. */
int mcti_flow_listen_anywhere(struct mcti_flow *f, struct mct_error *err);
void mcti_flow_deafen(struct mcti_flow *f);

#endif
