/*
 * Read-only mode ("plan mode"): which tools only look, and what a model is told instead of the result of one that may
 * change something. Pure functions.
 */
#ifndef MCT_HUB_POLICY_POLICY_H
#define MCT_HUB_POLICY_POLICY_H

#include "hub/names/canon.h"

struct mct_policy {
    bool read_only;  /* for every client */
    int64_t since_s; /* wall clock: since when */
    const char *const *read_only_tools, *const *mutating_tools; /* globs, borrowed */
    size_t n_read_only_tools, n_mutating_tools;
};

/* A tool as a view shows it. */
struct mct_policy_tool {
    const struct mct_provider *provider;
    const struct mct_item *item;
    struct mct_str name;                /* its exposed name */
    const struct mct_tool_names *names; /* all its names; NULL: it is in no registry */
};

/*
 * Whether the tool, as the view shows it, is known to change nothing. Tools of a provider that only looks are read-only.
 * Of others `mutating_tools` are not, `read_only_tools` are, and the rest are if their server is trusted and says so
 * (annotations.readOnlyHint). What names look like in one view is no way around a list: the globs of `mutating_tools`
 * are compared with every name that the tool may have (SERVER.TOOL, raw, exposed anywhere), those of `read_only_tools`
 * only with SERVER.TOOL and the name under a prefix, and with neither where another server's tools have names that
 * begin so.
 */
bool mct_policy_is_read_only(const struct mct_policy *p, const struct mct_policy_tool *tool);

struct mct_refusal {
    struct mct_str tool_name; /* as it was called */
    int64_t entered_at_s;     /* wall clock: when read-only mode began */
    bool by_client;           /* it asked for the mode itself; otherwise the operator did */
};

/* The CallToolResult of a handshake revision: the refusal as structured content, and the same as text. */
void mct_refusal_put_result(struct mct_buf *to, const struct mct_refusal *r);

#endif
