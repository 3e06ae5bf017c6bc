/*
 * The router tools of nexo (seed 000): one pair for all servers, snake_case keys, absent values as null, a cap on
 * entries and one on each text, failures of single servers beside the entries of the others.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"

#include <stdlib.h>

static const char list_json[] = MCT_JSON({
    "name": "ListMcpResources",
    "description": "List the data resources that connected MCP servers expose. Name a server to see only its own, or leave it out to go through every connected one. Capped at 200 entries; an oversize list sets \"truncated: true\": narrow the scope then.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one server, as in the \"server\" of an entry. Left out: all of them." },
        "max": { "type": "integer", "minimum": 1, "description": "At most so many entries." } }, "required": [] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char read_json[] = MCT_JSON({
    "name": "ReadMcpResource",
    "description": "Read one resource of an MCP server. Text longer than max_bytes is cut at a character boundary and sets \"truncated: true\"; binary contents come whole as base64 with their \"blob_length\".",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the server, as ListMcpResources gives it." },
        "uri": { "type": "string", "description": "URI of the resource, as ListMcpResources gives it." },
        "max_bytes": { "type": "integer", "minimum": 1, "description": "At most so many bytes of each text (256 KiB)." } },
        "required": ["server", "uri"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char auth_json[] = MCT_JSON({
    "name": "McpAuth",
    "description": "Tell whether an MCP server accepts our credentials (\"status\"), or have them renewed (\"refresh\").",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the server." },
        "op": { "type": "string", "enum": ["status", "refresh"] } }, "required": ["server", "op"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* ---- arguments ---- */

/* A whole number that is not negative, 0 counting as 1; anything else is as if it were absent. */
static uint64_t cap(const struct dialect_call *c, const char *key, unsigned when_absent, unsigned ceiling)
{
    uint64_t n;
    if (!mct_json_uint(mct_json_get(c->args, key), &n))
        n = when_absent;
    if (!n)
        n = 1;
    return ceiling && n > ceiling ? ceiling : n;
}

/* True: c->server is the one that is named, if one is. */
static bool find_named(struct dialect_call *c, const char *tool)
{
    struct mct_buf b;
    c->name = dialect_text(c, "server");
    if (dialect_find_server(c))
        return true;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_printf(&b, "%s: no MCP server named `%s` (connected: ", tool, c->name);
    dialect_put_servers(c, &b, true);
    mct_buf_addc(&b, ')');
    dialect_refuse_buf(c, &b);
    return false;
}

/* ---- objects in the order of the seed, or of the original ---- */

