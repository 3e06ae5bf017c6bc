#include "hub/names.h"

#include "base/map.h"
#include "base/rand.h"

#include <stdlib.h>

enum { HASH_DIGITS = 12 };

static const struct scheme {
    const char *word, *head, *separator;
    bool prefixed;
} schemes[] = {
    { "double", "", "__", true },
    { "mcp", "mcp__", "__", true },
    { "nexo", "mcp_", "_", true },
    { "bare", "", "", false },
};

static const struct scheme *find_scheme(const char *word)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (!strcmp(schemes[i].word, word))
            return &schemes[i];
    return NULL;
}

bool mct_naming_knows(const char *scheme)
{
    return find_scheme(scheme) != NULL;
}

int mct_prefix_find(struct mct_str word, enum mct_prefix *ret)
{
    static const char *const words[] = { "always", "conflict", "never" };
    for (int i = 0; i < 3; i++) {
        if (mct_str_is(word, words[i])) {
            *ret = (enum mct_prefix)i;
            return 0;
        }
    }
    return -1;
}

static void put_clean(struct mct_buf *to, struct mct_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
        /* one '_' for a whole UTF-8 sequence */
        if (ok || ((unsigned char)c & 0xc0) != 0x80)
            mct_buf_addc(to, ok ? c : '_');
    }
}

/* Puts '_' in front of what begins with a digit or '-'; whether it did. */
static bool lead_with_letter(struct mct_buf *name)
{
    if (!name->len || (name->p[0] != '-' && !(name->p[0] >= '0' && name->p[0] <= '9')))
        return false;
    mct_buf_addc(name, '_');
    if (mct_buf_ok(name)) {
        memmove(name->p + 1, name->p, name->len - 1);
        name->p[0] = '_';
    }
    return true;
}

static void put_candidate(struct mct_buf *to, const struct mct_naming *naming,
                          const struct mct_name_in *id, bool prefixed)
{
    const struct scheme *scheme = find_scheme(naming->scheme);
    if (prefixed && scheme->prefixed && !id->wish.p) {
        mct_buf_addz(to, scheme->head);
        put_clean(to, id->server);
        put_clean(to, mct_str_of(naming->separator ? naming->separator : scheme->separator));
    }
    put_clean(to, id->wish.p ? id->wish : id->raw);
}

/* Cuts to make room and appends the hash of the identity. Where two of one identity are both too long, the name is taken
 * even so: then the hash is hashed. */
static int put_hash(struct mct_buf *name, const struct mct_name_in *id, size_t max_length, const struct mct_map *taken)
{
    unsigned char digest[32];
    char hex[65];
    size_t len = name->len > max_length - HASH_DIGITS - 1 ? max_length - HASH_DIGITS - 1 : name->len;
    struct mct_str head = id->server;
    do {
        if (mct_sha256_pair(head, id->raw, digest) < 0)
            return -1;
        mct_hex(digest, sizeof digest, hex);
        head = mct_str_of(hex);
        name->len = len;
        mct_buf_addc(name, '_');
        mct_buf_add(name, (struct mct_str){ hex, HASH_DIGITS });
    } while (mct_buf_ok(name) && mct_map_get(taken, mct_buf_str(name)));
    return 0;
}

struct entry {
    const struct mct_name_in *in, *lost_to;
    size_t index;
    bool prefixed;
    struct mct_map_node by_bare, by_name;
};

static int by_identity(const void *a, const void *b)
{
    const struct mct_name_in *x = ((const struct entry *)a)->in, *y = ((const struct entry *)b)->in;
    int r = y->fixed - x->fixed; /* these have no choice */
    if (!r)
        r = y->bare - x->bare;
    if (!r)
        r = mct_str_cmp(x->server, y->server);
    if (!r)
        r = mct_str_cmp(x->raw, y->raw);
    return r ? r : (x > y) - (x < y);
}

static char *bare_name(const struct mct_name_in *id)
{
    struct mct_buf b;
    mct_buf_init(&b, id->raw.len + 1);
    put_clean(&b, id->raw);
    return mct_buf_take(&b);
}

static void conflict(struct entry *first, struct entry *e)
{
    first->prefixed = e->prefixed = true;
    e->lost_to = first->in;
    if (!first->lost_to)
        first->lost_to = e->in;
}

/* Under "conflict", those whose bare name another server has too get the prefix. */
static int mark_conflicts(struct entry *e, size_t n)
{
    struct mct_map map;
    char **bare = calloc(n ? n : 1, sizeof *bare);
    int r = bare ? 0 : -1;
    mct_map_init(&map);
    for (size_t i = 0; r == 0 && i < n; i++) {
        bare[i] = bare_name(e[i].in);
        struct mct_map_node *other = bare[i] ? mct_map_get(&map, mct_str_of(bare[i])) : NULL;
        if (other)
            conflict(MCT_CONTAINER(other, struct entry, by_bare), &e[i]);
        else
            r = bare[i] ? mct_map_put(&map, &e[i].by_bare, mct_str_of(bare[i])) : -1;
    }
    mct_map_done(&map);
    for (size_t i = 0; bare && i < n; i++)
        free(bare[i]);
    free(bare);
    return r;
}

static char *assign_one(const struct mct_naming *naming, struct entry *e, const struct mct_map *taken)
{
    struct mct_map_node *other;
    struct mct_buf b;
    if (e->in->fixed)
        return mct_str_dup(e->in->raw);
    mct_buf_init(&b, 4096);
    put_candidate(&b, naming, e->in, e->prefixed && !e->in->bare);
    bool led = naming->letter_first && lead_with_letter(&b);
    other = mct_map_get(taken, mct_buf_str(&b));
    if (other)
        e->lost_to = MCT_CONTAINER(other, struct entry, by_name)->in;
    if ((!b.len || b.len > naming->max_length || led || other) &&
        put_hash(&b, e->in, naming->max_length, taken) < 0) {
        mct_buf_done(&b);
        return NULL;
    }
    return mct_buf_take(&b);
}

static int assign_all(const struct mct_naming *naming, struct entry *e, size_t n, char **ret)
{
    struct mct_map taken;
    int r = 0;
    mct_map_init(&taken);
    for (size_t i = 0; r == 0 && i < n; i++) {
        char *name = ret[e[i].index] = assign_one(naming, &e[i], &taken);
        r = name ? mct_map_put(&taken, &e[i].by_name, mct_str_of(name)) : -1;
    }
    mct_map_done(&taken);
    return r;
}

int mct_names_assign(const struct mct_naming *naming, const struct mct_name_in *in, size_t n,
                     char **ret, const struct mct_name_in **ret_lost_to)
{
    struct entry *e = calloc(n ? n : 1, sizeof *e);
    if (!e)
        return -1;
    memset(ret, 0, n * sizeof *ret);
    for (size_t i = 0; i < n; i++)
        e[i] = (struct entry){ .in = &in[i], .index = i,
                               .prefixed = naming->prefix == MCT_PREFIX_ALWAYS };
    qsort(e, n, sizeof *e, by_identity);
    int r = naming->prefix == MCT_PREFIX_CONFLICT ? mark_conflicts(e, n) : 0;
    if (r == 0)
        r = assign_all(naming, e, n, ret);
    for (size_t i = 0; ret_lost_to && i < n; i++)
        ret_lost_to[e[i].index] = e[i].in->fixed ? NULL : e[i].lost_to;
    for (size_t i = 0; r < 0 && i < n; i++) {
        free(ret[i]);
        ret[i] = NULL;
    }
    free(e);
    return r;
}
