/*
 * Memory held by connections. When a limit is exceeded, the connection that has held much memory for long without
 * progress is ended, not the newest one.
 */
#include "io/http/conn.h"

enum {
    ALWAYS_BYTES = 4096, /* always granted, so that an error answer can be sent */
    PAUSE_MS = 100,      /* pause after a search that found no connection */
    VICTIMS = 16,        /* connections that one request may end */
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

/* Returns held bytes times stalled milliseconds; 0: the connection makes progress, or ending it would free nothing. */
static uint64_t hold_burden(const struct mcti_http_conn *c, uint64_t now)
{
    bool reads = c->phase == MCT_HTTP_READING && c->request->head_done;
    uint64_t in_ms = reads ? now - c->request->moved_ms : 0, out_ms = c->stuck_ms ? now - c->stuck_ms : 0;
    uint64_t in = in_ms >= MCT_LIMIT_HTTP_ROOM_MS ? c->held_in * in_ms : 0;
    uint64_t out = out_ms >= MCT_LIMIT_HTTP_ROOM_MS ? c->held_out * out_ms : 0;
    return c->closing || c->out.failed ? 0 : in > out ? in : out;
}

/* Returns true if ending `c` may make room for `requester`: not if the principal of `c` holds less than `requester`. */
static bool may_end_conn(const struct mcti_account *requester, const struct mcti_http_conn *c,
                         const struct mcti_account *over)
{
    const struct mcti_account *other = c->account.parent;
    return mcti_account_within(&c->account, over) && (requester == other || requester->held <= other->held);
}

static struct mcti_http_conn *hold_heaviest(struct mcti_http_server *s, const struct mcti_http_conn *own,
                                            const struct mcti_account *requester, const struct mcti_account *over)
{
    struct mcti_http_conn *found = NULL;
    uint64_t now = mcti_sched_now(&s->loop->sched), most = own ? hold_burden(own, now) : 0;
    MCT_LIST_EACH(it, &s->conns) {
        struct mcti_http_conn *c = MCT_CONTAINER(it, struct mcti_http_conn, node);
        if (c == own || hold_burden(c, now) <= most || !may_end_conn(requester, c, over))
            continue;
        most = hold_burden(c, now);
        found = c;
    }
    return found;
}

static void hold_end_conn(struct mcti_http_conn *c)
{
    static const char why[] = "the body arrived too slowly, and other requests needed the memory (limits.memory_bytes)";
    if (c->phase != MCT_HTTP_READING || c->held_out > c->held_in) {
        mcti_http_conn_drop(c, "other requests needed the memory (limits.memory_bytes)");
        return;
    }
    mcti_buf_done(&c->request->body);
    mcti_http_refuse(c, 503, why, MCT_STR("Retry-After: 5\r\n"));
}

/* Returns the record of the last search for this principal. Principals that share a slot only search more often. */
static struct mcti_http_look *hold_look_of(struct mcti_http_server *s, const struct mcti_account *requester)
{
    return &s->looks[(uintptr_t)requester / sizeof *requester % MCT_HTTP_LOOKS];
}

/* Searches for a connection to end, and ends it. A search is expensive, so a failed one is not repeated within
 * PAUSE_MS. The pause counts from the search, not from a request it refused; otherwise a busy principal would renew it
 * forever. */
static bool hold_make_room(struct mcti_http_server *s, const struct mcti_http_conn *own,
                           const struct mcti_account *requester, const struct mcti_account *over)
{
    uint64_t now = mcti_sched_now(&s->loop->sched);
    struct mcti_http_look *look = hold_look_of(s, requester);
    if (look->requester == requester && look->over == over && now - look->ms < PAUSE_MS)
        return false;
    struct mcti_http_conn *other = hold_heaviest(s, own, requester, over);
    if (other)
        hold_end_conn(other);
    else
        *look = (struct mcti_http_look){ requester, over, now };
    return other;
}

bool mcti_http_make_room(struct mcti_http_server *s, const struct mcti_account *requester,
                         const struct mcti_account *over)
{
    return hold_make_room(s, NULL, requester, over);
}

/* Charges `more` bytes. Returns NULL, or the account whose limit would be exceeded. */
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
