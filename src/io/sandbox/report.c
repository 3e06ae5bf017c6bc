/* What a sandbox holds, as JSON. */
#include "io/sandbox/impl.h"

#include "json/write.h"

#include <stdarg.h>
#include <stdio.h>

void mcti_sandbox_put_item(struct mcti_buf *to, struct mcti_str text)
{
    if (to->len)
        mcti_buf_addc(to, ',');
    mcti_json_put_string(to, text);
}

int mcti_sandbox_lacks(struct mcti_sandbox *s, struct mct_error *err, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (s->mode == MCT_SANDBOX_STRICT)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "the sandbox is \"strict\" and cannot hold here: %s; \"best-effort\" "
                         "starts the server with what holds",
                         text);
    mcti_sandbox_put_item(&s->faults, mcti_str_of(text));
    return 0;
}

static void report_put_list(struct mcti_buf *to, const char *key, const struct mcti_buf *items)
{
    if (!items->len)
        return;
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    mcti_buf_add(to, mcti_buf_str(items));
    mcti_buf_addc(to, ']');
}

static void report_put_allowed(const struct mcti_sandbox *s, struct mcti_buf *to)
{
    if (!s->allow)
        return;
    mcti_json_put_key(to, "allow");
    mcti_buf_addc(to, '[');
    for (const struct mcti_word *w = mcti_sandbox_allows; w->word; w++)
        if (s->allow & w->value)
            mcti_buf_printf(to, "%s\"%s\"", mcti_buf_last(to) == '[' ? "" : ",", w->word);
    mcti_buf_addc(to, ']');
}

int mcti_sandbox_write_report(struct mcti_sandbox *s, struct mct_error *err)
{
    struct mcti_buf *to = &s->report;
    mcti_buf_printf(to, "{\"mode\":\"%s\",\"landlock\":%d,\"seccomp\":%s,\"network\":\"%s\"",
                    mcti_word_of(mcti_sandbox_modes, s->mode), s->landlock, s->filter.len ? "true" : "false",
                    mcti_word_of(mcti_sandbox_networks, s->network));
    if (s->net_ns >= 0 || s->user_ns >= 0)
        mcti_buf_printf(to, ",\"namespaces\":[%s%s%s]", s->user_ns >= 0 ? "\"user\"" : "",
                        s->user_ns >= 0 && s->net_ns >= 0 ? "," : "", s->net_ns >= 0 ? "\"network\"" : "");
    mcti_buf_add(to, mcti_buf_str(&s->limits));
    report_put_allowed(s, to);
    report_put_list(to, "read", &s->paths.read);
    report_put_list(to, "write", &s->paths.write);
    report_put_list(to, "absent", &s->paths.absent);
    if (s->folder)
        mcti_json_put_member(to, "temporary", mcti_str_of(s->folder));
    mcti_json_put_key(to, "cgroup");
    mcti_buf_addz(to, s->cgroup ? "true" : "false");
    report_put_list(to, "lacks", &s->faults);
    mcti_buf_addc(to, '}');
    return mcti_buf_ok(to) ? 0 : mcti_no_memory(err);
}

struct mcti_str mcti_sandbox_report(const struct mcti_sandbox *s)
{
    return s ? mcti_buf_str(&s->report) : MCT_STR_NONE;
}
