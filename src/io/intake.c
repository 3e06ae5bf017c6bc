#include "io/intake.h"

#include "base/limits.h"

static void intake_continue(void *data);

void mcti_intake_init(struct mcti_intake *in, struct mcti_sched *sched, size_t max)
{
    *in = (struct mcti_intake){ .sched = sched, .share_bytes = MCT_TURN_BYTES };
    mcti_buf_init(&in->rest, max);
    mcti_task_init(&in->again, intake_continue, in);
    mcti_timer_init(&in->pause, intake_continue, in);
}

void mcti_intake_stop(struct mcti_intake *in)
{
    in->stopped = true;
    mcti_task_stop(&in->again);
    mcti_timer_stop(in->sched, &in->pause);
}

void mcti_intake_done(struct mcti_intake *in)
{
    mcti_intake_stop(in);
    mcti_buf_done(&in->rest);
}

bool mcti_intake_waits(const struct mcti_intake *in)
{
    return in->rest.len > in->at;
}

bool mcti_intake_frame(struct mcti_intake *in)
{
    return ++in->n_frames < MCT_TURN_FRAMES;
}

void mcti_intake_waste(struct mcti_intake *in, size_t n)
{
    if (!n)
        return;
    uint64_t now_ms = mcti_sched_now(in->sched), gone = (now_ms - in->waste_ms) * MCT_WASTE_BYTES_PER_S / 1000;
    in->waste = (in->waste > gone ? in->waste - gone : 0) + n;
    in->waste_ms = now_ms;
}

/* Returns the time for which nothing is to be read. */
static uint64_t intake_pause_ms(const struct mcti_intake *in)
{
    if (in->waste <= MCT_WASTE_BYTES)
        return 0;
    uint64_t ms = (in->waste - MCT_WASTE_BYTES) * 1000 / MCT_WASTE_BYTES_PER_S + 1;
    uint64_t since = mcti_sched_now(in->sched) - in->waste_ms;
    return ms > since ? ms - since : 0;
}

/* Resets the share when a new turn has begun. */
static void intake_renew(struct mcti_intake *in)
{
    if (in->turn == in->sched->turn)
        return;
    in->turn = in->sched->turn;
    in->n_bytes = 0;
    in->n_frames = 0;
}

static void intake_defer(struct mcti_intake *in)
{
    if (!in->holding) {
        in->holding = true;
        in->hold(in->data, true);
    }
    uint64_t ms = intake_pause_ms(in);
    if (ms)
        mcti_timer_set(in->sched, &in->pause, ms);
    else
        mcti_task_defer(in->sched, &in->again);
}

int mcti_intake_feed(struct mcti_intake *in, struct mcti_str bytes)
{
    if (in->stopped)
        return 0;
    intake_renew(in);
    in->n_bytes += bytes.len;
    if (!mcti_intake_waits(in) && in->n_frames < MCT_TURN_FRAMES)
        in->take(in->data, &bytes);
    if (in->stopped)
        return 0;
    mcti_buf_add(&in->rest, bytes);
    if (!mcti_buf_ok(&in->rest))
        return -1;
    if (mcti_intake_waits(in) || in->n_bytes >= in->share_bytes || intake_pause_ms(in))
        intake_defer(in);
    return 0;
}

/* Passes on as many pending bytes as one turn allows. */
static void take_rest(struct mcti_intake *in)
{
    size_t left = in->rest.len - in->at, n = left < MCT_TURN_BYTES ? left : MCT_TURN_BYTES;
    struct mcti_str bytes = { in->rest.p + in->at, n };
    in->n_bytes += n;
    in->take(in->data, &bytes);
    in->at += n - bytes.len;
}

static void intake_continue(void *data)
{
    struct mcti_intake *in = data;
    intake_renew(in);
    if (mcti_intake_waits(in))
        take_rest(in);
    if (in->stopped)
        return;
    if (mcti_intake_waits(in) || intake_pause_ms(in)) {
        intake_defer(in);
        return;
    }
    mcti_buf_clear(&in->rest);
    in->at = 0;
    in->holding = false;
    in->hold(in->data, false); /* may call mcti_intake_done() */
}
