/*
 * The resource tools of Codex: one page of one server with its cursor, or the items of all servers in order of server
 * names. Absent members are left out; an error begins with the method.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static const char list_json[] = MCT_JSON({
    "name": "list_mcp_resources",
    "description": "Lists the resources that MCP servers provide: data meant as context for a model, such as files, database schemas, or information of an application. Prefer a resource over a web search if it has the information.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one MCP server; default: every configured server." },
        "cursor": { "type": "string", "description": "Opaque cursor that an earlier list_mcp_resources call for the same server returned." } },
        "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char templates_json[] = MCT_JSON({
    "name": "list_mcp_resource_templates",
    "description": "Lists the resource templates that MCP servers provide: resources that take parameters, such as files, database schemas, or information of an application. Prefer a template over a web search if it has the information.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one MCP server; default: every configured server." },
        "cursor": { "type": "string", "description": "Opaque cursor that an earlier list_mcp_resource_templates call for the same server returned." } },
        "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char read_json[] = MCT_JSON({
    "name": "read_mcp_resource",
    "description": "Reads one resource of an MCP server, given the name of the server and the URI of the resource.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the MCP server exactly as configured: the 'server' that list_mcp_resources returned." },
        "uri": { "type": "string", "description": "URI of the resource: one of those that list_mcp_resources returned." } },
        "required": ["server", "uri"], "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* Members in the order in which current and first Codex versions write them; other members are dropped. */
enum { RESOURCE, TEMPLATE, CONTENT };

static const char *const members[2][3][10] = {
    { { "uri", "name", "title", "description", "mimeType", "size", "icons", "_meta", "annotations" },
      { "uriTemplate", "name", "title", "description", "mimeType", "icons", "_meta", "annotations" },
      { "uri", "mimeType", "text", "blob", "_meta" } },
    { { "annotations", "description", "mimeType", "name", "size", "title", "uri" },
      { "annotations", "description", "mimeType", "name", "title", "uriTemplate" },
      { "blob", "mimeType", "text", "uri" } },
};

static const struct kind {
    enum mcti_kind kind;
    const char *method, *key;
} kinds[] = {
    [RESOURCE] = { MCT_RESOURCE, "resources/list", "resources" },
    [TEMPLATE] = { MCT_TEMPLATE, "resources/templates/list", "resourceTemplates" },
};

/* ---- arguments ---- */

static const char *type_words(struct mcti_str v)
{
    switch (mcti_json_type(v)) {
    case '{':
        return "map";
    case '[':
        return "sequence";
    case 't':
        return "boolean `true`";
    case 'f':
        return "boolean `false`";
    default:
        return "number";
    }
}

/* Refuses the first argument that is not a string, with the words of Codex. */
static void check_types(const struct mcti_dialect_call *c, struct mcti_buf *refusal, const char *first,
                        const char *second)
{
    const char *key = !mcti_dialect_text_or_none(c, first)    ? first
                      : !mcti_dialect_text_or_none(c, second) ? second
                                                              : NULL;
    if (key)
        mcti_buf_printf(refusal, "failed to parse function arguments: invalid type: %s, expected a string",
                        type_words(mcti_json_get(c->args, key)));
}

static void check_list(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    check_types(c, refusal, "server", "cursor");
}

static void codex_check_read(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    check_types(c, refusal, "server", "uri");
    if (!refusal->len && !mcti_dialect_has_words(c, "server"))
        mcti_buf_addz(refusal, "server must be provided");
    else if (!refusal->len && !mcti_dialect_has_words(c, "uri"))
        mcti_buf_addz(refusal, "uri must be provided");
}

static void codex_refuse_unknown(struct mcti_dialect_call *c, const char *method)
{
    mcti_dialect_refuse(c, "%s failed: unknown MCP server '%s'", method, c->name);
}

