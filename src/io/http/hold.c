/*
 * What connections make the server hold, and which of them ends when that is too much: not the one that comes next, but
 * the one that has held much for long without moving on.
 */
#include "io/http/conn.h"

enum {
    ALWAYS_BYTES = 4096, /* a refusal can always be told */
    PAUSE_MS = 100,      /* after a search of all connections that found none */
    VICTIMS = 16,        /* connections that one may displace at once */
};

size_t mcti_http_conn_requested(const struct mcti_http_conn *c)
{
    const struct mcti_http_request *r = c->request;
    return c->ahead.len + (r ? r->head.len + r->body.len : 0);
}

static size_t *hold_slot_of(struct mcti_http_conn *c, enum mcti_held kind)
{
    return kind == MCT_HELD_REQUEST ? &c->held_in : &c->held_out;
}

void mcti_http_conn_note(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes)
{
    if (kind == MCT_HELD_ANSWER && !(bytes && c->stuck_ms))
        c->stuck_ms = bytes ? mcti_sched_now(&c->server->loop->sched) : 0;
    mcti_account_put(&c->account, kind, hold_slot_of(c, kind), bytes);
}

/* ---- making room ---- */

/* Bytes times milliseconds; 0: it moves on, or holds nothing that could be taken from it. */
static uint64_t hold_burden(const struct mcti_http_conn *c, uint64_t now)
{
    bool reads = c->phase == MCT_HTTP_READING && c->request->head_done;
    uint64_t in_ms = reads ? now - c->request->moved_ms : 0, out_ms = c->stuck_ms ? now - c->stuck_ms : 0;
    uint64_t in = in_ms >= MCT_LIMIT_HTTP_ROOM_MS ? c->held_in * in_ms : 0;
    uint64_t out = out_ms >= MCT_LIMIT_HTTP_ROOM_MS ? c->held_out * out_ms : 0;
    return c->closing || c->out.failed ? 0 : in > out ? in : out;
}

/* Nobody makes room for a principal that holds more. */
static bool may_displace(const struct mcti_account *asks, const struct mcti_http_conn *c,
                         const struct mcti_account *over)
{
    const struct mcti_account *other = c->account.parent;
    return mcti_account_within(&c->account, over) && (asks == other || asks->held <= other->held);
}

static struct mcti_http_conn *hold_heaviest(struct mcti_http_server *s, const struct mcti_http_conn *own,
                                            const struct mcti_account *asks, const struct mcti_account *over)
{
    struct mcti_http_conn *found = NULL;
    uint64_t now = mcti_sched_now(&s->loop->sched), most = own ? hold_burden(own, now) : 0;
    MCT_LIST_EACH(it, &s->conns) {
        struct mcti_http_conn *c = MCT_CONTAINER(it, struct mcti_http_conn, node);
        if (c == own || hold_burden(c, now) <= most || !may_displace(asks, c, over))
            continue;
        most = hold_burden(c, now);
        found = c;
    }
    return found;
}

static void give_way(struct mcti_http_conn *c)
{
    static const char why[] = "it came too slowly, and others needed the memory (limits.memory_bytes)";
    if (c->phase != MCT_HTTP_READING || c->held_out > c->held_in) {
        mcti_http_conn_drop(c, "others needed the memory (limits.memory_bytes)");
        return;
    }
    mcti_buf_done(&c->request->body);
    mcti_http_refuse(c, 503, why, MCT_STR("Retry-After: 5\r\n"));
}

/* Where the last search of this principal is noted. Two that share a slot only search more often. */
static struct mcti_http_look *hold_look_of(struct mcti_http_server *s, const struct mcti_account *asks)
{
    return &s->looks[(uintptr_t)asks / sizeof *asks % MCT_HTTP_LOOKS];
}

/* A search costs time, so it is not repeated at once in vain. The pause counts from a search, never from a request that
 * the pause refused: otherwise a busy principal would renew it for ever. */
static bool hold_make_room(struct mcti_http_server *s, const struct mcti_http_conn *own,
                           const struct mcti_account *asks, const struct mcti_account *over)
{
    uint64_t now = mcti_sched_now(&s->loop->sched);
    struct mcti_http_look *look = hold_look_of(s, asks);
    if (look->asks == asks && look->over == over && now - look->ms < PAUSE_MS)
        return false;
    struct mcti_http_conn *other = hold_heaviest(s, own, asks, over);
    if (other)
        give_way(other);
    else
        *look = (struct mcti_http_look){ asks, over, now };
    return other;
}

bool mcti_http_make_room(struct mcti_http_server *s, const struct mcti_account *asks, const struct mcti_account *over)
{
    return hold_make_room(s, NULL, asks, over);
}

/* Charges `more` bytes. NULL, or the account that has no room for them. */
static const struct mcti_account *hold_charge(struct mcti_http_conn *c, enum mcti_held kind, size_t more)
{
    struct mcti_account *over;
    for (int n = 0; (over = mcti_account_over(&c->account, more, 0)); n++)
        if (over == &c->account || n == VICTIMS || !hold_make_room(c->server, c, c->account.parent, over)) {
            mcti_account_count_refusal(&c->account, kind);
            return over;
        }
    mcti_account_add(&c->account, kind, more);
    return NULL;
}

const char *mcti_http_conn_hold(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes)
{
    size_t *slot = hold_slot_of(c, kind);
    bool always = kind == MCT_HELD_ANSWER && bytes <= ALWAYS_BYTES;
    if (!always && bytes > *slot) {
        const struct mcti_account *over = hold_charge(c, kind, bytes - *slot);
        if (over)
            return over->rule->refusal;
        *slot = bytes;
    }
    mcti_http_conn_note(c, kind, bytes);
    return NULL;
}
