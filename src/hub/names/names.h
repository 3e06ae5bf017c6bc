/*
 * Exposed names: what a tool or prompt of a server is called at the gateway. Identity is the pair
 * (server, raw name); exposed names are computed from all identities at once and looked up in a map,
 * never parsed back.
 */
#ifndef MCT_HUB_NAMES_NAMES_H
#define MCT_HUB_NAMES_NAMES_H

#include "base/buf.h"
#include "base/map.h"

enum mcti_prefix { MCT_PREFIX_ALWAYS, MCT_PREFIX_CONFLICT, MCT_PREFIX_NEVER };

struct mcti_naming {
    const char *scheme;    /* "double" (SERVER__NAME), "mcp" (mcp__SERVER__NAME), "nexo"
                            * (mcp_SERVER_NAME) or "bare" */
    const char *separator; /* overrides the one of the scheme; NULL: not */
    enum mcti_prefix prefix;
    size_t max_length; /* 16 … 128 */
    bool letter_first; /* what would begin with a digit or '-' gets '_' in front, and the hash at its end */
};

/* "always", "conflict", "never"; -1 for anything else. */
int mcti_prefix_find(struct mcti_str word, enum mcti_prefix *ret);

extern const struct mcti_word mcti_prefix_words[], mcti_scheme_words[];

struct mcti_name_in {
    struct mcti_str server, raw;
    bool fixed;           /* its exposed name is `raw` as it is: hosts look for it. Nobody else gets that name */
    bool bare;            /* it has no prefix, whatever others have; servers' tools of that name are called otherwise */
    struct mcti_str wish; /* what it would best be called; absent: what the scheme makes of the two */
};

/* A name that tools of several servers would have, and one of these tools. Nobody has the name. */
struct mcti_contest {
    struct mcti_map_node by_name; /* the caller's, once he has the list */
    struct mcti_contest *next;
    size_t index; /* of the tool in in[] */
    char name[];
};

struct mcti_name_clashes {
    const struct mcti_name_in **lost_to; /* room for one of each in[], or NULL. Gets the one of in[] because of which
                                          * in[i] is not called as it would have been alone; NULL: there is none */
    struct mcti_contest
        *contests; /* one for each tool and name it lost to another server; end with mcti_contests_free() */
};

/*
 * Fills ret[i] with the exposed name of in[i] (owned strings): only [A-Za-z0-9_-], at most max_length. A name that is
 * too long, or that an entry in front of it has, ends in '_' and 12 hex digits of SHA-256 over server, NUL and raw
 * name; and over that digest in place of the server where this name is taken too. Names depend on the set of identities
 * only, not on their order:
 *   - fixed entries keep their names, then those without a prefix;
 *   - of entries of one server that want the same name the first raw name keeps it; of two with one identity, the
 *     first in[];
 *   - of entries of different servers that want the same name none gets it. So a server cannot take over a name,
 *     whenever it adds its tool.
 * ret_clashes may be NULL. Returns -1 when out of memory.
 */
int mcti_names_assign(const struct mcti_naming *naming, const struct mcti_name_in *in, size_t n, char **ret,
                      struct mcti_name_clashes *ret_clashes);
void mcti_contests_free(struct mcti_contest *list);

/* Returns how many bytes of `name` stand for `server` in SERVER.NAME, or in SERVER__NAME with the separator in use; 0:
 * it is not written so. */
size_t mcti_name_server_len(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name);

/* Whether the name begins as names of that server's tools do where they carry their server. */
bool mcti_name_is_under(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name);

#endif
