#include "hub/core/provider.h"

#include "auth/login/login.h"
#include "base/limits.h"
#include "hub/core/entrance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *mcti_state_word(enum mcti_state state)
{
    static const char *const words[] = { "disconnected", "connecting", "connected", "error" };
    return words[state];
}

const char *mcti_reason_word(enum mcti_reason reason)
{
    static const char *const words[] = { NULL, "needs_auth", "backoff", "configuration" };
    return words[reason];
}

int mcti_provider_init(struct mcti_provider *p, const struct mcti_provider_ops *ops, const char *name,
                       struct mcti_sched *sched, const struct mcti_log *log)
{
    *p = (struct mcti_provider){ .ops = ops, .sched = sched, .log = log, .error = &mcti_error_none };
    for (int k = 0; k < MCT_KIND_N; k++)
        p->list_error[k] = &mcti_error_none;
    mcti_text_payer_init(&p->payer);
    mcti_journal_init(&p->journal);
    return mcti_provider_rename(p, name);
}

int mcti_provider_rename(struct mcti_provider *p, const char *name)
{
    struct mcti_text *label = mcti_text_new((struct mcti_str){ name, strlen(name) + 1 }, NULL, NULL);
    if (!label)
        return -1;
    mcti_text_unref(p->label);
    p->label = label;
    p->name = label->p;
    return 0;
}

void mcti_provider_done(struct mcti_provider *p)
{
    mcti_text_unref(p->label);
    mcti_text_payer_done(&p->payer);
    free(p->last_diagnostics);
    mcti_journal_done(&p->journal);
    mcti_server_info_clear(&p->info);
    for (int k = 0; k < MCT_KIND_N; k++) {
        mcti_items_clear(&p->items[k]);
        mcti_items_clear(&p->barred[k]);
        mcti_error_keep(&p->list_error[k], NULL);
    }
    mcti_error_keep(&p->error, NULL);
    if (p->vetter)
        p->vetter->forget(p);
}

/* ---- the journal ---- */

void mcti_provider_say(struct mcti_provider *p, enum mcti_said by, struct mcti_str text)
{
    struct mcti_provider *of = p->origin ? p->origin : p;
    const struct mcti_journal_line *line = mcti_journal_add(&of->journal, by, text);
    if (line && of->events.said)
        of->events.said(of->events.data, of, line);
}

void mcti_provider_note(struct mcti_provider *p, const char *fmt, ...)
{
    char text[MCT_LIMIT_JOURNAL_LINE + 1];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", p->origin ? "further connection: " : "");
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, sizeof text - n, fmt, args);
    va_end(args);
    mcti_provider_say(p, MCT_SAID_GATEWAY, mcti_str_of(text));
}

static void note_connected(struct mcti_provider *p)
{
    struct mcti_str info = mcti_str_of(p->info.server_info);
    char *name = mcti_json_dup(mcti_json_get(info, "name")), *version = mcti_json_dup(mcti_json_get(info, "version"));
    if (p->info.rev)
        mcti_provider_note(p, "connected to %s%s%s, protocol %s over %s", name ? name : "a server without a name",
                           version ? " " : "", version ? version : "", mcti_rev_text(p->info.rev), p->transport);
    else
        mcti_provider_note(p, "ready");
    free(name);
    free(version);
}

static void provider_note_state(struct mcti_provider *p, enum mcti_state was)
{
    if (p->state == MCT_CONNECTED)
        note_connected(p);
    else if (p->state == MCT_FAILED)
        mcti_provider_note(p,
                           was == MCT_CONNECTED && !p->standby ? "the connection ended: %s" : "failed to connect: %s",
                           p->error->kind ? p->error->message : "unknown reason");
    else if (p->state == MCT_CONNECTING)
        p->journal.start_seq = p->journal.last_seq;
    if (p->state < MCT_CONNECTED && p->state != was)
        mcti_provider_note(p, p->state == MCT_CONNECTING ? "starting" : "stopped");
}

/* ---- state ---- */

