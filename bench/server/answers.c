#include "server.h"

#include "mcp/message.h"
#include "mcp/method.h"

#include <errno.h>

static const char text_64[] = "the quick brown fox jumps over the lazy dog and runs far away; ";

/* Begins what follows the id. */
static void begin_rest(struct mcti_buf *b)
{
    mcti_buf_init(b, (size_t)1 << 31);
    mcti_buf_addz(b, ",\"result\":{");
}

static void end_rest(const struct server *s, struct mcti_buf *b)
{
    if (s->stateless)
        mcti_buf_addz(b, ",\"resultType\":\"complete\",\"ttlMs\":3600000,\"cacheScope\":\"public\"");
    mcti_buf_addz(b, "}}");
}

static void put_tools(struct mcti_buf *b, unsigned n_tools)
{
    mcti_buf_addz(b, "\"tools\":[");
    for (unsigned i = 0; i < n_tools; i++)
        mcti_buf_printf(b,
                        "%s{\"name\":\"tool%u\",\"description\":\"Answers with a text\",\"inputSchema\":{\"type\":"
                        "\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}}",
                        i ? "," : "", i);
    mcti_buf_addc(b, ']');
}

static void put_result(struct mcti_buf *b, size_t bytes)
{
    mcti_buf_addz(b, "\"content\":[{\"type\":\"text\",\"text\":\"");
    for (size_t left = bytes, n; left; left -= n) {
        n = left < sizeof text_64 - 1 ? left : sizeof text_64 - 1;
        mcti_buf_add(b, (struct mcti_str){ text_64, n });
    }
    mcti_buf_addz(b, "\"}],\"isError\":false");
}

static void init_refusal(struct mcti_buf *b)
{
    mcti_buf_init(b, 256);
    mcti_buf_addz(b, ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
}

static void init_first(struct server *s)
{
    if (s->stateless) {
        init_refusal(&s->initialize);
        begin_rest(&s->discover);
        mcti_buf_addz(&s->discover, "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
                                    "\"serverInfo\":{\"name\":\"bench\",\"version\":\"1\"}");
        end_rest(s, &s->discover);
        return;
    }
    init_refusal(&s->discover);
    begin_rest(&s->initialize);
    mcti_buf_addz(&s->initialize, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                                  "\"serverInfo\":{\"name\":\"bench\",\"version\":\"1\"}");
    end_rest(s, &s->initialize);
}

void server_init(struct server *s)
{
    init_first(s);
    begin_rest(&s->list);
    put_tools(&s->list, s->tools);
    end_rest(s, &s->list);
    begin_rest(&s->call);
    put_result(&s->call, s->bytes);
    end_rest(s, &s->call);
    mcti_buf_init(&s->ping, 64);
    mcti_buf_addz(&s->ping, ",\"result\":{}}");
    init_refusal(&s->unknown);
}

void server_done(struct server *s)
{
    struct mcti_buf *all[] = { &s->initialize, &s->discover, &s->list, &s->call, &s->ping, &s->unknown };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mcti_buf_done(all[i]);
}

static const struct mcti_buf *rest_for(const struct server *s, struct mcti_str method)
{
    switch (mcti_method_find(method)) {
    case MCT_VERB_TOOLS_CALL:
        return &s->call;
    case MCT_VERB_TOOLS_LIST:
        return &s->list;
    case MCT_VERB_INITIALIZE:
        return &s->initialize;
    case MCT_VERB_DISCOVER:
        return &s->discover;
    case MCT_VERB_PING:
        return &s->ping;
    default:
        return &s->unknown;
    }
}

static struct iovec piece_of(struct mcti_str text)
{
    return (struct iovec){ .iov_base = (void *)(uintptr_t)text.p, .iov_len = text.len };
}

size_t server_answer(const struct server *s, struct mcti_str message, struct iovec ret_answer[ANSWER_PIECES])
{
    struct mcti_msg msg;
    if (mcti_msg_parse(message, &msg, NULL) < 0 || msg.kind != MCT_MSG_REQUEST)
        return 0;
    ret_answer[0] = piece_of(MCT_STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    ret_answer[1] = piece_of(msg.id);
    ret_answer[2] = piece_of(mcti_buf_str(rest_for(s, msg.method)));
    return ret_answer[0].iov_len + ret_answer[1].iov_len + ret_answer[2].iov_len;
}

int server_write(int fd, struct iovec *pieces, int n_pieces)
{
    while (n_pieces) {
        ssize_t n = writev(fd, pieces, n_pieces);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        for (; n_pieces && (size_t)n >= pieces->iov_len; pieces++, n_pieces--)
            n -= (ssize_t)pieces->iov_len;
        if (n_pieces) {
            pieces->iov_base = (char *)pieces->iov_base + n;
            pieces->iov_len -= (size_t)n;
        }
    }
    return 0;
}
