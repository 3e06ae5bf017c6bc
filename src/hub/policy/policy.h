/*
 * Read-only mode ("plan mode"): which tools only look, and what a model is told instead of the result of one that may
 * change something. Pure functions.
 */
#ifndef MCT_HUB_POLICY_POLICY_H
#define MCT_HUB_POLICY_POLICY_H

#include "hub/names/canon.h"

struct mcti_policy {
    bool read_only;                                             /* for every client */
    int64_t since_s;                                            /* wall clock: since when */
    const char *const *read_only_tools, *const *mutating_tools; /* globs, borrowed */
    size_t n_read_only_tools, n_mutating_tools;
};

/* A tool as a view shows it. */
struct mcti_policy_tool {
    const struct mcti_provider *provider;
    const struct mcti_item *item;
    struct mcti_str name;                /* its exposed name */
    const struct mcti_tool_names *names; /* all its names; NULL: it is in no registry */
};

/*
 * Whether the tool, as the view shows it, is known to change nothing. Tools of a provider that only looks are
 * read-only. Of others `mutating_tools` are not, `read_only_tools` are, and the rest are if their server is trusted and
 * says so (annotations.readOnlyHint). What names look like in one view is no way around a list: the globs of
 * `mutating_tools` are compared with every name that the tool may have (SERVER.TOOL, raw, exposed anywhere), those of
 * `read_only_tools` only with SERVER.TOOL and the name under a prefix, and with neither where another server's tools
 * have names that begin so.
 */
bool mcti_policy_is_read_only(const struct mcti_policy *p, const struct mcti_policy_tool *tool);

struct mcti_refusal {
    struct mcti_str tool_name; /* as it was called */
    int64_t entered_at_s;      /* wall clock: when read-only mode began */
    bool by_client;            /* it asked for the mode itself; otherwise the operator did */
};

/* The CallToolResult of a handshake revision: the refusal as structured content, and the same as text. */
void mcti_refusal_put_result(struct mcti_buf *to, const struct mcti_refusal *r);

#endif