void mcti_provider_set_state(struct mcti_provider *p, enum mcti_state state, const struct mct_error *err)
{
    enum mcti_state was = p->state;
    p->state = state;
    p->has_greeted = state == MCT_CONNECTED;
    p->next_try_ms = 0;
    if (err || state == MCT_CONNECTED)
        mcti_error_keep(&p->error, err);
    p->reason = !err                          ? MCT_REASON_NONE
                : err->kind == MCT_ERR_AUTH   ? MCT_REASON_NEEDS_AUTH
                : err->kind == MCT_ERR_CONFIG ? MCT_REASON_CONFIG
                                              : MCT_REASON_NONE;
    if (state == MCT_CONNECTED || state == MCT_FAILED)
        p->settled = true;
    provider_note_state(p, was);
    p->standby = MCT_STANDBY_NONE;
    if (p->events.state)
        p->events.state(p->events.data, p);
}

const char *mcti_provider_state_word(const struct mcti_provider *p)
{
    if (p->state == MCT_CONNECTED && p->standby)
        return p->standby == MCT_STANDBY_ASLEEP ? "idle" : mcti_state_word(MCT_CONNECTING);
    return mcti_state_word(p->state);
}

void mcti_provider_set_standby(struct mcti_provider *p, enum mcti_standby standby)
{
    p->state = MCT_CONNECTED;
    p->standby = standby;
    mcti_error_keep(&p->error, NULL);
    p->reason = MCT_REASON_NONE;
    p->next_try_ms = 0;
    if (standby == MCT_STANDBY_STARTING) {
        p->journal.start_seq = p->journal.last_seq;
        mcti_provider_note(p, "starting");
    }
    if (p->events.state)
        p->events.state(p->events.data, p);
}

void mcti_provider_settle(struct mcti_provider *p)
{
    if (p->settled)
        return;
    p->settled = true;
    if (p->events.state)
        p->events.state(p->events.data, p);
}

unsigned mcti_provider_hold_ms(const struct mcti_provider *p, unsigned max_ms)
{
    uint64_t now = mcti_sched_now(p->sched), until = p->started_ms + max_ms;
    return !p->settled && !p->standby && until > now ? (unsigned)(until - now) : 0;
}

unsigned mcti_provider_lacks_lists(const struct mcti_provider *p, struct mct_error *ret)
{
    unsigned n = 0;
    for (int k = 0; p->state == MCT_CONNECTED && k < MCT_KIND_N; k++)
        if (p->list_error[k]->kind && !n++ && ret)
            *ret = *p->list_error[k];
    return n;
}

bool mcti_provider_misses_list(const struct mcti_provider *p)
{
    for (int k = 0; p->state == MCT_CONNECTED && k < MCT_KIND_N; k++)
        if (p->list_error[k]->kind && !p->items[k].n)
            return true;
    return false;
}

static void provider_put_list_errors(struct mcti_buf *to, const struct mcti_provider *p)
{
    if (!mcti_provider_lacks_lists(p, NULL))
        return;
    mcti_json_put_key(to, "listErrors");
    mcti_buf_addc(to, '[');
    for (int k = 0; k < MCT_KIND_N; k++) {
        if (!p->list_error[k]->kind)
            continue;
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
        mcti_json_put_member(to, "list", mcti_str_of(mcti_kind_info((enum mcti_kind)k)->list_key));
        mcti_json_put_fault(to, p->list_error[k]->kind, p->list_error[k]->message);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addc(to, ']');
}

static void provider_put_login(struct mcti_buf *to, const struct mcti_provider *p)
{
    struct mcti_login_facts facts;
    if (!p->login || mcti_login_state(p->login) == MCT_LOGIN_NONE)
        return;
    mcti_login_describe(p->login, &facts);
    mcti_json_put_key(to, "login");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "state", mcti_str_of(mcti_login_state_word(facts.state)));
    if (facts.expires_at) {
        mcti_json_put_key(to, "expiresAt");
        mcti_buf_addu(to, (uint64_t)facts.expires_at);
    }
    if (facts.state == MCT_LOGIN_NEEDED) {
        struct mcti_buf command;
        mcti_buf_init(&command, 4096);
        mcti_buf_printf(&command, "mcptools login %s", p->name);
        mcti_json_put_member(to, "command", mcti_buf_str(&command));
        mcti_buf_done(&command);
    }
    mcti_buf_addc(to, '}');
}