/* Appends the error object of the server: code, message, and the data in parentheses. */
static void codex_put_refusal(struct mcti_buf *to, struct mcti_str refusal)
{
    struct mcti_str message, data = mcti_json_get(refusal, "data");
    int64_t code;
    mcti_msg_error_parts(refusal, &code, &message);
    mcti_buf_printf(to, "Mcp error: %lld: ", (long long)code);
    mcti_json_unescape_any(message, to);
    if (!data.p || mcti_json_type(data) == 'n')
        return;
    mcti_buf_addc(to, '(');
    mcti_json_put_compact(to, data);
    mcti_buf_addc(to, ')');
}

/* Returns true if the server has never been connected. */
static bool never_started(const struct mcti_provider *p, const struct mct_error *err)
{
    return p->state != MCT_CONNECTED && !p->info.rev && err->kind != MCT_ERR_POLICY;
}

/* Refuses with the chain of causes, in the form of Codex's error chains. `refusal` is the error object of the server;
 * NULL: it sent none. */
static void codex_refuse_failed(struct mcti_dialect_call *c, const char *method, const struct mct_error *err,
                                const char *refusal)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_printf(&b, "%s failed: ", method);
    if (never_started(c->server, err)) {
        mcti_buf_addz(&b, "failed to get client: MCP startup failed: ");
    } else {
        mcti_buf_printf(&b, "%s failed for `%s`", method, c->name);
        mcti_buf_printf(&b, c->uri ? " (%s): " : ": ", c->uri);
    }
    if (refusal)
        codex_put_refusal(&b, mcti_str_of(refusal));
    else
        mcti_buf_addz(&b, mcti_dialect_error_text(c->server, err));
    mcti_dialect_refuse_buf(c, &b);
}

/* ---- lists ---- */

/* Appends {"server":…, followed by the known members that the item has. */
static void codex_put_item(const struct mcti_dialect_call *c, struct mcti_buf *to, const char *server,
                           struct mcti_str item, int what)
{
    const char *const *keys = members[c->set->opts.codex_alphabetical][what];
    struct mcti_str values[sizeof members[0][0] / sizeof *members[0][0]] = { 0 };
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(item); mcti_json_next_member(&it, &m);)
        for (size_t i = 0; keys[i]; i++)
            if (!values[i].p && mcti_json_key_is(m.key, keys[i]))
                values[i] = m.value;
    mcti_buf_addc(to, '{');
    if (server)
        mcti_json_put_member(to, "server", mcti_str_of(server));
    for (size_t i = 0; keys[i]; i++)
        mcti_dialect_put(to, keys[i], values[i], false);
    mcti_buf_addc(to, '}');
}

static void codex_put_part(const struct mcti_dialect_call *c, struct mcti_buf *to, const struct mcti_listing_part *part)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_listing_items(part); mcti_json_next_item(&it, &item);) {
        if (mcti_buf_last(to) == '}')
            mcti_buf_addc(to, ',');
        codex_put_item(c, to, part->provider->name, item, (int)c->number);
    }
}

static const struct kind *codex_kind_of(const struct mcti_dialect_call *c)
{
    return &kinds[c->number];
}

/* Appends the items of all servers. A server that failed is left out, as Codex does, and logged. Those that a later
 * list may have are named. */
static void codex_put_all(const struct mcti_dialect_call *c, struct mcti_buf *b)
{
    const struct kind *k = codex_kind_of(c);
    const struct mcti_listing_part **parts = mcti_dialect_by_name(c);
    mcti_json_put_key(b, k->key);
    mcti_buf_addc(b, '[');
    for (size_t i = 0; parts && i < c->listing.n_parts; i++) {
        if (!parts[i]->error.kind)
            codex_put_part(c, b, parts[i]);
        else
            mcti_dialect_log_failed(c, parts[i], false);
    }
    mcti_buf_addc(b, ']');
    if (parts)
        mcti_dialect_put_told(c, b, parts);
    b->failed |= !parts;
    free(parts);
}