/* Members are written in the order of the seed; the original's maps are sorted by key. */
struct member {
    const char *key;
    struct mct_str value; /* raw JSON; absent: null */
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void put_object(const struct dialect_call *c, struct mct_buf *to, struct member *members, size_t n)
{
    if (c->set->opts.strict_nexo)
        qsort(members, n, sizeof *members, by_key);
    mct_buf_addc(to, '{');
    for (size_t i = 0; i < n; i++) {
        if (mct_json_type(members[i].value) == '"')
            dialect_put(to, members[i].key, members[i].value, true);
        else /* what we have written ourselves */
            mct_json_put_raw(to, members[i].key, members[i].value.p ? members[i].value : MCT_STR("null"));
    }
    mct_buf_addc(to, '}');
}

static struct mct_str truth(bool value)
{
    return value ? MCT_STR("true") : MCT_STR("false");
}

/* Only a string is one. */
static struct mct_str text_of(struct mct_str object, const char *key)
{
    struct mct_str v = mct_json_get(object, key);
    return mct_json_type(v) == '"' ? v : MCT_STR_NONE;
}

/* ---- list ---- */

struct entries {
    struct mct_buf resources, errors;
    uint64_t n, max;
    bool cut;
};

static void put_entry(const struct dialect_call *c, struct entries *e, const struct mct_provider *p, struct mct_str item)
{
    struct mct_buf server;
    struct mct_str name = text_of(item, "name");
    mct_buf_init(&server, 6 * strlen(p->name) + 8);
    mct_json_put_string(&server, mct_str_of(p->name));
    struct member members[] = {
        { "server", mct_buf_str(&server) }, { "uri", text_of(item, "uri") }, { "name", name.p ? name : MCT_STR("\"\"") },
        { "description", text_of(item, "description") }, { "mime_type", text_of(item, "mimeType") },
    };
    if (e->n++)
        mct_buf_addc(&e->resources, ',');
    put_object(c, &e->resources, members, sizeof members / sizeof *members);
    mct_buf_done(&server);
}

static void put_failure(const struct dialect_call *c, struct entries *e, const struct mct_listing_part *part)
{
    const char *text = part->lacks ? "protocol: server does not advertise resources capability"
                                   : dialect_error_text(part->provider, &part->error);
    struct mct_buf server, error;
    if (part->lacks && !c->server)
        return; /* it is fine as it is: nothing has failed */
    mct_buf_init(&server, 4096);
    mct_buf_init(&error, 4096);
    mct_json_put_string(&server, mct_str_of(part->provider->name));
    mct_json_put_string(&error, mct_str_of(text));
    struct member members[] = { { "server", mct_buf_str(&server) }, { "error", mct_buf_str(&error) } };
    if (e->errors.len)
        mct_buf_addc(&e->errors, ',');
    put_object(c, &e->errors, members, 2);
    mct_buf_done(&server);
    mct_buf_done(&error);
}

/* False: nothing more is looked at, as the original stops there; it has no part of a list either. */
static bool put_part(const struct dialect_call *c, struct entries *e, const struct mct_listing_part *part)
{
    struct mct_str item;
    bool strict = c->set->opts.strict_nexo;
    struct mct_json_iter it = mct_listing_items(part);
    while (!(strict && part->error.kind) && mct_json_next_item(&it, &item)) {
        if (e->n < e->max)
            put_entry(c, e, part->provider, item);
        else
            e->cut = true;
        if (strict && e->n == e->max) {
            e->cut = true;
            return false;
        }
    }
    if (part->error.kind)
        put_failure(c, e, part);
    return true;
}

static void put_array(struct mct_buf *to, const char *key, const struct mct_buf *items)
{
    mct_json_put_key(to, key);
    mct_buf_addc(to, '[');
    mct_buf_add(to, mct_buf_str(items));
    mct_buf_addc(to, ']');
}

static void put_count(struct mct_buf *to, uint64_t n)
{
    mct_json_put_key(to, "count");
    mct_buf_addu(to, n);
}

/* The members in the order of the seed, or of the original: as put_object() would, without copying the lists twice. */
static void put_entries(struct mct_buf *to, const struct entries *e, bool strict)
{
    mct_buf_addc(to, '{');
    if (strict) {
        put_count(to, e->n);
        put_array(to, "errors", &e->errors);
    }
    put_array(to, "resources", &e->resources);
    mct_json_put_raw(to, "truncated", truth(e->cut));
    if (!strict) {
        put_array(to, "errors", &e->errors);
        put_count(to, e->n);
    }
    mct_buf_addc(to, '}');
}

static void on_listed(struct dialect_call *c)
{
    struct entries e = { .max = c->number };
    const struct mct_listing_part **parts = dialect_by_name(c);
    struct mct_buf b;
    mct_buf_init(&e.resources, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&e.errors, MCT_LIMIT_MESSAGE_BYTES);
    for (size_t i = 0; parts && i < c->listing.n_parts && put_part(c, &e, parts[i]);)
        i++;
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    put_entries(&b, &e, c->set->opts.strict_nexo);
    b.failed |= !parts;
    free(parts);
    mct_buf_done(&e.resources);
    mct_buf_done(&e.errors);
    dialect_answer(c, &b);
}

static void run_list(struct dialect_call *c)
{
    const struct mct_dialect_opts *o = &c->set->opts;
    c->number = cap(c, "max", o->list_max, o->list_ceiling);
    c->listing.max_items = c->number + 1; /* so many that it can be told whether some are left out */
    if (find_named(c, "ListMcpResources"))
        dialect_list(c, MCT_RESOURCE, c->server, on_listed);
}

/* ---- read ---- */

/* The longest beginning that ends between characters. */
static size_t cut_at(struct mct_str text, uint64_t max)
{
    const char *p = text.p, *end = text.p + text.len;
    while (p < end) {
        size_t n = mct_utf8_len(p, end);
        if ((size_t)(p - text.p) + n > max)
            break;
        p += n;
    }
    return (size_t)(p - text.p);
}

/* The text within the limit; true when some of it is left out. */
static bool put_text(struct mct_buf *to, struct mct_str raw, uint64_t max)
{
    struct mct_buf text;
    struct mct_str plain;
    mct_buf_init(&text, raw.len);
    if (!mct_json_plain(raw, &plain)) {
        mct_json_unescape_any(raw, &text);
        plain = mct_buf_str(&text);
    }
    bool cut = plain.len > max;
    if (cut)
        plain.len = cut_at(plain, max);
    mct_json_put_string(to, plain);
    mct_buf_done(&text);
    return cut;
}

static bool put_content(const struct dialect_call *c, struct mct_buf *to, struct mct_str item)
{
    struct mct_buf text, length;
    struct mct_str raw = text_of(item, "text"), blob = raw.p ? MCT_STR_NONE : text_of(item, "blob");
    mct_buf_init(&text, 6 * raw.len + 8);
    mct_buf_init(&length, 32);
    bool cut = raw.p && put_text(&text, raw, c->number);
    if (blob.p)
        mct_buf_addu(&length, dialect_text_len(blob));
    struct member members[] = {
        { "uri", text_of(item, "uri") }, { "mime_type", text_of(item, "mimeType") },
        { "text", raw.p ? mct_buf_str(&text) : MCT_STR_NONE },
        { "blob_length", blob.p ? mct_buf_str(&length) : MCT_STR_NONE }, { "blob", blob },
    };
    put_object(c, to, members, sizeof members / sizeof *members);
    mct_buf_done(&text);
    mct_buf_done(&length);
    return cut;
}

static void on_read(struct dialect_call *c)
{
    struct mct_buf b, contents, server, uri;
    struct mct_str item;
    bool cut = false;
    if (!c->reading.result.p) {
        const struct mct_error *err = &c->reading.error;
        if (err->kind == MCT_ERR_POLICY)
            dialect_refuse(c, "mcp '%s' read_resource: %s", c->name, err->message);
        else
            dialect_refuse(c, "ReadMcpResource: %s", dialect_error_text(c->server, err));
        return;
    }
    mct_buf_init(&contents, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&server, 4096);
    mct_buf_init(&uri, 6 * strlen(c->uri) + 8);
    mct_json_put_string(&server, mct_str_of(c->name));
    mct_json_put_string(&uri, mct_str_of(c->uri));
    mct_buf_addc(&contents, '[');
    for (struct mct_json_iter it = mct_json_open(mct_json_get(c->reading.result, "contents")); mct_json_next_item(&it, &item);) {
        if (contents.len > 1)
            mct_buf_addc(&contents, ',');
        cut |= put_content(c, &contents, item);
    }
    mct_buf_addc(&contents, ']');
    struct member members[] = { { "server", mct_buf_str(&server) }, { "uri", mct_buf_str(&uri) },
                                { "contents", mct_buf_str(&contents) }, { "truncated", truth(cut) } };
    put_object(c, &b, members, sizeof members / sizeof *members);
    b.failed |= contents.failed;
    mct_buf_done(&contents);
    mct_buf_done(&server);
    mct_buf_done(&uri);
    dialect_answer(c, &b);
}

static void check_read(const struct dialect_call *c, struct mct_buf *refusal)
{
    const char *missing = !dialect_has_text(c, "server") ? "server" : !dialect_has_text(c, "uri") ? "uri" : NULL;
    if (missing)
        mct_buf_printf(refusal, "ReadMcpResource requires `%s` (string)", missing);
}

static void run_read(struct dialect_call *c)
{
    const struct mct_dialect_opts *o = &c->set->opts;
    c->number = cap(c, "max_bytes", o->read_max, o->read_ceiling);
    c->uri = dialect_text(c, "uri");
    if (find_named(c, "ReadMcpResource"))
        dialect_read(c, mct_str_of(c->uri), c->server, on_read);
}

/* ---- McpAuth ---- */

static const char *auth_state(const struct mct_provider *p)
{
    return p->reason == MCT_REASON_NEEDS_AUTH ? "unauthorised"
           : p->has_credentials && p->state == MCT_CONNECTED ? "authenticated" : NULL;
}

static void check_auth(const struct dialect_call *c, struct mct_buf *refusal)
{
    struct mct_str op = mct_json_get(c->args, "op");
    if (!dialect_has_text(c, "server"))
        mct_buf_addz(refusal, "McpAuth requires `server` (string)");
    else if (!mct_json_is(op, "status") && !mct_json_is(op, "refresh"))
        mct_buf_addz(refusal, "McpAuth requires `op` (\"status\" or \"refresh\")");
}

static void run_auth(struct dialect_call *c)
{
    bool status = mct_json_is(mct_json_get(c->args, "op"), "status");
    struct mct_buf b;
    if (!find_named(c, "McpAuth"))
        return;
    if (status && auth_state(c->server)) {
        mct_buf_init(&b, 256);
        mct_buf_printf(&b, "{\"state\":\"%s\"}", auth_state(c->server));
        dialect_answer(c, &b);
    } else if (c->server->has_credentials) {
        dialect_refuse(c, status ? "McpAuth: MCP server `%s` is not connected: its credentials were not tried"
                                 : "McpAuth: the credentials of MCP server `%s` are fixed in the configuration: nothing can "
                                   "be refreshed", c->name);
    } else {
        dialect_refuse(c, "McpAuth: no authentication configured for MCP server `%s`", c->name);
    }
}

static const struct dialect_tool tools[] = {
    { .json = list_json, .run = run_list },
    { .json = read_json, .run = run_read, .check = check_read },
    { .json = auth_json, .run = run_auth, .check = check_auth },
};
const struct dialect dialect_nexo = { .name = "nexo", .tools = tools, .n_tools = 3 };
