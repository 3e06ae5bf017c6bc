/*
 * Runs transcripts: what clients and servers say, word for word, over in-memory transports and a
 * virtual clock. No sockets, no sleep. A file is a list of lines:
 *
 *   server NAME [ERA] [OPTION]…  configures a server (before `start`). ERA: auto (if left out), legacy, 2026-07-28.
 *                         Options:
 *       answers                     the host answers its questions
 *       asks                        the clients answer its questions
 *       retries                     reads are sent again after a failure
 *       replay, ping, required      as in the configuration; a ping is sent every 10 s
 *       progress                    progress is requested for every call
 *       lazy, idle                  it is started by its first use, and stopped after a minute without use
 *       stored                      its tool `t` is known from an earlier run
 *       patient                     its start may go on for five minutes; nobody waits for it after 30 s
 *       different                   changes of lists are told only if the lists differ
 *       calls=N, queue=N            so many calls run, and wait
 *       breaker=N                   calls are refused after so many failures
 *       rate=N                      it gets so many calls a minute
 *       http                        messages that belong to no request arrive on a stream of their own
 *       sessionless                 it keeps no session after initialize
 *       session, principal          clients with one session, or one principal, share a connection
 *       told                        clients that declare the same capabilities share a connection
 *       both, match, single         it may get a second connection in the handshake era: by the rules, for each client
 *                                   that can be asked, never
 *       plugins                     it is our own host of plugins
 *   prefix auto|always|conflict|never   how names are made (before the first client)
 *   scheme WORD           and of which scheme they are: double, mcp, nexo, bare
 *   offer DIALECT,… [alone|search]  the resource tools clients get, with or instead of the servers' (before the first)
 *   cache MS [ENTRIES]    what was read is kept for so long (before the first client)
 *   rate N                each client may make N calls a minute, and no two at once (before the first client)
 *   allow SCHEME          only such URIs may be read (before the first client)
 *   instructions MS       the first answer waits so long for servers that start (before the first client)
 *   start                 start all servers
 *   NAME connects         the gateway opened a connection to the server; where clients do not share one, the
 *                         second is NAME.2
 *   NAME< PATTERN         the next frame the server receives
 *   NAME> FRAME           the server says
 *   NAME is closed        the gateway has ended the connection
 *   NAME is restarted     a person restarts the server
 *   NAME closes           the server's end of the connection is closed
 *   NAME up [REVISION] [ITEMS]  the whole handshake of a server, from `connects` to the last list, after which its
 *                         state is connected (up.c). ITEMS: names of tools (t,u), an array of tools, or an object with
 *                         tools, resources, resourceTemplates, prompts, and capabilities where more is declared
 *   server NAME … up …    the same, behind the options: configured, started, up
 *   client ID [WHO]       a client connects, on the authority of WHO (local)
 *   client ID [WHO] up [REVISION] [CAPABILITIES]  a client connects and initializes
 *   ID> FRAME             the client says
 *   ID< PATTERN           the next frame the client receives
 *   ID keeps state        the requestState of the frame it received last: $STATE in what is said later
 *   ID keeps task         and the taskId of it: $TASK
 *   ID is read-only       it asks, from now on, to be let do no more than look
 *   ID is alone           there will be no other client
 *   ID leaves             the client goes
 *   quiet                 nobody has received anything that was not expected yet
 *   wait MS               time passes
 *   state NAME WORD       the server's state is WORD
 *   replace NAME PARTY [OPTION]…  another process takes the place of the server NAME: the new party PARTY
 *   remove NAME           the server is no longer configured
 *   kept N                so many servers that were replaced or removed are not freed yet
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
 *   external NAME,… [frame|none]  results of these tools and servers are from outside
 *   guarded NAME,… ask|deny [call] [principal]  these tools are guarded then (behind `external`)
 *
 * In patterns `*` stands for any text. Blank lines and lines beginning with '#' are comments. An indented line
 * continues the one before. $MODERN stands for what begins the _meta of a 2026-07-28 request; the client's capabilities
 * follow.
 */
#include "run_flow.h"

#include "flow.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { AFTERWARDS_MS = 15 * 60 * 1000 };

_Noreturn void flow_fail(struct flow *f, const char *what, const char *text)
{
    if (f->tally)
        longjmp(f->next_line, 1);
    printf("%s:%u: %s: %s\n", f->file, f->line, what, text);
    exit(1);
}

void flow_settle(struct flow *f)
{
    do
        mcti_sched_run(&f->sched, f->now_ms);
    while (mcti_sched_next_ms(&f->sched) == 0);
}

/* ---- the gateway ---- */

static void give_up(struct flow *f)
{
    f->over = true;
    flow_fail(f, "out of memory", "");
}

