#include "fault_server.h"

#include "io/lines.h"
#include "json/write.h"
#include "mcp/era.h"
#include "mcp/handshake.h"
#include "mcp/method.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void fault_server_flush(struct fault_server *s)
{
    size_t at = 0;
    while (at < s->out.len) {
        ssize_t n = write(STDOUT_FILENO, s->out.p + at, s->out.len - at);
        if (n < 0 && errno != EINTR && !s->stubborn)
            exit(0);
        if (n < 0 && errno != EINTR)
            break;
        at += n > 0 ? (size_t)n : 0;
    }
    mcti_buf_clear(&s->out);
}

static struct fault_later *put_off(struct fault_server *s, struct mcti_str line)
{
    struct fault_later *l = calloc(1, sizeof *l);
    mcti_buf_init(&l->line, (size_t)1 << 31);
    mcti_buf_add(&l->line, line);
    mcti_list_append(&s->later, &l->node);
    return l;
}

static void later_send(struct fault_server *s, struct fault_later *l)
{
    mcti_buf_add(&s->out, mcti_buf_str(&l->line));
    mcti_list_remove(&l->node);
    mcti_buf_done(&l->line);
    free(l);
}

void fault_server_send(struct fault_server *s, struct mcti_str line, uint64_t delay_ms)
{
    if (delay_ms)
        put_off(s, line)->due_ms = now_ms() + delay_ms;
    else
        mcti_buf_add(&s->out, line);
}

/* ---- requests ---- */

static bool is_stateless(const struct mcti_msg *msg)
{
    return mcti_json_get(mcti_json_get(msg->params, "_meta"), MCT_META_VERSION).p != NULL;
}

static void begin(struct mcti_buf *b, const struct mcti_msg *msg)
{
    mcti_buf_init(b, (size_t)1 << 31);
    mcti_buf_printf(b, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{", MCT_STR_ARG(msg->id));
}

static void end(struct mcti_buf *b, const struct mcti_msg *msg, const char *type)
{
    if (is_stateless(msg))
        mcti_buf_printf(b, ",\"resultType\":\"%s\",\"ttlMs\":0,\"cacheScope\":\"private\"", type);
    mcti_buf_addz(b, "}}\n");
}

static void finish(struct fault_server *s, struct mcti_buf *b, const struct mcti_msg *msg)
{
    end(b, msg, "complete");
    mcti_buf_add(&s->out, mcti_buf_str(b));
    mcti_buf_done(b);
}

static void refuse(struct fault_server *s, const struct mcti_msg *msg, int code, const char *why)
{
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":%d,\"message\":\"%s\"}}\n",
                    MCT_STR_ARG(msg->id), code, why);
}

#define CAPABILITIES                                                                                                   \
    "\"capabilities\":{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},"      \
    "\"prompts\":{\"listChanged\":true},\"logging\":{},\"completions\":{}}"

static void answer_initialize(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    if (!strcmp(s->era, "2026")) {
        refuse(s, msg, -32602, "2026-07-28 only");
        return;
    }
    begin(&b, msg);
    mcti_buf_printf(&b, "\"protocolVersion\":%.*s," CAPABILITIES ",\"serverInfo\":{\"name\":\"%s\",\"version\":\"1\"}",
                    MCT_STR_ARG(mcti_json_get(msg->params, "protocolVersion")), s->name);
    finish(s, &b, msg);
}

static void answer_discover(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    if (!strcmp(s->era, "legacy")) {
        refuse(s, msg, -32601, "Method not found");
        return;
    }
    begin(&b, msg);
    mcti_buf_addz(&b, "\"supportedVersions\":[\"2026-07-28\"]," CAPABILITIES);
    finish(s, &b, msg);
}

#define SCHEMA                                                                                                         \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"nonce\":{\"type\":\"string\"},\"fault\":{\"type\":"        \
    "\"string\"}}}"

static void answer_list(struct fault_server *s, const struct mcti_msg *msg, enum mcti_verb verb)
{
    struct mcti_buf b;
    begin(&b, msg);
    if (verb == MCT_VERB_TOOLS_LIST)
        mcti_buf_addz(&b, "\"tools\":[{\"name\":\"echo\",\"annotations\":{\"readOnlyHint\":true}," SCHEMA "},"
                          "{\"name\":\"ask\"," SCHEMA "}]");
    else if (verb == MCT_VERB_RESOURCES_LIST)
        mcti_buf_printf(
            &b, "\"resources\":[{\"uri\":\"%s://one\",\"name\":\"one\"},{\"uri\":\"%s://two\",\"name\":\"two\"}]",
            s->name, s->name);
    else if (verb == MCT_VERB_TEMPLATES_LIST)
        mcti_buf_printf(&b, "\"resourceTemplates\":[{\"uriTemplate\":\"%s://n/{nonce}\",\"name\":\"nonces\"}]",
                        s->name);
    else
        mcti_buf_addz(&b, "\"prompts\":[{\"name\":\"say\",\"arguments\":[{\"name\":\"nonce\",\"required\":true}]}]");
    finish(s, &b, msg);
}

static void answer_read(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    struct mcti_str uri = mcti_json_get(msg->params, "uri");
    begin(&b, msg);
    mcti_buf_printf(&b, "\"contents\":[{\"uri\":%.*s,\"text\":%.*s}]", MCT_STR_ARG(uri), MCT_STR_ARG(uri));
    finish(s, &b, msg);
}

static void answer_prompt(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    struct mcti_str nonce = mcti_json_get(mcti_json_get(msg->params, "arguments"), "nonce");
    begin(&b, msg);
    mcti_buf_printf(&b, "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":%.*s}}]",
                    MCT_STR_ARG(nonce.p ? nonce : MCT_STR("\"\"")));
    finish(s, &b, msg);
}

