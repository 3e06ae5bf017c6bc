/*
 * All limits in one place. Everything a peer controls is bounded by one of them; limits that a user may change are the
 * defaults of the configuration (see config/config.h).
 */
#ifndef MCT_BASE_LIMITS_H
#define MCT_BASE_LIMITS_H

#define MCT_LIMIT_MESSAGE_BYTES (64u << 20) /* a JSON-RPC message, in either direction */
#define MCT_LIMIT_ANSWER_FACTOR 4           /* length of a merged list, in messages of maximum size */
#define MCT_LIMIT_JSON_DEPTH 512            /* nested arrays and objects */
#define MCT_LIMIT_NOTATION_BYTES (1u << 20) /* a configuration file in YAML, TOML or JSON5 */
#define MCT_LIMIT_NOTATION_DEPTH 64         /* nested values in it */
#define MCT_LIMIT_SKILL_FILES 512           /* files of a skill: hosts take so many (SEP-2640) */
#define MCT_LIMIT_SKILL_BYTES (16u << 20)   /* and so many bytes together */
#define MCT_LIMIT_SKILL_NAME 64             /* characters of its name */
#define MCT_LIMIT_NOTATION_VALUES 100000    /* values in it, with those that aliases repeat */
#define MCT_LIMIT_UNTRUSTED_SERVERS 64      /* shown of a configuration file that is not trusted */
#define MCT_LIMIT_TRUST_CONTENTS 8          /* contents of one configuration file that are trusted, the last ones */
#define MCT_LIMIT_TRUST_RECORDS 4096        /* of all files */
#define MCT_LIMIT_ID_BYTES 1024             /* a JSON-RPC id or progress token, as written */
#define MCT_LIMIT_NAME_BYTES 1024           /* a tool or prompt name, of a client or a server */
#define MCT_LIMIT_TOOL_NAME 128             /* name of a tool defined in C (2025-11-25, "Tool Names") */
#define MCT_LIMIT_PLUGIN_ID 64              /* id of a C plugin */
#define MCT_LIMIT_PLUGIN_TEXT 1024          /* name, version or description of a plugin */
#define MCT_LIMIT_URI_BYTES 16384
#define MCT_LIMIT_PAGES 1000               /* pages of one list of one server */
#define MCT_LIMIT_LISTED_BYTES (16u << 20) /* part of one list of one server used for a resource tool */
#define MCT_LIMIT_ITEMS 100000             /* items of one kind of one server */
#define MCT_LIMIT_LIST_BYTES (64u << 20)   /* all of these together */
#define MCT_LIMIT_IN_FLIGHT 4096           /* unanswered requests of a session */

#define MCT_LIMIT_MEMORY_BYTES (1u << 30) /* total memory held for clients and servers, see base/account.h */
#define MCT_LIMIT_MEMORY_MAX                                                                                           \
    (SIZE_MAX > 0xffffffffu ? (size_t)1 << 20 << 20 : SIZE_MAX) /* largest configurable value: 1 TiB */
#define MCT_LIMIT_PRINCIPAL_SHARE 60                            /* % of the total for one token */
#define MCT_LIMIT_CLIENT_SHARE 30                               /* % of the total for one connection or session */
#define MCT_LIMIT_SERVER_SHARE 50                               /* % of the total for the calls to one server */
#define MCT_LIMIT_SMALL_BYTES 65536 /* accounts with at most this many bytes may use the reserve, see base/account.h */

/* Shares of one turn of the event loop; the rest is processed in the next turn. */
#define MCT_TURN_BYTES (64u << 10)      /* bytes read from one connection */
#define MCT_TURN_ALL_BYTES (128u << 10) /* bytes read from all HTTP clients; beyond it a connection has */
#define MCT_TURN_LEAST_BYTES 4096       /* this much: a request of usual size */
/* answers to all HTTP clients; a request counts half of MCT_TURN_LEAST_BYTES, the end of a connection twice these */
#define MCT_TURN_WORK_BYTES (128u << 10)
#define MCT_TURN_ACCEPTS 4 /* new connections */
#define MCT_TURN_FRAMES 64 /* messages of one connection */
/* bytes of one connection that nobody asked for: at once, and in each second after that; and what a message and a line
 * cost besides their bytes */
