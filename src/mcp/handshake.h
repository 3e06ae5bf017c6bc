/*
 * The first words with a server: find out its era, then agree on a revision. server/discover is tried
 * first; anything but a sound answer that names a stateless revision leads to initialize
 * (2026-07-28, "Versioning"; the decisions are those of protocol revision 2026-07-28 for dual-era
 * clients). If the connection is lost meanwhile, the owner starts the server again with
 * MCT_ERA_HANDSHAKE.
 */
#ifndef MCT_MCP_HANDSHAKE_H
#define MCT_MCP_HANDSHAKE_H

#include "mcp/session.h"

enum mcti_era { MCT_ERA_AUTO, MCT_ERA_HANDSHAKE, MCT_ERA_STATELESS };

/* What a server said of itself. Owned JSON texts; NULL where it said nothing. */
struct mcti_server_info {
    enum mcti_rev rev;
    char *capabilities; /* object */
    char *server_info;  /* object: name, version, title … */
    char *instructions; /* plain text */
};

void mcti_server_info_clear(struct mcti_server_info *info);

/* Whether capabilities has the member (and in it the flag, when given, set to true). */
bool mcti_server_can(const struct mcti_server_info *info, const char *capability, const char *flag);

struct mcti_handshake {
    struct mcti_session *session;
    enum mcti_era era;             /* what may be tried; in: the configuration's word */
    enum mcti_rev rev;             /* offered in initialize, or claimed in discover */
    const char *capabilities;      /* what we declare: a ClientCapabilities object; NULL: nothing */
    bool silence_tells;            /* no answer to the probe means: a server that does not know it */
    unsigned probe_ms, timeout_ms; /* the probe; everything together */
    uint64_t deadline_ms;
    bool probing; /* server/discover is what is unanswered */
    bool probed;  /* it was sent on this connection */
    bool retried; /* one retry after -32022 */
    struct mcti_outbound out;
    struct mcti_server_info info;
    /* Called once, unless mcti_handshake_stop(): err is NULL on success; then `info` may be taken. */
    void (*done)(struct mcti_handshake *h, const struct mct_error *err);
    void *data;
};

/* The members session, era, rev, probe_ms, timeout_ms, done and data are set by the caller. -1 with
 * *err when nothing could be sent. */
int mcti_handshake_start(struct mcti_handshake *h, struct mct_error *err);
void mcti_handshake_stop(struct mcti_handshake *h);

/* The clientInfo object this library sends and the serverInfo object the gateway answers. */
#define MCT_IMPLEMENTATION "{\"name\":\"mcptools\",\"version\":\"" MCT_VERSION "\"}"

/* `_meta` of a request to a stateless server: version, capabilities, client info, then what `extra`
 * (an object, may be absent) holds beside these, with the progress token if it is not 0 and the log level
 * (raw JSON) if it is given. */
void mcti_meta_put_stateless(struct mcti_buf *to, struct mcti_str extra, struct mcti_str client_info,
                             struct mcti_str capabilities, struct mcti_str log_level, uint64_t progress_token);

/* `_meta` of a request to a handshake server: `extra` without the stateless keys, with the token. */
void mcti_meta_put_handshake(struct mcti_buf *to, struct mcti_str extra, uint64_t progress_token);

#endif
