/* Invalid messages of a server: finds the request that such a message was meant to answer, and fails it. */
#include "hub/server/impl.h"

#include "mcp/guess.h"

#include <stdio.h>

/* Logs an invalid message that cannot be assigned to a request; only the first one as a warning. */
static void log_bad_message(struct mcti_server *m, const struct mct_error *err)
{
    mcti_log(m->base.log, m->warned_of_bad ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s' sent an invalid message: %s",
             m->base.name, err->message);
    m->warned_of_bad = true;
}

/* Returns false for text that is more likely a log line: programs write logs, even JSON, to their stdout. */
static bool may_be_answer(const struct mcti_guess *g)
{
    return (g->is_rpc && !g->asks) || (g->answers && g->id.p);
}

void mcti_server_on_bad_message(struct mcti_server *m, struct mcti_str text, const struct mct_error *err)
{
    struct mcti_guess g = mcti_guess(text);
    struct mct_error why = *err;
    char about[24];
    uint64_t id;
    why.code = 0; /* the mistake is the server's, not the caller's */
    mcti_error_wrap(&why, "its answer cannot be used");
    if (!may_be_answer(&g)) {
        log_bad_message(m, err);
    } else if (mcti_json_uint(g.id, &id)) {
        mcti_session_fail(&m->session, g.id, &why);
    } else if (m->transport && m->transport->about) {
        snprintf(about, sizeof about, "%llu", (unsigned long long)m->transport->about);
        mcti_session_fail(&m->session, mcti_str_of(about), &why);
    } else {
        log_bad_message(m, err);
        mcti_session_lost_message(&m->session, MCT_STR(""), &why);
    }
}
