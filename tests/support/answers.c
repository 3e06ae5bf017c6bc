#include "test_server.h"

#include "base/limits.h"
#include "json/write.h"
#include "mcp/handshake.h"
#include "mcp/method.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

uint64_t test_server_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void test_server_flush(struct server *s)
{
    size_t at = 0;
    while (at < s->out.len) {
        ssize_t n = write(STDOUT_FILENO, s->out.p + at, s->out.len - at);
        if (n < 0 && errno != EINTR)
            exit(0);
        at += n > 0 ? (size_t)n : 0;
    }
    mcti_buf_clear(&s->out);
}

void test_server_put_garbage(struct server *s)
{
    for (unsigned i = 0; i < s->o.garbage; i++)
        mcti_buf_addz(&s->out, i % 2 ? "{\"not\": json\n" : "Listening on stdio...\n");
}

/* A whole line, now or after the delay. */
static void send_line(struct server *s, struct mcti_buf *line, unsigned delay_ms)
{
    mcti_buf_addz(line, s->o.crlf ? "\r\n" : "\n");
    if (!delay_ms) {
        test_server_put_garbage(s);
        mcti_buf_add(&s->out, mcti_buf_str(line));
        return;
    }
    struct later *l = calloc(1, sizeof *l);
    l->due_ms = test_server_now_ms() + delay_ms;
    l->len = line->len;
    l->text = mcti_str_dup(mcti_buf_str(line));
    mcti_list_append(&s->later, &l->node);
}

static void begin(struct mcti_buf *b, struct mcti_str id)
{
    mcti_buf_init(b, (size_t)1 << 31);
    mcti_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcti_buf_add(b, id);
    mcti_buf_addz(b, ",\"result\":");
}

static void finish(struct server *s, struct mcti_buf *b, unsigned delay_ms)
{
    mcti_buf_addc(b, '}');
    send_line(s, b, delay_ms);
    mcti_buf_done(b);
}

void test_server_refuse(struct server *s, const struct mcti_msg *msg, int code, const char *why)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 8192);
    mcti_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcti_buf_add(&b, msg->id);
    mcti_buf_printf(&b, ",\"error\":{\"code\":%d,\"message\":\"%s\",\"data\":{\"extra\":1.0}}", code, why);
    finish(s, &b, 0);
}

static void notify(struct server *s, const char *method, const char *params)
{
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"%s%s}\n", method, params ? ",\"params\":" : "",
                    params ? params : "");
}

static bool stateless(const struct mcti_msg *msg)
{
    return mcti_json_get(mcti_json_get(msg->params, "_meta"), MCT_META_VERSION).p != NULL;
}

/* What ends every result of the stateless era. */
static void end_result(struct mcti_buf *b, const struct mcti_msg *msg)
{
    if (stateless(msg))
        mcti_buf_addz(b, ",\"resultType\":\"complete\",\"ttlMs\":5,\"cacheScope\":\"public\"");
    mcti_buf_addc(b, '}');
}

/* ---- lists ---- */

static void put_tool(const struct server *s, struct mcti_buf *b, unsigned i)
{
    unsigned n = s->o.tools + s->extra_tools;
    if (i >= n && (i > n || !s->o.tool_name)) {
        mcti_buf_addz(b, s->o.tool_json);
        return;
    }
    mcti_buf_addz(b, "{\"name\":");
    if (i >= n)
        mcti_json_put_string(b, mcti_str_of(s->o.tool_name));
    else
        mcti_buf_printf(b, "\"%stool%u\"", s->o.name, i);
    mcti_buf_addz(b, ",\"title\":\"A tool\",\"description\":\"Answers with its arguments\",\"inputSchema\":"
                     "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"},\"n\":{\"type\":"
                     "\"integer\"}}},\"annotations\":{\"readOnlyHint\":true},\"x-unknown\":1e400}");
}

