#include "hub/guard/breaker.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdio.h>
#include <string.h>

static bool breaker_is_probing(const struct mcti_breaker *b, uint64_t now_ms)
{
    return b->probe && now_ms - b->probe_ms < MCT_BREAKER_PROBE_MS;
}

int mcti_breaker_try(struct mcti_breaker *b, const void *call, uint64_t now_ms, struct mct_error *err)
{
    bool pauses = now_ms < b->until_ms;
    if (!pauses && !breaker_is_probing(b, now_ms)) {
        b->probe = call;
        b->probe_ms = now_ms;
        return 0;
    }
    unsigned in_ms = pauses ? (unsigned)(b->until_ms - now_ms) : MCT_QUEUE_RETRY_MS;
    char when[48];
    snprintf(when, sizeof when, "next attempt in %u.%u s", in_ms / 1000, in_ms % 1000 / 100);
    b->n_refused++;
    mcti_fail(err, MCT_ERR_CONNECT, "failed %u of the last %u calls (last: %s); %s", b->told_failed, b->told_n, b->last,
              pauses ? when : "an attempt is being made");
    err->unsent = true;
    err->retry_after_ms = in_ms;
    return -1;
}

/* Begins another part of the window if the time of the present one is over. */
static struct mcti_breaker_part *breaker_part(struct mcti_breaker *b, uint64_t now_ms)
{
    struct mcti_breaker_part *present = &b->parts[0];
    uint64_t age = now_ms - present->since_ms;
    if (age < MCT_BREAKER_WINDOW_MS / 2)
        return present;
    b->parts[1] = age < MCT_BREAKER_WINDOW_MS ? *present : (struct mcti_breaker_part){ 0 };
    *present = (struct mcti_breaker_part){ .since_ms = now_ms };
    return present;
}

static void breaker_forget(struct mcti_breaker *b)
{
    b->parts[0] = b->parts[1] = (struct mcti_breaker_part){ 0 };
    b->in_row = 0;
    b->probe = NULL;
}

enum mcti_breaker_turn mcti_breaker_answered(struct mcti_breaker *b, uint64_t now_ms)
{
    breaker_part(b, now_ms)->n++;
    b->in_row = 0;
    if (!b->is_open)
        return MCT_BREAKER_SAME;
    b->is_open = false;
    b->closed_ms = now_ms;
    breaker_forget(b);
    return MCT_BREAKER_CLOSED;
}

static unsigned breaker_jittered(unsigned ms)
{
    unsigned char r;
    mcti_random(&r, sizeof r);
    return ms / 2 + (unsigned)((uint64_t)ms / 2 * r / 255);
}

/* Opens it for a pause, which grows while the server does not stay well. */
static void breaker_open(struct mcti_breaker *b, const struct mcti_breaker_opts *opts, uint64_t now_ms)
{
    bool anew = !b->is_open && (!b->n_opened || now_ms - b->closed_ms >= MCT_BACKOFF_MAX_MS);
    unsigned longest = opts->pause_ms > MCT_BACKOFF_MAX_MS ? opts->pause_ms : MCT_BACKOFF_MAX_MS;
    b->pause_ms = anew || !b->pause_ms ? opts->pause_ms : b->pause_ms > longest / 2 ? longest : b->pause_ms * 2;
    b->until_ms = now_ms + breaker_jittered(b->pause_ms);
    b->probe = NULL;
    b->is_open = true;
    b->n_opened++;
}

static bool breaker_has_enough(const struct mcti_breaker *b, const struct mcti_breaker_opts *opts)
{
    unsigned n = b->parts[0].n + b->parts[1].n, failed = b->parts[0].failed + b->parts[1].failed;
    return opts->failures &&
           (b->in_row >= opts->failures || (failed >= 2 * opts->failures && 2 * (uint64_t)failed >= n));
}

enum mcti_breaker_turn mcti_breaker_failed(struct mcti_breaker *b, const struct mcti_breaker_opts *opts,
                                           const void *call, unsigned weight, const char *why, uint64_t now_ms)
{
    bool is_probe = b->is_open && b->probe && (b->probe == call || !call);
    bool counts = !b->in_row || now_ms != b->failed_ms;
    if (b->is_open && !is_probe)
        return MCT_BREAKER_SAME; /* it began earlier */
    snprintf(b->last, sizeof b->last, "%s", why);
    struct mcti_breaker_part *part = breaker_part(b, now_ms);
    part->n += counts ? 1 : 0;
    part->failed += counts ? 1 : 0;
    b->in_row += counts ? weight : 0;
    b->failed_ms = now_ms;
    if (!is_probe && !breaker_has_enough(b, opts))
        return MCT_BREAKER_SAME;
    b->told_n = b->parts[0].n + b->parts[1].n;
    b->told_failed = b->parts[0].failed + b->parts[1].failed;
    breaker_open(b, opts, now_ms);
    return MCT_BREAKER_OPENED;
}

void mcti_breaker_ended(struct mcti_breaker *b, const void *call, bool timed_out, uint64_t now_ms)
{
    if (!b->is_open || b->probe != call)
        return;
    if (timed_out)
        b->probe_ms = now_ms;
    else
        b->probe = NULL;
}

void mcti_breaker_reset(struct mcti_breaker *b)
{
    breaker_forget(b);
    b->is_open = false;
    b->pause_ms = 0;
}

const char *mcti_breaker_word(const struct mcti_breaker *b, uint64_t now_ms)
{
    return !b->is_open ? "closed" : now_ms < b->until_ms ? "open" : "half-open";
}