#define MCT_WASTE_BYTES (16u << 20)
#define MCT_WASTE_BYTES_PER_S (4u << 20)
#define MCT_WASTE_MESSAGE 2048
#define MCT_WASTE_LINE 16
#define MCT_TURN_ROUNDS 8 /* steps of a chain of tasks */

#define MCT_LIMIT_LOG_PENDING_BYTES 65536         /* unwritten lines of the access or audit log */
#define MCT_LIMIT_EVENTS_PENDING_BYTES (4u << 20) /* unwritten event lines, which are longer */
#define MCT_LIMIT_EVENT_LINE_BYTES 65536          /* arguments and results that make a line longer are omitted */
#define MCT_LIMIT_CLIENT_NAME_BYTES 128           /* a longer client name is truncated */
#define MCT_LIMIT_CLIENT_INFO_BYTES 4096          /* a longer clientInfo is not kept for tools of the program */
#define MCT_LIMIT_INSTRUCTIONS 16384              /* of a gateway, with those of its servers */
#define MCT_LIMIT_STDERR_TAIL 8192                /* last bytes of a child's stderr that are kept */
#define MCT_LIMIT_STDERR_LINE 512                 /* bytes of one stderr line in the log */
#define MCT_LIMIT_STDERR_LINES 50                 /* stderr lines logged per second */
#define MCT_LIMIT_CATALOGUE_BYTES (16u << 20)     /* stored lists of one server */
#define MCT_LIMIT_FINDINGS 1000                   /* kept of what judges say about the items of one list */
#define MCT_LIMIT_FINDING_BYTES 512               /* of the reason of one of them */
#define MCT_LIMIT_JOURNAL_BYTES 65536             /* lines kept of what a server wrote and what is said of it */
#define MCT_LIMIT_JOURNAL_LINES 500               /* number of these lines, and of those taken in a second */
#define MCT_LIMIT_JOURNAL_LINE MCT_LIMIT_STDERR_LINE
#define MCT_STDERR_LAST_LINES 5 /* stderr lines logged with a failure */

#define MCT_LIMIT_HTTP_HEADER_BYTES 32768 /* request line and headers */
#define MCT_LIMIT_HTTP_HEADERS 100
#define MCT_LIMIT_HTTP_CONNECTIONS 16384      /* further connections are refused */
#define MCT_LIMIT_HTTP_PIPELINE_BYTES 65536   /* pipelined bytes, buffered while an answer is being made */
#define MCT_LIMIT_HTTP_QUEUE_BYTES (1u << 20) /* unsent bytes beyond one message before the client is dropped */
#define MCT_LIMIT_HTTP_STUCK_MS 120000        /* a client that reads nothing of its answer */
#define MCT_LIMIT_HTTP_IDLE_MS 120000         /* a connection without a request */
/* from the first byte of a request to the end of its headers or of a short body */
#define MCT_LIMIT_HTTP_HEADER_MS 30000
/* minimum bytes of a body per ms, measured over MCT_LIMIT_HTTP_HEADER_MS at a time */
#define MCT_LIMIT_HTTP_BODY_RATE 4
#define MCT_LIMIT_HTTP_BODY_STALL_MS 10000 /* a body that makes no progress */
#define MCT_LIMIT_HTTP_ROOM_MS 1000        /* a request or answer stalled this long may be ended to free memory */
#define MCT_LIMIT_HTTP_ROOM_BYTES 65536    /* a body that grows by less in that time is stalled */
#define MCT_LIMIT_FACES 64                 /* views for clients with an offer of their own */
#define MCT_LIMIT_FACE_SHARES 8            /* with n principals, one may have 1/min(n, 8) of these views */
#define MCT_LIMIT_FACE_IDLE_MS 600000      /* such a view without a client */
#define MCT_SESSIONS_OPENING 16 /* idle sessions of a principal give way to so many that are not initialized yet */
#define MCT_LIMIT_SESSIONS 16384
#define MCT_LIMIT_TOKENS 1024             /* entries of serve.tokens */
#define MCT_LIMIT_SESSION_IDLE_MS 3600000 /* an unused session of a client */
#define MCT_LIMIT_SESSION_EVENTS 256      /* events kept for a session whose client may reconnect */
#define MCT_LIMIT_SESSION_EVENT_BYTES (4u << 20)
#define MCT_LIMIT_EVENT_BYTES (64u << 20)  /* events of all sessions of one principal */
#define MCT_LIMIT_SHARED_EVENT_BYTES 65536 /* an event for many sessions, stored once */
#define MCT_LIMIT_BATCH 256                /* messages of a JSON-RPC batch */