void flow_open(struct flow *f)
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

/* ---- lines ---- */

static void expect_quiet(struct flow *f)
{
    flow_settle(f);
    for (size_t i = 0; i < f->n_parties; i++)
        if (f->parties[i].next < f->parties[i].n_frames)
            flow_fail(f, f->parties[i].name, f->parties[i].frames[f->parties[i].next]);
    if (f->host.next < f->host.n_heard)
        flow_fail(f, "the host heard", f->host.heard[f->host.next]);
    if (f->guards.next < f->guards.n_heard)
        flow_fail(f, "a hook heard", f->guards.heard[f->guards.next]);
    if (f->next_told < f->n_told)
        flow_fail(f, "an event", f->told[f->next_told]);
}

static void wait_ms(struct flow *f, uint64_t ms)
{
    uint64_t until = f->now_ms + ms;
    for (;;) {
        flow_settle(f);
        int64_t next = mcti_sched_next_ms(&f->sched);
        if (next < 0 || f->now_ms + (uint64_t)next > until)
            break;
        f->now_ms += (uint64_t)next;
    }
    f->now_ms = until;
    flow_settle(f);
}

void flow_start(struct flow *f)
{
    if (f->started)
        return;
    f->started = true;
    flow_open(f);
    if (mcti_hook_hosts_open(&f->guards.hosts, &f->registry, &f->guards.hooks, NULL) < 0)
        give_up(f);
    mcti_registry_start_all(&f->registry);
    flow_settle(f);
}

void flow_check_state(struct flow *f, struct mcti_str name, struct mcti_str word)
{
    flow_settle(f);
    const struct mcti_provider *p = mcti_registry_find(&f->registry, name);
    const char *state = p ? mcti_provider_state_word(p) : "none";
    if (!mcti_str_is(word, state))
        flow_fail(f, "the state is", state);
}

/* ---- what a party does: "NAME verb" ---- */

static void is_closed(struct party *p)
{
    flow_settle(p->flow);
    if (!p->closed)
        flow_fail(p->flow, "still open", p->name);
}

static void closes(struct party *p)
{
    if (!p->end)
        flow_fail(p->flow, "no connection to", p->name);
    p->end->ops->close(p->end);
    flow_settle(p->flow);
}

static void is_read_only(struct party *p)
{
    if (!p->peer)
        flow_fail(p->flow, "no such client", p->name);
    p->peer->prefs = (struct mcti_client_prefs){ .read_only = true, .read_only_by_client = true };
}

static void is_alone(struct party *p)
{
    p->flow->gateway.sole = p->peer;
}

static void is_restarted(struct party *p)
{
    struct mcti_provider *server = mcti_registry_find(&p->flow->registry, mcti_str_of(p->name));
    if (!server)
        flow_fail(p->flow, "no such server", p->name);
    mcti_registry_restart(&p->flow->registry, server);
    flow_settle(p->flow);
}

static const struct {
    const char *words;
    void (*run)(struct party *p);
} verbs[] = {
    { "connects", party_connects },
    { "is closed", is_closed },
    { "closes", closes },
    { "keeps state", party_keep_state },
    { "keeps task", party_keep_task },
    { "is read-only", is_read_only },
    { "is alone", is_alone },
    { "leaves", party_leaves },
    { "is restarted", is_restarted },
};

static void run_verb(struct party *p, struct mcti_str words)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (mcti_str_is(words, verbs[i].words)) {
            verbs[i].run(p);
            return;
        }
    flow_fail(p->flow, "unknown verb", words.p);
}

/* "NAME< …", "NAME> …", "NAME up …" or "NAME verb". */
static void party_line(struct flow *f, struct mcti_str line)
{
    struct mcti_str rest = line, name, up, after;
    mcti_str_split(&rest, ' ', &name);
    char mark = name.len ? name.p[name.len - 1] : 0;
    if (mark == '<' || mark == '>')
        name.len--;
    struct party *p = party_find(f, name);
    if (!p)
        flow_fail(f, "no such party", line.p);
    if (mark == '<')
        party_expect(p, rest);
    else if (mark == '>')
        party_say(p, rest);
    else if (after = rest, mcti_str_split(&after, ' ', &up) && mcti_str_is(up, "up"))
        party_up(p, after);
    else
        run_verb(p, rest);
}

/* ---- what stands for itself: "WORD …" ---- */

/* Cuts `rest` in front of the word `up`. Returns true if it is there; *ret_after is what follows it. */
static bool cut_up(struct mcti_str *rest, struct mcti_str *ret_after)
{
    struct mcti_str left = *rest, word;
    while (left.len && mcti_str_split(&left, ' ', &word))
        if (mcti_str_is(word, "up")) {
            rest->len = (size_t)(word.p - rest->p);
            if (rest->len)
                rest->len--;
            *ret_after = left;
            return true;
        }
    return false;
}

