/*
 * Results from outside ("external"): which calls give them, which clients have received one, and which tools are
 * guarded from then on (docs/FLOW.md). A client is a session, or everything that has the same principal. The calls of
 * one instance share a struct mcti_outside; it is on if the configuration calls some results external.
 */
#ifndef MCT_HUB_POLICY_OUTSIDE_H
#define MCT_HUB_POLICY_OUTSIDE_H

#include "base/table/map.h"
#include "hub/policy/ruled.h"

enum mcti_outside_mark { MCT_MARK_META, MCT_MARK_FRAME, MCT_MARK_NONE };
enum mcti_outside_mode { MCT_OUTSIDE_ASK, MCT_OUTSIDE_DENY, MCT_OUTSIDE_OFF };
enum mcti_outside_approval { MCT_OUTSIDE_PER_CLIENT, MCT_OUTSIDE_PER_CALL };
enum mcti_outside_scope { MCT_OUTSIDE_BY_SESSION, MCT_OUTSIDE_BY_PRINCIPAL };

struct mcti_outside_rule {
    enum mcti_outside_mode mode;
    enum mcti_outside_approval approval;
};

/* Lists of tools are the `deny` of a step, so every name of a tool counts. The struct mcti_outside owns the arrays, and
 * borrows the lists and groups. */
struct mcti_outside_opts {
    bool is_on;
    struct mcti_rules external;      /* a step for each list of tools whose results are from outside */
    struct mcti_rules guarded;       /* a step for each list of guarded tools */
    struct mcti_outside_rule *rules; /* one for each step of `guarded` */
    enum mcti_outside_mark mark;
    enum mcti_outside_scope scope;
    unsigned remember_ms; /* for clients without a session */
};

struct mcti_outside {
    struct mcti_outside_opts opts;
    const struct mcti_naming *naming;
    struct mcti_sched *sched;
    const struct mcti_log *log;
    struct mcti_map clients; /* those that have received a result from outside */
    uint64_t n_clients;      /* so far */
    bool lost;               /* memory was out when a client had to be remembered: all count as such */
};

void mcti_outside_init(struct mcti_outside *o, const struct mcti_naming *naming, struct mcti_sched *sched,
                       const struct mcti_log *log);
void mcti_outside_done(struct mcti_outside *o); /* accepts a zeroed object */

/* Replaces the options; clients stay what they are. */
void mcti_outside_take(struct mcti_outside *o, const struct mcti_outside_opts *take_opts);

static inline bool mcti_outside_is_on(const struct mcti_outside *o)
{
    return o && o->opts.is_on;
}

/* Returns whether the results of a call at `p` are from outside. `tool` is the called tool; NULL: the call is about no
 * tool, or about one of this raw name that `p` does not list. */
bool mcti_outside_is_external(const struct mcti_outside *o, const struct mcti_provider *p, const struct mcti_item *tool,
                              struct mcti_str raw);

/* Records that the client of the call gets a result from outside; `from` names its origin. Does nothing if no tool is
 * guarded. */
void mcti_outside_note(struct mcti_outside *o, struct mcti_call *call, struct mcti_str from);

/* Forgets a session that has ended. */
void mcti_outside_forget(struct mcti_outside *o, uint64_t session);

enum { MCT_OUTSIDE_FROM_BYTES = 200 };

/* A client that has received something from outside. */
struct mcti_outside_client {
    struct mcti_map_node node;
    char key[16];
    uint64_t until_ms; /* on the scheduler's clock; 0: until its session ends */
    uint64_t number;   /* unique */
    char from[MCT_OUTSIDE_FROM_BYTES];
};

/* Returns the client of the call if it has received something from outside, otherwise NULL. */
const struct mcti_outside_client *mcti_outside_client(struct mcti_outside *o, struct mcti_call *call);

/* Returns whether the tool is guarded, and sets *ret to the strictest of its rules. `tool` NULL: its names are unknown,
 * so every list counts. */
bool mcti_outside_guards(const struct mcti_outside *o, const struct mcti_rule_tool *tool,
                         struct mcti_outside_rule *ret);

#endif
