/*
 * The access log: one JSON object a line for each exchange, written at its end. It names methods, paths,
 * tools, who and how long; never a query, a header, a body or a token. A session is named by four bytes of
 * a digest of its id, enough to tell sessions apart and useless for using one.
 */
#include "front/http/impl.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "json/write.h"

#include <stdlib.h>

enum { PATH_MAX_LEN = 128, NAME_MAX_LEN = 128, RPC_MAX_LEN = 48 };

struct record {
    uint64_t begin_ns;
    int principal; /* -1: nobody known */
    char session[9], path[PATH_MAX_LEN], rpc[RPC_MAX_LEN], name[NAME_MAX_LEN];
    const char *server; /* names live as long as the registry */
};

static void copy(char *to, size_t size, struct mct_str text)
{
    size_t n = text.len < size - 1 ? text.len : size - 1;
    memcpy(to, text.p ? text.p : "", n);
    to[n] = '\0';
}

void access_init(struct mct_front_http *f, int fd)
{
    mct_line_file_init(&f->log, &f->loop->sched, fd, MCT_LIMIT_LOG_PENDING_BYTES);
    mct_line_file_report(&f->log, f->loop->log, "serve.access_log");
}

void access_done(struct mct_front_http *f)
{
    mct_line_file_done(&f->log, 0);
}

void access_begin(struct mct_front_http *f, struct mct_http_exchange *x, struct mct_str path)
{
    struct record *r = f->log.fd < 0 ? NULL : calloc(1, sizeof *r);
    if (!r)
        return;
    r->begin_ns = uv_hrtime();
    r->principal = -1;
    copy(r->path, sizeof r->path, path);
    mct_http_set_record(x, r);
}

void access_principal(struct mct_http_exchange *x, unsigned principal)
{
    struct record *r = mct_http_record(x);
    if (r)
        r->principal = (int)principal;
}

void access_session(struct mct_http_exchange *x, const struct http_session *s)
{
    struct record *r = mct_http_record(x);
    unsigned char digest[32];
    if (r && mct_sha256_pair(mct_str_of("access log"), mct_str_of(s->id), digest) == 0)
        mct_hex(digest, 4, r->session);
}

void access_message(struct mct_http_exchange *x, const struct mct_msg *msg)
{
    struct record *r = mct_http_record(x);
    if (!r)
        return;
    copy(r->rpc, sizeof r->rpc, msg->kind == MCT_MSG_BATCH ? MCT_STR("(batch)")
                                : !msg->method.p ? MCT_STR("(answer)")
                                : mct_method_find(msg->method) ? msg->method : MCT_STR("(other)"));
}

/* Not of a resource: a URI may hold secrets. And only names of ours. */
void access_name(const struct visit *v, struct mct_view *view, const struct mct_msg *msg)
{
    struct record *r = mct_http_record(v->x);
    enum mct_verb verb = r && msg->method.p ? mct_method_find(msg->method) : MCT_VERB_UNKNOWN;
    struct mct_str name;
    if ((verb != MCT_VERB_TOOLS_CALL && verb != MCT_VERB_PROMPTS_GET) ||
        !mct_json_plain(mct_json_get(msg->params, "name"), &name))
        return;
    enum mct_kind kind = verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    const struct mct_exposure *e = mct_view_named(view, kind, name, NULL);
    if (!e)
        return;
    copy(r->name, sizeof r->name, name);
    r->server = e->provider->name;
}

static void put_text(struct mct_buf *b, const char *key, const char *text)
{
    if (text && *text)
        mct_json_put_member(b, key, mct_str_of(text));
}

static void put_line(struct mct_front_http *f, struct mct_buf *b, const struct mct_http_exchange *x,
                     const struct record *r)
{
    mct_buf_addz(b, "{\"time\":\"");
    mct_clock_put(b, mct_clock_wall_ms());
    mct_buf_addc(b, '"');
    mct_json_put_member(b, "method", mct_http_method(x));
    put_text(b, "path", r ? r->path : NULL);
    mct_buf_printf(b, ",\"status\":%d,\"bytes\":%llu", mct_http_status(x), (unsigned long long)mct_http_sent(x));
    if (r)
        mct_buf_printf(b, ",\"duration_ms\":%.3f", (double)(uv_hrtime() - r->begin_ns) / 1e6);
    if (r && r->principal >= 0)
        mct_json_put_member(b, "principal", principal_word(f, (unsigned)r->principal));
    if (r) {
        put_text(b, "session", r->session);
        put_text(b, "rpc", r->rpc);
        put_text(b, "name", r->name);
        put_text(b, "server", r->server);
    }
    mct_buf_addc(b, '}');
}

void access_end(struct mct_front_http *f, struct mct_http_exchange *x)
{
    struct record *r = mct_http_record(x);
    if (f->log.fd < 0)
        return;
    put_line(f, mct_line_file_begin(&f->log), x, r);
    mct_line_file_end(&f->log);
    free(r);
    mct_http_set_record(x, NULL);
}
