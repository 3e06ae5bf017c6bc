/* Read-only mode ("plan mode"): decides which tools are read-only, and writes the result that refuses the others. Pure
 * functions. */
#ifndef MCT_HUB_POLICY_POLICY_H
#define MCT_HUB_POLICY_POLICY_H

#include "hub/names/canon.h"

struct mcti_policy {
    bool read_only;                                             /* for every client */
    int64_t since_s;                                            /* start of read-only mode, wall clock */
    const char *const *read_only_tools, *const *mutating_tools; /* globs, borrowed */
    size_t n_read_only_tools, n_mutating_tools;
};

/* A tool as a view shows it. */
struct mcti_policy_tool {
    const struct mcti_provider *provider;
    const struct mcti_item *item;
    struct mcti_str name;                /* exposed name */
    const struct mcti_tool_names *names; /* all its names; NULL: it is in no registry */
};

/*
 * Returns whether the tool counts as read-only. All tools of a read-only provider do. Of others, `mutating_tools` do
 * not, `read_only_tools` do, and the rest do if their server is trusted and annotates them with readOnlyHint. The globs
 * of `mutating_tools` are compared with every name of the tool (SERVER.TOOL, raw, exposed in any view). Those of
 * `read_only_tools` are compared only with SERVER.TOOL and the prefixed name, and only if no tool of another server can
 * have a name with the same beginning.
 */
bool mcti_policy_is_read_only(const struct mcti_policy *p, const struct mcti_policy_tool *tool);

struct mcti_refusal {
    struct mcti_str tool_name; /* name in the call */
    int64_t entered_at_s;      /* start of read-only mode, wall clock */
    bool by_client;            /* the client has set the mode; false: the operator has */
};

/* Writes a CallToolResult of a handshake revision, with the refusal as structured content and as text. */
void mcti_refusal_put_result(struct mcti_buf *to, const struct mcti_refusal *r);

/* Sets *err to the refusal of answers to questions of a task. */
void mcti_refusal_of_answer(struct mct_error *err);

#endif