static void do_server(struct flow *f, struct mcti_str rest)
{
    struct mcti_str name, after;
    const bool up = cut_up(&rest, &after);
    mcti_str_split(&rest, ' ', &name);
    struct party *p = party_add_server(f, name, rest);
    if (up) {
        flow_start(f);
        party_up(p, after);
    }
}

static void do_client(struct flow *f, struct mcti_str rest)
{
    struct mcti_str name, after;
    const bool up = cut_up(&rest, &after);
    mcti_str_split(&rest, ' ', &name);
    struct party *p = party_add_client(f, name, rest);
    if (up)
        party_up(p, after);
}

static void do_prefix(struct flow *f, struct mcti_str word)
{
    if (mcti_prefix_find(word, &f->naming.prefix) < 0)
        flow_fail(f, "no such prefix rule", word.p);
}

static void do_scheme(struct flow *f, struct mcti_str word)
{
    snprintf(f->scheme, sizeof f->scheme, "%.*s", MCT_STR_ARG(word));
    if (!mcti_word_find(mcti_scheme_words, word))
        flow_fail(f, "no such scheme", word.p);
    f->naming.scheme = f->scheme;
}

static void do_offer(struct flow *f, struct mcti_str rest)
{
    struct mcti_str names;
    mcti_str_split(&rest, ' ', &names);
    f->offer.search = mcti_str_is(rest, "search");
    f->offer.alone = f->offer.search || mcti_str_is(rest, "alone");
    if (mcti_dialects_read(names, &f->offer.dialects, NULL) < 0)
        flow_fail(f, "no such dialect", names.p);
}

static void do_cache(struct flow *f, struct mcti_str rest)
{
    struct mcti_str ms;
    mcti_str_split(&rest, ' ', &ms);
    f->cache.enabled = true;
    f->cache.ttl_ms = (unsigned)strtoul(ms.p, NULL, 10);
    if (rest.len)
        f->cache.max_entries = (unsigned)strtoul(rest.p, NULL, 10);
}

static void do_allow(struct flow *f, struct mcti_str scheme)
{
    snprintf(f->allowed, sizeof f->allowed, "%.*s", MCT_STR_ARG(scheme));
    f->allow = f->allowed;
    f->dialect.uri_allow = &f->allow;
    f->dialect.n_uri_allow = 1;
}

static void do_rate(struct flow *f, struct mcti_str n)
{
    f->rate = (struct mcti_rate_rule){ (unsigned)strtoul(n.p, NULL, 10), 1 };
}

static void do_instructions(struct flow *f, struct mcti_str ms)
{
    f->instructions_wait_ms = (unsigned)strtoul(ms.p, NULL, 10);
}

static void do_wait(struct flow *f, struct mcti_str ms)
{
    wait_ms(f, strtoull(ms.p, NULL, 10));
}

static void do_start(struct flow *f, struct mcti_str rest)
{
    (void)rest;
    flow_start(f);
}

static void do_events(struct flow *f, struct mcti_str rest)
{
    (void)rest;
    mcti_events_add(&f->events, &f->listener);
}

static void do_quiet(struct flow *f, struct mcti_str rest)
{
    (void)rest;
    expect_quiet(f);
}

static void do_state(struct flow *f, struct mcti_str rest)
{
    struct mcti_str name;
    mcti_str_split(&rest, ' ', &name);
    flow_check_state(f, name, rest);
}

static const struct {
    const char *word;
    void (*run)(struct flow *f, struct mcti_str rest);
} words[] = {
    { "server", do_server }, { "client", do_client }, { "prefix", do_prefix },
    { "scheme", do_scheme }, { "offer", do_offer },   { "cache", do_cache },
    { "rate", do_rate },     { "allow", do_allow },   { "instructions", do_instructions },
    { "start", do_start },   { "events", do_events }, { "event", flow_expect_event },
    { "quiet", do_quiet },   { "wait", do_wait },     { "state", do_state },
};

static void run_line(struct flow *f, struct mcti_str line)
{
    struct mcti_str rest = line, word;
    const char *wrong = NULL;
    mcti_str_split(&rest, ' ', &word);
    flow_settle(f);
    if (host_line(&f->host, word, rest, &wrong) || guards_line(&f->guards, word, rest, &wrong)) {
        if (wrong)
            flow_fail(f, "the host", wrong);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mcti_str_is(word, words[i].word)) {
            words[i].run(f, rest);
            return;
        }
    if (!change_line(f, word, rest))
        party_line(f, line);
}

/* ---- the transcript ---- */