static void put_resource(const struct server *s, struct mcti_buf *b, unsigned i)
{
    mcti_buf_printf(b, "{\"uri\":\"test://%sresource/%u\",\"name\":\"resource %u\",\"mimeType\":\"text/plain\"",
                    s->o.name, i, i);
    if (s->o.pad)
        mcti_buf_printf(b, ",\"description\":\"%0*d\"", (int)s->o.pad, 0);
    mcti_buf_addc(b, '}');
}

static void put_template(const struct server *s, struct mcti_buf *b, unsigned i)
{
    mcti_buf_printf(b, "{\"uriTemplate\":\"test://%stemplate%u/{x}\",\"name\":\"template %u\"}", s->o.name, i, i);
}

static void put_prompt(const struct server *s, struct mcti_buf *b, unsigned i)
{
    mcti_buf_printf(b, "{\"name\":\"%sprompt%u\",\"arguments\":[{\"name\":\"a\",\"required\":true}]}", s->o.name, i);
}

static unsigned n_tools(const struct server *s)
{
    return s->o.tools + s->extra_tools + (s->o.tool_name != NULL) + (s->o.tool_json != NULL);
}

static void answer_list(struct server *s, const struct mcti_msg *msg, const char *key, unsigned n,
                        void (*put)(const struct server *, struct mcti_buf *, unsigned))
{
    struct mcti_buf b;
    uint64_t from = 0;
    struct mcti_str cursor;
    if (mcti_json_plain(mcti_json_get(msg->params, "cursor"), &cursor))
        mcti_json_uint(cursor, &from);
    unsigned to = s->o.page_size && from + s->o.page_size < n ? (unsigned)from + s->o.page_size : n;
    unsigned page = s->o.page_size ? (unsigned)from / s->o.page_size + 1 : 1;
    if (from > n)
        from = to = n;
    begin(&b, msg->id);
    mcti_buf_printf(&b, "{\"%s\":", key);
    mcti_buf_addz(&b, s->o.bad_list ? "17" : "[");
    for (unsigned i = (unsigned)from; i < to && !s->o.bad_list; i++) {
        mcti_buf_addz(&b, i > from ? "," : "");
        put(s, &b, i);
    }
    mcti_buf_addz(&b, s->o.bad_list ? "" : "]");
    if (s->o.die_in_page == page) {
        mcti_buf_add(&s->out, mcti_buf_str(&b));
        test_server_flush(s);
        exit(6);
    }
    if (s->o.endless_pages)
        mcti_buf_printf(&b, ",\"nextCursor\":\"%u\"", page * s->o.page_size);
    else if (s->o.loop_pages)
        mcti_buf_addz(&b, ",\"nextCursor\":\"0\"");
    else if (to < n)
        mcti_buf_printf(&b, ",\"nextCursor\":\"%u\"", to);
    end_result(&b, msg);
    finish(s, &b, put == put_resource ? s->o.list_delay_ms : 0);
}

/* ---- calls ---- */

