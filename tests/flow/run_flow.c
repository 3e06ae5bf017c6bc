/*
 * Runs transcripts: what clients and servers say, word for word, over in-memory transports and a
 * virtual clock. No sockets, no sleep. A file is a list of lines:
 *
 *   server NAME [era] [OPTION]…  a configured server (before `start`); era: auto, legacy, 2026-07-28;
 *                         answers (its questions go to the host), asks (they go to the clients), replay,
 *                         ping (every 10 s); http (what belongs to no request comes on a way of its own); session,
 * principal (who shares a connection), told (what each client can be asked), plugins (it is our own host of them),
 * required; both (it may get a second connection, in the handshake era), match (for each such client), single (never);
 * sessionless (it keeps no session after initialize) prefix always|never   how names are made (before the first client)
 *   scheme WORD           and of which scheme they are: double, mcp, nexo, bare
 *   offer DIALECT,… [alone|search]  the resource tools clients get, with or instead of the servers' (before the first)
 *   cache MS [ENTRIES]    what was read is kept for so long (before the first client)
 *   allow SCHEME          only such URIs may be read (before the first client)
 *   instructions MS       the first answer waits so long for servers that start (before the first client)
 *   start                 start all servers
 *   NAME connects         the gateway opened a connection to the server; where clients do not share one, the
 *                         second is NAME.2
 *   NAME< PATTERN         the next frame the server receives
 *   NAME> FRAME           the server says
 *   NAME is closed        the gateway has ended the connection
 *   NAME closes           the server's end of the connection is closed
 *   client ID [WHO]       a client connects, on the authority of WHO (local)
 *   ID> FRAME             the client says
 *   ID< PATTERN           the next frame the client receives
 *   ID keeps state        the requestState of the frame it received last: $STATE in what is said later
 *   ID is read-only       it asks, from now on, to be let do no more than look
 *   ID is alone           there will be no other client
 *   ID leaves             the client goes
 *   quiet                 nobody has received anything that was not expected yet
 *   wait MS               time passes
 *   state NAME WORD       the server's state is WORD
 *   events                from now on calls are listened to
 *   event PATTERN         the next event, as a line; its time is the virtual clock's
 *
 * The host program (host.c), which calls servers without the gateway:
 *   call NAME METHOD PARAMS, cancel        a call; the oldest one is given up
 *   heard PATTERN         the next it hears: result, error, failed, progress, updated, message, withdrawn,
 *                         or a question
 *   answer RESULT, refuse TEXT             to the oldest question
 *   subscribe NAME URI, unsubscribe NAME URI, level NAME LEVEL, freshen NAME
 *
 * Hooks around calls through the gateway (guard.c):
 *   hook KIND GLOB DECISION  one that decides so: at once, or (later) when it is told to
 *   hooked PATTERN        the next event that one hears, or withdrawn
 *   decide DECISION       about the oldest call that waits for one
 *
 * In patterns `*` stands for any text. Blank lines and lines beginning with '#' are comments.
 */
#include "base/limits.h"
#include "hub/core/event_line.h"
#include "gateway/gateway.h"
#include "hub/server/server.h"
#include "io/transport_pair.h"

#include "flow.h"
#include "guard.h"
#include "host.h"
#include "tally.h"
#include "torture/failing.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PARTIES = 64, MAX_FRAMES = 256 };
enum { AFTERWARDS_MS = 15 * 60 * 1000 };

/* A server or a client as the transcript sees it: our end of a pair. */
struct party {
    char name[32], who[32];
    struct mcti_principal principal;
    bool is_client;
    struct flow *flow;
    struct mcti_transport *end;
    struct mcti_transport *other; /* the gateway's end of a client */
    struct mcti_peer *peer;
    char *frames[MAX_FRAMES];
    size_t n_frames, next;
    char *said[MAX_FRAMES];               /* with a tally */
    unsigned said_on[MAX_FRAMES], n_ends; /* on which of its connections */
    size_t n_said;
    unsigned connects;
    bool closed;
    bool http, sessionless;
    bool many; /* a server with several connections: the second is NAME.2 */
    unsigned n_others;
};

