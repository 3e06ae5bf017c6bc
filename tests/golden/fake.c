#include "fake.h"

#include "hub/local/local.h"
#include "hub/core/stage.h"

#include <stdlib.h>

struct fake_request {
    struct mcti_list node;
    struct mcti_task task;
    struct mcti_call *call;
    struct mcti_provider *p;
    char *result, *error;
    bool asked_page;
};

/* The ops are inside of the fake, so that they lead back to it. */
static struct fake *fake_of(const struct mcti_provider *p)
{
    return MCT_CONTAINER((struct mcti_provider_ops *)(uintptr_t)p->ops, struct fake, ops);
}

static void request_free(struct fake_request *r)
{
    mcti_list_remove(&r->node);
    mcti_task_stop(&r->task);
    free(r->result);
    free(r->error);
    free(r);
}

static void on_task(void *data)
{
    struct fake_request *r = data;
    struct mcti_call *call = r->call;
    struct mcti_outcome o = { .result = mcti_str_of(r->result), .error = mcti_str_of(r->error), .rev = r->p->info.rev };
    mcti_call_finish(call, &o);
    request_free(r);
}

/* ---- lists ---- */

static enum mcti_kind kind_of(enum mcti_verb verb)
{
    int kind = 0;
    while (kind < MCT_KIND_N && mcti_kind_info((enum mcti_kind)kind)->list_verb != verb)
        kind++;
    return (enum mcti_kind)kind;
}

static char *page(const struct fake *f, enum mcti_kind kind, size_t from)
{
    const struct mcti_items *items = &f->p->items[kind];
    size_t to = f->page && from + f->page < items->n ? from + f->page : items->n;
    struct mcti_buf b;
    mcti_buf_init(&b, 64u << 20);
    mcti_buf_printf(&b, "{\"%s\":[", mcti_kind_info(kind)->list_key);
    for (size_t i = from; i < to; i++) {
        mcti_buf_addz(&b, i > from ? "," : "");
        mcti_buf_add(&b, mcti_item_json(items->v[i]));
    }
    mcti_buf_addc(&b, ']');
    if (f->loops)
        mcti_buf_addz(&b, ",\"nextCursor\":\"again\"");
    else if (to < items->n)
        mcti_buf_printf(&b, ",\"nextCursor\":\"%zu\"", to);
    mcti_buf_addc(&b, '}');
    return mcti_buf_take(&b);
}

static void answer_list(const struct fake *f, struct fake_request *r, struct mcti_str params)
{
    char *cursor = mcti_json_dup(mcti_json_get(params, "cursor"));
    size_t from = cursor ? strtoul(cursor, NULL, 10) : 0;
    if (f->list_error && (!f->page || from))
        r->error = strdup(f->list_error);
    else
        r->result = page(f, kind_of(r->call->verb), from);
    free(cursor);
}

/* ---- reads ---- */

static void answer_read(const struct fake *f, struct fake_request *r, struct mcti_str params, bool *never)
{
    char *uri = mcti_json_dup(mcti_json_get(params, "uri"));
    for (size_t i = 0; uri && i < f->n_answers; i++)
        if (!strcmp(f->answers[i].uri, uri)) {
            r->result = f->answers[i].result ? strdup(f->answers[i].result) : NULL;
            r->error = f->answers[i].error ? strdup(f->answers[i].error) : NULL;
            *never = !r->result && !r->error;
            free(uri);
            return;
        }
    r->error = strdup("{\"code\":-32002,\"message\":\"Resource not found\"}");
    free(uri);
}

static int on_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    struct fake *f = fake_of(p);
    bool never = false;
    if (p->state != MCT_CONNECTED)
        return mcti_fail(err, MCT_ERR_CONNECT, "it is not connected");
    f->n_asked++;
    if (call->verb == MCT_VERB_TOOLS_CALL)
        return f->base->call(p, call, err);
    struct fake_request *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->call = call;
    r->p = p;
    mcti_task_init(&r->task, on_task, r);
    mcti_list_init(&r->node);
    mcti_list_append(&f->pending, &r->node);
    if (call->verb == MCT_VERB_RESOURCES_READ)
        answer_read(f, r, call->params, &never);
    else if (f->list_never)
        never = true;
    else
        answer_list(f, r, call->params);
    if (!never)
        mcti_task_post(p->sched, &r->task);
    return 0;
}

static void on_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason)
{
    struct fake *f = fake_of(p);
    MCT_LIST_EACH(it, &f->pending) {
        struct fake_request *r = MCT_CONTAINER(it, struct fake_request, node);
        if (r->call == call) {
            request_free(r);
            return;
        }
    }
    f->base->cancel(p, call, reason);
}

/* ---- life ---- */

static bool list_is_current(const struct mcti_provider *p, enum mcti_kind kind)
{
    const struct fake *f = fake_of(p);
    (void)kind;
    return !f->page && !f->loops && !f->list_error && !f->list_never;
}

static void on_start(struct mcti_provider *p)
{
    struct fake *f = fake_of(p);
    if (f->down.kind)
        mcti_provider_set_state(p, MCT_FAILED, &f->down);
    else if (f->starting)
        mcti_provider_set_state(p, MCT_CONNECTING, NULL);
    else
        f->base->start(p);
}

struct fake *fake_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log)
{
    struct fake *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->p = mcti_provider_local_new(name, sched, log);
    if (!f->p) {
        free(f);
        return NULL;
    }
    mcti_list_init(&f->pending);
    f->base = f->p->ops;
    f->ops = *f->base;
    f->ops.call = on_call;
    f->ops.cancel = on_cancel;
    f->ops.start = on_start;
    f->ops.list_is_current = list_is_current;
    f->p->ops = &f->ops;
    return f;
}

void fake_free(struct fake *f)
{
    for (size_t i = 0; i < f->n_answers; i++) {
        free(f->answers[i].uri);
        free(f->answers[i].result);
        free(f->answers[i].error);
    }
    free(f->answers);
    free(f->list_error);
    free(f->login);
    free(f);
}

void fake_answer(struct fake *f, struct fake_answer a)
{
    f->answers = realloc(f->answers, (f->n_answers + 1) * sizeof *f->answers);
    if (!f->answers)
        abort();
    f->answers[f->n_answers++] = a;
}
