/* Shared by the files of this folder, and by resources/results. */
#ifndef MCT_RESOURCES_DIALECT_IMPL_H
#define MCT_RESOURCES_DIALECT_IMPL_H

#include "resources/dialect/dialect.h"
#include "resources/listing.h"
#include "hub/local/local.h"
#include "resources/reading.h"

struct mcti_dialect_call;

/* The tools of one view. */
struct mcti_dialects {
    struct mcti_view_own own;
    struct mcti_view *view;
    struct mcti_view all; /* the servers' tools, for search mode; otherwise not opened */
    unsigned chosen;
    struct mcti_dialect_opts opts;
    mcti_connect_fn connect;
    const struct mcti_log *log;
    struct mcti_provider_ops ops; /* operations of own.provider: those of the local provider with another `call` */
    const struct mcti_provider_ops *local_ops;
    struct dialect_offer *offers; /* one for each item of own.provider */
    size_t n_offers, cap;
    struct mcti_map by_id; /* the offers by item id */
};

/* Checks the arguments of a call: writes the reason of a refusal to `refusal`, or nothing. A refused call is not run
 * and emits no event. Only set, server, args and started_ms of *c are set. */
typedef void mcti_dialect_check_fn(const struct mcti_dialect_call *c, struct mcti_buf *refusal);

struct mcti_dialect_tool {
    const char *json; /* the tool as it is listed; NULL: `put` writes it */
    void (*put)(const struct mcti_dialects *set, struct mcti_buf *to);
    /* Runs the call and ends it, now or later, with one of the functions below. */
    void (*run)(struct mcti_dialect_call *c);
    mcti_dialect_check_fn *check;                     /* NULL: any arguments are accepted */
    bool (*offered)(const struct mcti_dialects *set); /* NULL: always */
    bool lists_all; /* waits until servers have started, because its result lists tools */
    bool wraps;     /* its call stands for the call of another tool, see mcti_dialect_unwraps() */
};

struct mcti_dialect {
    const char *name;
    const struct mcti_dialect_tool *tools;
    size_t n_tools;
    unsigned follows; /* kinds of server items that the tools depend on, bits 1 << kind */
    bool (*listed)(const struct mcti_dialects *set); /* NULL: always; false: the tools can only be called */
    const char *prompt; /* a prompt of prompts/list, beside the tools; NULL: none. `run_prompt` answers it */
    void (*run_prompt)(struct mcti_dialect_call *c);
    /* Appends what the model should know about the tools, or nothing; NULL: nothing. */
    void (*instruct)(const struct mcti_dialects *set, struct mcti_buf *to);
};

extern const struct mcti_dialect mcti_dialect_nexo, mcti_dialect_codex, mcti_dialect_bridge, mcti_dialect_claude,
    mcti_dialect_lines, mcti_dialect_skills, mcti_dialect_search, mcti_dialect_results;

/* Returns true if the arguments of tool_call name the tool to call. */
bool mcti_dialect_unwraps(struct mcti_str args);

/* A resource tool of a single server, see servers.c. */
struct mcti_dialect_server_tool {
    const char *name;
    const char *description, *schema;
    void (*run)(struct mcti_dialect_call *c);
    mcti_dialect_check_fn *check; /* as above */
};

extern const struct mcti_dialect_server_tool mcti_dialect_server_tools[];
enum { DIALECT_SERVER_TOOLS = 3 };

/* One call of a tool, with everything it needs until it is answered. Zeroed at first. */
struct mcti_dialect_call {
    struct mcti_dialects *set;
    struct mcti_local_request *request;
    struct mcti_provider *server; /* the server of a single server's tool; otherwise set by the tool */
    struct mcti_str args;         /* an object, or absent */
    struct mcti_reach reach;
    uint64_t started_ms;
    void (*then)(struct mcti_dialect_call *c);
    struct mcti_listing listing;
    struct mcti_reading reading;
    struct mcti_ready ready;
    char *name, *uri; /* arguments, decoded; freed with the call */
    char *cursor;     /* cursor of the requested page, raw JSON */
    uint64_t number;  /* for the tool's own use */
    bool insists;     /* reads from a named server even if it announces no resources */
    const char *tool; /* too */
    bool refreshes;   /* the login of c->server is being renewed for it */
    struct mcti_settle settle;
};

/* Lists the items of a kind, of the server `only`, or of all servers if it is NULL; calls `then` with the result in
 * c->listing. */
void mcti_dialect_list(struct mcti_dialect_call *c, enum mcti_kind kind, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c));

/* Lists one page of c->server as the server returns it; cursor NULL: the first page. The server is asked even if it
 * announces no resources. */
void mcti_dialect_list_page(struct mcti_dialect_call *c, enum mcti_kind kind, const char *cursor,
                            void (*then)(struct mcti_dialect_call *c));

/* Reads a resource; calls `then` with the result in c->reading. A URI that is not allowed is reported there, too. */
void mcti_dialect_read(struct mcti_dialect_call *c, struct mcti_str uri, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c));

/* Calls `then`, now or later, when the servers of the view have started, or when lists no longer wait for them. */
void mcti_dialect_settle(struct mcti_dialect_call *c, void (*then)(struct mcti_dialect_call *c));

