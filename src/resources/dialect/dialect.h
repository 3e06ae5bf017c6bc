/*
 * Resource tools: models can call tools, but cannot list or read resources by themselves. A dialect is the set of tools
 * that one kind of host expects for that; each is one file with a row in offer.c. All are argument readers and
 * writers of results over listing.h and reading.h, which reach the resources of all servers of a view.
 *
 * The tools belong to the view they are attached to: they are listed behind the servers' tools under the names hosts
 * look for, and called as any other tool is.
 */
#ifndef MCT_RESOURCES_DIALECT_DIALECT_H
#define MCT_RESOURCES_DIALECT_DIALECT_H

#include "hub/view/prefs.h"
#include "resources/reach.h"

/* What the operator decides, for all dialects. */
struct mcti_dialect_opts {
    unsigned list_max, list_ceiling; /* entries of a list: when the caller does not say, and whatever it says */
    unsigned read_max, read_ceiling; /* the same in bytes for one text */
    unsigned list_ms, read_ms;       /* for all servers together */
    unsigned grace_ms;               /* of a list: for who has not answered, from the latest answer on */
    unsigned settle_ms;              /* servers that are still starting are waited for so long */
    unsigned max_pages;              /* of one server's list */
    const char *const *uri_allow;    /* URI schemes that may be read; none: all. Borrowed, as all text here */
    size_t n_uri_allow;
    struct mcti_cache *cache;       /* of what is read; NULL: none */
    const char *blob_dir;           /* claude: where binary contents are written; NULL: the user's cache */
    unsigned shown;                 /* lines: characters of a content that are shown */
    bool strict_nexo;               /* as the original does it: keys in alphabetical order, the flag at the cap */
    bool codex_nulls;               /* absent cursor and server as null */
    bool codex_alphabetical;        /* members in the order of its first generation */
    bool lines_kernel, lines_short; /* a time-out is a state of its own; the fields on one line */
    uint64_t (*wall_ms)(void);      /* since 1970; NULL: the machine's clock */
};

extern const struct mcti_dialect_opts mcti_dialect_defaults;

/* The bit that stands for a dialect; 0: there is none of that name. */
unsigned mcti_dialect_find(struct mcti_str name);

#define MCT_DIALECT_WORDS "nexo, codex, bridge, claude, lines or servers"

/* The name of the dialect whose bit is 1 << i; NULL: there are no more. */
const char *mcti_dialect_name(unsigned i);

/* Reads "codex,nexo" into bits; -1 with *err. */
int mcti_dialects_read(struct mcti_str words, unsigned *ret_bits, struct mct_error *err);

/* How a request made because of a tool call finds its connection; see struct mcti_reach. */
typedef struct mcti_provider *(*mcti_connect_fn)(struct mcti_call *behalf, struct mcti_provider *p,
                                                 struct mcti_branch **ret_branch, struct mct_error *err);

/*
 * Gives the view the tools that are offered, and those of single servers that are configured to have some. Once for a
 * view, before it is used. -1 when out of memory.
 */
int mcti_dialects_attach(struct mcti_view *v, const struct mcti_offer *offer, const struct mcti_dialect_opts *opts,
                         mcti_connect_fn connect, const struct mcti_log *log);

#endif