static void answer_empty(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    begin(&b, msg);
    mcti_buf_addz(&b, "\"_meta\":{}");
    finish(s, &b, msg);
}

static void answer_complete(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_buf b;
    struct mcti_str value = mcti_json_get(mcti_json_get(msg->params, "argument"), "value");
    begin(&b, msg);
    mcti_buf_printf(&b, "\"completion\":{\"values\":[%.*s]}", MCT_STR_ARG(value));
    finish(s, &b, msg);
}

static void acknowledge(struct fault_server *s, const struct mcti_msg *msg)
{
    snprintf(s->listen_id, sizeof s->listen_id, "%.*s", MCT_STR_ARG(msg->id));
    s->listening = true;
    mcti_buf_printf(&s->out,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
                    "\"notifications\":%.*s,\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}\n",
                    MCT_STR_ARG(mcti_json_get(msg->params, "notifications")), s->listen_id);
}

/* ---- calls ---- */

static void put_result(struct fault_server *s, struct mcti_buf *b, struct mcti_str arguments)
{
    uint64_t size = 0;
    struct mcti_str nonce = mcti_json_get(arguments, "nonce"), owner;
    if (!s->owner[0] && mcti_json_plain(mcti_json_get(arguments, "principal"), &owner))
        snprintf(s->owner, sizeof s->owner, "%.*s", MCT_STR_ARG(owner));
    mcti_json_uint(mcti_json_get(arguments, "size"), &size);
    mcti_buf_printf(b, "\"structuredContent\":{\"nonce\":%.*s,\"server\":\"%s\",\"pid\":%d,\"owner\":\"%s\"},",
                    MCT_STR_ARG(nonce.p ? nonce : MCT_STR("null")), s->name, (int)getpid(), s->owner);
    mcti_buf_addz(b, "\"content\":[{\"type\":\"text\",\"text\":\"");
    if (mcti_json_type(nonce) == '"')
        mcti_buf_add(b, (struct mcti_str){ nonce.p + 1, nonce.len - 2 });
    mcti_buf_addc(b, ' ');
    for (uint64_t i = 0; i < size; i += 16)
        mcti_buf_addz(b, "0123456789abcdef");
    mcti_buf_addz(b, "\"}]");
}