#define MCT_LIMIT_HTTP_ERROR_BYTES 65536        /* body of an HTTP error that is evaluated */
#define MCT_LIMIT_HTTP_USELESS_BYTES (1u << 20) /* bytes of a connection in a row that are no part of an answer */
#define MCT_LIMIT_HTTP_UNREAD_BYTES (64u << 20) /* decoded bytes of an answer that are not processed yet */
#define MCT_LIMIT_HTTP_ORIGINS 1024    /* servers with TLS that are remembered for the version of HTTP that they have */
#define MCT_LIMIT_SERVER_CALLS 1000    /* calls that run at one server */
#define MCT_LIMIT_SERVER_QUEUE 4000    /* calls that wait for that */
#define MCT_BREAKER_FAILURES 5         /* failures in a row after which calls to a server are refused */
#define MCT_BREAKER_PAUSE_MS 5000      /* first pause without calls to it; the longest is MCT_BACKOFF_MAX_MS */
#define MCT_BREAKER_WINDOW_MS 60000    /* calls whose failures are counted */
#define MCT_BREAKER_PROBE_MS 10000     /* an attempt without an answer does not keep the next one waiting */
#define MCT_BREAKER_PING_MS 5000       /* for a server that let a call time out to answer a ping */
#define MCT_LIMIT_RETRIES 10           /* retries at one server in a minute, besides a tenth of the calls */
#define MCT_RETRY_PAUSE_MS 200         /* before a retry on the same connection; half of it random */
#define MCT_CAREFUL_MS 1000            /* twice as many calls run at a time, after a server was overloaded */
#define MCT_QUEUE_RETRY_MS 1000        /* hint for calls that found the queue full */
#define MCT_LIMIT_SERVER_REQUESTS 1024 /* concurrent requests of one connection to an HTTP server */
#define MCT_HTTP_NOTICES 16            /* concurrent POSTs of answers and notifications */
#define MCT_LIMIT_HTTP_NOTICES 1024    /* queued POSTs of these; limits.message_bytes limits their total size */
#define MCT_LIMIT_REDIRECTS 5
#define MCT_LIMIT_WRONG_TOKENS 20            /* wrong bearer tokens of an address at once */
#define MCT_LIMIT_WRONG_TOKENS_PER_MINUTE 30 /* and after that */
#define MCT_LIMIT_RETRY_MS 3600000           /* longest delay that a server may request */
#define MCT_LIMIT_HTTP_RETRIES 3             /* retries of a request after 429 or 503 with Retry-After */
#define MCT_LIMIT_RENEWALS 1                 /* new sessions for one request */
#define MCT_LIMIT_RESUMES 5                  /* resumptions of an answer's stream without progress */
#define MCT_LIMIT_ANNOTATED_BYTES (1u << 20) /* a tool with x-mcp-header annotations */
#define MCT_LIMIT_SCHEMA_DEPTH 128           /* depth of a schema that is normalized, as text and with its references */
#define MCT_LIMIT_SCHEMA_NODES 100000        /* values in a schema */
#define MCT_LIMIT_SCHEMA_GROWTH 32768        /* values that references may add to a schema */
#define MCT_LIMIT_SCHEMA_GROWTH_BYTES (2u << 20)
#define MCT_LIMIT_SCHEMA_BYTES (256u << 20) /* memory for normalizing a schema, including its text */
#define MCT_LIMIT_ARGUMENT_WORK 4000000     /* schemas and values visited while arguments are converted back */
#define MCT_LIMIT_MODEL_CALLS 1024          /* calls in one message of a model */
#define MCT_LIMIT_ROUNDS 10                 /* input_required results in one call */
#define MCT_LIMIT_SUBSCRIBING 32            /* concurrent resources/subscribe requests to one server */
#define MCT_LIMIT_ASKS 64                   /* open questions of a server */

