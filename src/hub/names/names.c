#include "hub/names/names.h"

#include "base/rand.h"

#include <stdlib.h>

enum { HASH_DIGITS = 12 };

enum { SCHEME_DOUBLE, SCHEME_MCP, SCHEME_NEXO, SCHEME_BARE };

const struct mcti_word mcti_scheme_words[] = {
    { "double", SCHEME_DOUBLE }, { "mcp", SCHEME_MCP }, { "nexo", SCHEME_NEXO }, { "bare", SCHEME_BARE }, { 0 },
};

static const struct scheme {
    const char *head, *separator;
    bool prefixed;
} schemes[] = {
    [SCHEME_DOUBLE] = { "", "__", true },
    [SCHEME_MCP] = { "mcp__", "__", true },
    [SCHEME_NEXO] = { "mcp_", "_", true },
    [SCHEME_BARE] = { "", "", false },
};

const struct mcti_word mcti_prefix_words[] = {
    { "auto", MCT_PREFIX_AUTO },
    { "always", MCT_PREFIX_ALWAYS },
    { "conflict", MCT_PREFIX_CONFLICT },
    { "never", MCT_PREFIX_NEVER },
    { 0 },
};

static const struct scheme *find_scheme(const char *word)
{
    return &schemes[mcti_word_find(mcti_scheme_words, mcti_str_of(word))->value];
}

int mcti_prefix_find(struct mcti_str word, enum mcti_prefix *ret)
{
    const struct mcti_word *found = mcti_word_find(mcti_prefix_words, word);
    if (found)
        *ret = (enum mcti_prefix)found->value;
    return found ? 0 : -1;
}

static char names_clean(char c)
{
    bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    return ok ? c : '_';
}

/* Returns true for a continuation byte of UTF-8; a whole sequence becomes one '_'. */
static bool names_continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void put_clean(struct mcti_buf *to, struct mcti_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!names_continues(s.p[i]))
            mcti_buf_addc(to, names_clean(s.p[i]));
    }
}

/* Puts '_' in front of a name that begins with a digit or '-'. Returns true if it did. */
static bool lead_with_letter(struct mcti_buf *name)
{
    if (!name->len || (name->p[0] != '-' && !(name->p[0] >= '0' && name->p[0] <= '9')))
        return false;
    mcti_buf_addc(name, '_');
    if (mcti_buf_ok(name)) {
        memmove(name->p + 1, name->p, name->len - 1);
        name->p[0] = '_';
    }
    return true;
}

static void put_candidate(struct mcti_buf *to, const struct mcti_naming *naming, const struct mcti_name_in *id,
                          bool prefixed)
{
    const struct scheme *scheme = find_scheme(naming->scheme);
    if (prefixed && scheme->prefixed && !id->preferred.p) {
        mcti_buf_addz(to, scheme->head);
        put_clean(to, id->server);
        put_clean(to, mcti_str_of(naming->separator ? naming->separator : scheme->separator));
    }
    put_clean(to, id->preferred.p ? id->preferred : id->raw);
}

/* Truncates the name and appends the hash of the identity; from the second level on, the hash of the previous hash. */
static int put_hash(struct mcti_buf *name, const struct mcti_name_in *id, size_t max_length, unsigned level)
{
    unsigned char digest[32];
    char hex[65];
    size_t len = name->len > max_length - HASH_DIGITS - 1 ? max_length - HASH_DIGITS - 1 : name->len;
    struct mcti_str head = id->server;
    for (; level; level--) {
        if (mcti_sha256_pair(head, id->raw, digest) < 0)
            return -1;
        mcti_hex(digest, sizeof digest, hex);
        head = mcti_str_of(hex);
    }
    name->len = len;
    mcti_buf_addc(name, '_');
    mcti_buf_add(name, (struct mcti_str){ hex, HASH_DIGITS });
    return 0;
}

/* Precedence when several entries claim the same name: the lowest rank keeps it. */
enum rank { FIXED, BARE, OF_SERVER };

struct entry {
    const struct mcti_name_in *in, *lost_to;
    size_t index;
    enum rank rank;
    bool prefixed;
    unsigned level; /* number of times the name is hashed; 0: plain name */
    char *name;
    struct mcti_map_node by_bare, by_name;
};

static enum rank rank_of(const struct mcti_name_in *in)
{
    return in->fixed ? FIXED : in->bare ? BARE : OF_SERVER;
}

static int by_identity(const void *a, const void *b)
{
    const struct entry *ea = a, *eb = b;
    const struct mcti_name_in *x = ea->in, *y = eb->in;
    int r = (int)ea->rank - (int)eb->rank;
    if (!r)
        r = mcti_str_cmp(x->server, y->server);
    if (!r)
        r = mcti_str_cmp(x->raw, y->raw);
    return r ? r : (x > y) - (x < y);
}

