/*
 * The handshakes of a transcript, each in one line. The frames are compared as strictly as if they were spelt out: ids
 * from 1, in order, and every list that the capabilities call for.
 */
#include "flow.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *capability, *method, *member;
} lists[] = {
    { "tools", "tools/list", "tools" },
    { "resources", "resources/list", "resources" },
    { "resources", "resources/templates/list", "resourceTemplates" },
    { "prompts", "prompts/list", "prompts" },
};
enum { N_LISTS = sizeof lists / sizeof *lists };

/* What a server says in its handshake. */
struct offer {
    struct mcti_str rev, items;
    char *owned; /* the object made of names or an array of tools */
    struct mcti_buf capabilities;
};

/* Writes an array of tools: `text` is one, or their names, in quotes or without. */
static void put_tools(struct mcti_buf *to, struct mcti_str text)
{
    struct mcti_str name;
    const char *comma = "";
    if (mcti_json_type(text) == '[') {
        mcti_buf_add(to, text);
        return;
    }
    if (mcti_json_type(text) == '"')
        text = (struct mcti_str){ text.p + 1, text.len - 2 };
    mcti_buf_addc(to, '[');
    for (; text.len && mcti_str_split(&text, ',', &name); comma = ",")
        mcti_buf_printf(to, "%s{\"name\":\"%.*s\",\"inputSchema\":{\"type\":\"object\"}}", comma, MCT_STR_ARG(name));
    mcti_buf_addc(to, ']');
}

/* Sets the items to an object, whatever form they were given in. */
static void read_items(struct flow *f, struct offer *o, struct mcti_str text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    if (text.len && *text.p == '{') {
        mcti_buf_add(&b, text);
    } else if (text.len) {
        mcti_buf_addz(&b, "{\"tools\":");
        put_tools(&b, text);
        mcti_buf_addc(&b, '}');
    } else {
        mcti_buf_addz(&b, "{}");
    }
    o->owned = mcti_buf_take(&b);
    o->items = mcti_str_of(o->owned);
    if (!mcti_json_valid(o->items, 64, NULL, NULL))
        flow_fail(f, "not JSON", o->owned);
}

/* Sets the capabilities: those given, else one for each kind of list. */
static void read_capabilities(struct offer *o)
{
    struct mcti_str given = mcti_json_get(o->items, "capabilities");
    const char *comma = "", *last = "";
    mcti_buf_init(&o->capabilities, MCT_LIMIT_MESSAGE_BYTES);
    if (given.p) {
        mcti_buf_add(&o->capabilities, given);
        return;
    }
    mcti_buf_addc(&o->capabilities, '{');
    for (size_t i = 0; i < N_LISTS; i++) {
        if (!mcti_json_get(o->items, lists[i].member).p || mcti_str_is(mcti_str_of(last), lists[i].capability))
            continue;
        last = lists[i].capability;
        mcti_buf_printf(&o->capabilities, "%s\"%s\":{}", comma, last);
        comma = ",";
    }
    mcti_buf_addc(&o->capabilities, '}');
}

/* Cuts a revision from the front of `rest`; returns `otherwise` if none is there. */
static struct mcti_str cut_revision(struct mcti_str *rest, const char *otherwise)
{
    struct mcti_str left = *rest, word;
    if (!left.len || !mcti_str_split(&left, ' ', &word) || mcti_rev_find(word) == MCT_REV_NONE)
        return mcti_str_of(otherwise);
    *rest = left;
    return word;
}

/* Texts stand in static variables until the next one is made: a line that is given up is left with longjmp(). */
static const char *text_of(const char *format, va_list args)
{
    static char *text;
    test_begins();
    free(text);
    if (vasprintf(&text, format, args) < 0)
        abort();
    test_ends();
    return text;
}

__attribute__((format(printf, 2, 3))) static const char *expect(struct party *p, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    const char *text = text_of(pattern, args);
    va_end(args);
    return party_expect(p, mcti_str_of(text));
}

__attribute__((format(printf, 2, 3))) static void say(struct party *p, const char *frame, ...)
{
    va_list args;
    va_start(args, frame);
    const char *text = text_of(frame, args);
    va_end(args);
    party_say(p, mcti_str_of(text));
}

/* ---- a server ---- */

