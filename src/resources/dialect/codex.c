/*
 * The resource tools of Codex (seed 004): one page of one server with its cursor, or everything of all servers in order
 * of their names; absent members are left out; what fails is an error that begins with the method.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static const char list_json[] = MCT_JSON({
    "name": "list_mcp_resources",
    "description": "Lists the resources that MCP servers provide: data meant as context for a model, such as files, database schemas, or information of an application. Where a resource has what is wanted, prefer it over a web search.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one MCP server. Left out: the resources of every configured server." },
        "cursor": { "type": "string", "description": "Opaque cursor that an earlier list_mcp_resources call for the same server returned." } },
        "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char templates_json[] = MCT_JSON({
    "name": "list_mcp_resource_templates",
    "description": "Lists the resource templates that MCP servers provide: resources that take parameters, such as files, database schemas, or information of an application. Where a template has what is wanted, prefer it over a web search.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one MCP server. Left out: the templates of every configured server." },
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

/* Members in the order in which Codex writes them, now and in its first generation; it knows no others. */
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
    enum mct_kind kind;
    const char *method, *key;
} kinds[] = {
    [RESOURCE] = { MCT_RESOURCE, "resources/list", "resources" },
    [TEMPLATE] = { MCT_TEMPLATE, "resources/templates/list", "resourceTemplates" },
};

/* ---- arguments ---- */

static const char *type_word(struct mct_str v)
{
    switch (mct_json_type(v)) {
    case '{':
        return "map";
    case '[':
        return "sequence";
    case 't':
    case 'f':
        return "boolean";
    default:
        return "number";
    }
}

/* Of the first argument that is something else than a string. */
static void check_types(const struct dialect_call *c, struct mct_buf *refusal, const char *first, const char *second)
{
    const char *key = !dialect_text_or_none(c, first) ? first : !dialect_text_or_none(c, second) ? second : NULL;
    if (key)
        mct_buf_printf(refusal, "failed to parse function arguments: invalid type: %s, expected a string for `%s`",
                       type_word(mct_json_get(c->args, key)), key);
}

static void check_list(const struct dialect_call *c, struct mct_buf *refusal)
{
    check_types(c, refusal, "server", "cursor");
    if (!refusal->len && dialect_has_words(c, "cursor") && !dialect_has_words(c, "server"))
        mct_buf_addz(refusal, "cursor can only be used when a server is specified");
}

static void check_read(const struct dialect_call *c, struct mct_buf *refusal)
{
    check_types(c, refusal, "server", "uri");
    if (!refusal->len && !dialect_has_words(c, "server"))
        mct_buf_addz(refusal, "server must be provided");
    else if (!refusal->len && !dialect_has_words(c, "uri"))
        mct_buf_addz(refusal, "uri must be provided");
}

static void refuse_unknown(struct dialect_call *c, const char *method)
{
    dialect_refuse(c, "%s failed: unknown MCP server '%s'", method, c->name);
}

/* The causes, one behind the other, as the original's error chains are. */
static void refuse_failed(struct dialect_call *c, const char *method, const struct mct_error *err)
{
    const char *text = dialect_error_text(c->server, err);
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_printf(&b, "%s failed: %s failed for `%s`", method, method, c->name);
    if (c->uri)
        mct_buf_printf(&b, " (%s)", c->uri);
    if (err->code)
        mct_buf_printf(&b, ": Mcp error: %d", err->code);
    mct_buf_printf(&b, ": %s", text);
    dialect_refuse_buf(c, &b);
}

/* ---- lists ---- */

/* {"server":…, then those of the members it has. */
static void put_item(const struct dialect_call *c, struct mct_buf *to, const char *server, struct mct_str item, int what)
{
    const char *const *keys = members[c->set->opts.codex_alphabetical][what];
    struct mct_str values[sizeof members[0][0] / sizeof *members[0][0]] = { 0 };
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(item); mct_json_next_member(&it, &m);)
        for (size_t i = 0; keys[i]; i++)
            if (!values[i].p && mct_json_key_is(m.key, keys[i]))
                values[i] = m.value;
    mct_buf_addc(to, '{');
    if (server)
        mct_json_put_member(to, "server", mct_str_of(server));
    for (size_t i = 0; keys[i]; i++)
        dialect_put(to, keys[i], values[i], false);
    mct_buf_addc(to, '}');
}

