/*
 * Exposed names: the names of servers' tools and prompts at the gateway. Identity is the pair (server, raw name).
 * Exposed names are computed from all identities at once and looked up in a map, never parsed.
 */
#ifndef MCT_HUB_NAMES_NAMES_H
#define MCT_HUB_NAMES_NAMES_H

#include "base/buf.h"
#include "base/table/map.h"

/* When a name has the prefix of its server. AUTO: with two servers or more, as ALWAYS; with one server, as CONFLICT.
 * The view makes one of the others from it. */
enum mcti_prefix { MCT_PREFIX_AUTO, MCT_PREFIX_ALWAYS, MCT_PREFIX_CONFLICT, MCT_PREFIX_NEVER };

struct mcti_naming {
    const char *scheme;    /* "double" (SERVER__NAME), "mcp" (mcp__SERVER__NAME), "nexo"
                            * (mcp_SERVER_NAME) or "bare" */
    const char *separator; /* NULL: that of the scheme */
    enum mcti_prefix prefix;
    size_t max_length; /* 16 … 128 */
    bool letter_first; /* a name that would begin with a digit or '-' gets '_' in front, and the hash at its end */
};

/* Reads "auto", "always", "conflict" or "never". Returns -1 for any other word. */
int mcti_prefix_find(struct mcti_str word, enum mcti_prefix *ret);

extern const struct mcti_word mcti_prefix_words[], mcti_scheme_words[];

struct mcti_name_in {
    struct mcti_str server, raw;
    bool fixed;                /* the exposed name is `raw`, because hosts look for it; no other entry gets that name */
    bool bare;                 /* never prefixed; takes precedence over servers' tools of that name */
    struct mcti_str preferred; /* preferred name; absent: made by the scheme */
};

/* A name that tools of several servers would have, and one of these tools. No tool has the name. */
struct mcti_contest {
    struct mcti_map_node by_name; /* for use by the caller */
    struct mcti_contest *next;
    size_t index; /* of the tool in in[] */
    char name[];
};

struct mcti_name_clashes {
    const struct mcti_name_in **lost_to; /* array of n, or NULL; lost_to[i] is set to the entry because of which in[i]
                                          * has not its plain name, or to NULL */
    struct mcti_contest *contests;       /* one for each tool and contested name; free with mcti_contests_free() */
};

/*
 * Sets ret[i] to the exposed name of in[i] (owned strings): only [A-Za-z0-9_-], at most max_length. A name that is too
 * long or taken ends in '_' and 12 hex digits of SHA-256 over server, NUL and raw name; if that name is taken as well,
 * the digest replaces the server and is hashed again. Names depend only on the set of identities, not on their order:
 *   - fixed entries get their names first, then bare ones;
 *   - of entries of one server that want the same name, the one with the first raw name gets it; of two with the same
 *     identity, the first one in in[];
 *   - of entries of different servers that want the same name, none gets it. So a server cannot take over a name,
 *     regardless of when it adds its tool.
 * ret_clashes may be NULL. Returns -1 when out of memory.
 */
int mcti_names_assign(const struct mcti_naming *naming, const struct mcti_name_in *in, size_t n, char **ret,
                      struct mcti_name_clashes *ret_clashes);
void mcti_contests_free(struct mcti_contest *list);

/* Returns the number of bytes of `name` that stand for `server`, in SERVER.NAME or in SERVER__NAME with the separator
 * in use; 0 if the name has neither form. */
size_t mcti_name_server_len(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name);

/* Returns true if the name begins like the prefixed names of that server's tools. */
bool mcti_name_is_under(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name);

#endif
