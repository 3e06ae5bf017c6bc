#include "flow.h"

#include "base/limits.h"
#include "io/transport_pair.h"

#include <stdio.h>
#include <stdlib.h>

static void on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct party *p = data;
    (void)lane;
    test_begins();
    if (p->n_frames < MAX_FRAMES)
        p->frames[p->n_frames++] = mcti_str_dup(frame);
    test_ends();
}

static void on_closed(void *data, const struct mct_error *why)
{
    struct party *p = data;
    (void)why;
    p->closed = true;
}

struct party *party_find(struct flow *f, struct mcti_str name)
{
    for (size_t i = 0; i < f->n_parties; i++)
        if (mcti_str_is(name, f->parties[i].name))
            return &f->parties[i];
    return NULL;
}

static struct party *add_party(struct flow *f, struct mcti_str name, bool is_client)
{
    if (f->n_parties == MAX_PARTIES) {
        printf("%s:%u: too many parties\n", f->file, f->line);
        exit(1);
    }
    struct party *p = &f->parties[f->n_parties++];
    *p = (struct party){ .is_client = is_client, .flow = f };
    snprintf(p->name, sizeof p->name, "%.*s", MCT_STR_ARG(name));
    return p;
}

static void take_end(struct party *p, struct mcti_transport *end)
{
    mcti_transport_free(p->end);
    p->end = end;
    p->n_ends++;
    end->events = (struct mcti_transport_events){ .on_frame = on_frame, .on_closed = on_closed, .data = p };
    end->ops->open(end, NULL);
}

static void describe_sessionless(const struct mcti_transport *t, struct mcti_transport_facts *ret)
{
    (void)t;
    *ret = (struct mcti_transport_facts){ .no_session = true };
}

/* The hub asks what kind of connection it has. */
static const struct mcti_transport_ops *as_http(const struct mcti_transport_ops *ops, bool sessionless)
{
    static struct mcti_transport_ops http[2];
    http[sessionless] = *ops;
    http[sessionless].http = true;
    if (sessionless)
        http[sessionless].describe = describe_sessionless;
    return &http[sessionless];
}

static struct mcti_transport *connect_server(void *data, unsigned variant, struct mct_error *err)
{
    struct party *p = data;
    const bool http = p->http, sessionless = p->sessionless;
    (void)variant;
    struct mcti_transport *ends[2];
    char name[40];
    if (p->flow->n_parties == MAX_PARTIES || mcti_transport_pair_new(&p->flow->sched, ends) < 0) {
        mcti_no_memory(err);
        return NULL;
    }
    if (p->many && p->end) {
        snprintf(name, sizeof name, "%s.%u", p->name, ++p->n_others + 1);
        p = add_party(p->flow, mcti_str_of(name), false);
        p->declared = "{*}"; /* as its client is */
        p->handshake = true;
    }
    take_end(p, ends[1]);
    p->connects++;
    if (http)
        ends[0]->ops = as_http(ends[0]->ops, sessionless);
    return ends[0];
}

