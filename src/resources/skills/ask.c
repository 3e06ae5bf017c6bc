#include "resources/skills/skills.h"

#include "base/limits.h"

const struct mcti_listing_of mcti_skills_list = {
    .method = "skills/list", .key = "skills", .what = "skills", .declared = mcti_skills_declared
};

static struct mcti_sched *ask_sched(const struct mcti_skill_ask *a)
{
    return a->reach->view->registry->sched;
}

static void skill_ask_on_step(void *data)
{
    struct mcti_skill_ask *a = data;
    a->done(a);
}

static void skill_ask_end(struct mcti_skill_ask *a)
{
    mcti_timer_stop(ask_sched(a), &a->deadline);
    mcti_ready_done(&a->ready);
    mcti_task_post(ask_sched(a), &a->step);
}

static void skill_ask_on_deadline(void *data)
{
    struct mcti_skill_ask *a = data;
    mcti_call_cancel(&a->call, "timed out");
    mcti_fail(&a->error, MCT_ERR_TIMEOUT, "server '%s': no answer after %g s", a->provider->name,
              mcti_reach_seconds(a->deadline_ms));
    skill_ask_end(a);
}

static void skill_ask_on_answer(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_skill_ask *a = MCT_CONTAINER(call, struct mcti_skill_ask, call);
    struct mcti_str entry = mcti_json_get(o->result, "skill");
    if (!o->result.p)
        mcti_outcome_error(o, MCT_STR_NONE, &a->error);
    else if (mcti_skill_open(entry, &a->skill, &a->error) < 0)
        mcti_error_wrap(&a->error, "server '%s'", a->provider->name);
    if (!o->result.p && a->error.code == MCT_RPC_INVALID_PARAMS)
        a->error.kind = MCT_ERR_NOT_FOUND; /* SEP-2640: the skill is unknown */
    skill_ask_end(a);
}

static void skill_ask_send(struct mcti_skill_ask *a)
{
    a->call = mcti_reach_call(a->reach, MCT_VERB_FOREIGN);
    a->call.method = "skills/get";
    a->call.params = mcti_buf_str(&a->params);
    a->call.done = skill_ask_on_answer;
    if (a->ready.connection->state != MCT_CONNECTED) {
        mcti_reach_down(a->ready.connection, &a->error);
        skill_ask_end(a);
    } else if (mcti_provider_call(a->ready.connection, &a->call, &a->error) < 0) {
        skill_ask_end(a);
    }
}

static void skill_ask_on_ready(struct mcti_ready *w)
{
    skill_ask_send(MCT_CONTAINER(w, struct mcti_skill_ask, ready));
}

void mcti_skill_ask_start(struct mcti_skill_ask *a)
{
    a->started = true;
    mcti_timer_init(&a->deadline, skill_ask_on_deadline, a);
    mcti_task_init(&a->step, skill_ask_on_step, a);
    mcti_buf_init(&a->params, 6 * a->uri.len + 64);
    mcti_buf_addc(&a->params, '{');
    mcti_json_put_member(&a->params, "uri", a->uri);
    mcti_buf_addc(&a->params, '}');
    a->ready.done = skill_ask_on_ready;
    if (a->deadline_ms)
        mcti_timer_set(ask_sched(a), &a->deadline, a->deadline_ms);
    int r = mcti_ready_open(&a->ready, a->reach, a->provider, &a->error);
    if (r < 0)
        skill_ask_end(a);
    else if (r > 0)
        skill_ask_send(a);
}

void mcti_skill_ask_done(struct mcti_skill_ask *a)
{
    if (!a->started)
        return;
    mcti_timer_stop(ask_sched(a), &a->deadline);
    mcti_task_stop(&a->step);
    mcti_call_cancel(&a->call, "the skill is no longer needed");
    mcti_ready_done(&a->ready);
    mcti_buf_done(&a->params);
    mcti_skill_done(&a->skill);
    *a = (struct mcti_skill_ask){ .started = false };
}
