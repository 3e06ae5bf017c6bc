#include "../unit/unit.h"

#include "fixture.h"
#include "mcp/message.h"

static void on_answer(struct fixture *f, unsigned id)
{
    f->twice |= id < MAX_IDS && f->answered[id];
    if (id < MAX_IDS)
        f->answered[id] = true;
    f->out_of_order |= id != f->last_id + 1;
    f->last_id = id;
    if (f->t->ops->request_over)
        f->t->ops->request_over(f->t, id, true);
}

static void on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct fixture *f = data;
    struct mcti_msg msg;
    uint64_t id;
    (void)lane;
    f->n_frames++;
    f->skew_ms += f->frame_ms;
    f->n_bytes += frame.len;
    snprintf(f->last, sizeof f->last, "%.*s", MCT_STR_ARG(frame));
    if (f->free_in_frame) {
        mcti_transport_free(f->t);
        f->t = NULL;
    } else if (mcti_msg_parse(frame, &msg, NULL) == 0 && mcti_json_uint(msg.id, &id)) {
        on_answer(f, (unsigned)id);
    }
}

static void on_lost(void *data, struct mcti_str id, const struct mct_error *why)
{
    struct fixture *f = data;
    assert_true(id.len > 0);
    assert_true(why->message[0] != '\0');
    f->n_lost++;
}

static void on_closed(void *data, const struct mct_error *why)
{
    struct fixture *f = data;
    f->n_closed++;
    f->failed = why != NULL;
}

void fixture_turn(struct fixture *f)
{
    uv_run(&f->loop.uv, UV_RUN_ONCE);
    if (f->frame_ms)
        mcti_sched_run(&f->loop.sched, uv_now(&f->loop.uv) + f->skew_ms);
}

void fixture_listen(struct fixture *f, struct mcti_transport *t)
{
    f->t = t;
    t->events =
        (struct mcti_transport_events){ .on_frame = on_frame, .on_lost = on_lost, .on_closed = on_closed, .data = f };
}