static void send_progress(struct fault_server *s, struct mcti_str token, uint64_t n)
{
    for (uint64_t i = 1; i <= n && token.p; i++)
        mcti_buf_printf(&s->out,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%.*s,"
                        "\"progress\":%d}}\n",
                        MCT_STR_ARG(token), (int)i);
}

static void send_updated(struct fault_server *s, struct mcti_str uri)
{
    mcti_buf_printf(&s->out,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":%.*s",
                    MCT_STR_ARG(uri));
    if (s->listening)
        mcti_buf_printf(&s->out, ",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}", s->listen_id);
    mcti_buf_addz(&s->out, "}}\n");
}

#define QUESTION                                                                                                       \
    "\"params\":{\"mode\":\"form\",\"message\":\"Well?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"     \
    "{\"word\":{\"type\":\"string\"}}}}"

/* Returns true if the call has to wait for an answer first. `line` is its answer. */
static bool ask(struct fault_server *s, const struct mcti_msg *msg, const struct mcti_buf *line)
{
    if (mcti_json_get(msg->params, "inputResponses").p)
        return false;
    if (is_stateless(msg)) {
        struct mcti_buf b;
        begin(&b, msg);
        mcti_buf_addz(&b, "\"inputRequests\":{\"q\":{\"method\":\"elicitation/create\"," QUESTION
                          "}},\"requestState\":\"s\"");
        end(&b, msg, "input_required");
        mcti_buf_add(&s->out, mcti_buf_str(&b));
        mcti_buf_done(&b);
        return true;
    }
    struct fault_later *l = put_off(s, mcti_buf_str(line));
    l->ask = ++s->n_asked;
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"elicitation/create\"," QUESTION "}\n",
                    (int)l->ask);
    return true;
}

static void answer_call(struct fault_server *s, const struct mcti_msg *msg)
{
    struct mcti_str a = mcti_json_get(msg->params, "arguments"), verb, touch = mcti_json_get(a, "touch");
    struct fault_order o = { .id = msg->id,
                             .token = mcti_json_get(mcti_json_get(msg->params, "_meta"), "progressToken") };
    uint64_t progress = 0;
    struct mcti_buf line;
    begin(&line, msg);
    put_result(s, &line, a);
    end(&line, msg, "complete");
    o.line = mcti_buf_str(&line);
    mcti_json_uint(mcti_json_get(a, "n"), &o.n);
    mcti_json_uint(mcti_json_get(a, "delay_ms"), &o.delay_ms);
    if (mcti_json_uint(mcti_json_get(a, "progress"), &progress))
        send_progress(s, o.token, progress);
    if (mcti_json_type(touch) == '"')
        send_updated(s, touch);
    if (mcti_json_plain(mcti_json_get(a, "fault"), &verb))
        fault_verb_run(s, verb, &o);
    else if (!mcti_json_is(mcti_json_get(msg->params, "name"), "ask") || !ask(s, msg, &line))
        fault_server_send(s, o.line, o.delay_ms);
    mcti_buf_done(&line);
}

static void answer(struct fault_server *s, const struct mcti_msg *msg)
{
    enum mcti_verb verb = mcti_method_find(msg->method);
    switch (verb) {
    case MCT_VERB_INITIALIZE:
        answer_initialize(s, msg);
        break;
    case MCT_VERB_DISCOVER:
        answer_discover(s, msg);
        break;
    case MCT_VERB_TOOLS_LIST:
    case MCT_VERB_RESOURCES_LIST:
    case MCT_VERB_TEMPLATES_LIST:
    case MCT_VERB_PROMPTS_LIST:
        answer_list(s, msg, verb);
        break;
    case MCT_VERB_TOOLS_CALL:
        answer_call(s, msg);
        break;
    case MCT_VERB_RESOURCES_READ:
        answer_read(s, msg);
        break;
    case MCT_VERB_PROMPTS_GET:
        answer_prompt(s, msg);
        break;
    case MCT_VERB_COMPLETE:
        answer_complete(s, msg);
        break;
    case MCT_VERB_SUBSCRIBE:
    case MCT_VERB_UNSUBSCRIBE:
    case MCT_VERB_PING:
    case MCT_VERB_SET_LEVEL:
        answer_empty(s, msg);
        break;
    default:
        if (mcti_str_is(msg->method, "subscriptions/listen"))
            acknowledge(s, msg);
        else
            refuse(s, msg, -32601, "Method not found");
    }
}

