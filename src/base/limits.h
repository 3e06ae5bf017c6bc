/*
 * Every ceiling in one place. What a peer controls is bounded by one of these; those that a user may
 * want to move are defaults of the configuration (see config/config.h).
 */
#ifndef MCT_BASE_LIMITS_H
#define MCT_BASE_LIMITS_H

#define MCT_LIMIT_MESSAGE_BYTES (64u << 20) /* one JSON-RPC message, either direction */
#define MCT_LIMIT_ANSWER_FACTOR 4           /* a merged list may be this many messages long */
#define MCT_LIMIT_JSON_DEPTH 512            /* nested arrays and objects */
#define MCT_LIMIT_ID_BYTES 1024             /* a JSON-RPC id or progress token as written */
#define MCT_LIMIT_NAME_BYTES 1024           /* a tool or prompt name as a client sends it */
#define MCT_LIMIT_TOOL_NAME 128             /* of a tool made in C (2025-11-25 "Tool Names") */
#define MCT_LIMIT_PLUGIN_ID 64              /* of a C plugin */
#define MCT_LIMIT_PLUGIN_TEXT 1024          /* its name, version and description */
#define MCT_LIMIT_URI_BYTES 16384
#define MCT_LIMIT_PAGES 1000               /* pages of one list from one server */
#define MCT_LIMIT_LISTED_BYTES (16u << 20) /* what is taken of one list of one server for a resource tool */
#define MCT_LIMIT_ITEMS 100000             /* items of one kind from one server */
#define MCT_LIMIT_IN_FLIGHT 4096           /* unanswered requests of one session */

#define MCT_LIMIT_MEMORY_BYTES (1u << 30) /* that all clients and servers make a gateway hold, see base/account.h */
#define MCT_LIMIT_MEMORY_MAX                                                                                           \
    (SIZE_MAX > 0xffffffffu ? (size_t)1 << 20 << 20 : SIZE_MAX) /* the most that may be configured: 1 TiB */
#define MCT_LIMIT_PRINCIPAL_SHARE 60                            /* percent of it for one token */
#define MCT_LIMIT_CLIENT_SHARE 30                               /* for one connection or session */
#define MCT_LIMIT_SERVER_SHARE 50                               /* for the calls to one server */
#define MCT_LIMIT_SMALL_BYTES 65536 /* a connection or session that holds no more may use the reserve */

/* Shares of one turn of the loop: what goes beyond them goes on in the next turn. */
#define MCT_TURN_BYTES (256u << 10) /* read from one connection */
#define MCT_TURN_FRAMES 64          /* messages of one connection that are acted on */
#define MCT_TURN_ROUNDS 8           /* steps of a chain of tasks */

#define MCT_LIMIT_LOG_PENDING_BYTES 65536         /* lines of the access or audit log that wait for their reader */
#define MCT_LIMIT_EVENTS_PENDING_BYTES (4u << 20) /* and of the events, which are longer */
#define MCT_LIMIT_EVENT_LINE_BYTES 65536          /* arguments and results that make a line longer are left out */
#define MCT_LIMIT_CLIENT_NAME_BYTES 128           /* what a client calls itself is cut there */
#define MCT_LIMIT_STDERR_TAIL 8192                /* bytes kept of a child's stderr */
#define MCT_LIMIT_STDERR_LINE 512                 /* bytes of one line of it in a log */
#define MCT_LIMIT_STDERR_LINES 50                 /* lines of it that are logged in a second */
#define MCT_STDERR_LAST_LINES 5                   /* lines of it that are logged with a failure */

#define MCT_LIMIT_HTTP_HEADER_BYTES 32768 /* request line and headers */
#define MCT_LIMIT_HTTP_HEADERS 100
#define MCT_LIMIT_HTTP_CONNECTIONS 16384      /* more are turned away */
#define MCT_LIMIT_HTTP_PIPELINE_BYTES 65536   /* read ahead while an answer is being made */
#define MCT_LIMIT_HTTP_QUEUE_BYTES (1u << 20) /* unsent bytes above one message before a reader is dropped */
#define MCT_LIMIT_HTTP_STUCK_MS 120000        /* a reader that takes nothing of what waits for it */
#define MCT_LIMIT_HTTP_IDLE_MS 120000         /* a connection without a request */
#define MCT_LIMIT_HTTP_HEADER_MS                                                                                       \
    30000                          /* from first byte of a request to the end of its headers, or of a short body       \
                                    */