struct flow {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_gateway gateway, *asked;
    struct mcti_answerer asks; /* of servers that ask the clients */
    struct mcti_view view;
    struct mcti_naming naming;
    char scheme[16];
    struct mcti_offer offer;
    struct mcti_cache_opts cache;
    struct mcti_dialect_opts dialect;
    unsigned instructions_wait_ms;
    char allowed[32];
    const char *allow;
    struct party parties[MAX_PARTIES];
    size_t n_parties;
    uint64_t now_ms;
    bool open;
    struct host host;
    struct guards guards;
    struct mcti_events events;
    struct mcti_event_listener listener;
    char *told[MAX_FRAMES]; /* events */
    size_t n_told, next_told;
    char *state; /* with its quotes */
    const char *file;
    unsigned line;
    struct flow_tally *tally; /* NULL: everything comes as the file says */
    jmp_buf next_line;
    bool over; /* what nothing goes on without could not be opened */
};

/* Never from inside a callback. */
static _Noreturn void fail_at(struct flow *f, const char *what, const char *text)
{
    if (f->tally)
        longjmp(f->next_line, 1);
    printf("%s:%u: %s: %s\n", f->file, f->line, what, text);
    exit(1);
}

static void settle(struct flow *f)
{
    do
        mcti_sched_run(&f->sched, f->now_ms);
    while (mcti_sched_next_ms(&f->sched) == 0);
}

/* ---- events ---- */

static void keep_told(struct flow *f, struct mcti_buf *line)
{
    char *text = mcti_buf_take(line);
    if (text && f->n_told < MAX_FRAMES)
        f->told[f->n_told++] = text;
    else
        free(text);
}

static void on_begin(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_event_put_begin(&b, e, 65536);
    keep_told(MCT_CONTAINER(l, struct flow, listener), &b);
}

static void on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    mcti_event_put_end(&b, e, 65536);
    keep_told(MCT_CONTAINER(l, struct flow, listener), &b);
}

static void virtual_clock(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us)
{
    const struct flow *f = MCT_CONTAINER(e, struct flow, events);
    *ret_wall_ms = f->now_ms;
    *ret_since_us = f->now_ms * 1000;
}

static void open_events(struct flow *f)
{
    mcti_events_init(&f->events);
    f->events.clock = virtual_clock;
    snprintf(f->events.process, sizeof f->events.process, "flow");
    f->listener = (struct mcti_event_listener){ .begin = on_begin, .end = on_end };
    f->host.events = &f->events;
}

static void expect_event(struct flow *f, struct mcti_str pattern)
{
    settle(f);
    if (f->next_told == f->n_told)
        fail_at(f, "no event", "");
    const char *got = f->told[f->next_told++];
    if (!mcti_str_glob(pattern, mcti_str_of(got)))
        fail_at(f, "another event", got);
}

/* ---- parties ---- */

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

static struct party *find_party(struct flow *f, struct mcti_str name)
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
    else if (mcti_str_is(word, "replay"))
        o->replay = true;
    else if (mcti_str_is(word, "ping"))
        o->ping_ms = 10000;
    else if (!mcti_str_is(word, "auto") && !mcti_str_is(word, "both"))
        fail_at(f, "no such option", word.p);
}

static void add_server(struct flow *f, struct mcti_str name, struct mcti_str options)
{
    struct party *p = add_party(f, name, false);
    struct mcti_str word;
    bool plugins = false, required = false, both = false;
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
        else if (!mcti_str_is(word, "plugins"))
            set_option(f, &o, word);
        else
            plugins = true;
    }
    p->many = o.isolation || o.by_capabilities || both;
    if (mcti_registry_add(&f->registry, mcti_provider_mcp_new(p->name, &o, NULL)) < 0)
        fail_at(f, "out of memory", p->name);
    f->registry.v[f->registry.n - 1]->hosts_plugins = plugins;
    f->registry.v[f->registry.n - 1]->required = required;
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
        mcti_peer_receive(p->peer, frame, lane);
}

static void give_up(struct flow *f)
{
    f->over = true;
    fail_at(f, "out of memory", "");
}

static void open_gateway(struct flow *f)
{
    const struct mcti_gateway_opts opts = { .list_wait_ms = 10000,
                                            .instructions_wait_ms = f->instructions_wait_ms,
                                            .message_bytes = MCT_LIMIT_MESSAGE_BYTES,
                                            .events = &f->events,
                                            .hooks = &f->guards.hooks,
                                            .cache = &f->cache,
                                            .dialect = &f->dialect };
    if (f->open)
        return;
    f->open = true;
    mcti_gateway_init(&f->gateway, &f->registry, NULL, &opts);
    if (mcti_gateway_view(&f->gateway, &f->view, &(struct mcti_view_opts){ .naming = &f->naming }, &f->offer) < 0)
        give_up(f);
}

