/* McpAuth of nexo: tells whether a server accepts the configured credentials. */
#include "resources/dialect/nexo.h"

const char mcti_nexo_auth_json[] = MCT_JSON({
    "name": "McpAuth",
    "description": "Check whether an MCP server accepts the configured credentials (\"status\"), or renew them (\"refresh\").",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the server." },
        "op": { "type": "string", "enum": ["status", "refresh"] } }, "required": ["server", "op"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* Returns the word for what the server said last; NULL if it has not been asked. */
static const char *auth_state(const struct mcti_provider *p)
{
    return p->reason == MCT_REASON_NEEDS_AUTH || p->refuses_credentials ? "unauthorised"
           : p->has_credentials && p->state == MCT_CONNECTED            ? "authenticated"
                                                                        : NULL;
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
                        p->error.kind ? ": " : "", p->error.kind ? mcti_dialect_error_text(p, &p->error) : "");
}

static void answer_status(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    if (auth_state(c->server)) {
        mcti_buf_init(&b, 256);
        mcti_buf_printf(&b, "{\"state\":\"%s\"}", auth_state(c->server));
        mcti_dialect_answer(c, &b);
    } else if (c->server->has_credentials) {
        refuse_untried(c);
    } else {
        mcti_dialect_refuse(c, "McpAuth: no authentication configured for MCP server `%s`", c->name);
    }
}

static void refuse_refresh(struct mcti_dialect_call *c)
{
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
    if (mcti_json_is(mcti_json_get(c->args, "op"), "status"))
        mcti_dialect_wait(c, answer_status);
    else
        refuse_refresh(c);
}