static const char MODERN[] = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                             "\"io.modelcontextprotocol/clientCapabilities\":";

/* Returns the text with $MODERN, $STATE and $TASK replaced (owned), or NULL if one of them has no value yet. */
static char *with_values(const struct flow *f, struct mcti_str text)
{
    const struct {
        struct mcti_str name;
        const char *value;
    } vars[] = { { MCT_STR("$MODERN"), MODERN }, { MCT_STR("$STATE"), f->state }, { MCT_STR("$TASK"), f->task } };
    const size_t n_vars = sizeof vars / sizeof *vars;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    while (text.len) {
        size_t k = 0, n = 1;
        while (k < n_vars && !mcti_str_starts(text, vars[k].name))
            k++;
        if (k < n_vars && !vars[k].value) {
            mcti_buf_done(&b);
            return NULL;
        }
        if (k < n_vars) {
            mcti_buf_addz(&b, vars[k].value);
            n = vars[k].name.len;
        } else {
            mcti_buf_addc(&b, *text.p);
        }
        text = (struct mcti_str){ text.p + n, text.len - n };
    }
    return mcti_buf_take(&b);
}

/* Runs a line with its continuations, unless the flow is over. Called between test_begins() and test_ends(). */
static void run_joined(struct flow *f, struct mcti_str text)
{
    char *line = f->over ? NULL : with_values(f, text);
    test_ends();
    if (!f->over && !setjmp(f->next_line)) {
        if (!line)
            flow_fail(f, "no value for", "$STATE or $TASK");
        run_line(f, mcti_str_of(line));
    }
    test_begins();
    free(line);
}

/* Joins each line with the indented ones that continue it. */
static void run_file(struct flow *f, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    struct mcti_buf joined;
    mcti_buf_init(&joined, MCT_LIMIT_MESSAGE_BYTES);
    test_begins();
    for (unsigned at = 1; getline(&line, &size, in) >= 0; at++) {
        struct mcti_str text = mcti_str_range(line, line + strcspn(line, "\n"));
        const char *begin = text.p + strspn(text.p, " ");
        if (!text.len || *text.p == '#')
            continue;
        if (begin == text.p && joined.len) {
            run_joined(f, mcti_buf_str(&joined));
            mcti_buf_clear(&joined);
        }
        if (begin == text.p)
            f->line = at;
        mcti_buf_add(&joined, mcti_str_range(begin, text.p + text.len));
    }
    if (joined.len)
        run_joined(f, mcti_buf_str(&joined));
    test_ends();
    mcti_buf_done(&joined);
    free(line);
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

static void party_done(struct party *p)
{
    mcti_transport_free(p->end);
    while (p->n_frames)
        free(p->frames[--p->n_frames]);
    while (p->n_said)
        free(p->said[--p->n_said]);
}

/* Returns what is wrong, or NULL. */
static const char *close_all(struct flow *f)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < f->n_parties; i++)
        party_leaves(&f->parties[i]);
    if (f->open) {
        mcti_gateway_done(&f->gateway);
        mcti_view_done(&f->view);
        if (f->gateway.memory.whole.held)
            wrong = "bytes are still charged to clients";
    }
    host_done(&f->host);
    guards_done(&f->guards);
    free(f->state);
    free(f->task);
    mcti_registry_done(&f->registry);
    host_clear(&f->host);
    guards_clear(&f->guards);
    mcti_event_listener_remove(&f->listener);
    mcti_events_done(&f->events);
    for (size_t i = 0; i < f->n_told; i++)
        free(f->told[i]);
    for (size_t i = 0; i < f->n_parties; i++)
        party_done(&f->parties[i]);
    return wrong;
}

static void open_all(struct flow *f, const char *file, struct flow_tally *tally)
{
    memset(f, 0, sizeof *f); /* a fuzzer runs many in one process */
    f->file = file;
    f->tally = tally;
    f->cache = mcti_cache_defaults;
    f->asked = &f->gateway;
    f->asks = mcti_gateway_answerer;
    f->asks.data = &f->asked;
    f->dialect = mcti_dialect_defaults;
    f->naming = (struct mcti_naming){ "double", NULL, MCT_PREFIX_AUTO, 64 };
    mcti_sched_init(&f->sched);
    mcti_registry_init(&f->registry, &f->sched);
    host_init(&f->host, &f->registry);
    guards_init(&f->guards, &f->sched, &f->naming);
    f->registry.outside = &f->guards.outside;
    flow_open_events(f);
}

const char *flow_run(const char *file, struct flow_tally *tally)
{
    static struct flow f;
    test_begins();
    FILE *in = fopen(file, "re");
    test_ends();
    if (!in)
        return "cannot be opened";
    open_all(&f, file, tally);
    run_file(&f, in);
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
