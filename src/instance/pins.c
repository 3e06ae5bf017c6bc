/* The judge "pins" of an instance. A gateway watches the files of pins, so that it notices `mcptools approve`. */
#include "instance/vetting.h"

#include "instance/watch.h"
#include "pins/judge.h"

bool mcti_instance_wants_pins(const struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++) {
        enum mcti_vet_mode mode = c->servers[i].pins ? c->servers[i].pins : c->pins;
        if (c->servers[i].enabled && c->servers[i].file && mode != MCT_VET_OFF)
            return true;
    }
    return false;
}

static int pins_on_places(void *data, struct mcti_strings *to)
{
    const struct mcti_instance *i = data;
    return mcti_pins_judge_files(i->pins, to);
}

enum { PINS_RETRY_MS = 2000 };

/* Plans to read the files again if one could not be used: that may be over without a change of the file. */
static void pins_plan_retry(struct mcti_instance *i)
{
    if (mcti_pins_judge_lacks_file(i->pins))
        mcti_timer_set(&i->loop.sched, &i->pins_retry, PINS_RETRY_MS);
}

static void pins_on_changed(void *data)
{
    struct mcti_instance *i = data;
    mcti_pins_judge_renew(i->pins);
    mcti_log(i->log, MCT_LOG_INFO, "the pins have changed");
    mcti_vet_again(&i->vet);
    pins_plan_retry(i);
}

static void pins_on_retry(void *data)
{
    struct mcti_instance *i = data;
    mcti_pins_judge_renew(i->pins);
    if (!mcti_pins_judge_lacks_file(i->pins))
        mcti_vet_again(&i->vet);
    pins_plan_retry(i);
}

struct mcti_judge *mcti_instance_make_pins(struct mcti_instance *i)
{
    return mcti_pins_judge_new(&i->config, i->log);
}

void mcti_instance_use_pins(struct mcti_instance *i, struct mcti_judge *j)
{
    static const struct mcti_config_watch_ops ops = { pins_on_places, pins_on_changed };
    mcti_config_watch_free(i->pins_watch);
    i->pins_watch = NULL;
    if (i->pins)
        mcti_timer_stop(&i->loop.sched, &i->pins_retry);
    i->pins = j;
    if (!j || !i->env.restart)
        return;
    mcti_timer_init(&i->pins_retry, pins_on_retry, i);
    pins_plan_retry(i);
    if (!i->config.watch)
        return;
    i->pins_watch = mcti_config_watch_new(&i->loop, &ops, i);
    if (!i->pins_watch)
        mcti_log(i->log, MCT_LOG_ERROR, "the files of pins are not watched: " MCT_NO_MEMORY_TEXT);
}
