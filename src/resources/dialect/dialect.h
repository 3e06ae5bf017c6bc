/*
 * Resource tools: tools that let a model list and read resources, because models can only call tools. A dialect is the
 * set of tools that one kind of host expects. Each dialect is one file with a row in offer.c; it reads arguments and
 * writes results, and reaches the servers of a view through listing.h and reading.h.
 *
 * The tools belong to the view they are attached to. They are listed after the servers' tools, under the fixed names
 * that hosts expect, and called like any other tool.
 */
#ifndef MCT_RESOURCES_DIALECT_DIALECT_H
#define MCT_RESOURCES_DIALECT_DIALECT_H

#include "hub/view/prefs.h"
#include "resources/lines/language.h"
#include "resources/reach.h"

/* Which servers the lists of codex, bridge and claude name beside the items of the others: those that were too slow, or
 * are being connected again; all that failed; none. The other dialects name all. */
enum mcti_told { MCT_TOLD_LATE, MCT_TOLD_ALL, MCT_TOLD_NONE };

extern const struct mcti_word mcti_told_words[];

struct mcti_results;

/* Options of all dialects. */
struct mcti_dialect_opts {
    unsigned list_max, list_ceiling; /* entries of a list: default, and upper limit of the caller's choice */
    unsigned read_max, read_ceiling; /* the same for one text, in bytes */
    unsigned list_ms, read_ms;       /* for all servers together */
    unsigned grace_ms;            /* of a list: time for the remaining servers after each answer; 0: all of list_ms */
    unsigned settle_ms;           /* how long a read waits for starting servers, within half of read_ms */
    unsigned told;                /* enum mcti_told */
    unsigned max_pages;           /* pages of one server's list */
    const char *const *uri_allow; /* schemes that may be read; n_uri_allow 0: all. All text here is borrowed */
    size_t n_uri_allow;
    struct mcti_cache *cache;       /* of results of resources/read; NULL: none */
    struct mcti_results *results;   /* results that read_result reads; it is offered while they are on. NULL: never */
    const char *blob_dir;           /* claude: folder for binary contents; NULL: in the user's cache */
    unsigned whole, shown;          /* lines: longest content shown whole, and the part shown of a longer one, in
                                     * characters. whole 0: 10000, or `shown` if that is not the default */
    enum mcti_language language;    /* lines */
    bool auth_tool;                 /* nexo: offers McpAuth */
    bool strict_nexo;               /* nexo: full compatibility: sorted keys, `truncated` set at cap */
    const char *bridge_prefix;      /* bridge: beginning of the names of the tools; NULL: "mcp" */
    bool codex_nulls;               /* codex: writes an absent cursor and server as null */
    bool codex_alphabetical;        /* codex: members in the alphabetical order of the first Codex versions */
    bool lines_kernel, lines_short; /* lines: a timeout is a separate state; all fields are on one line */
    uint64_t (*wall_ms)(void);      /* time since 1970; NULL: the system clock */
};

extern const struct mcti_dialect_opts mcti_dialect_defaults;

/* Returns the beginning of the names of the tools of the dialect "bridge". */
static inline const char *mcti_bridge_prefix(const struct mcti_dialect_opts *o)
{
    return o->bridge_prefix && *o->bridge_prefix ? o->bridge_prefix : "mcp";
}

/* Returns the bit of a dialect; 0 if the name is unknown. */
unsigned mcti_dialect_find(struct mcti_str name);

#define MCT_DIALECT_WORDS "nexo, codex, bridge, claude, lines, servers or skills"

/* Returns the name of the dialect whose bit is 1 << i; NULL after the last one. */
const char *mcti_dialect_name(unsigned i);

/* Converts a list like "codex,nexo" to bits; on failure returns -1 and sets *err. */
int mcti_dialects_read(struct mcti_str words, unsigned *ret_bits, struct mct_error *err);

/* Finds the connection for a request that a tool call makes; see struct mcti_reach. */
typedef struct mcti_provider *(*mcti_connect_fn)(struct mcti_call *behalf, struct mcti_provider *p,
                                                 struct mcti_branch **ret_branch, struct mct_error *err);

/*
 * Attaches to the view the tools that `offer` names, and the tools of single servers that are configured to have them.
 * To be called once for a view, before it is used. Returns -1 when out of memory.
 */
int mcti_dialects_attach(struct mcti_view *v, const struct mcti_offer *offer, const struct mcti_dialect_opts *opts,
                         mcti_connect_fn connect, const struct mcti_log *log);

#endif
