/*
 * The start of a connection to a server: detects its era and negotiates a revision. server/discover is tried first; any
 * answer but a valid one that names a stateless revision leads to initialize (2026-07-28, "Versioning", for dual-era
 * clients). If the connection is lost during the handshake, the owner restarts the server with MCT_ERA_HANDSHAKE.
 */
#ifndef MCT_MCP_HANDSHAKE_H
#define MCT_MCP_HANDSHAKE_H

#include "io/transport.h"
#include "mcp/session.h"

enum mcti_era { MCT_ERA_AUTO, MCT_ERA_HANDSHAKE, MCT_ERA_STATELESS };

/* A server's description of itself, as owned JSON texts; NULL if the server sent none. */
struct mcti_server_info {
    enum mcti_rev rev;
    bool tasks;         /* it declares the extension of tasks */
    bool tasks_2025;    /* it makes tasks of calls as 2025-11-25 has them */
    bool skills;        /* it declares the extension of skills */
    char *capabilities; /* an object */
    char *server_info;  /* an object: name, version, title … */
    char *instructions; /* plain text */
    char *meta;         /* `_meta` of the answer, an object; NULL: none */
    char *plugins;      /* of a plugin host: an array, see hub/core/hosted.h; NULL: none */
};

void mcti_server_info_clear(struct mcti_server_info *info);

/* Returns true if the capabilities have member `capability` and, if `flag` is not NULL, that flag in it is true. */
bool mcti_server_can(const struct mcti_server_info *info, const char *capability, const char *flag);

struct mcti_handshake {
    struct mcti_session *session;
    const struct mcti_transport *transport; /* tells whether the server reads; NULL: it does */
    enum mcti_era era;                      /* eras to try, from the configuration */
    enum mcti_rev rev;                      /* offered in initialize, or sent in server/discover */
    const char *capabilities;               /* our ClientCapabilities object; NULL: none */
    bool silence_is_handshake;              /* a probe without an answer means a server of the handshake era */
    unsigned probe_ms, timeout_ms;          /* limit of the probe, and of the whole handshake */
    uint64_t deadline_ms;
    bool probing;  /* server/discover is unanswered */
    bool probed;   /* server/discover was sent on this connection */
    bool starting; /* the server had not read server/discover when this was last looked at */
    bool retried;  /* retried once after -32022 */
    struct mcti_outbound out;
    struct mcti_server_info info;
    /* The handshake has ended; called once, unless mcti_handshake_stop() was called. `err` is NULL on success, and the
     * callback may take `info`. */
    void (*done)(struct mcti_handshake *h, const struct mct_error *err);
    void *data;
};

/* Starts a handshake. The caller sets session, era, rev, probe_ms, timeout_ms, done and data. Returns -1 and sets *err
 * if nothing could be sent. */
int mcti_handshake_start(struct mcti_handshake *h, struct mct_error *err);
void mcti_handshake_stop(struct mcti_handshake *h);

/* clientInfo of this library, and serverInfo of the gateway */
#define MCT_IMPLEMENTATION "{\"name\":\"mcptools\",\"version\":\"" MCT_VERSION "\"}"

/* What `_meta` of a request has in addition. */
struct mcti_meta_more {
    uint64_t progress_token;     /* 0: none */
    struct mcti_str log_level;   /* raw JSON, for stateless servers only; absent: none */
    struct mcti_str traceparent; /* raw JSON; absent: that of the caller, if any */
    bool tasks;                  /* the extension of tasks is declared in addition to the capabilities */
};

/* Writes `_meta` of a request to a stateless server: version, capabilities, client info, `more`, and the other members
 * of `extra` (an object, may be absent). */
void mcti_meta_put_stateless(struct mcti_buf *to, struct mcti_str extra, struct mcti_str client_info,
                             struct mcti_str capabilities, const struct mcti_meta_more *more);

/* Writes `_meta` of a request to a handshake server: `extra` without the stateless keys, and `more`. */
void mcti_meta_put_handshake(struct mcti_buf *to, struct mcti_str extra, const struct mcti_meta_more *more);

#endif