static void add_client(struct flow *f, struct mcti_str name, struct mcti_str who)
{
    struct mcti_transport *ends[2];
    struct party *p = add_party(f, name, true);
    snprintf(p->who, sizeof p->who, "%.*s", MCT_STR_ARG(who.len ? who : MCT_STR("local")));
    open_gateway(f);
    mcti_principal_init(&p->principal, &f->gateway.memory, mcti_str_of(p->who));
    if (mcti_transport_pair_new(&f->sched, ends) < 0)
        fail_at(f, "out of memory", p->name);
    take_end(p, ends[1]);
    p->other = ends[0];
    p->other->events = (struct mcti_transport_events){ .on_frame = from_client, .on_closed = on_closed, .data = p };
    p->other->ops->open(p->other, NULL);
    p->peer = mcti_peer_new(&f->gateway, &f->view, &peer_ops, p);
}

static void client_leaves(struct party *p)
{
    if (p->peer)
        mcti_peer_free(p->peer);
    mcti_transport_free(p->other);
    p->peer = NULL;
    p->other = NULL;
}

/* ---- lines ---- */

static void expect(struct flow *f, struct party *p, struct mcti_str pattern)
{
    settle(f);
    if (p->next == p->n_frames)
        fail_at(f, "nothing came for", p->name);
    const char *got = p->frames[p->next++];
    if (!mcti_str_glob(pattern, mcti_str_of(got)))
        fail_at(f, "something else came", got);
}

static void expect_quiet(struct flow *f)
{
    settle(f);
    for (size_t i = 0; i < f->n_parties; i++)
        if (f->parties[i].next < f->parties[i].n_frames)
            fail_at(f, f->parties[i].name, f->parties[i].frames[f->parties[i].next]);
    if (f->host.next < f->host.n_heard)
        fail_at(f, "the host heard", f->host.heard[f->host.next]);
    if (f->guards.next < f->guards.n_heard)
        fail_at(f, "a hook heard", f->guards.heard[f->guards.next]);
    if (f->next_told < f->n_told)
        fail_at(f, "an event", f->told[f->next_told]);
}

/* The text with $STATE replaced; owned. */
static char *with_state(const struct flow *f, struct mcti_str frame)
{
    struct mcti_buf b;
    const char *at = memmem(frame.p, frame.len, "$STATE", 6);
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_add(&b, at ? mcti_str_range(frame.p, at) : frame);
    if (at) {
        mcti_buf_addz(&b, f->state ? f->state : "\"\"");
        mcti_buf_add(&b, mcti_str_range(at + 6, frame.p + frame.len));
    }
    return mcti_buf_take(&b);
}

static void say(struct flow *f, struct party *p, struct mcti_str frame)
{
    if (!p->end)
        fail_at(f, "no connection to", p->name);
    test_begins();
    char *text = with_state(f, frame);
    test_ends();
    bool sent = p->end->ops->send(p->end, mcti_str_of(text), NULL) == 0;
    if (sent && f->tally && p->n_said < MAX_FRAMES) {
        p->said_on[p->n_said] = p->n_ends;
        p->said[p->n_said++] = text;
    } else {
        free(text);
    }
    if (!sent)
        fail_at(f, "nobody listens to", p->name);
    settle(f);
}

static void keep_state(struct flow *f, const struct party *p)
{
    struct mcti_str frame = mcti_str_of(p->next ? p->frames[p->next - 1] : "{}");
    struct mcti_str state = mcti_json_get(mcti_json_get(frame, "result"), "requestState");
    if (!state.p)
        fail_at(f, "no requestState in", frame.p);
    free(f->state);
    test_begins();
    f->state = mcti_str_dup(state);
    test_ends();
}

static void wait_ms(struct flow *f, uint64_t ms)
{
    uint64_t until = f->now_ms + ms;
    for (;;) {
        settle(f);
        int64_t next = mcti_sched_next_ms(&f->sched);
        if (next < 0 || f->now_ms + (uint64_t)next > until)
            break;
        f->now_ms += (uint64_t)next;
    }
    f->now_ms = until;
    settle(f);
}

static void check_state(struct flow *f, struct mcti_str rest)
{
    struct mcti_str name;
    settle(f);
    mcti_str_split(&rest, ' ', &name);
    const struct mcti_provider *p = mcti_registry_find(&f->registry, name);
    const char *word = p ? mcti_state_word(p->state) : "none";
    if (!mcti_str_is(rest, word))
        fail_at(f, "the state is", word);
}