#define MCT_LIMIT_HTTP_BODY_RATE 4 /* bytes of it for each ms, measured over MCT_LIMIT_HTTP_HEADER_MS at a time */
#define MCT_LIMIT_HTTP_BODY_STALL_MS 10000 /* a body of which nothing comes */
#define MCT_LIMIT_HTTP_ROOM_MS 1000        /* a request or answer that stood still so long may make room for others */
#define MCT_LIMIT_HTTP_ROOM_BYTES 65536    /* a request body that grows by less in this time stands still */
#define MCT_LIMIT_FACES 64                 /* views for clients that are offered something else than most */
#define MCT_LIMIT_FACE_SHARES 8            /* with n principals, one may have 1/min(n, 8) of the views */
#define MCT_LIMIT_FACE_IDLE_MS 600000      /* such a view that nobody uses */
#define MCT_LIMIT_SESSIONS 16384
#define MCT_LIMIT_TOKENS 1024             /* of serve.tokens */
#define MCT_LIMIT_SESSION_IDLE_MS 3600000 /* a downstream session nobody uses */
#define MCT_LIMIT_SESSION_EVENTS 256      /* events kept for one session's client to come back for */
#define MCT_LIMIT_SESSION_EVENT_BYTES (4u << 20)
#define MCT_LIMIT_EVENT_BYTES (64u << 20)  /* the same for all sessions of one principal */
#define MCT_LIMIT_SHARED_EVENT_BYTES 65536 /* an event for many sessions whose text is kept once */
#define MCT_LIMIT_BATCH 256                /* messages of one JSON-RPC batch */

#define MCT_LIMIT_HTTP_ERROR_BYTES 65536        /* body of an HTTP refusal that is looked at */
#define MCT_LIMIT_HTTP_UNREAD_BYTES (64u << 20) /* of an answer, unpacked and not looked at yet */
#define MCT_LIMIT_SERVER_REQUESTS 1024          /* under way at once on one connection to an HTTP server */
#define MCT_HTTP_WORDS 16                       /* POSTs under way at once that carry our answers or notifications */
#define MCT_LIMIT_HTTP_WORDS 1024 /* such POSTs that may wait; their bytes together: limits.message_bytes */
#define MCT_LIMIT_REDIRECTS 5
#define MCT_LIMIT_RETRY_MS 3600000           /* longest pause a server may ask for */
#define MCT_LIMIT_HTTP_RETRIES 3             /* of one request after 429 or 503 with Retry-After */
#define MCT_LIMIT_RENEWALS 1                 /* sessions begun again for one request */
#define MCT_LIMIT_RESUMES 5                  /* of one answer's stream without anything new in between */
#define MCT_LIMIT_ANNOTATED_BYTES (1u << 20) /* a tool with x-mcp-header annotations */
#define MCT_LIMIT_SCHEMA_DEPTH 128           /* of a schema that is normalised: as text, and by its references */
#define MCT_LIMIT_SCHEMA_NODES 100000        /* values in it */
#define MCT_LIMIT_SCHEMA_GROWTH 32768        /* values that references may add to it */
#define MCT_LIMIT_SCHEMA_GROWTH_BYTES (2u << 20)
#define MCT_LIMIT_SCHEMA_BYTES (256u << 20) /* memory for normalising one; its text takes a part of that */
#define MCT_LIMIT_ARGUMENT_WORK 4000000     /* schemas and values looked at to bring arguments back to a schema */
#define MCT_LIMIT_ROUNDS 10                 /* of input_required in one call */
#define MCT_LIMIT_SUBSCRIBING 32            /* resources/subscribe requests under way at one server */
#define MCT_LIMIT_ASKS 64                   /* questions of a server that are open at once */

#define MCT_LIMIT_LISTS_KEPT 32      /* texts of lists of one view, the newest and those being read */
#define MCT_LIST_WAIT_MS 3000        /* a starting server holds up lists; clients give up after 5 s */
#define MCT_LIST_PAGE_ITEMS 1000     /* on one page of a merged list */
#define MCT_LIMIT_BRANCHES 256       /* connections to one server beside the shared one */
#define MCT_LIMIT_PARKED 256         /* calls of one principal whose client has been asked and must come back */
#define MCT_LIMIT_LISTENS 8192       /* open subscriptions/listen requests of one principal */
#define MCT_LIMIT_PARKED_NOTICES 256 /* progress and log messages kept for such a client */
#define MCT_LIMIT_SUBSCRIPTIONS 1024 /* resources one session, or one subscription, is told about */
#define MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS 65536 /* the same for all sessions of one principal */
#define MCT_LIMIT_URI_PARTS 256        /* prefixes of a changed URI that are looked up among the subscriptions */
#define MCT_LIMIT_FAN_MESSAGES 256     /* log messages of one server that wait to be told to everybody */
#define MCT_LIMIT_FAN_BYTES (4u << 20) /* of all servers; further ones are dropped, and counted */
#define MCT_LIMIT_FAN_WORK 4096        /* units of one turn: one for a client looked at, */
#define MCT_LIMIT_FAN_TOLD 8           /* and so many for one told */