/* Answers with what it was given, so that nothing can be lost unnoticed. */
static void answer_echo(struct server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    struct mcti_str args = mcti_json_get(msg->params, "arguments");
    uint64_t delay = s->o.delay_ms;
    mcti_json_uint(mcti_json_get(args, "delay_ms"), &delay);
    begin(&b, msg->id);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    for (unsigned i = 0; i < s->o.huge_bytes; i += 64)
        mcti_buf_addz(&b, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    mcti_buf_addz(&b, "ok\"}],\"structuredContent\":{\"name\":");
    mcti_buf_add(&b, mcti_json_get(msg->params, "name"));
    mcti_buf_addz(&b, ",\"arguments\":");
    mcti_buf_add(&b, args.p ? args : MCT_STR("null"));
    mcti_buf_addz(&b, ",\"_meta\":");
    struct mcti_str meta = mcti_json_get(msg->params, "_meta");
    mcti_buf_add(&b, meta.p ? meta : MCT_STR("null"));
    mcti_buf_addc(&b, '}');
    end_result(&b, msg);
    finish(s, &b, (unsigned)delay);
}

static void send_progress(struct server *s, const struct mcti_msg *msg, uint64_t steps)
{
    struct mcti_str token = mcti_json_get(mcti_json_get(msg->params, "_meta"), "progressToken");
    for (uint64_t i = 1; i <= steps && token.p; i++)
        mcti_buf_printf(&s->out,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                        "{\"progressToken\":%.*s,\"progress\":%llu,\"total\":%llu,\"x\":1.0}}\n",
                        MCT_STR_ARG(token), (unsigned long long)i, (unsigned long long)steps);
}

static void log_much(struct server *s, uint64_t n)
{
    mcti_buf_addz(&s->out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                           "{\"level\":\"error\",\"data\":\"");
    for (uint64_t i = 0; i < n; i += 16)
        mcti_buf_addz(&s->out, "0123456789abcdef");
    mcti_buf_addz(&s->out, "\"}}\n");
}

static void answer_call(struct server *s, const struct mcti_msg *msg)
{
    struct mcti_str args = mcti_json_get(msg->params, "arguments");
    uint64_t steps = 0;
    s->calls++;
    if (mcti_json_uint(mcti_json_get(args, "progress"), &steps))
        send_progress(s, msg, steps);
    if (mcti_json_true(mcti_json_get(args, "grow"))) {
        s->extra_tools++;
        notify(s, "notifications/tools/list_changed", NULL);
    }
    if (mcti_json_type(mcti_json_get(args, "touch")) == '"')
        mcti_buf_printf(&s->out,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":"
                        "{\"uri\":%.*s}}\n",
                        MCT_STR_ARG(mcti_json_get(args, "touch")));
    if (mcti_json_true(mcti_json_get(args, "ask")))
        mcti_buf_addz(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\","
                               "\"params\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"s2\",\"method\":\"ping\"}\n");
    if (mcti_json_true(mcti_json_get(args, "crash")))
        abort();
    answer_echo(s, msg);
    if (mcti_json_true(mcti_json_get(args, "log"))) /* behind the answer: it belongs to no call */
        notify(s, "notifications/message", "{\"level\":\"warning\",\"data\":\"after a call\"}");
    if (mcti_json_uint(mcti_json_get(args, "log_bytes"), &steps))
        log_much(s, steps);
    if (s->o.exit_after && s->calls >= s->o.exit_after) {
        test_server_flush(s);
        exit(3);
    }
}

static void answer_as_told(struct server *s, const char *line, struct mcti_str id)
{
    const char *at = strstr(line, "@@");
    mcti_buf_add(&s->out, at ? mcti_str_range(line, at) : mcti_str_of(line));
    if (at) {
        mcti_buf_add(&s->out, id);
        mcti_buf_addz(&s->out, at + 2);
    }
    mcti_buf_addc(&s->out, '\n');
}

static void answer_read(struct server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    char own[128];
    if (s->o.read_line) {
        answer_as_told(s, s->o.read_line, msg->id);
        return;
    }
    struct mcti_str uri, raw = mcti_json_get(msg->params, "uri");
    snprintf(own, sizeof own, "test://%s", s->o.name);
    if (!mcti_json_plain(raw, &uri) || !mcti_str_starts(uri, mcti_str_of(own))) {
        test_server_refuse(s, msg, stateless(msg) ? -32602 : -32002, "Resource not found");
        return;
    }
    begin(&b, msg->id);
    mcti_buf_addz(&b, "{\"contents\":[{\"uri\":");
    mcti_buf_add(&b, raw);
    mcti_buf_addz(&b, ",\"text\":\"the text\"}]");
    end_result(&b, msg);
    finish(s, &b, 0);
}

static void answer_simple(struct server *s, const struct mcti_msg *msg, const char *members)
{
    struct mcti_buf b;
    begin(&b, msg->id);
    mcti_buf_addc(&b, '{');
    mcti_buf_addz(&b, members);
    if (*members)
        end_result(&b, msg);
    else
        mcti_buf_addc(&b, '}');
    finish(s, &b, 0);
}

static void put_capabilities(const struct server *s, struct mcti_buf *b)
{
    mcti_buf_addz(b, "{\"logging\":{}");
    if (n_tools(s) || s->o.bad_list)
        mcti_buf_addz(b, ",\"tools\":{\"listChanged\":true}");
    if (s->o.resources || s->o.templates)
        mcti_buf_addz(b, s->o.subscribe  ? ",\"resources\":{\"subscribe\":true}"
                         : s->o.announce ? ",\"resources\":{\"listChanged\":true}"
                                         : ",\"resources\":{}");
    if (s->o.prompts)
        mcti_buf_addz(b, ",\"prompts\":{},\"completions\":{}");
    mcti_buf_addc(b, '}');
}

static void answer_initialize(struct server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    struct mcti_str asked = mcti_json_get(msg->params, "protocolVersion");
    if (!strcmp(s->o.era, "2026")) {
        test_server_refuse(s, msg, -32602, "initialize is not known: 2026-07-28 only");
        return;
    }
    begin(&b, msg->id);
    mcti_buf_addz(&b, "{\"protocolVersion\":");
    if (s->o.revision)
        mcti_json_put_string(&b, mcti_str_of(s->o.revision));
    else
        mcti_buf_add(&b, asked);
    mcti_buf_addz(&b, ",\"capabilities\":");
    put_capabilities(s, &b);
    mcti_buf_printf(&b, ",\"serverInfo\":%s,\"instructions\":\"Be kind.\"}",
                    s->o.server_info ? s->o.server_info : "{\"name\":\"test-server\",\"version\":\"1\"}");
    finish(s, &b, 0);
}

static void answer_discover(struct server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    if (s->o.exit_on_probe)
        exit(4);
    if (!strcmp(s->o.era, "legacy")) {
        test_server_refuse(s, msg, -32601, "Method not found");
        return;
    }
    begin(&b, msg->id);
    mcti_buf_addz(&b, "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":");
    put_capabilities(s, &b);
    end_result(&b, msg);
    finish(s, &b, 0);
}

void test_server_answer(struct server *s, const struct mcti_msg *msg)
{
    switch (mcti_method_find(msg->method)) {
    case MCT_VERB_INITIALIZE:
        answer_initialize(s, msg);
        break;
    case MCT_VERB_DISCOVER:
        answer_discover(s, msg);
        break;
    case MCT_VERB_TOOLS_LIST:
        answer_list(s, msg, "tools", n_tools(s), put_tool);
        break;
    case MCT_VERB_RESOURCES_LIST:
        answer_list(s, msg, "resources", s->o.resources, put_resource);
        break;
    case MCT_VERB_TEMPLATES_LIST:
        answer_list(s, msg, "resourceTemplates", s->o.templates, put_template);
        break;
    case MCT_VERB_PROMPTS_LIST:
        answer_list(s, msg, "prompts", s->o.prompts, put_prompt);
        break;
    case MCT_VERB_TOOLS_CALL:
        answer_call(s, msg);
        break;
    case MCT_VERB_RESOURCES_READ:
        answer_read(s, msg);
        break;
    case MCT_VERB_PROMPTS_GET:
        answer_simple(s, msg, "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\"}}]");
        break;
    case MCT_VERB_COMPLETE:
        answer_simple(s, msg, "\"completion\":{\"values\":[\"one\",\"two\"]}");
        break;
    case MCT_VERB_SUBSCRIBE:
    case MCT_VERB_UNSUBSCRIBE:
    case MCT_VERB_PING:
    case MCT_VERB_SET_LEVEL:
        answer_simple(s, msg, "");
        break;
    default:
        if (!mcti_str_is(msg->method, "subscriptions/listen"))
            test_server_refuse(s, msg, -32601, "Method not found");
    }
}