static char *bare_name(const struct mcti_name_in *id)
{
    struct mcti_buf b;
    mcti_buf_init(&b, id->raw.len + id->preferred.len + 1);
    put_clean(&b, id->preferred.p ? id->preferred : id->raw);
    return mcti_buf_take(&b);
}

static struct entry *bare_entry_of(struct mcti_map_node *node)
{
    return MCT_CONTAINER(node, struct entry, by_bare);
}

/* Marks both entries, unless one server has both. An entry that never has a prefix keeps its name: it lost nothing. */
static void names_conflict(struct entry *first, struct entry *e)
{
    if (first->rank == e->rank && mcti_str_eq(first->in->server, e->in->server))
        return;
    first->prefixed = e->prefixed = true;
    e->lost_to = first->in;
    if (!first->lost_to && first->rank == OF_SERVER)
        first->lost_to = e->in;
}

/* Implements the prefix "conflict": marks the entries whose bare name another server or the endpoint has as well. */
static int mark_conflicts(struct entry *e, size_t n)
{
    struct mcti_map map;
    char **bare = calloc(n ? n : 1, sizeof *bare);
    int r = bare ? 0 : -1;
    mcti_map_init(&map);
    for (size_t i = 0; r == 0 && i < n; i++) {
        bare[i] = bare_name(e[i].in);
        struct mcti_map_node *other = bare[i] ? mcti_map_get(&map, mcti_str_of(bare[i])) : NULL;
        if (other)
            names_conflict(bare_entry_of(other), &e[i]);
        else
            r = bare[i] ? mcti_map_put(&map, &e[i].by_bare, mcti_str_of(bare[i])) : -1;
    }
    /* several items of the first server may have that bare name */
    for (size_t i = 0; r == 0 && i < n; i++)
        e[i].prefixed |= bare_entry_of(mcti_map_get(&map, mcti_str_of(bare[i])))->prefixed;
    mcti_map_done(&map);
    for (size_t i = 0; bare && i < n; i++)
        free(bare[i]);
    free(bare);
    return r;
}

/* Makes the name of the entry's level. An invalid plain name moves the entry to level 1. */
static int make_name(const struct mcti_naming *naming, struct entry *e)
{
    struct mcti_buf b;
    free(e->name);
    e->name = NULL;
    if (e->rank == FIXED) {
        e->name = mcti_str_dup(e->in->raw);
        return e->name ? 0 : -1;
    }
    mcti_buf_init(&b, 4096 + e->in->server.len + e->in->raw.len + e->in->preferred.len);
    put_candidate(&b, naming, e->in, e->prefixed && e->rank != BARE);
    bool led = naming->letter_first && lead_with_letter(&b);
    if (!e->level && (!b.len || b.len > naming->max_length || led))
        e->level = 1;
    int r = e->level ? put_hash(&b, e->in, naming->max_length, e->level) : 0;
    if (r < 0)
        mcti_buf_done(&b);
    else
        e->name = mcti_buf_take(&b);
    return e->name ? 0 : -1;
}

/* ---- clashes ---- */

struct clashes {
    struct mcti_map taken;     /* entries by the names they have */
    struct mcti_map contested; /* contests by names that no entry gets */
    struct mcti_contest *contests;
    struct entry **next; /* entries that need another name */
    size_t n_next;
};

/* Records a contest: no entry gets the name that `e` would have, in this round or later. */
static int note_contest(struct clashes *c, const struct entry *e)
{
    size_t len = strlen(e->name);
    struct mcti_contest *one = malloc(sizeof *one + len + 1);
    if (!one)
        return -1;
    memcpy(one->name, e->name, len + 1);
    one->index = e->index;
    one->next = c->contests;
    c->contests = one;
    return mcti_map_put(&c->contested, &one->by_name, mcti_str_of(one->name));
}

static void names_lose(struct clashes *c, struct entry *e, const struct mcti_name_in *to)
{
    e->level++;
    e->lost_to = e->lost_to ? e->lost_to : to;
    c->next[c->n_next++] = e;
}

/* Takes the name from both entries, because entries of two servers claim it. */
static int names_contest(struct clashes *c, struct entry *holder, struct entry *e)
{
    mcti_map_remove(&c->taken, &holder->by_name);
    if (note_contest(c, holder) < 0 || note_contest(c, e) < 0)
        return -1;
    names_lose(c, holder, e->in);
    names_lose(c, e, holder->in);
    return 0;
}

/* Gives the entry its preferred name, or adds it to the entries that need another name. Returns -1 when out of memory.
 */
