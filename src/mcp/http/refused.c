/* The evaluation of refusals: what an HTTP status other than 2xx means for an exchange. */
#include "mcp/http/exchange.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "mcp/http_refusal.h"

#include <ctype.h>

enum { JITTER_MS = 8000 };

/* Returns true if the text contains "session" as a separate word. */
static bool mentions_session(struct mcti_str text)
{
    static const struct mcti_str word = MCT_STR("session");
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (mcti_str_eq_nocase((struct mcti_str){ text.p + i, word.len }, word) &&
            (!i || !isalpha((unsigned char)text.p[i - 1])))
            return true;
    return false;
}

/* Returns true if a 400 means that the session is unknown: many servers send it instead of 404, with an error that
 * answers no request of ours and mentions the session. */
static bool is_session_error(const struct mcti_exchange *x)
{
    struct mcti_json_top top;
    int64_t code;
    struct mcti_str body = mcti_buf_str(&x->text);
    if (!mcti_json_valid(body, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return mentions_session(body);
    struct mcti_str error = mcti_json_get(top.value, "error"), id = mcti_json_get(top.value, "id");
    if (mcti_json_type(error) != '{')
        return mentions_session(body);
    return (!id.p || mcti_json_type(id) == 'n') && mcti_json_int(mcti_json_get(error, "code"), &code) &&
           (code == -32000 || code == -32001) && mentions_session(mcti_json_get(error, "message"));
}

/* Returns true if the server does not know the session: 404. For a GET stream that was never open, 404 may only mean
 * that the server has none. */
static bool session_is_gone(const struct mcti_exchange *x, int status)
{
    bool ours = x->kind == MCT_EX_REQUEST || x->kind == MCT_EX_NOTICE || (x->kind == MCT_EX_STREAM && x->was_open);
    if (!ours || !x->session || x->n_renewals >= MCT_LIMIT_RENEWALS)
        return false;
    return status == 404 || (status == 400 && is_session_error(x));
}

/* Spreads the retries of requests that were refused together. */
static unsigned refused_jitter(unsigned ms)
{
    unsigned char r;
    mcti_random(&r, sizeof r);
    return (ms < JITTER_MS ? ms : JITTER_MS) * r / 255 / 4;
}

/* Plans another attempt after the time that a busy server asks for. Returns false if the request fails instead. */
static bool retry_later(struct mcti_exchange *x, int status, unsigned after_ms)
{
    const struct mcti_transport_events *e = &x->http->base.events;
    if (x->kind != MCT_EX_REQUEST || (status != 429 && status != 503) || !after_ms || x->http->closing)
        return false;
    bool in_time = !e->on_busy || e->on_busy(e->data, x->msg.id, after_ms);
    if (!in_time || x->n_retries >= MCT_LIMIT_HTTP_RETRIES)
        return false;
    x->n_retries++;
    mcti_timer_set(&x->http->loop->sched, &x->timer, after_ms + refused_jitter(after_ms));
    return true;
}

/* Returns true if the exchange waits for new credentials, to be sent again: a refused request was not executed. */
static bool exchange_waits_again(struct mcti_exchange *x, const struct mcti_fetch *f, struct mct_error *err)
{
    if (x->kind == MCT_EX_DELETE || x->http->closing ||
        !mcti_credential_refused(&x->use, f, x->http->url, &x->msg, err))
        return false;
    mcti_exchange_hold_back(x);
    return true;
}

void mcti_exchange_on_refused(struct mcti_exchange *x, struct mcti_fetch *f)
{
    struct mct_error err;
    int status = mcti_fetch_status(f);
    unsigned after_ms =
        mcti_http_retry_after_ms(mcti_fetch_header(f, "retry-after"), (int64_t)(mcti_clock_wall_ms() / 1000));
    if (session_is_gone(x, status)) {
        mcti_http_on_session_lost(x);
    } else if (x->kind == MCT_EX_STREAM && (status >= 500 || status == 409)) {
        mcti_exchange_on_broken(x, NULL); /* 409: the server still considers the previous stream open */
    } else if (!retry_later(x, status, after_ms)) {
        mcti_fail_refused(&err, status, mcti_buf_str(&x->text));
        err.retry_after_ms = after_ms;
        if (x->n_renewals && status == 404)
            mcti_fail(&err, MCT_ERR_CONNECT, "the server loses every session it starts (HTTP 404)");
        if (exchange_waits_again(x, f, &err))
            return;
        if (x->kind == MCT_EX_STREAM && x->was_open && x->use.from && err.kind == MCT_ERR_AUTH) {
            mcti_exchange_on_broken(x, &err); /* until there is a login again */
            return;
        }
        if (x->resuming)
            mcti_error_wrap(&err, "the stream of the answer broke and could not be resumed");
        bool speaks = x->is_probe ? mcti_http_is_unsupported(status) : status != 401 && status != 403;
        mcti_http_on_ended(x, speaks && mcti_exchange_deliver_error(x) ? NULL : &err);
    }
}
