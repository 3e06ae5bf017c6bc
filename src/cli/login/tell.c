/* Texts about logins. */
#include "base/clock.h"
#include "cli/login/signin.h"
#include "config/expand/expand.h"
#include "json/write.h"

/* ---- the command ---- */

static void tell_put_command(const struct mcti_app *app, struct mcti_buf *to, const char *server, const char *scope)
{
    struct mcti_buf url;
    mcti_buf_init(&url, 1u << 16);
    if (app->opt.url)
        mcti_config_put_url(&url, app->opt.url); /* without secrets */
    mcti_buf_addz(to, "mcptools login ");
    mcti_expand_put_word(to, app->opt.url ? mcti_buf_str(&url) : mcti_str_of(server));
    mcti_buf_done(&url);
    for (size_t i = 0; i < app->opt.config_files.n; i++) {
        mcti_buf_addz(to, " --config ");
        mcti_expand_put_word(to, mcti_str_of(app->opt.config_files.v[i]));
    }
    if (!scope)
        return;
    mcti_buf_addz(to, " --scope ");
    mcti_expand_put_word(to, mcti_str_of(scope));
}

void mcti_signin_add_command(const struct mcti_app *app, struct mct_error *err, const char *server, const char *scope)
{
    char *shorter = strstr(err->message, ": run 'mcptools login");
    struct mcti_buf command;
    mcti_buf_init(&command, 1u << 16);
    tell_put_command(app, &command, server, scope);
    size_t n = shorter ? (size_t)(shorter - err->message) : strlen(err->message), room = sizeof err->message - n;
    if (mcti_buf_ok(&command) && command.len + sizeof "; run: " <= room)
        snprintf(err->message + n, room, "; run: %.*s", MCT_STR_ARG(mcti_buf_str(&command)));
    else
        snprintf(err->message + n, room, "; log in on a terminal"); /* half a command would be worse */
    mcti_buf_done(&command);
}

/* ---- facts ---- */

void mcti_signin_put_host(struct mcti_buf *to, const char *url)
{
    const char *host = url ? strstr(url, "://") : NULL;
    mcti_buf_add(to, host ? (struct mcti_str){ host + 3, strcspn(host + 3, "/?#") } : mcti_str_of(url));
}

/* Appends a span of time in its largest unit that counts at least 2, "90 seconds". */
static void tell_put_span(struct mcti_buf *to, uint64_t seconds)
{
    static const struct {
        unsigned s;
        const char *word;
    } units[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= 2 * (uint64_t)units[i].s) {
            mcti_buf_addu(to, (seconds + units[i].s / 2) / units[i].s);
            mcti_buf_printf(to, " %s", units[i].word);
            return;
        }
    mcti_buf_addu(to, seconds);
    mcti_buf_addz(to, seconds == 1 ? " second" : " seconds");
}

void mcti_signin_put_expiry(struct mcti_buf *to, const struct mcti_login_facts *facts)
{
    int64_t left = facts->expires_at - (int64_t)(mcti_clock_wall_ms() / 1000);
    if (!facts->expires_at) {
        mcti_buf_addz(to, "unknown");
        return;
    }
    mcti_buf_addz(to, left >= 0 ? "in " : "");
    tell_put_span(to, (uint64_t)(left >= 0 ? left : -left));
    mcti_buf_addz(to, left >= 0 ? "" : " ago");
}

void mcti_signin_put_done(struct mcti_buf *to, const char *what, const struct mcti_signin_server *server)
{
    struct mcti_login_facts facts;
    const char *before = " (";
    mcti_login_describe(server->login, &facts);
    mcti_buf_printf(to, "%s '%s'", what, server->shown);
    if (facts.issuer) {
        mcti_buf_printf(to, "%sissuer ", before);
        mcti_signin_put_host(to, facts.issuer);
        before = ", ";
    }
    if (facts.scope && *facts.scope) {
        mcti_buf_printf(to, "%sscopes %s", before, facts.scope);
        before = ", ";
    }
    if (facts.expires_at) {
        mcti_buf_printf(to, "%sexpires ", before);
        mcti_signin_put_expiry(to, &facts);
        mcti_buf_addz(to, facts.can_refresh ? ", renewed automatically" : "");
        before = ", ";
    }
    mcti_buf_addz(to, *before == ',' ? ")" : "");
}

const char *mcti_signin_client_word(enum mcti_client_kind kind)
{
    static const char *const words[] = { [MCT_CLIENT_CONFIGURED] = "configured",
                                         [MCT_CLIENT_DOCUMENT] = "document",
                                         [MCT_CLIENT_REGISTERED] = "registered" };
    return words[kind];
}

/* ---- JSON ---- */

static void tell_put_text(struct mcti_buf *to, const char *key, const char *text)
{
    if (text)
        mcti_json_put_member(to, key, mcti_str_of(text));
}

static void tell_put_flag(struct mcti_buf *to, const char *key, bool value)
{
    mcti_json_put_raw(to, key, value ? MCT_STR("true") : MCT_STR("false"));
}

static void tell_put_scopes(struct mcti_buf *to, const char *scope)
{
    struct mcti_str words = mcti_str_of(scope), word;
    bool any = false;
    mcti_json_put_key(to, "scopes");
    mcti_buf_addc(to, '[');
    while (mcti_str_split(&words, ' ', &word)) {
        if (!word.len)
            continue;
        mcti_buf_addz(to, any ? "," : "");
        mcti_json_put_string(to, word);
        any = true;
    }
    mcti_buf_addc(to, ']');
}

void mcti_signin_put_json(struct mcti_buf *to, const char *server, const struct mcti_login_facts *f)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "server", mcti_str_of(server));
    mcti_json_put_member(to, "state", mcti_str_of(mcti_login_state_word(f->state)));
    tell_put_text(to, "issuer", f->issuer);
    tell_put_text(to, "resource", f->resource);
    tell_put_text(to, "grant", f->grant);
    tell_put_text(to, "client", mcti_signin_client_word(f->client_kind));
    tell_put_text(to, "clientId", f->client_id);
    if (f->scope)
        tell_put_scopes(to, f->scope);
    if (f->expires_at > 0)
        mcti_json_put_time(to, "expiresAt", (uint64_t)f->expires_at);
    if (f->issuer) {
        tell_put_flag(to, "expired", f->expired);
        tell_put_flag(to, "canRefresh", f->can_refresh);
        tell_put_flag(to, "bound", f->bound);
    }
    if (f->why && f->why->kind)
        mcti_json_put_error(to, f->why);
    mcti_buf_addc(to, '}');
}

void mcti_signin_print_done(const struct mcti_app *app, const char *what, const struct mcti_signin_server *server)
{
    struct mcti_login_facts facts;
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    if (app->opt.output == MCT_OUT_JSON) {
        mcti_login_describe(server->login, &facts);
        mcti_signin_put_json(&b, server->shown, &facts);
        mcti_out_json(app, mcti_buf_str(&b));
    } else {
        mcti_signin_put_done(&b, what, server);
        mcti_out(app, "%.*s\n", MCT_STR_ARG(mcti_buf_str(&b)));
    }
    mcti_buf_done(&b);
}