#define MCT_LIMIT_LISTS_KEPT 32 /* stored list texts of a view: the newest and those being read */
/* wait for starting servers before a list is answered; clients give up after 5 s */
#define MCT_LIST_WAIT_MS 3000
#define MCT_LIST_PAGE_ITEMS 1000          /* items per page of a merged list */
#define MCT_LIMIT_BRANCHES 256            /* connections to one server besides the shared one */
#define MCT_LIMIT_PARKED 256              /* parked calls of one principal */
#define MCT_LIMIT_KEPT_RESULTS 1024       /* results over a budget that are kept; half of them for a principal */
#define MCT_LIMIT_PRINCIPAL_TASKS 256     /* tasks of one principal whose connections are kept */
#define MCT_LIMIT_OPEN_TASKS 4096         /* and of all principals */
#define MCT_LIMIT_OWN_TASKS 1024          /* tasks that the gateway makes itself; MCT_LIMIT_PRINCIPAL_TASKS each */
#define MCT_LIMIT_TASK_QUESTIONS 256      /* of such a task, in all */
#define MCT_LIMIT_TASK_MESSAGE_BYTES 4096 /* of a status message that is kept */
#define MCT_LIMIT_LISTENS 8192            /* open subscriptions/listen requests of one principal */
#define MCT_LIMIT_PARKED_NOTICES 256      /* progress and log messages kept for a parked call */
#define MCT_LIMIT_SUBSCRIPTIONS 1024      /* resources of one session or subscription */
#define MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS 65536 /* resources of all sessions of one principal */
#define MCT_LIMIT_URI_PARTS 256                 /* prefixes of a changed URI that are looked up in the subscriptions */
#define MCT_LIMIT_FAN_MESSAGES 256              /* log messages of one server that are queued for distribution */
#define MCT_LIMIT_FAN_BYTES (4u << 20) /* queued log messages of all servers; further ones are dropped and counted */
#define MCT_LIMIT_FAN_WORK 4096        /* work units per turn: one for each client visited, */
#define MCT_LIMIT_FAN_TOLD 8           /* and this many for each client notified */

#define MCT_LIMIT_HOOKS 1024                 /* tool call hooks of one program */
#define MCT_LIMIT_HOOK_RUNS 256              /* concurrent runs of one kind of hook; further ones wait */
#define MCT_LIMIT_HOOK_WAITS 16384           /* waiting runs of one kind of hook */
#define MCT_LIMIT_DECISION_BYTES (16u << 20) /* decision of a hook */
#define MCT_LIMIT_APPROVAL_CHARS 2000        /* characters of each text shown for an approval */
#define MCT_LIMIT_APPROVALS 4096             /* remembered approvals ("allow-always") */

#define MCT_LIMIT_HABITS 64 /* tools of a server for which it is recorded whether they send questions */

#define MCT_LIMIT_AUTH_CHALLENGES 32    /* WWW-Authenticate headers of an answer; further ones are ignored */
#define MCT_LIMIT_AUTH_MEMBERS 256      /* members of a document or answer of an authorization server */
#define MCT_LIMIT_AUTH_ITEMS 512        /* items of a list in it */
#define MCT_LIMIT_AUTH_TEXT_BYTES 16384 /* a text in it, such as a token */
#define MCT_LIMIT_AUTH_SCOPE_BYTES 4096 /* a list of scopes */
#define MCT_LIMIT_AUTH_SHOWN_BYTES 256  /* text of an authorization server that people see; the rest is cut */

#define MCT_LIMIT_SCAN_FINDINGS 1024      /* findings of one scan */
#define MCT_SCAN_PIECE_BYTES (256u << 10) /* a text is scanned in pieces of this length, */
#define MCT_SCAN_OVERLAP_BYTES 4096       /* which overlap by this much */

#define MCT_LIMIT_PINS_BYTES (16u << 20) /* a file of pins */
#define MCT_LIMIT_PIN_VALUES 262144      /* of an approved text whose members are put in order */
#define MCT_LIMIT_PIN_BYTES 16384        /* of an approved text that is kept beside its hash */

#define MCT_HTTP_CONNECT_MS 10000 /* name resolution, connection and TLS to a server */
/* a connection idle for longer is not reused: many servers close theirs after 5 s, and a call sent at that moment is
 * lost */
