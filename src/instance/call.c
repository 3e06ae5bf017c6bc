#include "instance/call.h"

/* Adds to an error about an unknown name that its server may still be connecting. */
static void explain_unknown(const struct mcti_instance *i, struct mct_error *err)
{
    if (err && err->kind == MCT_ERR_NOT_FOUND && !mcti_registry_settled(&i->registry))
        mcti_error_wrap(err, "servers are still connecting");
}

const struct mcti_exposure *mcti_instance_find(struct mcti_instance *i, enum mcti_kind kind, const char *name,
                                               struct mct_error *err)
{
    const struct mcti_exposure *x = mcti_view_named(&i->view, kind, mcti_str_of(name), err);
    if (!x)
        explain_unknown(i, err);
    return x;
}

static void set_caller(struct mcti_instance *i, struct mcti_call *call)
{
    call->caller.rev = MCT_REV_LATEST;
    call->interactive = true;
    if (!call->tasks)
        call->tasks = MCT_TASKS_HELD;
    call->owner = i;
    call->events = &i->events;
    call->principal = MCT_STR("local");
}

int mcti_instance_request(struct mcti_instance *i, struct mcti_call *call, struct mcti_provider *p,
                          struct mct_error *err)
{
    set_caller(i, call);
    return mcti_call_start(call, &(struct mcti_call_start){ .provider = p }, err);
}

int mcti_instance_task(struct mcti_instance *i, struct mcti_call *call, struct mcti_provider *p, struct mcti_str id,
                       struct mct_error *err)
{
    struct mcti_buf params;
    mcti_buf_init(&params, id.len + 64);
    mcti_buf_addc(&params, '{');
    mcti_json_put_raw(&params, "taskId", id);
    mcti_buf_addc(&params, '}');
    call->params = mcti_buf_str(&params);
    int r = mcti_buf_ok(&params) ? mcti_instance_request(i, call, p, err) : mcti_no_memory(err);
    mcti_buf_done(&params);
    return r;
}

/* Sets the restrictions of the call. A view that shows only tools that the rules admit needs no rules here; in a view
 * that shows all tools, each call is checked against them. */
static void set_restrictions(struct mcti_instance *i, struct mcti_call_start *start)
{
    start->view = &i->view;
    start->rules = i->view.ruled.rules ? NULL : i->offer.ruled.rules;
    start->policy = &i->policy;
    start->hooks = &i->hooks;
    start->approver = i->env.answerer;
}

int mcti_instance_call(struct mcti_instance *i, struct mcti_call *call, struct mcti_call_start *start,
                       struct mcti_str arguments, struct mct_error *err)
{
    struct mcti_buf params;
    mcti_buf_init(&params, arguments.len + 6 * start->name.len + 64);
    mcti_buf_addz(&params, "{\"name\":");
    mcti_json_put_string(&params, start->name);
    mcti_buf_addz(&params, ",\"arguments\":");
    mcti_buf_add(&params, arguments.p ? arguments : MCT_STR("{}"));
    mcti_buf_addc(&params, '}');
    call->params = mcti_buf_str(&params);
    set_caller(i, call);
    set_restrictions(i, start);
    int r = mcti_buf_ok(&params) ? mcti_call_start(call, start, err) : mcti_no_memory(err);
    mcti_buf_done(&params);
    if (r < 0)
        explain_unknown(i, err);
    return r;
}