static void set_option(struct flow *f, struct mcti_mcp_opts *o, struct mcti_str word)
{
    struct party *p = o->data;
    if (mcti_str_is(word, "http"))
        p->http = true;
    else if (mcti_str_is(word, "sessionless"))
        p->sessionless = true;
    else if (mcti_str_is(word, "match"))
        o->match = MCT_MATCH_ALL;
    else if (mcti_str_is(word, "single"))
        o->match = MCT_MATCH_NONE;
    else if (mcti_str_is(word, "legacy"))
        o->era = MCT_ERA_HANDSHAKE;
    else if (mcti_rev_is_stateless(mcti_rev_find(word)))
        o->era = MCT_ERA_STATELESS;
    else if (mcti_str_is(word, "answers"))
        o->answerer = &f->host.answerer;
    else if (mcti_str_is(word, "asks"))
        o->answerer = &f->asks;
    else if (mcti_str_is(word, "session"))
        o->isolation = MCT_BY_SESSION;
    else if (mcti_str_is(word, "principal"))
        o->isolation = MCT_BY_PRINCIPAL;
    else if (mcti_str_is(word, "told"))
        o->by_capabilities = true;
    else if (mcti_str_is(word, "retries"))
        o->retry_reads = true;
    else if (mcti_str_is(word, "replay"))
        o->replay = true;
    else if (word.len > 6 && !strncmp(word.p, "calls=", 6))
        o->gate.max_calls = (unsigned)atoi(word.p + 6);
    else if (word.len > 8 && !strncmp(word.p, "breaker=", 8))
        o->gate.breaker = (struct mcti_breaker_opts){ (unsigned)atoi(word.p + 8), 5000 };
    else if (word.len > 5 && !strncmp(word.p, "rate=", 5))
        o->gate.rate = (struct mcti_rate_rule){ (unsigned)atoi(word.p + 5), 1 };
    else if (word.len > 6 && !strncmp(word.p, "queue=", 6))
        o->gate.max_waiting = (unsigned)atoi(word.p + 6);
    else if (mcti_str_is(word, "progress"))
        o->always_progress = true;
    else if (mcti_str_is(word, "different"))
        o->only_different = true;
    else if (mcti_str_is(word, "lazy"))
        o->lazy = true;
    else if (mcti_str_is(word, "idle"))
        o->idle_ms = 60000;
    else if (mcti_str_is(word, "patient")) {
        o->page_timeout_ms = o->settle_ms = o->start_timeout_ms;
        o->start_timeout_ms = 300000;
    } else if (mcti_str_is(word, "ping"))
        o->ping_ms = 10000;
    else if (!mcti_str_is(word, "auto") && !mcti_str_is(word, "both"))
        flow_fail(f, "no such option", word.p);
}

/* What the gateway declares to servers in the handshake era: all that a client may offer, and what the host program
 * does. */
static const char OF_CLIENTS[] = "{\"roots\":{\"listChanged\":true},\"elicitation\":{\"form\":{},\"url\":{}},"
                                 "\"sampling\":{\"context\":{},\"tools\":{}},\"extensions\":"
                                 "{\"io.modelcontextprotocol/ui\":{\"mimeTypes\":[\"text/html;profile=mcp-app\"]}}}";
static const char STORED[] =
    "{\"format\":1,\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"resources\":"
    "{\"subscribe\":true}},\"tools\":[{\"name\":\"t\",\"inputSchema\":{}}],\"resources\":[],"
    "\"resourceTemplates\":[],\"prompts\":[]}";
static const char OF_HOST[] = "{\"roots\":{},\"elicitation\":{\"form\":{}},\"sampling\":{}}";

struct mcti_provider *party_make_server(struct flow *f, struct mcti_str name, const char *server,
                                        struct mcti_str options)
{
    struct party *p = add_party(f, name, false);
    struct mcti_str word;
    bool plugins = false, required = false, both = false;
    struct mcti_stored stored;
    struct mcti_mcp_opts o = { .connect = connect_server,
                               .data = p,
                               .sched = &f->sched,
                               .start_timeout_ms = 30000,
                               .call_timeout_ms = 60000,
                               .message_bytes = MCT_LIMIT_MESSAGE_BYTES,
                               .restart = true,
                               .log_failures = true };
    while (options.len && mcti_str_split(&options, ' ', &word)) {
        both |= mcti_str_is(word, "both");
        if (mcti_str_is(word, "required"))
            required = true;
        else if (mcti_str_is(word, "stored") && mcti_stored_parse(mcti_str_of(STORED), &stored, NULL) == 0)
            o.stored = &stored;
        else if (!mcti_str_is(word, "plugins"))
            set_option(f, &o, word);
        else
            plugins = true;
    }
    p->handshake = o.era == MCT_ERA_HANDSHAKE;
    p->declared = o.by_capabilities ? "{*}" : o.answerer == &f->asks ? OF_CLIENTS : o.answerer ? OF_HOST : "{}";
    p->many = o.isolation || o.by_capabilities || both;
    struct mcti_provider *made = mcti_provider_mcp_new(server ? server : p->name, &o, NULL);
    if (!made)
        flow_fail(f, "out of memory", p->name);
    made->hosts_plugins = plugins;
    made->required = required;
    return made;
}