#define MCT_HTTP_REUSE_S 3
#define MCT_HTTP_LINGER_MS 1000         /* a stream that continues after its answer is closed after this time */
#define MCT_HTTP_OPENING_MS 500         /* calls wait this long for the GET stream to be answered */
#define MCT_HTTP_BARRIER_MS 20000       /* for a repeated initialize, and for notifications/initialized */
#define MCT_HTTP_NOTICE_MS 30000        /* for a server to accept an answer or notification */
#define MCT_HTTP_CLOSE_MS 2000          /* for the last answers and notifications before a session is closed */
#define MCT_LIST_KEEP_MS 600000         /* a list that is being read page by page */
#define MCT_BOTH_MS 86400000            /* a server that supported one era only is probed again */
#define MCT_ERA_WAIT_MS 3000            /* initialize waits this long for a server's connection in the client's era */
#define MCT_ERA_GRACE_MS 1000           /* the same wait, if initialize has already waited for servers to start */
#define MCT_TASK_KEEP_MS 3600000        /* the connection of a task whose client does not ask for it */
#define MCT_OWN_TASK_MS 86400000        /* a task of the gateway's own, with its result */
#define MCT_OWN_TASK_MIN_MS 1000        /* and the shortest such time that a client can choose */
#define MCT_OWN_TASK_POLL_MS 500        /* pause between two reads of it that clients are told */
#define MCT_BRANCH_IDLE_MS 600000       /* an unused additional connection */
#define MCT_ROOTS_MS 5000               /* for a client to answer a question for its roots outside of calls */
#define MCT_ASK_MS 600000               /* for a person to answer a question */
#define MCT_HOOK_MS 15000               /* for a hook to decide */
#define MCT_HOOK_WAIT_MS 60000          /* for a run of a hook to begin */
#define MCT_HOST_PING_MS 15000          /* interval of pings to a host of OpenClaw plugins */
#define MCT_HOOKS_AGAIN_MS 30000        /* interval of requests to a host that does not report its hooks */
#define MCT_OUTSIDE_REMEMBER_MS 3600000 /* that a client without a session has received something from outside */
#define MCT_APPROVAL_MS 120000          /* for a person to approve a call; a hook may set up to MCT_ASK_MS */
#define MCT_UNCLEAR_MS 30000            /* a question waits this long until its call is known */
#define MCT_ASIDE_MS 3000           /* messages that a server sends with a call may arrive this long after its answer */
#define MCT_CANCELLED_GRACE_MS 1000 /* a server may send a question this long after its call was cancelled */
#define MCT_NEW_TOOL_MS 2000        /* a tool that has sent no question in this time is assumed to send none */
/* a call without a question for this long is assumed to send no further question */
#define MCT_ASKED_MS 1000
#define MCT_LAZY_IDLE_MS 600000   /* a lazy server without calls is stopped */
#define MCT_START_MS 30000        /* for a server to start */
#define MCT_START_LONG_MS 300000  /* for one that installs packages first, and for each program while serving */
#define MCT_START_NOTE_MS 5000    /* a start that takes longer is mentioned */
#define MCT_PROBE_TIMEOUT_MS 3000 /* server/discover on a stdio server of unknown era */
#define MCT_LEVEL_KEEP_MS 60000   /* log level of a 2026-07-28 request, at a handshake server */
#define MCT_LIST_DEBOUNCE_MS 200  /* delay that combines several list_changed into one fetch */
#define MCT_LISTEN_GATHER_MS 10   /* delay that combines subscription changes into one request */
#define MCT_BACKOFF_FIRST_MS 1000 /* restart of a server that has exited */
#define MCT_BACKOFF_MAX_MS 60000
#define MCT_RESUME_FIRST_MS 1000 /* reconnection of a stream whose server sent no retry time */
#define MCT_RESUME_MIN_MS 100    /* minimum, whatever the server sends */
#define MCT_RESUME_MAX_MS 30000
#define MCT_STOP_EOF_MS 2000   /* from closing stdin to SIGTERM */
#define MCT_STOP_TERM_MS 2000  /* from SIGTERM to SIGKILL */
#define MCT_PROGRESS_FACTOR 10 /* a call that reports progress ends after this many timeouts */
#define MCT_SSE_KEEPALIVE_MS 15000
#define MCT_SSE_PRIME_MS 1000  /* a call without an answer becomes a stream that can be resumed */
#define MCT_SSE_RETRY_MS 1000  /* reconnection time sent to clients */
#define MCT_SSE_KEEP_MS 300000 /* sent events are kept this long */

#endif
