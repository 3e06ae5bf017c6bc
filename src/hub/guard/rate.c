#include "hub/guard/rate.h"

#include "mcp/era.h"

enum { MINUTE_US = 60000000, CHEAPER = 10 };

unsigned mcti_rate_take(struct mcti_rate *r, const struct mcti_rate_rule *rule, unsigned factor, uint64_t now_ms)
{
    if (!rule->per_minute)
        return 0;
    uint64_t now_us = now_ms * 1000;
    uint64_t burst = rule->burst ? rule->burst : rule->per_minute / 6 ? rule->per_minute / 6 : 1;
    uint64_t each_us = MINUTE_US / rule->per_minute / factor, room_us = burst * MINUTE_US / rule->per_minute;
    uint64_t next_us = (r->next_us > now_us ? r->next_us : now_us) + each_us;
    if (next_us <= now_us + room_us) {
        r->next_us = next_us;
        return 0;
    }
    r->n_refused++;
    return (unsigned)((next_us - now_us - room_us + 999) / 1000);
}

int mcti_rates_pay(struct mcti_rates *r, bool is_call, uint64_t now_ms, const char *whose, struct mct_error *err)
{
    unsigned wait_ms = mcti_rate_take(is_call ? &r->calls : &r->others, &r->rule, is_call ? 1 : CHEAPER, now_ms);
    if (!wait_ms)
        return 0;
    mcti_fail(err, MCT_ERR_LIMIT, "too many requests: %s has %u %s a minute; try again in %u.%u s", whose,
              is_call ? r->rule.per_minute : CHEAPER * r->rule.per_minute, is_call ? "calls" : "requests for lists",
              wait_ms / 1000, wait_ms % 1000 / 100);
    err->code = MCT_RPC_BUSY;
    err->retry_after_ms = wait_ms;
    err->unsent = true;
    return -1;
}
