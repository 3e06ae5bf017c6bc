/*
 * What all steps of an authorization share: the settings of a server, and the person who may be asked. The room is the
 * OAuth client of MCP servers with a URL (2025-11-25 and 2026-07-28 "Authorization").
 */
#ifndef MCT_AUTH_AUTH_H
#define MCT_AUTH_AUTH_H

#include "auth/net/net.h"
#include "base/strings.h"

/* The word that a setting has for a person; MCT_DPOP_AUTO: if the authorization server and the server announce it. */
enum mcti_dpop { MCT_DPOP_AUTO, MCT_DPOP_REQUIRED, MCT_DPOP_NEVER };

/* The settings "auth" of one server. Texts are owned by whoever made the struct and outlive the login; NULL: not set.
 * */
struct mcti_auth_settings {
    const char *grant; /* a word of mcti_grants; NULL: "authorization_code" */
    const char *client_id, *client_secret, *client_metadata_url, *issuer;
    const char *private_key, *key_id, *alg; /* private_key: its text, PEM or JWK */
    const char *initial_access_token;       /* for registration at `issuer` */
    const char *scopes;                     /* space-separated */
    unsigned callback_port;                 /* 0: any */
    bool callback_localhost;                /* the redirect URI has "localhost" instead of 127.0.0.1 */
    enum mcti_dpop dpop;
    bool assume_pkce;                      /* the authorization server supports S256, although it does not say so */
    bool allow_private;                    /* private addresses behind public names are allowed */
    const struct mcti_pairs *extra_params; /* of the authorization request; may be NULL */
    /* Texts that are read again for each use with read(): the assertion of "workload_identity", and for
     * "enterprise" the ID token. */
    const char *assertion, *id_token;
    char *(*read)(const char *text, struct mct_error *err); /* returns a text to free(), or NULL with *err */
    /* "enterprise": the identity provider of the company. token endpoint NULL: found with its issuer */
    const char *idp_issuer, *idp_token_endpoint, *idp_client_id, *idp_client_secret;
};

/* What a person is asked to do. */
struct mcti_auth_invitation {
    const char *url;       /* to open; of the device flow: the page to enter the code */
    const char *user_code; /* device flow; otherwise NULL */
    bool can_paste;        /* mcti_login_paste() takes the URL at which the browser arrives */
};

/* The person who can authorize. Callbacks come from the loop; must outlive the login. */
struct mcti_auth_person {
    /* Shows the URL, or opens it. Returns -1 and sets *err if that is impossible: the login fails with it. Must not end
     * the login in another way. */
    int (*invite)(void *data, const struct mcti_auth_invitation *i, struct mct_error *err);
    /* The invitation is over, for whatever reason. May be NULL. */
    void (*over)(void *data);
    void *data;
    bool device;              /* the device flow is wanted */
    unsigned wait_ms;         /* for the person to authorize; 0: as flow/flow.h has it */
    const char *redirect_uri; /* of a program that receives the answer itself, see mcti_login_paste(); NULL: a loopback
                               * listener receives it */
};

/* Everything that the steps of one server's authorization share. */
struct mcti_auth_env {
    struct mcti_auth_net net;
    const char *name;       /* of the server, for people */
    const char *server_url; /* as configured, expanded */
    const struct mcti_auth_settings *settings;
    const struct mcti_auth_person *person; /* NULL: nobody can be asked */
    int64_t (*now_s)(void);                /* seconds since 1970 */
};

#endif
