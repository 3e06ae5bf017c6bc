/*
 * Exposed names: what a tool or prompt of a server is called at the gateway. Identity is the pair
 * (server, raw name); exposed names are computed from all identities at once and looked up in a map,
 * never parsed back.
 */
#ifndef MCT_HUB_NAMES_H
#define MCT_HUB_NAMES_H

#include "base/buf.h"

enum mct_prefix { MCT_PREFIX_ALWAYS, MCT_PREFIX_CONFLICT, MCT_PREFIX_NEVER };

struct mct_naming {
    const char *scheme;     /* "double" (SERVER__NAME), "mcp" (mcp__SERVER__NAME), "nexo"
                             * (mcp_SERVER_NAME) or "bare" */
    const char *separator;  /* overrides the one of the scheme; NULL: not */
    enum mct_prefix prefix;
    size_t max_length;      /* 16 … 128 */
    bool letter_first;      /* what would begin with a digit or '-' gets '_' in front, and the hash at its end */
};

/* "always", "conflict", "never"; -1 for anything else. */
int mct_prefix_find(struct mct_str word, enum mct_prefix *ret);
bool mct_naming_knows(const char *scheme);

struct mct_name_in {
    struct mct_str server, raw;
    bool fixed; /* its exposed name is `raw` as it is: hosts look for it. Nobody else gets that name */
    bool bare;  /* it has no prefix, whatever others have; servers' tools of that name are called otherwise */
    struct mct_str wish; /* what it would best be called; absent: what the scheme makes of the two */
};

/*
 * Fills ret[i] with the exposed name of in[i] (owned strings). Only [A-Za-z0-9_-], at most
 * max_length; what is too long or taken ends in '_' and 12 hex digits of SHA-256 over server, NUL,
 * raw name (and over that digest in place of the server, where this is taken too). Depends on the set of
 * identities only, not on their order; of two with one identity the first in[] comes first. ret_lost_to[i] (NULL:
 * nobody asks) is the one of in[] because of which in[i] is not called as it would have been alone; NULL: there is none.
 * -1 when out of memory.
 */
int mct_names_assign(const struct mct_naming *naming, const struct mct_name_in *in, size_t n,
                     char **ret, const struct mct_name_in **ret_lost_to);

#endif