static void answer_list(struct party *p, const struct offer *o, unsigned id, size_t list)
{
    struct mcti_str v = mcti_json_get(o->items, lists[list].member);
    const char *head = p->handshake ? "" : "\"resultType\":\"complete\",";
    const char *tail = p->handshake ? "" : ",\"ttlMs\":0,\"cacheScope\":\"public\"";
    static struct mcti_buf items;
    test_begins();
    mcti_buf_done(&items);
    mcti_buf_init(&items, MCT_LIMIT_MESSAGE_BYTES);
    put_tools(&items, v.p ? v : MCT_STR("[]"));
    test_ends();
    say(p, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{%s\"%s\":%.*s%s}}", id, head, lists[list].member, (int)items.len,
        items.p, tail);
}

/* The lists that follow: in the handshake era each is asked after the one before, without it all at once. */
static unsigned lists_of(struct party *p, const struct offer *o)
{
    unsigned asked[N_LISTS] = { 0 }, id = 1;
    struct mcti_str capabilities = mcti_buf_str(&o->capabilities);
    for (size_t i = 0; i < N_LISTS; i++) {
        if (!mcti_json_get(capabilities, lists[i].capability).p)
            continue;
        asked[i] = ++id;
        if (p->handshake)
            expect(p, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{}}", id, lists[i].method);
        else
            expect(p, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",*}", id, lists[i].method);
        if (p->handshake)
            answer_list(p, o, id, i);
    }
    for (size_t i = 0; i < N_LISTS && !p->handshake; i++)
        if (asked[i])
            answer_list(p, o, asked[i], i);
    return id;
}

static void handshake(struct party *p, const struct offer *o)
{
    struct mcti_str capabilities = mcti_buf_str(&o->capabilities);
    expect(p,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
           "\"capabilities\":%s,\"clientInfo\":{\"name\":\"mcptools\",*}}}",
           p->declared);
    say(p,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%.*s\",\"capabilities\":%.*s,"
        "\"serverInfo\":{\"name\":\"%s\",\"version\":\"1\"}}}",
        MCT_STR_ARG(o->rev), (int)capabilities.len, capabilities.p, p->name);
    expect(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    lists_of(p, o);
}

static void discovery(struct party *p, const struct offer *o)
{
    struct mcti_str capabilities = mcti_buf_str(&o->capabilities);
    expect(p, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
              "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",*}}}");
    say(p,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
        "\"capabilities\":%.*s,\"ttlMs\":0,\"cacheScope\":\"public\"}}",
        (int)capabilities.len, capabilities.p);
    const unsigned id = lists_of(p, o) + 1;
    if (!memmem(capabilities.p, capabilities.len, "\"listChanged\":true", 18))
        return;
    const char *listen = expect(p, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"subscriptions/listen\",*}", id);
    struct mcti_str wanted = mcti_json_get(mcti_json_get(mcti_str_of(listen), "params"), "notifications");
    say(p,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
        "acknowledged\",\"params\":{\"notifications\":%.*s,"
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%u}}}",
        (int)wanted.len, wanted.p, id);
}

static void server_up(struct party *p, struct mcti_str rest)
{
    static struct offer o;
    test_begins();
    mcti_buf_done(&o.capabilities);
    free(o.owned);
    o = (struct offer){ .rev = cut_revision(&rest, "2025-11-25") };
    read_items(p->flow, &o, rest);
    read_capabilities(&o);
    test_ends();
    party_connects(p);
    (p->handshake ? handshake : discovery)(p, &o);
    if (mcti_registry_find(&p->flow->registry, mcti_str_of(p->name)))
        flow_check_state(p->flow, mcti_str_of(p->name), MCT_STR("connected"));
}

/* ---- a client ---- */

static void client_up(struct party *p, struct mcti_str rest)
{
    const struct mcti_str rev = cut_revision(&rest, "2025-11-25");
    if (!rest.len)
        rest = MCT_STR("{}");
    say(p,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%.*s\","
        "\"capabilities\":%.*s,"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
        MCT_STR_ARG(rev), (int)rest.len, rest.p);
    expect(p,
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"%.*s\",\"capabilities\":{*},"
           "\"serverInfo\":{\"name\":\"mcptools\",*}*}}",
           MCT_STR_ARG(rev));
    say(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

void party_up(struct party *p, struct mcti_str rest)
{
    (p->is_client ? client_up : server_up)(p, rest);
}
