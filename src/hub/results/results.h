/*
 * Results of tools that are too long for a conversation. A budget limits the bytes of a result that a client gets; what
 * is longer is kept whole in the store for a while, and the client gets its beginning with a link to the rest:
 * mcptools://result/ID, which is read in ranges and searched.
 *
 * A kept result belongs to the principal whose call it answers. To any other it does not exist.
 */
#ifndef MCT_HUB_RESULTS_RESULTS_H
#define MCT_HUB_RESULTS_RESULTS_H

#include "base/account.h"
#include "base/list.h"
#include "base/table/map.h"
#include "base/sched/sched.h"
#include "json/scan.h"

#define MCT_RESULT_URI "mcptools://result/"
#define MCT_RESULT_TOOL "read_result" /* the tool that reads kept results */

/* Returns true if the URI is one of a kept result. */
static inline bool mcti_result_is_uri(struct mcti_str uri)
{
    return mcti_str_starts(uri, MCT_STR(MCT_RESULT_URI));
}

/* ---- budget.c ---- */

/* A budget for the tools whose "SERVER.TOOL" matches a glob. */
struct mcti_result_rule {
    char *glob;
    size_t bytes; /* 0: no limit */
};

/* Budgets of results. The first rule that matches decides. Owned by the configuration. */
struct mcti_result_rules {
    size_t bytes; /* of tools that no rule matches; 0: no limit */
    struct mcti_result_rule *v;
    size_t n;
};

enum { MCT_RESULT_TOKEN_BYTES = 4, MCT_RESULT_LEAST = 2000, MCT_RESULT_MARK_LINES = 4096 };

/* Reads "25k tokens", "100 KB", "65536" or "off" (0). Returns false for anything else, and for less than
 * MCT_RESULT_LEAST bytes. */
bool mcti_result_budget_read(struct mcti_str text, size_t *ret);

int mcti_result_rules_add(struct mcti_result_rules *rules, struct mcti_str glob, size_t bytes);
void mcti_result_rules_done(struct mcti_result_rules *rules);

/* Returns true if any tool has a budget. */
bool mcti_result_rules_any(const struct mcti_result_rules *rules);

bool mcti_result_rules_same(const struct mcti_result_rules *a, const struct mcti_result_rules *b);

/* Returns the budget of a tool by its raw name; 0: no limit. */
size_t mcti_result_budget(const struct mcti_result_rules *rules, const char *server, struct mcti_str tool);

/* ---- store.c ---- */

struct mcti_results_opts {
    const struct mcti_result_rules *rules; /* borrowed */
    size_t bytes;                          /* of all kept results */
    unsigned ttl_ms;
    struct mcti_account *account; /* charged for kept results; NULL: none */
};

struct mcti_results {
    struct mcti_results_opts opts;
    struct mcti_sched *sched;
    struct mcti_map by_id;
    struct mcti_list kept; /* struct mcti_kept, least recently used first */
    struct mcti_timer expiry;
    struct mcti_list jobs; /* struct mcti_result_job, see job.c */
    struct mcti_task work; /* goes on with the first one */
    bool on;               /* a tool has a budget */
    size_t n, bytes;
    uint64_t n_cut, n_evicted; /* results that were cut, and kept ones that made room */
};

struct mcti_text;

/* A kept result. Valid until the next turn of the loop. */
struct mcti_kept {
    struct mcti_list node;
    struct mcti_map_node by_id;
    char id[33];
    uint64_t authority;     /* of the principal */
    struct mcti_text *from; /* its content is from outside, of the server with this name; NULL: it is not */
    uint64_t until_ms;
    size_t charged;
    char *text; /* its content as text, blocks separated by line feeds */
    size_t len, n_lines;
    size_t *block_at; /* offset of each content block in `text` */
    size_t n_blocks;
    size_t *marks; /* offsets of the lines 1, 1 + MCT_RESULT_MARK_LINES … in `text` */
    size_t n_marks;
    char *rest; /* JSON object with the members that are no text: "blocks" (by number) and "structuredContent" */
};

/* Returns whether a tool has a budget. */
static inline bool mcti_results_on(const struct mcti_results *r)
{
    return r && r->on;
}

/* Returns whether there may be kept results. */
static inline bool mcti_results_may_have(const struct mcti_results *r)
{
    return r && (r->on || r->n);
}

void mcti_results_init(struct mcti_results *r, struct mcti_sched *sched, const struct mcti_results_opts *opts);
void mcti_results_done(struct mcti_results *r);