static int names_claim(struct clashes *c, struct entry *e, const struct mcti_name_in *in)
{
    struct mcti_str name = mcti_str_of(e->name);
    struct mcti_map_node *contested = mcti_map_get(&c->contested, name), *taken = mcti_map_get(&c->taken, name);
    struct entry *holder = taken ? MCT_CONTAINER(taken, struct entry, by_name) : NULL;
    if (contested) {
        if (note_contest(c, e) < 0)
            return -1;
        names_lose(c, e, &in[MCT_CONTAINER(contested, struct mcti_contest, by_name)->index]);
        return 0;
    }
    if (!holder || e->rank == FIXED)
        return mcti_map_put(&c->taken, &e->by_name, name);
    if (holder->rank == e->rank && !mcti_str_eq(holder->in->server, e->in->server))
        return names_contest(c, holder, e);
    names_lose(c, e, holder->in);
    return 0;
}

/* Makes names for all entries, then again for those that lost theirs. Terminates because levels only grow. */
static int assign_all(const struct mcti_naming *naming, struct entry *e, size_t n, struct clashes *c)
{
    struct entry **now = calloc(2 * n + 1, sizeof *now);
    const struct mcti_name_in *in = n ? e[0].in - e[0].index : NULL;
    size_t n_now = n;
    c->next = now ? now + n : NULL;
    int r = now ? 0 : -1;
    for (size_t i = 0; now && i < n; i++)
        now[i] = &e[i];
    for (; r == 0 && n_now; n_now = c->n_next) {
        c->n_next = 0;
        for (size_t i = 0; r == 0 && i < n_now; i++)
            r = make_name(naming, now[i]) < 0 ? -1 : names_claim(c, now[i], in);
        memcpy(now, c->next, c->n_next * sizeof *now);
    }
    free(now);
    return r;
}

void mcti_contests_free(struct mcti_contest *list)
{
    for (struct mcti_contest *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

static void hand_over(struct entry *e, size_t n, bool good, char **ret, struct mcti_name_clashes *ret_clashes)
{
    for (size_t i = 0; i < n; i++) {
        ret[e[i].index] = good ? e[i].name : NULL;
        if (!good)
            free(e[i].name);
        if (ret_clashes && ret_clashes->lost_to)
            ret_clashes->lost_to[e[i].index] = e[i].rank == FIXED ? NULL : e[i].lost_to;
    }
}

int mcti_names_assign(const struct mcti_naming *naming, const struct mcti_name_in *in, size_t n, char **ret,
                      struct mcti_name_clashes *ret_clashes)
{
    struct entry *e = calloc(n ? n : 1, sizeof *e);
    struct clashes c = { 0 };
    if (!e)
        return -1;
    for (size_t i = 0; i < n; i++)
        e[i] = (struct entry){ .in = &in[i],
                               .index = i,
                               .rank = rank_of(&in[i]),
                               .prefixed = naming->prefix == MCT_PREFIX_ALWAYS || naming->prefix == MCT_PREFIX_AUTO };
    qsort(e, n, sizeof *e, by_identity);
    int r = naming->prefix == MCT_PREFIX_CONFLICT ? mark_conflicts(e, n) : 0;
    if (r == 0)
        r = assign_all(naming, e, n, &c);
    hand_over(e, n, r == 0, ret, ret_clashes);
    mcti_map_done(&c.taken);
    mcti_map_done(&c.contested);
    if (ret_clashes && r == 0)
        ret_clashes->contests = c.contests;
    else
        mcti_contests_free(c.contests);
    free(e);
    return r;
}

/* ---- heads ---- */

/* Removes the part, as put_clean() writes it, from the beginning of the name. Returns false if it is not there. */
static bool names_eat(struct mcti_str *name, struct mcti_str part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (names_continues(part.p[i]))
            continue;
        if (!name->len || *name->p != names_clean(part.p[i]))
            return false;
        *name = (struct mcti_str){ name->p + 1, name->len - 1 };
    }
    return true;
}

bool mcti_name_is_under(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name)
{
    const struct scheme *scheme = find_scheme(naming->scheme);
    struct mcti_str separator = mcti_str_of(naming->separator ? naming->separator : scheme->separator);
    return naming->prefix != MCT_PREFIX_NEVER && scheme->prefixed && separator.len &&
           names_eat(&name, mcti_str_of(scheme->head)) && names_eat(&name, server) && names_eat(&name, separator);
}

size_t mcti_name_server_len(const struct mcti_naming *naming, struct mcti_str server, struct mcti_str name)
{
    struct mcti_str separator = mcti_str_of(naming->separator ? naming->separator : "__");
    if (!mcti_str_starts(name, server))
        return 0;
    struct mcti_str rest = { name.p + server.len, name.len - server.len };
    if (mcti_str_starts(rest, MCT_STR(".")))
        return server.len + 1;
    return separator.len && mcti_str_starts(rest, separator) ? server.len + separator.len : 0;
}
