/* Places in configuration files: their lines, and the mistakes found there. */
#include "config/read_impl.h"

#include "config/notation/jsonc.h"

#include <stdio.h>

unsigned mcti_config_line_at(const struct mcti_config_place *at, const char *p)
{
    struct mcti_line_mark *m = at->mark;
    if (m->document)
        return mcti_document_line(m->document, (size_t)(p - m->document->json));
    bool forward = p >= m->at;
    const char *from = forward ? m->at : m->text;
    const char *end = p < m->begins || forward ? memrchr(from, '\n', (size_t)(p - from)) : NULL;
    if (end)
        m->begins = end + 1;
    else if (p < m->begins)
        m->begins = m->text;
    if (forward)
        m->line += mcti_line_of(m->at, (size_t)(p - m->at)) - 1;
    else
        m->line -= mcti_line_of(p, (size_t)(m->at - p)) - 1;
    m->at = p;
    return m->line;
}

unsigned mcti_config_column_at(const struct mcti_config_place *at, struct mcti_json_member m)
{
    if (at->mark->document)
        return 0;
    mcti_config_line_at(at, m.key.p);
    return (unsigned)(m.key.p - at->mark->begins) + (m.key.len ? 0 : 1);
}

void mcti_config_mistake(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    char text[768], column[16] = "";
    unsigned line = mcti_config_line_at(at, m.key.p), n = mcti_config_column_at(at, m);
    if (n)
        snprintf(column, sizeof column, ":%u", n);
    snprintf(text, sizeof text, "%s:%u%s: %s%s%.*s: %s", at->file, line, column, at->path,
             *at->path && m.key.len ? "." : "", MCT_STR_ARG(m.key), what);
    mcti_config_problem(at->config, fatal, "%s", text);
    if (fatal && !at->server)
        mcti_config_break(at->config);
    else if (fatal && !at->server->error.kind)
        mcti_fail(&at->server->error, MCT_ERR_CONFIG, "%s", text);
}