/* "NAME< …", "NAME> …" or "NAME verb". */
static void party_line(struct flow *f, struct mcti_str line)
{
    struct mcti_str rest = line, name;
    mcti_str_split(&rest, ' ', &name);
    char mark = name.len ? name.p[name.len - 1] : 0;
    if (mark == '<' || mark == '>')
        name.len--;
    struct party *p = find_party(f, name);
    if (!p)
        fail_at(f, "no such party", line.p);
    if (mark == '<') {
        expect(f, p, rest);
    } else if (mark == '>') {
        say(f, p, rest);
    } else if (mcti_str_is(rest, "connects")) {
        settle(f);
        if (!p->connects--)
            fail_at(f, "no connection to", p->name);
    } else if (mcti_str_is(rest, "is closed")) {
        settle(f);
        if (!p->closed)
            fail_at(f, "still open", p->name);
    } else if (mcti_str_is(rest, "closes")) {
        settle(f);
        if (!p->end)
            fail_at(f, "no connection to", p->name);
        p->end->ops->close(p->end);
        settle(f);
    } else if (mcti_str_is(rest, "keeps state")) {
        keep_state(f, p);
    } else if (p->is_client && !p->peer) {
        fail_at(f, "it is not there", p->name);
    } else if (mcti_str_is(rest, "is read-only")) {
        p->peer->prefs = (struct mcti_client_prefs){ .read_only = true, .own_wish = true };
    } else if (mcti_str_is(rest, "is alone")) {
        f->gateway.sole = p->peer;
    } else if (mcti_str_is(rest, "leaves")) {
        client_leaves(p);
    } else {
        fail_at(f, "not understood", line.p);
    }
}

static void set_prefix(struct flow *f, struct mcti_str word)
{
    if (mcti_prefix_find(word, &f->naming.prefix) < 0)
        fail_at(f, "no such prefix rule", word.p);
}

static void set_scheme(struct flow *f, struct mcti_str word)
{
    snprintf(f->scheme, sizeof f->scheme, "%.*s", MCT_STR_ARG(word));
    if (!mcti_naming_knows(f->scheme))
        fail_at(f, "no such scheme", word.p);
    f->naming.scheme = f->scheme;
}

static void set_cache(struct flow *f, struct mcti_str rest)
{
    struct mcti_str ms;
    mcti_str_split(&rest, ' ', &ms);
    f->cache.enabled = true;
    f->cache.ttl_ms = (unsigned)strtoul(ms.p, NULL, 10);
    if (rest.len)
        f->cache.max_entries = (unsigned)strtoul(rest.p, NULL, 10);
}

static void set_allow(struct flow *f, struct mcti_str scheme)
{
    snprintf(f->allowed, sizeof f->allowed, "%.*s", MCT_STR_ARG(scheme));
    f->allow = f->allowed;
    f->dialect.uri_allow = &f->allow;
    f->dialect.n_uri_allow = 1;
}

static void run_line(struct flow *f, struct mcti_str line)
{
    struct mcti_str rest = line, word, name;
    const char *wrong = NULL;
    mcti_str_split(&rest, ' ', &word);
    if (!line.len || line.p[0] == '#')
        return;
    settle(f);
    if (host_line(&f->host, word, rest, &wrong) || guards_line(&f->guards, word, rest, &wrong)) {
        if (wrong)
            fail_at(f, "the host", wrong);
        return;
    }
    if (mcti_str_is(word, "server") || mcti_str_is(word, "client")) {
        mcti_str_split(&rest, ' ', &name);
        mcti_str_is(word, "server") ? add_server(f, name, rest) : add_client(f, name, rest);
    } else if (mcti_str_is(word, "scheme")) {
        set_scheme(f, rest);
    } else if (mcti_str_is(word, "prefix")) {
        set_prefix(f, rest);
    } else if (mcti_str_is(word, "offer")) {
        mcti_str_split(&rest, ' ', &name);
        f->offer.search = mcti_str_is(rest, "search");
        f->offer.alone = f->offer.search || mcti_str_is(rest, "alone");
        if (mcti_dialects_read(name, &f->offer.dialects, NULL) < 0)
            fail_at(f, "no such dialect", name.p);
    } else if (mcti_str_is(word, "cache")) {
        set_cache(f, rest);
    } else if (mcti_str_is(word, "allow")) {
        set_allow(f, rest);
    } else if (mcti_str_is(word, "instructions")) {
        f->instructions_wait_ms = (unsigned)strtoul(rest.p, NULL, 10);
    } else if (mcti_str_is(word, "start")) {
        open_gateway(f);
        if (mcti_hook_hosts_open(&f->guards.hosts, &f->registry, &f->guards.hooks, NULL) < 0)
            give_up(f);
        mcti_registry_start_all(&f->registry);
        settle(f);
    } else if (mcti_str_is(word, "events")) {
        mcti_events_add(&f->events, &f->listener);
    } else if (mcti_str_is(word, "event")) {
        expect_event(f, rest);
    } else if (mcti_str_is(word, "quiet")) {
        expect_quiet(f);
    } else if (mcti_str_is(word, "wait")) {
        wait_ms(f, strtoull(rest.p, NULL, 10));
    } else if (mcti_str_is(word, "state")) {
        check_state(f, rest);
    } else {
        party_line(f, line);
    }
}

