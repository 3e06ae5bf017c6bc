/* Stderr output of a server's process: logged line by line, or only the last lines when the server fails. */
#include "hub/server/impl.h"

#include "base/limits.h"

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

/* Counts the line. Returns false if the limit per second is exceeded; the number of skipped lines is logged a second
 * later. */
static bool stderr_has_room(struct mcti_server *m)
{
    struct mcti_server_stderr *e = &m->err_out;
    uint64_t now = mcti_sched_now(m->opts.sched);
    if (now - e->since_ms >= WINDOW_MS) {
        if (e->n_lines > MCT_LIMIT_STDERR_LINES)
            mcti_log(m->base.log, MCT_LOG_INFO, "server '%s': stderr: skipped %u lines over the limit", m->base.name,
                     e->n_lines - MCT_LIMIT_STDERR_LINES);
        e->since_ms = now;
        e->n_lines = 0;
    }
    return e->n_lines++ < MCT_LIMIT_STDERR_LINES;
}

static void end_line(struct mcti_server *m)
{
    struct mcti_server_stderr *e = &m->err_out;
    if (e->len && stderr_has_room(m))
        log_line(m, MCT_LOG_INFO, (struct mcti_str){ e->line, e->len });
    e->len = 0;
}

void mcti_server_on_stderr(void *data, struct mcti_str bytes)
{
    struct mcti_server *m = data;
    struct mcti_server_stderr *e = &m->err_out;
    for (size_t i = 0; i < bytes.len && is_logged(m, MCT_LOG_INFO); i++) {
        if (bytes.p[i] == '\n')
            end_line(m);
        else if (e->len < sizeof e->line)
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
    if (is_logged(m, MCT_LOG_INFO))
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