struct party *party_add_server(struct flow *f, struct mcti_str name, struct mcti_str options)
{
    struct mcti_provider *made = party_make_server(f, name, NULL, options);
    struct party *p = party_find(f, name);
    if (mcti_registry_add(&f->registry, made) < 0)
        flow_fail(f, "out of memory", p->name);
    return p;
}

static int send_to_client(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct party *p = data;
    (void) final;
    return p->other->ops->send(p->other, frame, lane);
}

static struct mcti_principal *principal_of(void *data, void *lane)
{
    struct party *p = data;
    (void)lane;
    return &p->principal;
}

static const struct mcti_peer_ops peer_ops = { .send = send_to_client, .principal = principal_of };

static void from_client(void *data, struct mcti_str frame, void *lane)
{
    struct party *p = data;
    if (p->peer)
        mcti_peer_receive(p->peer, frame, NULL, lane);
}

struct party *party_add_client(struct flow *f, struct mcti_str name, struct mcti_str who)
{
    struct mcti_transport *ends[2];
    struct party *p = add_party(f, name, true);
    snprintf(p->who, sizeof p->who, "%.*s", MCT_STR_ARG(who.len ? who : MCT_STR("local")));
    flow_open(f);
    mcti_principal_init(&p->principal, &f->gateway.memory, mcti_str_of(p->who));
    p->principal.rates.rule = f->rate;
    if (mcti_transport_pair_new(&f->sched, ends) < 0)
        flow_fail(f, "out of memory", p->name);
    take_end(p, ends[1]);
    p->other = ends[0];
    p->other->events = (struct mcti_transport_events){ .on_frame = from_client, .on_closed = on_closed, .data = p };
    p->other->ops->open(p->other, NULL);
    p->peer = mcti_peer_new(&f->gateway, &f->view, &peer_ops, p);
    return p;
}

void party_leaves(struct party *p)
{
    if (p->peer)
        mcti_peer_free(p->peer);
    mcti_transport_free(p->other);
    p->peer = NULL;
    p->other = NULL;
}

/* ---- frames ---- */

void party_connects(struct party *p)
{
    flow_settle(p->flow);
    if (!p->connects--)
        flow_fail(p->flow, "no connection to", p->name);
}

const char *party_expect(struct party *p, struct mcti_str pattern)
{
    flow_settle(p->flow);
    if (p->next == p->n_frames)
        flow_fail(p->flow, "nothing came for", p->name);
    const char *got = p->frames[p->next++];
    if (!mcti_str_glob(pattern, mcti_str_of(got)))
        flow_fail(p->flow, "something else came", got);
    return got;
}

/* Keeps what the party has said for the tally. */
static void keep_said(struct party *p, struct mcti_str frame)
{
    if (p->n_said == MAX_FRAMES)
        return;
    test_begins();
    p->said_on[p->n_said] = p->n_ends;
    p->said[p->n_said++] = mcti_str_dup(frame);
    test_ends();
}

void party_say(struct party *p, struct mcti_str frame)
{
    if (!p->end)
        flow_fail(p->flow, "no connection to", p->name);
    if (p->end->ops->send(p->end, frame, NULL) < 0)
        flow_fail(p->flow, "nobody listens to", p->name);
    if (p->flow->tally)
        keep_said(p, frame);
    flow_settle(p->flow);
}

/* Keeps a member of the result that the party received last, or of the task in it. */
static void keep_member(struct party *p, const char *key, char **ret)
{
    struct mcti_str frame = mcti_str_of(p->next ? p->frames[p->next - 1] : "{}");
    struct mcti_str result = mcti_json_get(frame, "result"), value = mcti_json_get(result, key);
    if (!value.p)
        value = mcti_json_get(mcti_json_get(result, "task"), key);
    if (!value.p)
        flow_fail(p->flow, "no such member in the frame", key);
    free(*ret);
    test_begins();
    *ret = mcti_str_dup(value);
    test_ends();
}

void party_keep_state(struct party *p)
{
    keep_member(p, "requestState", &p->flow->state);
}

void party_keep_task(struct party *p)
{
    keep_member(p, "taskId", &p->flow->task);
}
