/* Stderr output of a server's process: each line goes to the journal, and to the log if its level includes it; when
 * the server fails, the last lines are logged in any case. */
#include "hub/server/impl.h"

#include "base/limits.h"

#include <stdlib.h>

enum { WINDOW_MS = 1000 };

static bool is_logged(const struct mcti_server *m, enum mct_log_level level)
{
    return m->base.log && m->base.log->write && m->base.log->level >= level;
}

static void log_line(const struct mcti_server *m, enum mct_log_level level, struct mcti_str line)
{
    struct mcti_str text = mcti_str_trim_white(line);
    if (text.len)
        mcti_log(m->base.log, level, "server '%s': stderr: %.*s", m->base.name, MCT_STR_ARG(text));
}

/* Begins a new second, and tells how many lines of the last one were skipped. */
static void stderr_begin_second(struct mcti_server *m, uint64_t now)
{
    struct mcti_server_stderr *e = &m->err_out;
    if (e->n_lines > MCT_LIMIT_STDERR_LINES)
        mcti_log(m->base.log, MCT_LOG_INFO, "server '%s': stderr: skipped %u lines over the limit", m->base.name,
                 e->n_lines - MCT_LIMIT_STDERR_LINES);
    if (e->n_lines > MCT_LIMIT_JOURNAL_LINES)
        mcti_provider_note(&m->base, "skipped %u lines of stderr over the limit of %u per second",
                           e->n_lines - MCT_LIMIT_JOURNAL_LINES, MCT_LIMIT_JOURNAL_LINES);
    e->since_ms = now;
    e->n_lines = 0;
}

static void end_line(struct mcti_server *m)
{
    struct mcti_server_stderr *e = &m->err_out;
    uint64_t now = mcti_sched_now(m->opts.sched);
    struct mcti_str line = mcti_str_trim_white((struct mcti_str){ e->line, e->len });
    e->len = 0;
    if (!line.len)
        return;
    if (now - e->since_ms >= WINDOW_MS)
        stderr_begin_second(m, now);
    if (e->n_lines++ < MCT_LIMIT_STDERR_LINES && is_logged(m, MCT_LOG_INFO))
        log_line(m, MCT_LOG_INFO, line);
    if (e->n_lines <= MCT_LIMIT_JOURNAL_LINES)
        mcti_provider_say(&m->base, MCT_SAID_STDERR, mcti_str_range(e->line, line.p + line.len)); /* indented */
}

void mcti_server_on_stderr(void *data, struct mcti_str bytes)
{
    struct mcti_server *m = data;
    struct mcti_server_stderr *e = &m->err_out;
    if (!e->line && !(e->line = malloc(MCT_LIMIT_STDERR_LINE)))
        return; /* the transport has the text as well */
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.p[i] == '\n')
            end_line(m);
        else if (e->len < MCT_LIMIT_STDERR_LINE)
            e->line[e->len++] = bytes.p[i];
    }
}

struct mcti_str mcti_server_last_lines(const struct mcti_server *m)
{
    struct mcti_transport_facts facts = { 0 };
    if (m->transport && m->transport->ops->describe)
        m->transport->ops->describe(m->transport, &facts);
    else if (m->err_out.kept)
        facts.diagnostics = mcti_str_of(m->base.last_diagnostics);
    return mcti_str_trim_white(facts.diagnostics);
}

void mcti_server_log_last_lines(struct mcti_server *m, enum mct_log_level level)
{
    struct mcti_str text = mcti_server_last_lines(m), line;
    size_t from = text.len, n = 0;
    end_line(m);
    if (is_logged(m, MCT_LOG_INFO) || !text.len)
        return;
    while (from && (text.p[from - 1] != '\n' || ++n < MCT_STDERR_LAST_LINES))
        from--;
    text = (struct mcti_str){ text.p + from, text.len - from };
    while (text.len && mcti_str_split(&text, '\n', &line))
        log_line(m, level,
                 (struct mcti_str){ line.p, line.len < MCT_LIMIT_STDERR_LINE ? line.len : MCT_LIMIT_STDERR_LINE });
}
