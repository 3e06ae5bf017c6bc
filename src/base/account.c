#include "base/account.h"

#include "base/limits.h"

enum { RESERVE_PART = 8, SMALL_PART = 64 };

const char *mcti_held_word(enum mcti_held kind)
{
    static const char *const words[MCT_HELD_N] = { "request", "answer", "event", "call", "subscription", "parked" };
    return words[kind];
}

/* Returns true if the account has room for `n` more bytes. Accounts below it that hold little may use its reserve, so
 * that others cannot lock them out. */
static bool account_has_room(const struct mcti_account *a, size_t held, size_t below, size_t n)
{
    const struct mcti_account_rule *r = a->rule;
    if (!r)
        return true;
    size_t room = r->share - (below <= r->small ? 0 : r->reserve);
    return n <= room && held <= room - n;
}

void mcti_account_count_refusal(struct mcti_account *a, enum mcti_held kind)
{
    for (; a; a = a->parent)
        if (a->tally)
            a->tally->refused[kind]++;
}

struct mcti_account *mcti_account_over(struct mcti_account *a, size_t n, size_t freed)
{
    size_t below = n;
    for (; a; a = a->parent) {
        size_t held = a->held - freed;
        if (!account_has_room(a, held, below, n))
            return a;
        below = held + n;
    }
    return NULL;
}

struct mcti_account *mcti_account_charge(struct mcti_account *a, enum mcti_held kind, size_t n)
{
    struct mcti_account *over = mcti_account_over(a, n, 0);
    if (over)
        mcti_account_count_refusal(a, kind);
    else
        mcti_account_add(a, kind, n);
    return over;
}

void mcti_account_add(struct mcti_account *a, enum mcti_held kind, size_t n)
{
    for (; a; a = a->parent) {
        a->held += n;
        if (a->tally)
            a->tally->held[kind] += n;
    }
}

void mcti_account_release(struct mcti_account *a, enum mcti_held kind, size_t n)
{
    for (; a; a = a->parent) {
        a->held -= n;
        if (a->tally)
            a->tally->held[kind] -= n;
    }
}

struct mcti_account *mcti_account_set(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n)
{
    struct mcti_account *over = n > *charged ? mcti_account_charge(a, kind, n - *charged) : NULL;
    if (over)
        return over;
    if (n < *charged)
        mcti_account_release(a, kind, *charged - n);
    *charged = n;
    return NULL;
}

void mcti_account_put(struct mcti_account *a, enum mcti_held kind, size_t *charged, size_t n)
{
    if (n > *charged)
        mcti_account_add(a, kind, n - *charged);
    else
        mcti_account_release(a, kind, *charged - n);
    *charged = n;
}

bool mcti_account_within(const struct mcti_account *a, const struct mcti_account *above)
{
    while (a && a != above)
        a = a->parent;
    return a;
}

static size_t account_part(size_t bytes, unsigned percent, unsigned otherwise)
{
    return bytes / 100 * (percent ? percent : otherwise);
}

void mcti_memory_set(struct mcti_memory *m, const struct mcti_memory_opts *o)
{
    size_t bytes = o->bytes ? o->bytes : MCT_LIMIT_MEMORY_BYTES;
    size_t principal = o->apart ? account_part(bytes, o->principal_share, MCT_LIMIT_PRINCIPAL_SHARE) : bytes;
    size_t server = account_part(bytes, o->server_share, MCT_LIMIT_SERVER_SHARE);
    m->rules[MCT_LEVEL_WHOLE] =
        (struct mcti_account_rule){ bytes, o->apart ? bytes / RESERVE_PART : 0, bytes / SMALL_PART,
                                    "the gateway has reached its memory limit (limits.memory_bytes)" };
    m->rules[MCT_LEVEL_PRINCIPAL] = (struct mcti_account_rule){
        principal, principal / RESERVE_PART, MCT_LIMIT_SMALL_BYTES,
        o->apart ? "the requests of this token have reached their memory limit (limits.principal_share)"
                 : "the gateway has reached its memory limit (limits.memory_bytes)"
    };
    m->rules[MCT_LEVEL_CLIENT] =
        (struct mcti_account_rule){ account_part(bytes, o->client_share, MCT_LIMIT_CLIENT_SHARE), 0, 0,
                                    "this connection or session has reached its memory limit (limits.client_share)" };
    m->rules[MCT_LEVEL_SERVER] =
        (struct mcti_account_rule){ server, server / RESERVE_PART, MCT_LIMIT_SMALL_BYTES,
                                    "calls to this server have reached their memory limit (limits.server_share)" };
}

void mcti_memory_init(struct mcti_memory *m, const struct mcti_memory_opts *o)
{
    *m = (struct mcti_memory){ .whole = { .rule = &m->rules[MCT_LEVEL_WHOLE], .tally = &m->tally } };
    mcti_memory_set(m, o);
}
