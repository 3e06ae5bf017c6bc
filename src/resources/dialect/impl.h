/* Shared by the dialect*.c files only. */
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
    struct mcti_view all; /* the servers' tools, for search mode; opened where there is that */
    unsigned chosen;
    struct mcti_dialect_opts opts;
    mcti_connect_fn connect;
    const struct mcti_log *log;
    struct mcti_provider_ops ops; /* of own.provider: the local provider's, but for its calls */
    const struct mcti_provider_ops *local_ops;
    struct dialect_offer *offers; /* one for each item of own.provider */
    size_t n_offers, cap;
    struct mcti_map by_id; /* of the offers */
};

/* Why a call is refused because of its arguments: writes the text, or nothing. A call that is refused is not run and is
 * no event. May look at set, server, args and started_ms: no more of *c is there yet. */
typedef void mcti_dialect_check_fn(const struct mcti_dialect_call *c, struct mcti_buf *refusal);

struct mcti_dialect_tool {
    const char *json; /* the tool as it is listed; NULL: `put` writes it */
    void (*put)(const struct mcti_dialects *set, struct mcti_buf *to);
    /* Answers, now or later, with one of the functions below that end the call. */
    void (*run)(struct mcti_dialect_call *c);
    mcti_dialect_check_fn *check; /* NULL: any arguments will do */
    bool tells_all;               /* of the tools there are, when servers have started */
    bool wraps;                   /* its call is the call of another tool, see mcti_dialect_unwraps() */
};

struct mcti_dialect {
    const char *name;
    const struct mcti_dialect_tool *tools;
    size_t n_tools;
    unsigned follows; /* kinds of the servers' items the tools depend on, bits 1 << kind */
    bool (*offered)(const struct mcti_dialects *set); /* NULL: always */
};

extern const struct mcti_dialect mcti_dialect_nexo, mcti_dialect_codex, mcti_dialect_bridge, mcti_dialect_claude,
    mcti_dialect_lines, mcti_dialect_search;

/* Whether these are arguments of a call of another tool. */
bool mcti_dialect_unwraps(struct mcti_str args);

/* The tools that a server has for itself, see servers.c. */
struct mcti_dialect_server_tool {
    const char *name;
    const char *description, *schema;
    void (*run)(struct mcti_dialect_call *c);
    mcti_dialect_check_fn *check; /* as above */
};

extern const struct mcti_dialect_server_tool mcti_dialect_server_tools[];
enum { DIALECT_SERVER_TOOLS = 3 };

/* One call of one tool, with what it needs until it is answered. Zero at first. */
struct mcti_dialect_call {
    struct mcti_dialects *set;
    struct mcti_local_request *request;
    struct mcti_provider *server; /* of a server's own tool; otherwise whatever the tool puts here */
    struct mcti_str args;         /* an object, or absent */
    struct mcti_reach reach;
    uint64_t started_ms;
    void (*then)(struct mcti_dialect_call *c);
    struct mcti_listing listing;
    struct mcti_reading reading;
    char *name, *uri; /* arguments as text; freed with the call */
    char *cursor;     /* of the page that is asked for, raw JSON */
    uint64_t number;  /* for the tool's own use */
};

/* Lists everything of that kind, of `only` or (NULL) of all servers; `then` finds it in c->listing. */
void mcti_dialect_list(struct mcti_dialect_call *c, enum mcti_kind kind, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c));

/* One page of c->server as it gives it; cursor NULL: the first. */
void mcti_dialect_list_page(struct mcti_dialect_call *c, enum mcti_kind kind, const char *cursor,
                            void (*then)(struct mcti_dialect_call *c));

/* Reads; `then` finds it in c->reading. A URI that must not be read is told there, too. */
void mcti_dialect_read(struct mcti_dialect_call *c, struct mcti_str uri, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c));

/* It is over without an answer, or is about to be answered. */
void mcti_dialect_call_done(struct mcti_dialect_call *c);

/* ---- each of these ends the call ---- */

/* One block of text; the buffer is freed. */
void mcti_dialect_answer(struct mcti_dialect_call *c, struct mcti_buf *take_text);

/* The same as an error of the tool, which models read. */
void mcti_dialect_refuse_buf(struct mcti_dialect_call *c, struct mcti_buf *take_text);
void mcti_dialect_refuse(struct mcti_dialect_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- arguments ---- */

/* A string argument as owned text; NULL when it is absent or something else. */
char *mcti_dialect_text(const struct mcti_dialect_call *c, const char *key);

/* The same without white space around it; NULL when nothing is left. */
char *mcti_dialect_trimmed(const struct mcti_dialect_call *c, const char *key);

/* Whether there is such a text. */
bool mcti_dialect_has_text(const struct mcti_dialect_call *c, const char *key);
bool mcti_dialect_has_words(const struct mcti_dialect_call *c, const char *key);

/* False: the argument is something else than a string, and not null. */
bool mcti_dialect_text_or_none(const struct mcti_dialect_call *c, const char *key);

/* c->server becomes the server of the view that is called c->name (NULL: none is asked for). False: there is none. */
bool mcti_dialect_find_server(struct mcti_dialect_call *c);

/* Names of servers with ", " between: all in the order of the view, or those that are connected in order of their
 * names. */
void mcti_dialect_put_servers(const struct mcti_dialect_call *c, struct mcti_buf *to, bool connected);

/* ---- results ---- */

/* The parts of c->listing in order of their servers' names (bytes): owned array of c->listing.n_parts. NULL when out of
 * memory. */
const struct mcti_listing_part **mcti_dialect_by_name(const struct mcti_dialect_call *c);

/* A server that failed and is left out of a list, or is there with what came before (in_part): the log says it. Nothing
 * where it only has no resources. */
void mcti_dialect_log_failed(const struct mcti_dialect_call *c, const struct mcti_listing_part *part, bool in_part);

/* A failure without the "server 'x': " in front. */
const char *mcti_dialect_error_text(const struct mcti_provider *p, const struct mct_error *err);

/* `"key":` and the value written compactly; for one that is absent or null: null, or (!nulls) nothing at all. */
void mcti_dialect_put(struct mcti_buf *to, const char *key, struct mcti_str value, bool nulls);

/* What was read as a handshake server would have answered it: without what 2026-07-28 puts around results. */
void mcti_dialect_put_read_result(const struct mcti_dialect_call *c, struct mcti_buf *to);

/* ---- contents, raw JSON strings ---- */

/* Bytes of a text: not of how it is written, for some servers escape every '/'. */
size_t mcti_dialect_text_len(struct mcti_str text);

/* Appends the bytes that a blob stands for; -1 when it is not base64. */
int mcti_dialect_put_blob(struct mcti_buf *to, struct mcti_str blob);

/* How many those are; of one that is not base64, the bytes of its text. */
size_t mcti_dialect_blob_size(struct mcti_str blob);

uint64_t mcti_dialect_wall_ms(const struct mcti_dialects *set);

#endif
