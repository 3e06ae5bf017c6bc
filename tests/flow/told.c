/* The events of a transcript's calls, as lines of text for it to expect. */
#include "flow.h"

#include "hub/call/event_line.h"

#include <stdio.h>
#include <stdlib.h>

static void keep_told(struct flow *f, struct mcti_buf *line)
{
    char *text = mcti_buf_take(line);
    if (text && f->n_told < MAX_FRAMES)
        f->told[f->n_told++] = text;
    else
        free(text);
}

static void on_begin(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_event_put_begin(&b, e, 65536);
    keep_told(MCT_CONTAINER(l, struct flow, listener), &b);
}

static void on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_event_put_end(&b, e, 65536);
    keep_told(MCT_CONTAINER(l, struct flow, listener), &b);
}

static void virtual_clock(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us)
{
    const struct flow *f = MCT_CONTAINER(e, struct flow, events);
    *ret_wall_ms = f->now_ms;
    *ret_since_us = f->now_ms * 1000;
}

void flow_open_events(struct flow *f)
{
    mcti_events_init(&f->events);
    f->events.clock = virtual_clock;
    snprintf(f->events.process, sizeof f->events.process, "flow");
    f->listener = (struct mcti_event_listener){ .begin = on_begin, .end = on_end, .keeps_arguments = true };
    f->host.events = &f->events;
}

void flow_expect_event(struct flow *f, struct mcti_str pattern)
{
    flow_settle(f);
    if (f->next_told == f->n_told)
        flow_fail(f, "no event", "");
    const char *got = f->told[f->next_told++];
    if (!mcti_str_glob(pattern, mcti_str_of(got)))
        flow_fail(f, "another event", got);
}
