#include "io/intake.h"

#include "base/limits.h"

static void go_on(void *data);

void mct_intake_init(struct mct_intake *in, struct mct_sched *sched, size_t max)
{
    *in = (struct mct_intake){ .sched = sched, .share_bytes = MCT_TURN_BYTES };
    mct_buf_init(&in->rest, max);
    mct_task_init(&in->again, go_on, in);
}

void mct_intake_stop(struct mct_intake *in)
{
    in->stopped = true;
    mct_task_stop(&in->again);
}

void mct_intake_done(struct mct_intake *in)
{
    mct_intake_stop(in);
    mct_buf_done(&in->rest);
}

bool mct_intake_waits(const struct mct_intake *in)
{
    return in->rest.len > in->at;
}

bool mct_intake_frame(struct mct_intake *in)
{
    return ++in->n_frames < MCT_TURN_FRAMES;
}

/* A new turn brings a new share. */
static void renew(struct mct_intake *in)
{
    if (in->turn == in->sched->turn)
        return;
    in->turn = in->sched->turn;
    in->n_bytes = 0;
    in->n_frames = 0;
}

static void put_off(struct mct_intake *in)
{
    if (!in->holding) {
        in->holding = true;
        in->hold(in->data, true);
    }
    mct_task_defer(in->sched, &in->again);
}

int mct_intake_feed(struct mct_intake *in, struct mct_str bytes)
{
    if (in->stopped)
        return 0;
    renew(in);
    in->n_bytes += bytes.len;
    if (!mct_intake_waits(in) && in->n_frames < MCT_TURN_FRAMES)
        in->take(in->data, &bytes);
    if (in->stopped)
        return 0;
    mct_buf_add(&in->rest, bytes);
    if (!mct_buf_ok(&in->rest))
        return -1;
    if (mct_intake_waits(in) || in->n_bytes >= in->share_bytes)
        put_off(in);
    return 0;
}

/* The part of the rest that this turn has room for. */
static void take_rest(struct mct_intake *in)
{
    size_t left = in->rest.len - in->at, n = left < MCT_TURN_BYTES ? left : MCT_TURN_BYTES;
    struct mct_str bytes = { in->rest.p + in->at, n };
    in->n_bytes += n;
    in->take(in->data, &bytes);
    in->at += n - bytes.len;
}

static void go_on(void *data)
{
    struct mct_intake *in = data;
    renew(in);
    if (mct_intake_waits(in))
        take_rest(in);
    if (in->stopped)
        return;
    if (mct_intake_waits(in)) {
        put_off(in);
        return;
    }
    mct_buf_clear(&in->rest);
    in->at = 0;
    in->holding = false;
    in->hold(in->data, false); /* may end it */
}
