#include "front/tries.h"

#include "base/limits.h"

static const struct mcti_rate_rule tries_rule = { MCT_LIMIT_WRONG_TOKENS_PER_MINUTE, MCT_LIMIT_WRONG_TOKENS };

static struct mcti_rate *tries_rate(struct mcti_tries *t, uint64_t address, uint64_t now_ms)
{
    struct mcti_tries_address *a = &t->v[address % MCT_TRIES_ADDRESSES];
    if (a->address != address && a->rate.next_us <= now_ms * 1000)
        *a = (struct mcti_tries_address){ .address = address };
    return &a->rate;
}

unsigned mcti_tries_fail(struct mcti_tries *t, uint64_t address, uint64_t now_ms)
{
    return mcti_rate_take(tries_rate(t, address, now_ms), &tries_rule, 1, now_ms);
}

unsigned mcti_tries_pass(struct mcti_tries *t, uint64_t address, unsigned principal, uint64_t now_ms)
{
    uint64_t pair = (address ^ principal) * 0x9e3779b97f4a7c15u;
    uint64_t *known = &t->known[pair >> 54];
    if (*known != pair) {
        struct mcti_rate looked_at = *tries_rate(t, address, now_ms);
        unsigned wait_ms = mcti_rate_take(&looked_at, &tries_rule, 1, now_ms);
        if (wait_ms)
            return wait_ms;
    }
    *known = pair;
    return 0;
}