static void codex_on_listed(struct mcti_dialect_call *c)
{
    bool nulls = c->set->opts.codex_nulls;
    const struct mcti_listing_part *part = c->listing.parts;
    struct mcti_buf b;
    if (c->server && part->error.kind) {
        codex_refuse_failed(c, codex_kind_of(c)->method, &part->error, part->refusal);
        return;
    }
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    if (c->server)
        mcti_json_put_member(&b, "server", mcti_str_of(c->server->name));
    else if (nulls)
        mcti_json_put_raw(&b, "server", MCT_STR("null"));
    if (c->server) {
        mcti_json_put_key(&b, codex_kind_of(c)->key);
        mcti_buf_addc(&b, '[');
        codex_put_part(c, &b, part);
        mcti_buf_addc(&b, ']');
    } else {
        codex_put_all(c, &b);
    }
    mcti_dialect_put(&b, "nextCursor", c->server ? mcti_str_of(part->cursor) : MCT_STR_NONE, nulls);
    mcti_buf_addc(&b, '}');
    mcti_dialect_answer(c, &b);
}

static void run_list_of(struct mcti_dialect_call *c, uint64_t kind)
{
    c->number = kind;
    c->name = mcti_dialect_trimmed(c, "server");
    if (!mcti_dialect_find_server(c)) {
        codex_refuse_unknown(c, codex_kind_of(c)->method);
    } else if (c->server) {
        char *cursor = mcti_dialect_trimmed(c, "cursor");
        mcti_dialect_list_page(c, codex_kind_of(c)->kind, cursor, codex_on_listed);
        free(cursor);
    } else if (mcti_dialect_has_words(c, "cursor")) {
        mcti_dialect_refuse(c, "cursor can only be used when a server is specified");
    } else {
        mcti_dialect_list(c, codex_kind_of(c)->kind, NULL, codex_on_listed);
    }
}

static void codex_run_list(struct mcti_dialect_call *c)
{
    run_list_of(c, RESOURCE);
}

static void codex_run_templates(struct mcti_dialect_call *c)
{
    run_list_of(c, TEMPLATE);
}

/* ---- read ---- */

static void codex_on_read(struct mcti_dialect_call *c)
{
    struct mcti_buf b, shaped;
    struct mcti_str item;
    if (!c->reading.result.p) {
        codex_refuse_failed(c, "resources/read", &c->reading.error, c->reading.refusal);
        return;
    }
    mcti_buf_init(&shaped, c->reading.result.len + 64);
    mcti_dialect_put_read_result(c, &shaped);
    struct mcti_str result = mcti_buf_str(&shaped);
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "server", mcti_str_of(c->name));
    mcti_json_put_member(&b, "uri", mcti_str_of(c->uri));
    mcti_json_put_key(&b, "contents");
    mcti_buf_addc(&b, '[');
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents"));
         mcti_json_next_item(&it, &item);) {
        if (mcti_buf_last(&b) == '}')
            mcti_buf_addc(&b, ',');
        codex_put_item(c, &b, NULL, item, CONTENT);
    }
    mcti_buf_addc(&b, ']');
    mcti_dialect_put(&b, "_meta", mcti_json_get(result, "_meta"), false);
    mcti_buf_addc(&b, '}');
    b.failed |= shaped.failed;
    mcti_buf_done(&shaped);
    mcti_dialect_answer(c, &b);
}

static void codex_run_read(struct mcti_dialect_call *c)
{
    c->name = mcti_dialect_trimmed(c, "server");
    c->uri = mcti_dialect_trimmed(c, "uri");
    c->insists = true;
    if (mcti_dialect_find_server(c))
        mcti_dialect_read(c, mcti_str_of(c->uri), c->server, codex_on_read);
    else
        codex_refuse_unknown(c, "resources/read");
}

static const struct mcti_dialect_tool tools[] = {
    { .json = list_json, .run = codex_run_list, .check = check_list },
    { .json = templates_json, .run = codex_run_templates, .check = check_list },
    { .json = read_json, .run = codex_run_read, .check = codex_check_read },
};
const struct mcti_dialect mcti_dialect_codex = { .name = "codex", .tools = tools, .n_tools = 3 };