/* Writes state, revision and error of one connection. */
static void put_connection(struct mcti_buf *to, const struct mcti_provider *p, uint64_t now_ms)
{
    bool down = p->state != MCT_CONNECTED;
    mcti_json_put_member(to, "state", mcti_str_of(mcti_provider_state_word(p)));
    if (down && mcti_reason_word(p->reason))
        mcti_json_put_member(to, "reason", mcti_str_of(mcti_reason_word(p->reason)));
    if (p->transport)
        mcti_json_put_member(to, "transport", mcti_str_of(p->transport));
    if (p->info.plugins) {
        mcti_json_put_key(to, "_meta");
        mcti_buf_addz(to, "{\"openclaw/plugins\":");
        mcti_buf_addz(to, p->info.plugins);
        mcti_buf_addc(to, '}');
    }
    if (p->info.rev)
        mcti_json_put_member(to, "protocolVersion", mcti_str_of(mcti_rev_text(p->info.rev)));
    if (down && p->next_try_ms) {
        mcti_json_put_key(to, "nextTryMs");
        mcti_buf_addu(to, p->next_try_ms > now_ms ? p->next_try_ms - now_ms : 0);
    }
    provider_put_list_errors(to, p);
    if (down && p->error->kind)
        mcti_json_put_error(to, p->error);
}

static void provider_put_findings(struct mcti_buf *to, const struct mcti_provider *p)
{
    if (p->vetter)
        p->vetter->put_status(to, p);
}

void mcti_provider_put_status(struct mcti_buf *to, const struct mcti_provider *p, uint64_t now_ms)
{
    mcti_json_put_member(to, "name", mcti_str_of(p->name));
    put_connection(to, p, now_ms);
    provider_put_login(to, p);
    if (p->entrance)
        p->entrance->ops->put_status(p->entrance, to);
    provider_put_findings(to, p);
    if (!p->handshake)
        return;
    mcti_json_put_key(to, "handshake");
    mcti_buf_addc(to, '{');
    put_connection(to, p->handshake, now_ms);
    provider_put_findings(to, p->handshake);
    mcti_buf_addc(to, '}');
}

struct mcti_str mcti_provider_instructions(const struct mcti_provider *p)
{
    return p->bars_instructions ? MCT_STR_NONE : mcti_str_of(p->info.instructions);
}

struct mcti_str mcti_provider_server_info(const struct mcti_provider *p)
{
    return p->bars_server_info ? MCT_STR_NONE : mcti_str_of(p->info.server_info);
}

void mcti_provider_put_identity(struct mcti_buf *to, const struct mcti_provider *p)
{
    struct mcti_str info = mcti_provider_server_info(p), instructions = mcti_provider_instructions(p);
    if (info.p)
        mcti_json_put_raw(to, "serverInfo", info);
    if (p->info.capabilities)
        mcti_json_put_raw(to, "capabilities", mcti_str_of(p->info.capabilities));
    if (instructions.p)
        mcti_json_put_member(to, "instructions", instructions);
    struct mcti_transport_facts facts = { 0 };
    if (p->ops->describe)
        p->ops->describe(p, &facts);
    if (facts.sandbox.len)
        mcti_json_put_raw(to, "sandbox", facts.sandbox);
}

void mcti_provider_tell_list(struct mcti_provider *p, enum mcti_kind kind)
{
    bool is_read = kind == MCT_RESOURCE || kind == MCT_TEMPLATE;
    if (is_read && p->barred[kind].n && p->events.outdated)
        p->events.outdated(p->events.data, p);
    if (p->events.changed)
        p->events.changed(p->events.data, p, 1u << kind);
}

bool mcti_provider_take_items(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh)
{
    struct mcti_items barred = { 0 };
    if (p->vetter)
        p->vetter->split(p, kind, fresh, &barred);
    bool differs = !mcti_items_same(&p->items[kind], fresh) || !mcti_items_same(&p->barred[kind], &barred);
    mcti_items_clear(differs ? &p->items[kind] : fresh);
    mcti_items_clear(differs ? &p->barred[kind] : &barred);
    if (differs) {
        p->items[kind] = *fresh;
        p->barred[kind] = barred;
    }
    *fresh = (struct mcti_items){ 0 };
    if (p->vetter)
        p->vetter->over(p, kind);
    if (differs)
        mcti_provider_tell_list(p, kind);
    return differs;
}

bool mcti_provider_admits(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str id)
{
    return kind != MCT_TOOL ||
           ((!p->n_allow || mcti_str_glob_any(p->allow, p->n_allow, id)) && !mcti_str_glob_any(p->deny, p->n_deny, id));
}

bool mcti_provider_needs_login(const struct mcti_provider *p)
{
    const struct mcti_login *login = p->origin ? p->origin->login : p->login;
    return login && mcti_login_state(login) == MCT_LOGIN_NEEDED;
}