/* With SHOW_SENT in the environment: every frame a server received, behind the revision it speaks; another
 * test holds them against the official schemas. */
static void show_sent(struct flow *f)
{
    for (size_t i = 0; i < f->n_parties && getenv("SHOW_SENT"); i++) {
        const struct party *p = &f->parties[i];
        const struct mcti_provider *server = mcti_registry_find(&f->registry, mcti_str_of(p->name));
        for (size_t k = 0; server && !p->is_client && k < p->n_frames; k++)
            printf("%s %s\n", mcti_rev_text(server->info.rev), p->frames[k]);
    }
}

static void fill_tally(const struct flow *f)
{
    for (const struct party *p = f->parties; p < f->parties + f->n_parties; p++) {
        for (size_t i = 0; i < p->n_said; i++)
            tally_asked(f->tally, p->name, mcti_str_trim(mcti_str_of(p->said[i])),
                        p->said_on[i] == p->n_ends && !p->closed && (!p->is_client || p->peer));
        for (size_t i = 0; i < p->n_frames; i++)
            tally_answered(f->tally, p->name, mcti_str_of(p->frames[i]));
    }
}

/* Returns what is wrong, or NULL. */
static const char *close_all(struct flow *f)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < f->n_parties; i++)
        client_leaves(&f->parties[i]);
    if (f->open) {
        mcti_gateway_done(&f->gateway);
        mcti_view_done(&f->view);
        if (f->gateway.memory.whole.held)
            wrong = "bytes are still charged to clients";
    }
    host_done(&f->host);
    guards_done(&f->guards);
    free(f->state);
    mcti_registry_done(&f->registry);
    mcti_event_listener_remove(&f->listener);
    for (size_t i = 0; i < f->n_told; i++)
        free(f->told[i]);
    for (struct party *p = f->parties; p < f->parties + f->n_parties; p++) {
        mcti_transport_free(p->end);
        while (p->n_frames)
            free(p->frames[--p->n_frames]);
        while (p->n_said)
            free(p->said[--p->n_said]);
    }
    return wrong;
}

static void open_flow(struct flow *f, const char *file, struct flow_tally *tally)
{
    f->file = file;
    f->tally = tally;
    f->cache = mcti_cache_defaults;
    f->asked = &f->gateway;
    f->asks = mcti_gateway_answerer;
    f->asks.data = &f->asked;
    f->dialect = mcti_dialect_defaults;
    f->naming = (struct mcti_naming){ "double", NULL, MCT_PREFIX_ALWAYS, 64 };
    mcti_sched_init(&f->sched);
    mcti_registry_init(&f->registry, &f->sched);
    host_init(&f->host, &f->registry);
    guards_init(&f->guards, &f->sched);
    open_events(f);
}

static bool next_line(FILE *in, char *line, int size)
{
    test_begins();
    bool is_there = fgets(line, size, in) != NULL;
    test_ends();
    line[strcspn(line, "\n")] = '\0';
    return is_there;
}

const char *flow_run(const char *file, struct flow_tally *tally)
{
    static struct flow f;
    static char line[65536];
    test_begins();
    FILE *in = fopen(file, "re");
    test_ends();
    if (!in)
        return "cannot be opened";
    open_flow(&f, file, tally);
    while (!f.over && next_line(in, line, sizeof line)) {
        f.line++;
        if (!setjmp(f.next_line))
            run_line(&f, mcti_str_of(line));
    }
    fclose(in);
    if (tally) {
        wait_ms(&f, AFTERWARDS_MS);
        fill_tally(&f);
    } else {
        expect_quiet(&f);
        show_sent(&f);
    }
    const char *wrong = close_all(&f);
    if (wrong && !tally) {
        printf("%s: %s\n", file, wrong);
        exit(1);
    }
    return wrong;
}
