/* The stored login of a server, its lock, and the token in use. */
#ifndef MCT_AUTH_LOGIN_KEEP_H
#define MCT_AUTH_LOGIN_KEEP_H

#include "auth/login/wait.h"
#include "auth/jose/key.h"

struct mcti_login_lock {
    struct mcti_login *l;
    struct mcti_timer timer;
    uint64_t until_ms;
    unsigned step_ms;
    bool held;
    void (*got)(struct mcti_login *l, const struct mct_error *err); /* err: not locked; MCT_ERR_TIMEOUT: by others */
};

enum mcti_login_source { MCT_TOKEN_STORED, MCT_TOKEN_RENEWED, MCT_TOKEN_GRANTED };

/* The token in use, besides what its record says. */
struct mcti_login_token {
    uint64_t stamp, n_stamps; /* stamp 0: there is no token; n_stamps: the last one */
    uint64_t mark;            /* hash of its text and expiry; 0: there is no token */
    enum mcti_login_source source;
    uint64_t since_ms;         /* when it came into use here */
    uint64_t due_ms, renew_ms; /* monotonic: when it expires, and when it is renewed in the background */
    int64_t margin_s;
    bool expires;     /* the two times are known */
    bool refused;     /* by the server, and not accepted since then */
    bool accepted;    /* a request has succeeded since it came into use */
    unsigned n_quick; /* renewals in a row, each less than MCT_LOGIN_LEAST_MS after the last */
    struct mcti_key *dpop;
};

/* The document of the store. */
struct mcti_login_keep {
    struct mcti_auth_records records;
    struct mcti_auth_record *rec; /* the login in use; NULL: none */
    uint64_t seen;                /* hash of the text that was read or written last */
    bool has_seen;
    bool unsaved;    /* `records` has a login that could not be written */
    bool unreadable; /* the stored text; that has been logged */
    bool blind;      /* the stored text could not be read now: it is not overwritten */
    struct mcti_timer timer;
    struct mcti_login_pause pause;
    struct mcti_login_lock lock;
};

/* ---- lock.c ---- */

void mcti_login_lock_init(struct mcti_login_lock *k, struct mcti_login *l,
                          void (*got)(struct mcti_login *l, const struct mct_error *err));

/* Calls got(), at once if possible. */
void mcti_login_lock(struct mcti_login_lock *k);
void mcti_login_unlock(struct mcti_login_lock *k); /* also ends waiting for it */

/* ---- keep.c ---- */

/* Reads the store, if its text is another one than before, and uses what it has. Returns -1 and sets *err if it cannot
 * be read; everything is as before then. */
int mcti_login_sync(struct mcti_login *l, struct mct_error *err);

/* Writes the document. Returns -1 and sets *err if that fails. */
int mcti_login_save(struct mcti_login *l, struct mct_error *err);

/* Writes the document after a change. If that fails: warns, sets *err, tries again later, and returns -1. */
int mcti_login_store(struct mcti_login *l, struct mct_error *err);

/* Stores a login and begins to use it; a renewed one only if it is still the one in use. Returns -1 and sets *err if it
 * could not be stored; it is used all the same unless err->kind is MCT_ERR_NO_MEMORY. */
int mcti_login_keep(struct mcti_login *l, struct mcti_auth_record *take_rec, enum mcti_login_source source,
                    struct mct_error *err);

/* Chooses the login to use after `records` has changed. */
void mcti_login_choose(struct mcti_login *l, enum mcti_login_source source);

/* Copies the document. Returns -1 when out of memory; *to is then empty. */
int mcti_login_copy(const struct mcti_login *l, struct mcti_auth_records *to);

void mcti_login_keep_init(struct mcti_login *l);
int mcti_login_keep_begin(struct mcti_login *l); /* an empty document; returns -1 when out of memory */
void mcti_login_keep_done(struct mcti_login *l);

/* ---- token.c ---- */

/* Begins to use keep.rec. Returns -1 if its key cannot be read. */
int mcti_token_begin(struct mcti_login *l, enum mcti_login_source source);
bool mcti_token_expired(const struct mcti_login *l, int64_t margin_s); /* true without a token */
bool mcti_token_can_renew(const struct mcti_login *l);

/* Returns a hash of the token and its expiry; 0 without a token. */
uint64_t mcti_token_mark(const struct mcti_auth_record *rec);

/* Returns true if the token in use has just been issued: another one would be refused as well. */
bool mcti_token_is_fresh(const struct mcti_login *l);

#endif