/* The answer to a question of ours lets its call go on. */
static void answered(struct fault_server *s, struct mcti_str id)
{
    uint64_t n = 0;
    mcti_json_uint(id, &n);
    MCT_LIST_EACH(it, &s->later) {
        struct fault_later *l = MCT_CONTAINER(it, struct fault_later, node);
        if (l->ask && l->ask == n)
            later_send(s, l);
    }
}

static bool on_line(void *data, struct mcti_str line)
{
    struct fault_server *s = data;
    struct mcti_msg msg;
    if (mcti_msg_parse(line, &msg, NULL) < 0 || s->mute)
        return true;
    if (msg.kind == MCT_MSG_REQUEST)
        answer(s, &msg);
    else if (msg.kind == MCT_MSG_RESULT || msg.kind == MCT_MSG_ERROR)
        answered(s, msg.id);
    return true;
}

/* ---- the process ---- */

/* Orders are datagrams: VERB or VERB N. */
static void open_control(struct fault_server *s)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    s->control_fd = -1;
    if (!s->control)
        return;
    snprintf(a.sun_path, sizeof a.sun_path, "%s/%s.%d", s->control, s->name, (int)getpid());
    s->control_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s->control_fd < 0 || bind(s->control_fd, (struct sockaddr *)&a, sizeof a) < 0)
        perror("fault-server: control socket");
}

static void take_order(struct fault_server *s)
{
    char text[128];
    ssize_t n = recv(s->control_fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return;
    text[n] = '\0';
    struct mcti_str rest = { text, (size_t)n }, verb = MCT_STR_NONE;
    mcti_str_split(&rest, ' ', &verb);
    fault_verb_run(s, verb, &(struct fault_order){ .n = rest.p ? strtoul(rest.p, NULL, 10) : 0 });
}

static int send_due(struct fault_server *s)
{
    int wait = -1;
    uint64_t now = now_ms();
    MCT_LIST_EACH(it, &s->later) {
        struct fault_later *l = MCT_CONTAINER(it, struct fault_later, node);
        if (l->due_ms && l->due_ms <= now)
            later_send(s, l);
        else if (l->due_ms && (wait < 0 || (int)(l->due_ms - now) < wait))
            wait = (int)(l->due_ms - now);
    }
    return wait;
}

static void serve(struct fault_server *s)
{
    static char bytes[1 << 16];
    struct mcti_lines lines;
    mcti_lines_init(&lines, (size_t)1 << 30);
    for (;;) {
        int wait = send_due(s);
        fault_server_flush(s);
        struct pollfd p[] = { { .fd = s->deaf ? -1 : STDIN_FILENO, .events = POLLIN },
                              { .fd = s->control_fd, .events = POLLIN } };
        if (poll(p, 2, wait) <= 0)
            continue;
        if (p[1].revents)
            take_order(s);
        if (!p[0].revents)
            continue;
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n > 0)
            mcti_lines_feed(&lines, &(struct mcti_str){ bytes, (size_t)n }, on_line, s);
        else if (s->stubborn)
            s->deaf = true;
        else
            break;
    }
    mcti_lines_done(&lines);
}

/* usage: fault-server NAME [legacy|2026|both [FOLDER]] */
int main(int argc, char **argv)
{
    struct fault_server s = { .name = argc > 1 ? argv[1] : "x",
                              .era = argc > 2 ? argv[2] : "legacy",
                              .control = argc > 3 ? argv[3] : NULL };
    signal(SIGPIPE, SIG_IGN);
    mcti_list_init(&s.later);
    mcti_buf_init(&s.out, (size_t)1 << 31);
    open_control(&s);
    serve(&s);
    mcti_buf_done(&s.out);
    return 0;
}
