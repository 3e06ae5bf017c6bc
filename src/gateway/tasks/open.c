/* The connections of tasks that run: a server that is stopped because it is idle would lose them. */
#include "gateway/tasks/open.h"

#include "base/limits.h"

#include <stdlib.h>

struct open_task {
    struct mcti_list node; /* in gateway->open_tasks, the oldest first */
    struct mcti_gateway *gateway;
    struct mcti_provider *connection;
    struct mcti_branch *branch; /* NULL: the connection is that of all clients */
    uint64_t id, authority;     /* hash of the id that the client has; of its principal */
    struct mcti_timer expiry;
};

static struct open_task *open_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct open_task, node);
}

static void open_free(struct open_task *t)
{
    mcti_list_remove(&t->node);
    mcti_timer_stop(t->gateway->sched, &t->expiry);
    t->connection->n_tasks--;
    mcti_branch_unuse(t->branch);
    free(t);
}

static void open_on_expired(void *data)
{
    open_free(data);
}

/* Makes room for one more task of the principal. */
static void open_limit(struct mcti_gateway *g, uint64_t authority)
{
    struct mcti_list *oldest = NULL;
    size_t n = 0, n_own = 0;
    MCT_LIST_EACH(it, &g->open_tasks) {
        bool is_own = open_of(it)->authority == authority;
        oldest = is_own && !n_own ? it : oldest;
        n_own += is_own;
        n++;
    }
    if (n_own >= MCT_LIMIT_PRINCIPAL_TASKS)
        open_free(open_of(oldest));
    else if (n >= MCT_LIMIT_OPEN_TASKS)
        open_free(open_of(g->open_tasks.next));
}

void mcti_open_task_add(struct mcti_gw_request *r, struct mcti_provider *connection, struct mcti_str id)
{
    struct mcti_gateway *g = r->peer->gateway;
    open_limit(g, r->principal->authority);
    struct open_task *t = calloc(1, sizeof *t);
    if (!t) /* the task runs all the same */
        return;
    *t = (struct open_task){ .gateway = g,
                             .connection = connection,
                             .branch = r->branch,
                             .id = mcti_hash(0, id),
                             .authority = r->principal->authority };
    connection->n_tasks++;
    if (t->branch)
        mcti_branch_use(t->branch);
    mcti_timer_init(&t->expiry, open_on_expired, t);
    mcti_timer_set(g->sched, &t->expiry, MCT_TASK_KEEP_MS);
    mcti_list_append(&g->open_tasks, &t->node);
}

static struct open_task *open_find(struct mcti_gateway *g, struct mcti_str id)
{
    uint64_t hash = mcti_hash(0, id);
    MCT_LIST_EACH(it, &g->open_tasks)
        if (open_of(it)->id == hash)
            return open_of(it);
    return NULL;
}

void mcti_open_task_seen(struct mcti_gateway *g, struct mcti_str id, bool is_over)
{
    struct open_task *t = open_find(g, id);
    if (t && is_over)
        open_free(t);
    else if (t)
        mcti_timer_set(g->sched, &t->expiry, MCT_TASK_KEEP_MS);
}

size_t mcti_open_tasks_count(const struct mcti_gateway *g, const char *server)
{
    size_t n = 0;
    MCT_LIST_EACH(it, &g->open_tasks)
        n += !strcmp(open_of(it)->connection->name, server);
    return n;
}

void mcti_gw_open_tasks_drop(struct mcti_gateway *g, const struct mcti_provider *connection)
{
    MCT_LIST_EACH(it, &g->open_tasks)
        if (!connection || open_of(it)->connection == connection)
            open_free(open_of(it));
}
