/*
 * Shares of a turn of the event loop. The poll may report a thousand connections at once, with a request, or with their
 * end. A turn takes as much work of them as MCT_TURN_WORK_BYTES allow; the others wait for their turn, in order, so
 * that answers of servers and everybody else come in between. Connections whose request has just arrived go first,
 * those that have sent requests ahead or have ended come later, but at least one in each turn.
 */
#include "io/http/conn.h"

void mcti_http_turn_renew(struct mcti_http_server *s)
{
    if (s->turn == s->loop->sched.turn)
        return;
    s->turn = s->loop->sched.turn;
    s->n_accepted = 0;
    s->turn_bytes = 0;
    s->turn_work = 0;
}

void mcti_http_turn_spend(struct mcti_http_server *s, size_t bytes)
{
    mcti_http_turn_renew(s);
    s->turn_work += bytes;
}

bool mcti_http_turn_take(struct mcti_http_conn *c, enum mcti_http_rank rank)
{
    struct mcti_http_server *s = c->server;
    mcti_http_turn_renew(s);
    bool is_first = mcti_list_empty(&s->waiting[MCT_HTTP_FRESH]) && mcti_list_empty(&s->waiting[rank]);
    if (s->serves_waiting || (is_first && s->turn_work < MCT_TURN_WORK_BYTES && mcti_list_empty(&c->waits)))
        return true;
    if (mcti_list_empty(&c->waits))
        mcti_list_append(&s->waiting[rank], &c->waits);
    mcti_task_defer(&s->loop->sched, &s->next);
    return false;
}

/* Serves connections of one rank until the work of this turn is used up. */
static void turn_serve(struct mcti_http_server *s, enum mcti_http_rank rank, size_t max_work)
{
    struct mcti_list *waiting = &s->waiting[rank];
    while (!mcti_list_empty(waiting) && s->turn_work < max_work) {
        struct mcti_http_conn *c = MCT_CONTAINER(waiting->next, struct mcti_http_conn, waits);
        mcti_list_remove(&c->waits);
        mcti_http_conn_go_on(c);
    }
}

void mcti_http_turn_next(void *data)
{
    struct mcti_http_server *s = data;
    mcti_http_turn_renew(s);
    s->serves_waiting = true;
    turn_serve(s, MCT_HTTP_FRESH, MCT_TURN_WORK_BYTES);
    turn_serve(s, MCT_HTTP_LATER, s->turn_work < MCT_TURN_WORK_BYTES ? MCT_TURN_WORK_BYTES : s->turn_work + 1);
    s->serves_waiting = false;
    if (!mcti_list_empty(&s->waiting[MCT_HTTP_FRESH]) || !mcti_list_empty(&s->waiting[MCT_HTTP_LATER]))
        mcti_task_defer(&s->loop->sched, &s->next);
}
