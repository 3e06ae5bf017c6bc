/*
 * The other side of a gateway's socket, for programs that ask one thing: blocking, with a time limit. Each connection
 * begins with one line of JSON, the greeting, and one line that answers it; docs/internals/control.md lists their
 * members.
 */
#ifndef MCT_CONTROL_CLIENT_H
#define MCT_CONTROL_CLIENT_H

#include "control/place.h"

struct mcti_control_client {
    struct mcti_control_place place;
    int fd;             /* -1: not connected */
    struct mcti_buf in; /* received; the first `used` bytes are the last line */
    size_t used;
    struct mcti_buf said; /* the answer to the greeting: an object that describes the gateway */
    uint64_t last_id;
};

/* Connects to the socket. Returns a descriptor that does not block, or -1 with *err; its kind is MCT_ERR_NOT_FOUND if
 * no gateway runs there. */
int mcti_control_connect(const struct mcti_control_place *place, struct mct_error *err);

/* Connects to the gateway that runs with this configuration, and checks its version and identity. Returns -1 with *err,
 * of the kind MCT_ERR_NOT_FOUND if there is none. The caller ends *c with mcti_control_client_close() in any case. */
int mcti_control_client_open(struct mcti_control_client *c, const struct mcti_config *config, unsigned timeout_ms,
                             struct mct_error *err);

/* Connects to a gateway that has read the same files, whatever was in them then: for requests that do not depend on it.
 * Returns -1 with *err as above. */
int mcti_control_client_find(struct mcti_control_client *c, const struct mcti_config *config, unsigned timeout_ms,
                             struct mct_error *err);

/* Like mcti_control_client_open(), as a client of MCP of one of the servers, which must be up: requests are then those
 * of MCP, and the first one is `initialize`. */
int mcti_control_client_attach(struct mcti_control_client *c, const struct mcti_config *config, const char *server,
                               unsigned timeout_ms, struct mct_error *err);

void mcti_control_client_close(struct mcti_control_client *c);

/* Calls `fn` for each gateway of this user with another configuration or version; `said` is its answer to the greeting.
 * One that does not answer within `timeout_ms` is left out. Does nothing if `config` has no place for a socket. */
void mcti_control_each_other(const struct mcti_config *config, unsigned timeout_ms,
                             void (*fn)(void *data, struct mcti_str said), void *data);

/* Sends a request and waits for its answer. `params` is an object, or absent. *ret_result is valid until the next
 * function of this client. Returns -1 with *err, also for an error that the gateway answers. */
int mcti_control_request(struct mcti_control_client *c, const char *method, struct mcti_str params, unsigned timeout_ms,
                         struct mcti_str *ret_result, struct mct_error *err);

/* Waits for the next line that is no answer: a notification. timeout_ms 0: without a limit. Returns 1, and 0 at the end
 * of the connection; -1 with *err. *ret_line is valid until the next function of this client. */
int mcti_control_next(struct mcti_control_client *c, unsigned timeout_ms, struct mcti_str *ret_line,
                      struct mct_error *err);

#endif
