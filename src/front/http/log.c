/*
 * The access log: one JSON object per line and exchange, written at the end of the exchange. It contains methods,
 * paths, tools, principals and durations; never a query, a header, a body or a token. A session appears as four bytes
 * of a digest of its id: enough to distinguish sessions, useless for using one.
 */
#include "front/http/log.h"
#include "front/http/session.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "json/write.h"

#include <stdlib.h>

enum { PATH_MAX_LEN = 128, NAME_MAX_LEN = 128, RPC_MAX_LEN = 48 };

struct record {
    uint64_t begin_ns;
    int principal; /* -1: unknown */
    char session[9], path[PATH_MAX_LEN], rpc[RPC_MAX_LEN], name[NAME_MAX_LEN];
    struct mcti_text *server; /* name of the one called; NULL: none */
};

static void http_log_copy(char *to, size_t size, struct mcti_str text)
{
    size_t n = text.len < size - 1 ? text.len : size - 1;
    memcpy(to, text.p ? text.p : "", n);
    to[n] = '\0';
}

void mcti_access_init(struct mcti_front_http *f, int fd)
{
    mcti_line_file_init(&f->log, &f->loop->sched, fd, MCT_LIMIT_LOG_PENDING_BYTES);
    mcti_line_file_report(&f->log, f->loop->log, "serve.access_log");
}

void mcti_access_done(struct mcti_front_http *f)
{
    mcti_line_file_done(&f->log, 0);
}

void mcti_access_begin(struct mcti_front_http *f, struct mcti_http_exchange *x, struct mcti_str path)
{
    struct record *r = f->log.fd < 0 ? NULL : calloc(1, sizeof *r);
    if (!r)
        return;
    r->begin_ns = uv_hrtime();
    r->principal = -1;
    http_log_copy(r->path, sizeof r->path, path);
    mcti_http_set_record(x, r);
}

void mcti_access_principal(struct mcti_http_exchange *x, unsigned principal)
{
    struct record *r = mcti_http_record(x);
    if (r)
        r->principal = (int)principal;
}

void mcti_access_session(struct mcti_http_exchange *x, const struct mcti_http_session *s)
{
    struct record *r = mcti_http_record(x);
    unsigned char digest[32];
    if (r && mcti_sha256_pair(mcti_str_of("access log"), mcti_str_of(s->id), digest) == 0)
        mcti_hex(digest, 4, r->session);
}

void mcti_access_message(struct mcti_http_exchange *x, const struct mcti_msg *msg)
{
    struct record *r = mcti_http_record(x);
    if (!r)
        return;
    http_log_copy(r->rpc, sizeof r->rpc,
                  msg->kind == MCT_MSG_BATCH      ? MCT_STR("(batch)")
                  : !msg->method.p                ? MCT_STR("(answer)")
                  : mcti_method_find(msg->method) ? msg->method
                                                  : MCT_STR("(other)"));
}

/* Resources are not logged, because a URI may contain secrets, nor are names that the view does not have. */
void mcti_access_name(const struct mcti_http_visit *v, struct mcti_view *view, const struct mcti_msg *msg)
{
    struct record *r = mcti_http_record(v->x);
    enum mcti_verb verb = r && msg->method.p ? mcti_method_find(msg->method) : MCT_VERB_UNKNOWN;
    struct mcti_str name;
    if ((verb != MCT_VERB_TOOLS_CALL && verb != MCT_VERB_PROMPTS_GET) ||
        !mcti_json_plain(mcti_json_get(msg->params, "name"), &name))
        return;
    enum mcti_kind kind = verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    const struct mcti_exposure *e = mcti_view_named(view, kind, name, NULL);
    if (!e)
        return;
    http_log_copy(r->name, sizeof r->name, name);
    mcti_text_unref(r->server);
    r->server = mcti_text_ref(e->provider->label);
}

static void http_log_put_text(struct mcti_buf *b, const char *key, const char *text)
{
    if (text && *text)
        mcti_json_put_member(b, key, mcti_str_of(text));
}

static void http_log_put_line(struct mcti_front_http *f, struct mcti_buf *b, const struct mcti_http_exchange *x,
                              const struct record *r)
{
    mcti_buf_addz(b, "{\"time\":\"");
    mcti_clock_put(b, mcti_clock_wall_ms());
    mcti_buf_addc(b, '"');
    mcti_json_put_member(b, "method", mcti_http_method(x));
    http_log_put_text(b, "path", r ? r->path : NULL);
    mcti_buf_printf(b, ",\"status\":%d,\"bytes\":%llu", mcti_http_status(x), (unsigned long long)mcti_http_sent(x));
    if (r) {
        mcti_json_put_key(b, "duration_ms");
        mcti_json_put_double(b, (double)((uv_hrtime() - r->begin_ns) / 1000) / 1e3);
    }
    if (r && r->principal >= 0)
        mcti_json_put_member(b, "principal", mcti_http_principal_word(f, (unsigned)r->principal));
    if (r) {
        http_log_put_text(b, "session", r->session);
        http_log_put_text(b, "rpc", r->rpc);
        http_log_put_text(b, "name", r->name);
        http_log_put_text(b, "server", r->server ? r->server->p : NULL);
    }
    mcti_buf_addc(b, '}');
}

void mcti_access_end(struct mcti_front_http *f, struct mcti_http_exchange *x)
{
    struct record *r = mcti_http_record(x);
    if (f->log.fd < 0)
        return;
    http_log_put_line(f, mcti_line_file_begin(&f->log), x, r);
    mcti_line_file_end(&f->log);
    if (r)
        mcti_text_unref(r->server);
    free(r);
    mcti_http_set_record(x, NULL);
}