#define MCT_LIMIT_HOOKS 1024                 /* around tool calls, of one program */
#define MCT_LIMIT_HOOK_RUNS 256              /* of one kind, at a time */
#define MCT_LIMIT_DECISION_BYTES (16u << 20) /* what a hook decides */
#define MCT_LIMIT_APPROVAL_CHARS 2000        /* of each text that a person is shown for an approval */
#define MCT_LIMIT_APPROVALS 4096             /* that are remembered ("allow-always") */

#define MCT_LIMIT_HABITS 64 /* tools of a server of which is remembered whether they ask back */

#define MCT_HTTP_CONNECT_MS 10000 /* name, connection and TLS to a server */
#define MCT_HTTP_REUSE_S                                                                                               \
    3                             /* a connection to a server that was idle longer is not used again: many close       \
                                   * theirs after 5, and a call sent at that moment is lost */
#define MCT_HTTP_LINGER_MS 1000   /* a stream that goes on after its answer is cut then */
#define MCT_HTTP_OPENING_MS 500   /* calls wait this long for the GET stream to be answered */
#define MCT_HTTP_BARRIER_MS 20000 /* for initialize, sent anew, and notifications/initialized */
#define MCT_HTTP_WORD_MS 30000    /* for the server to take an answer or notification */
#define MCT_HTTP_BYE_MS 2000      /* for the last words when a session is left */
#define MCT_LIST_KEEP_MS 600000   /* a list that is being read page by page */
#define MCT_BOTH_MS 86400000      /* a server that knew one era only may have learned the other */
#define MCT_ERA_WAIT_MS 3000      /* initialize waits for a server's connection in the client's era */
#define MCT_ERA_GRACE_MS 1000     /* the same where it has waited for servers to start before */
#define MCT_BRANCH_IDLE_MS 600000 /* such a connection that nobody uses */
#define MCT_ASK_MS 600000         /* a person answers a question */
#define MCT_HOOK_MS 15000         /* a hook decides */
#define MCT_HOOKS_AGAIN_MS 30000  /* until a host that does not tell its hooks is asked once more */
#define MCT_APPROVAL_MS 120000    /* a person approves a call; a hook may ask for up to MCT_ASK_MS */
#define MCT_UNCLEAR_MS 30000      /* a question waits so long until it is clear whose it is */
#define MCT_ASIDE_MS 3000         /* what a server sends beside a call may come so much later than the answer */
#define MCT_GHOST_MS 1000         /* a call that was cancelled may still ask something */
#define MCT_PROBATION_MS 2000     /* a tool not known yet would have asked by then */
#define MCT_ASKED_MS 1000         /* a call that has asked, and waits since then, asks no more meanwhile */
#define MCT_PROBE_TIMEOUT_MS 3000 /* server/discover on a stdio server of unknown era */
#define MCT_LEVEL_KEEP_MS 60000   /* the log level of a 2026-07-28 request, at a handshake server */
#define MCT_LIST_DEBOUNCE_MS 200  /* list_changed bursts are folded into one refetch */
#define MCT_LISTEN_GATHER_MS 10   /* wishes of one moment become one subscription */
#define MCT_BACKOFF_FIRST_MS 1000 /* restart of a server that ended */
#define MCT_BACKOFF_MAX_MS 60000
#define MCT_RESUME_FIRST_MS 1000 /* reconnecting a stream whose server names no retry */
#define MCT_RESUME_MIN_MS 100    /* whatever the server says */
#define MCT_RESUME_MAX_MS 30000
#define MCT_STOP_EOF_MS 2000   /* after closing stdin, before SIGTERM */
#define MCT_STOP_TERM_MS 2000  /* after SIGTERM, before SIGKILL */
#define MCT_PROGRESS_FACTOR 10 /* progress may extend a call to this many timeouts in all */
#define MCT_SSE_KEEPALIVE_MS 15000
#define MCT_SSE_RETRY_MS 1000  /* what clients are told to wait before they come back */
#define MCT_SSE_KEEP_MS 300000 /* events that were sent are kept this long */

#endif
