/* McpAuth of nexo: tells whether a server accepts the credentials, configured or of a login, and renews a login. */
#include "resources/dialect/nexo.h"

#include "auth/login/login.h"

const char mcti_nexo_auth_json[] = MCT_JSON({
    "name": "McpAuth",
    "description": "Check whether an MCP server accepts the credentials (\"status\"), or renew its login (\"refresh\").",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the server." },
        "op": { "type": "string", "enum": ["status", "refresh"] } }, "required": ["server", "op"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* Returns the word for what the server said last; NULL if it has not been asked. */
static const char *configured_state(const struct mcti_provider *p)
{
    return p->reason == MCT_REASON_NEEDS_AUTH || p->refuses_credentials ? "unauthorised"
           : p->has_credentials && p->state == MCT_CONNECTED            ? "authenticated"
                                                                        : NULL;
}

/* Returns whether the server has a login, or wants one. */
static bool has_login(const struct mcti_provider *p)
{
    return p->login && mcti_login_state(p->login) != MCT_LOGIN_NONE;
}

/* A token that has expired is not refused yet: it may be renewed. */
static const char *login_state(const struct mcti_provider *p, const struct mcti_login_facts *f)
{
    if (f->expired)
        return "expired";
    if (f->state != MCT_LOGIN_READY || p->refuses_credentials)
        return "unauthorised";
    return p->state == MCT_CONNECTED ? "authenticated" : NULL;
}

void mcti_nexo_check_auth(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    struct mcti_str op = mcti_json_get(c->args, "op");
    if (!mcti_dialect_has_text(c, "server"))
        mcti_buf_addz(refusal, "McpAuth requires `server` (string)");
    else if (!mcti_json_is(op, "status") && !mcti_json_is(op, "refresh"))
        mcti_buf_addz(refusal, "McpAuth requires `op` (\"status\" or \"refresh\")");
}

static void refuse_untried(struct mcti_dialect_call *c)
{
    const struct mcti_provider *p = c->server;
    mcti_dialect_refuse(c, "McpAuth: MCP server `%s` is not connected: its credentials were not tried%s%s", p->name,
                        p->error->kind ? ": " : "", p->error->kind ? mcti_dialect_error_text(p, p->error) : "");
}

static void answer_state(struct mcti_dialect_call *c, const char *state, int64_t expires_at)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 256);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "state", mcti_str_of(state));
    if (expires_at > 0)
        mcti_json_put_time(&b, "expires_at", (uint64_t)expires_at);
    mcti_buf_addc(&b, '}');
    mcti_dialect_answer(c, &b);
}

static void answer_status(struct mcti_dialect_call *c)
{
    struct mcti_provider *p = c->server;
    struct mcti_login_facts facts = { 0 };
    if (has_login(p))
        mcti_login_describe(p->login, &facts);
    const char *state = has_login(p) ? login_state(p, &facts) : configured_state(p);
    if (state)
        answer_state(c, state, facts.expires_at);
    else if (p->has_credentials || has_login(p))
        refuse_untried(c);
    else
        mcti_dialect_refuse(c, "McpAuth: no authentication configured for MCP server `%s`", c->name);
}

static void nexo_auth_on_refreshed(void *data, const struct mct_error *err)
{
    struct mcti_dialect_call *c = data;
    struct mcti_login_facts facts;
    c->refreshes = false;
    if (err) {
        mcti_dialect_refuse(c, "McpAuth: MCP server `%s`: %s", c->name, err->message);
        return;
    }
    c->server->refuses_credentials = false; /* the old ones */
    mcti_login_describe(c->server->login, &facts);
    answer_state(c, "authenticated", facts.expires_at);
}

static void nexo_auth_refresh(struct mcti_dialect_call *c)
{
    if (has_login(c->server)) {
        c->refreshes = true;
        mcti_login_refresh(c->server->login, nexo_auth_on_refreshed, c);
        return;
    }
    mcti_dialect_refuse(c,
                        c->server->has_credentials
                            ? "McpAuth: the credentials of MCP server `%s` are fixed in the configuration: nothing can "
                              "be refreshed"
                            : "McpAuth: no authentication configured for MCP server `%s`",
                        c->name);
}

/* The server's answer to the first message tells whether it accepts the credentials, so the status of a server that is
 * still starting waits for it. */
void mcti_nexo_run_auth(struct mcti_dialect_call *c)
{
    if (!mcti_nexo_take_server(c, "McpAuth"))
        return;
    mcti_dialect_wait(c, mcti_json_is(mcti_json_get(c->args, "op"), "status") ? answer_status : nexo_auth_refresh);
}