/* Sets other options. What is kept stays. */
void mcti_results_set(struct mcti_results *r, const struct mcti_results_opts *opts);

/* Returns the result with that id if it belongs to the principal; otherwise NULL. `authority` NULL: to anybody. */
const struct mcti_kept *mcti_results_find(struct mcti_results *r, struct mcti_str id, const uint64_t *authority);

/* Writes the result of resources/read for the URI of a kept result. `authority` is that of the principal who asks;
 * NULL: the user who runs the program, to whom all results belong. Returns the kept result, or NULL with *err. */
const struct mcti_kept *mcti_results_read(struct mcti_results *r, struct mcti_str uri, const uint64_t *authority,
                                          struct mcti_buf *to, struct mct_error *err);

/* Sets *err to the error of an id that is unknown, has expired or belongs to another principal; returns -1. */
int mcti_fail_no_result(struct mct_error *err);

/* ---- job.c ---- */

/*
 * A job shortens a result that is over its budget: it keeps the whole, and writes the beginning that fits, with a note
 * and a link. Members other than content and structuredContent stay. A result of megabytes takes many turns of the
 * event loop; the jobs of a store follow each other, so that they do not hold their memory at the same time.
 */
struct mcti_result_job;

/* Creates the job of `result`, a CallToolResult that must outlive it, for a principal. NULL: out of memory. */
struct mcti_result_job *mcti_result_job_new(struct mcti_results *r, struct mcti_str result, size_t budget,
                                            uint64_t authority);

/* Does all of the job at once. */
void mcti_result_job_run(struct mcti_result_job *job);

/* Does it from turn to turn, after those that wait, and calls `done` then; holds `bytes` until it is freed. Returns
 * false and does nothing if there is no memory for them. */
bool mcti_result_job_start(struct mcti_result_job *job, size_t bytes, mcti_later_fn done, void *data);

/* Of a job that is done: what was kept, NULL if it has no room or memory is exhausted; and the text of the shortened
 * result, that of a failed buffer if memory is exhausted. */
struct mcti_kept *mcti_result_job_kept(const struct mcti_result_job *job);
struct mcti_str mcti_result_job_text(const struct mcti_result_job *job);

void mcti_result_job_free(struct mcti_result_job *job);

/* ---- query.c ---- */

/* What is asked of a kept result. Absent numbers are 0. */
struct mcti_result_query {
    struct mcti_buf id, search, path; /* decoded */
    bool has_path, ignore_case;
    uint64_t line, lines; /* from 1 on */
    uint64_t byte, bytes; /* from 0 on */
    uint64_t block;       /* number of a content block that is no text, from 1 on */
    uint64_t context;     /* lines around a match */
    bool by_bytes;
    size_t max; /* bytes of the answer, about; set by the caller. 0: no limit */
};

void mcti_result_query_init(struct mcti_result_query *q);
void mcti_result_query_done(struct mcti_result_query *q);

/* Reads mcptools://result/ID with its query (?line=…&lines=…, ?byte=…&bytes=…, ?search=…&ignore_case=true&context=…,
 * ?path=/json/pointer, ?block=…) or fragment (#L10-L20). Returns -1 with *err (USAGE) for anything else. */
int mcti_result_query_read(struct mcti_result_query *q, struct mcti_str uri, struct mct_error *err);

/* Reads the arguments of the tool MCT_RESULT_TOOL, an object. Returns -1 with *err (USAGE). */
int mcti_result_query_args(struct mcti_result_query *q, struct mcti_str args, struct mct_error *err);

/* ---- range.c ---- */

/* Appends the part of the text that is asked for, and to `note` a sentence that says what it is and how to go on.
 * Returns -1 with *err (NOT_FOUND, USAGE) if there is no such part. */
int mcti_result_put_range(struct mcti_buf *to, struct mcti_buf *note, const struct mcti_kept *k,
                          const struct mcti_result_query *q, struct mct_error *err);

/* Writes the result of resources/read for the query. `uri` is the one that was asked for, as text. */
int mcti_result_put_read(struct mcti_buf *to, const struct mcti_kept *k, const struct mcti_result_query *q,
                         struct mcti_str uri, struct mct_error *err);

/* Returns a block that is no text, by its number; absent with *err (NOT_FOUND) if there is none. */
struct mcti_str mcti_result_block(const struct mcti_kept *k, uint64_t number, struct mct_error *err);

/* The resource template of kept results, as an item of resources/templates/list. */
extern const char mcti_result_template[];

#endif