static void put_part(const struct dialect_call *c, struct mct_buf *to, const struct mct_listing_part *part)
{
    struct mct_str item;
    for (struct mct_json_iter it = mct_listing_items(part); mct_json_next_item(&it, &item);) {
        if (mct_buf_last(to) == '}')
            mct_buf_addc(to, ',');
        put_item(c, to, part->provider->name, item, (int)c->number);
    }
}

static const struct kind *kind_of(const struct dialect_call *c)
{
    return &kinds[c->number];
}

/* What has failed is left out, as the original does; the log says it. */
static void put_all(const struct dialect_call *c, struct mct_buf *b)
{
    const struct kind *k = kind_of(c);
    const struct mct_listing_part **parts = dialect_by_name(c);
    mct_json_put_key(b, k->key);
    mct_buf_addc(b, '[');
    for (size_t i = 0; parts && i < c->listing.n_parts; i++) {
        if (!parts[i]->error.kind)
            put_part(c, b, parts[i]);
        else
            dialect_log_failed(c, parts[i], false);
    }
    mct_buf_addc(b, ']');
    b->failed |= !parts;
    free(parts);
}

static void on_listed(struct dialect_call *c)
{
    bool nulls = c->set->opts.codex_nulls;
    const struct mct_listing_part *part = c->listing.parts;
    struct mct_buf b;
    if (c->server && part->error.kind) {
        refuse_failed(c, kind_of(c)->method, &part->error);
        return;
    }
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    if (c->server)
        mct_json_put_member(&b, "server", mct_str_of(c->server->name));
    else if (nulls)
        mct_json_put_raw(&b, "server", MCT_STR("null"));
    if (c->server) {
        mct_json_put_key(&b, kind_of(c)->key);
        mct_buf_addc(&b, '[');
        put_part(c, &b, part);
        mct_buf_addc(&b, ']');
    } else {
        put_all(c, &b);
    }
    dialect_put(&b, "nextCursor", c->server ? mct_str_of(part->cursor) : MCT_STR_NONE, nulls);
    mct_buf_addc(&b, '}');
    dialect_answer(c, &b);
}

static void run_list_of(struct dialect_call *c, uint64_t kind)
{
    c->number = kind;
    c->name = dialect_trimmed(c, "server");
    if (!dialect_find_server(c)) {
        refuse_unknown(c, kind_of(c)->method);
    } else if (c->server) {
        char *cursor = dialect_trimmed(c, "cursor");
        dialect_list_page(c, kind_of(c)->kind, cursor, on_listed);
        free(cursor);
    } else {
        dialect_list(c, kind_of(c)->kind, NULL, on_listed);
    }
}

static void run_list(struct dialect_call *c)
{
    run_list_of(c, RESOURCE);
}

static void run_templates(struct dialect_call *c)
{
    run_list_of(c, TEMPLATE);
}

/* ---- read ---- */

static void on_read(struct dialect_call *c)
{
    struct mct_buf b, shaped;
    struct mct_str item;
    if (!c->reading.result.p) {
        refuse_failed(c, "resources/read", &c->reading.error);
        return;
    }
    mct_buf_init(&shaped, c->reading.result.len + 64);
    dialect_put_read_result(c, &shaped);
    struct mct_str result = mct_buf_str(&shaped);
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "server", mct_str_of(c->name));
    mct_json_put_member(&b, "uri", mct_str_of(c->uri));
    mct_json_put_key(&b, "contents");
    mct_buf_addc(&b, '[');
    for (struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents")); mct_json_next_item(&it, &item);) {
        if (mct_buf_last(&b) == '}')
            mct_buf_addc(&b, ',');
        put_item(c, &b, NULL, item, CONTENT);
    }
    mct_buf_addc(&b, ']');
    dialect_put(&b, "_meta", mct_json_get(result, "_meta"), false);
    mct_buf_addc(&b, '}');
    b.failed |= shaped.failed;
    mct_buf_done(&shaped);
    dialect_answer(c, &b);
}

static void run_read(struct dialect_call *c)
{
    c->name = dialect_trimmed(c, "server");
    c->uri = dialect_trimmed(c, "uri");
    if (dialect_find_server(c))
        dialect_read(c, mct_str_of(c->uri), c->server, on_read);
    else
        refuse_unknown(c, "resources/read");
}

static const struct dialect_tool tools[] = {
    { .json = list_json, .run = run_list, .check = check_list },
    { .json = templates_json, .run = run_templates, .check = check_list },
    { .json = read_json, .run = run_read, .check = check_read },
};
const struct dialect dialect_codex = { .name = "codex", .tools = tools, .n_tools = 3 };