/* Calls `then` as soon as c->server has connected or has failed to. */
void mcti_dialect_wait(struct mcti_dialect_call *c, void (*then)(struct mcti_dialect_call *c));

/* Frees everything of the call; it has been cancelled, or is about to be answered. */
void mcti_dialect_call_done(struct mcti_dialect_call *c);

/* ---- each of these ends the call ---- */

/* Answers with one block of text; frees the buffer. */
void mcti_dialect_answer(struct mcti_dialect_call *c, struct mcti_buf *take_text);

/* Answers with this array of content blocks; frees the buffer. */
void mcti_dialect_answer_blocks(struct mcti_dialect_call *c, struct mcti_buf *take_array);

/* Answers with a tool error, which the model reads. */
void mcti_dialect_refuse_buf(struct mcti_dialect_call *c, struct mcti_buf *take_text);
void mcti_dialect_refuse(struct mcti_dialect_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- arguments ---- */

/* Returns a string argument decoded, owned by the caller; NULL if it is absent or no string. */
char *mcti_dialect_text(const struct mcti_dialect_call *c, const char *key);

/* Like mcti_dialect_text(), without surrounding white space; NULL if nothing is left. */
char *mcti_dialect_trimmed(const struct mcti_dialect_call *c, const char *key);

/* Return true if mcti_dialect_text() or mcti_dialect_trimmed() would return text. */
bool mcti_dialect_has_text(const struct mcti_dialect_call *c, const char *key);
bool mcti_dialect_has_words(const struct mcti_dialect_call *c, const char *key);

/* Returns false if the argument is present but is neither a string nor null. */
bool mcti_dialect_text_or_none(const struct mcti_dialect_call *c, const char *key);

/* Returns the server of the view with this name; NULL: there is none. */
struct mcti_provider *mcti_dialect_server_named(const struct mcti_dialects *set, const char *name);

/* Sets c->server to the server of the view that is called c->name. Returns false if there is none; c->name NULL is
 * accepted and leaves c->server. */
bool mcti_dialect_find_server(struct mcti_dialect_call *c);

/* Appends names of servers separated by ", ": all in the order of the view, or the connected ones in order of names. */
void mcti_dialect_put_servers(const struct mcti_dialect_call *c, struct mcti_buf *to, bool connected);

/* ---- results ---- */

/* Returns the parts of c->listing in byte order of their servers' names: an array of c->listing.n_parts pointers, owned
 * by the caller. Returns NULL when out of memory. */
const struct mcti_listing_part **mcti_dialect_by_name(const struct mcti_dialect_call *c);

/* Logs a server that failed; in_part: the list has the items that came before the failure. Logs nothing if the only
 * problem is that the server does not support resources. */
void mcti_dialect_log_failed(const struct mcti_dialect_call *c, const struct mcti_listing_part *part, bool in_part);

/* Returns true if the result has to name the server among those that were left out, see enum mcti_told. */
bool mcti_dialect_is_told(const struct mcti_dialect_call *c, const struct mcti_listing_part *part);

/* Appends `"errors":` and an array of {"server","message"}, of the servers that have to be named; nothing if there are
 * none. `parts` as of mcti_dialect_by_name(), or NULL: in the order of the view. */
void mcti_dialect_put_told(const struct mcti_dialect_call *c, struct mcti_buf *to,
                           const struct mcti_listing_part *const *parts);

/* Returns the message of an error without the leading "server 'x': ". */
const char *mcti_dialect_error_text(const struct mcti_provider *p, const struct mct_error *err);

/* Appends an error as nexo's client displays it; duration_ms: how long the request took. */
void mcti_dialect_put_nexo_error(struct mcti_buf *to, const struct mcti_provider *p, const struct mct_error *err,
                                 unsigned duration_ms);

/* Ends the call with the error of c->reading as nexo displays it, after `before`; NULL: after the words of nexo's tools
 * of single servers. A URI that is not allowed has a text of its own. */
void mcti_dialect_refuse_nexo_read(struct mcti_dialect_call *c, const char *before);

/* Appends `"key":` and the value without white space. A value that is absent or null is written as null if `nulls`, and
 * left out otherwise. */
void mcti_dialect_put(struct mcti_buf *to, const char *key, struct mcti_str value, bool nulls);

/* Appends the result of the reading in the form of 2025-11-25, without the members that 2026-07-28 adds. */
void mcti_dialect_put_read_result(const struct mcti_dialect_call *c, struct mcti_buf *to);

/* ---- contents, raw JSON strings ---- */

/* Returns the length of the decoded text in bytes. */
size_t mcti_dialect_text_len(struct mcti_str text);

/* Appends the decoded bytes of a blob; returns -1 if it is not base64. */
int mcti_dialect_put_blob(struct mcti_buf *to, struct mcti_str blob);

/* Returns the number of decoded bytes of a blob; if it is not base64, the length of its text. */
size_t mcti_dialect_blob_size(struct mcti_str blob);

uint64_t mcti_dialect_wall_ms(const struct mcti_dialects *set);

#endif
