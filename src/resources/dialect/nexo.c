/*
 * The router tools of nexo: one pair for all servers, snake_case keys, absent values as null, a limit on entries and on
 * each text. Failures of single servers are listed in addition to the entries of the others.
 */
#include "resources/dialect/nexo.h"

#include "base/limits.h"
#include "base/log/utf8.h"

#include <limits.h>
#include <stdlib.h>

/* Returns the limit of a call that names none. */
static unsigned nexo_default(unsigned value, unsigned ceiling)
{
    return ceiling && value > ceiling ? ceiling : value;
}

/* ---- the tools ---- */

/* The limits in the descriptions are the configured ones, because the model plans with them. */
static void nexo_put_list_tool(const struct mcti_dialects *set, struct mcti_buf *to)
{
    static const char format[] = MCT_JSON({
        "name": "ListMcpResources",
        "description": "List the data resources that connected MCP servers expose. Name a server to see only its own, or leave it out to go through every connected one. Capped at %u entries; an oversize list sets \"truncated: true\": narrow the scope then.",
        "inputSchema": { "type": "object", "properties": {
            "server": { "type": "string", "description": "Name of one server, as in the \"server\" of an entry; default: all servers." },
            "max": { "type": "integer", "minimum": 1, "description": "Largest number of entries (default %u, at most %u)." } }, "required": [] },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    });
    const struct mcti_dialect_opts *o = &set->opts;
    unsigned max = nexo_default(o->list_max, o->list_ceiling);
    mcti_buf_printf(to, format, max, max, o->list_ceiling ? o->list_ceiling : UINT_MAX);
}

static void nexo_put_read_tool(const struct mcti_dialects *set, struct mcti_buf *to)
{
    static const char format[] = MCT_JSON({
        "name": "ReadMcpResource",
        "description": "Read one resource of an MCP server. Text longer than max_bytes is cut at a character boundary and sets \"truncated: true\"; binary contents come whole as base64 with their \"blob_length\".",
        "inputSchema": { "type": "object", "properties": {
            "server": { "type": "string", "description": "Name of the server, as ListMcpResources gives it." },
            "uri": { "type": "string", "description": "URI of the resource, as ListMcpResources gives it." },
            "max_bytes": { "type": "integer", "minimum": 1, "description": "Largest number of bytes of each text (default %u, at most %u)." } },
            "required": ["server", "uri"] },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    });
    const struct mcti_dialect_opts *o = &set->opts;
    mcti_buf_printf(to, format, nexo_default(o->read_max, o->read_ceiling),
                    o->read_ceiling ? o->read_ceiling : UINT_MAX);
}

/* ---- arguments ---- */

/* Returns a limit from the arguments, at least 1 and at most `ceiling`. Anything but a non-negative integer counts as
 * absent. */
static uint64_t nexo_cap(const struct mcti_dialect_call *c, const char *key, unsigned when_absent, unsigned ceiling)
{
    uint64_t n;
    if (!mcti_json_uint(mcti_json_get(c->args, key), &n))
        n = when_absent;
    if (!n)
        n = 1;
    return ceiling && n > ceiling ? ceiling : n;
}

static void nexo_refuse_unknown(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_printf(&b, "%s: no MCP server named `%s` (connected: ", c->tool, c->name);
    mcti_dialect_put_servers(c, &b, true);
    mcti_buf_addc(&b, ')');
    mcti_dialect_refuse_buf(c, &b);
}

bool mcti_nexo_take_server(struct mcti_dialect_call *c, const char *tool)
{
    c->name = mcti_dialect_text(c, "server");
    if (!c->name && mcti_dialect_has_text(c, "server")) {
        mcti_dialect_refuse(c, MCT_NO_MEMORY_TEXT);
        return false;
    }
    if (mcti_dialect_find_server(c))
        return true;
    c->tool = tool;
    mcti_dialect_settle(c, nexo_refuse_unknown);
    return false;
}

/* ---- objects ---- */

/* A member of a result. Members are written in the order given; with strict_nexo sorted by key, like nexo's maps. */
struct member {
    const char *key;
    struct mcti_str value; /* raw JSON; absent: null */
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void nexo_put_object(const struct mcti_dialect_call *c, struct mcti_buf *to, struct member *members, size_t n)
{
    if (c->set->opts.strict_nexo)
        qsort(members, n, sizeof *members, by_key);
    mcti_buf_addc(to, '{');
    for (size_t i = 0; i < n; i++) {
        if (mcti_json_type(members[i].value) == '"')
            mcti_dialect_put(to, members[i].key, members[i].value, true);
        else /* already compact: written by this file */
            mcti_json_put_raw(to, members[i].key, members[i].value.p ? members[i].value : MCT_STR("null"));
    }
    mcti_buf_addc(to, '}');
}

static struct mcti_str nexo_truth(bool value)
{
    return value ? MCT_STR("true") : MCT_STR("false");
}

/* Returns the member if it is a string. */
static struct mcti_str nexo_text_of(struct mcti_str object, const char *key)
{
    struct mcti_str v = mcti_json_get(object, key);
    return mcti_json_type(v) == '"' ? v : MCT_STR_NONE;
}

/* ---- list ---- */

struct entries {
    struct mcti_buf resources, errors;
    uint64_t n, max;
    bool cut;
};

static void nexo_put_entry(const struct mcti_dialect_call *c, struct entries *e, const struct mcti_provider *p,
                           struct mcti_str item)
{
    struct mcti_buf server;
    struct mcti_str name = nexo_text_of(item, "name");
    mcti_buf_init(&server, 6 * strlen(p->name) + 8);
    mcti_json_put_string(&server, mcti_str_of(p->name));
    struct member members[] = {
        { "server", mcti_buf_str(&server) },
        { "uri", nexo_text_of(item, "uri") },
        { "name", name.p ? name : MCT_STR("\"\"") },
        { "description", nexo_text_of(item, "description") },
        { "mime_type", nexo_text_of(item, "mimeType") },
    };
    if (e->n++)
        mcti_buf_addc(&e->resources, ',');
    nexo_put_object(c, &e->resources, members, sizeof members / sizeof *members);
    mcti_buf_done(&server);
}

static void put_failure(const struct mcti_dialect_call *c, struct entries *e, const struct mcti_listing_part *part)
{
    struct mcti_buf server, error, text;
    if (part->lacks && !c->server)
        return; /* a server without resources has not failed */
    mcti_buf_init(&server, 4096);
    mcti_buf_init(&error, 4096);
    mcti_buf_init(&text, 4096);
    if (part->lacks)
        mcti_buf_addz(&text, "protocol: server does not advertise resources capability");
    else
        mcti_dialect_put_nexo_error(&text, part->provider, &part->error, part->duration_ms);
    mcti_json_put_string(&server, mcti_str_of(part->provider->name));
    mcti_json_put_string(&error, mcti_buf_str(&text));
    mcti_buf_done(&text);
    struct member members[] = { { "server", mcti_buf_str(&server) }, { "error", mcti_buf_str(&error) } };
    if (e->errors.len)
        mcti_buf_addc(&e->errors, ',');
    nexo_put_object(c, &e->errors, members, 2);
    mcti_buf_done(&server);
    mcti_buf_done(&error);
}

/* Appends the entries of one server. Returns false if the list is full and strict_nexo is set: like nexo, it then
 * ignores the remaining servers. With strict_nexo a list that is incomplete is left out. */
static bool nexo_put_part(const struct mcti_dialect_call *c, struct entries *e, const struct mcti_listing_part *part)
{
    struct mcti_str item;
    bool strict = c->set->opts.strict_nexo;
    struct mcti_json_iter it = mcti_listing_items(part);
    while (!(strict && part->error.kind) && mcti_json_next_item(&it, &item)) {
        if (e->n < e->max)
            nexo_put_entry(c, e, part->provider, item);
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

static void put_array(struct mcti_buf *to, const char *key, const struct mcti_buf *items)
{
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    mcti_buf_add(to, mcti_buf_str(items));
    mcti_buf_addc(to, ']');
}

static void put_count(struct mcti_buf *to, uint64_t n)
{
    mcti_json_put_key(to, "count");
    mcti_buf_addu(to, n);
}

/* Writes the result in the order of nexo_put_object(), without copying the lists again. */
static void put_entries(struct mcti_buf *to, const struct entries *e, bool strict)
{
    mcti_buf_addc(to, '{');
    if (strict) {
        put_count(to, e->n);
        put_array(to, "errors", &e->errors);
    }
    put_array(to, "resources", &e->resources);
    mcti_json_put_raw(to, "truncated", nexo_truth(e->cut));
    if (!strict) {
        put_array(to, "errors", &e->errors);
        put_count(to, e->n);
    }
    mcti_buf_addc(to, '}');
}

static void nexo_on_listed(struct mcti_dialect_call *c)
{
    struct entries e = { .max = c->number };
    const struct mcti_listing_part **parts = mcti_dialect_by_name(c);
    struct mcti_buf b;
    mcti_buf_init(&e.resources, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&e.errors, MCT_LIMIT_MESSAGE_BYTES);
    for (size_t i = 0; parts && i < c->listing.n_parts && nexo_put_part(c, &e, parts[i]);)
        i++;
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    put_entries(&b, &e, c->set->opts.strict_nexo);
    b.failed |= !parts;
    free(parts);
    mcti_buf_done(&e.resources);
    mcti_buf_done(&e.errors);
    mcti_dialect_answer(c, &b);
}

static void nexo_run_list(struct mcti_dialect_call *c)
{
    const struct mcti_dialect_opts *o = &c->set->opts;
    c->number = nexo_cap(c, "max", o->list_max, o->list_ceiling);
    c->listing.max_items = c->number + 1; /* one more, to know whether some are left out */
    if (mcti_nexo_take_server(c, "ListMcpResources"))
        mcti_dialect_list(c, MCT_RESOURCE, c->server, nexo_on_listed);
}

/* ---- read ---- */

/* Returns the length of the longest prefix of at most `max` bytes that ends at a character boundary. */
static size_t cut_at(struct mcti_str text, uint64_t max)
{
    const char *p = text.p, *end = text.p + text.len;
    while (p < end) {
        size_t n = mcti_utf8_len(p, end);
        if ((size_t)(p - text.p) + n > max)
            break;
        p += n;
    }
    return (size_t)(p - text.p);
}

/* Appends the text up to the limit; returns true if it was cut. */
static bool nexo_put_text(struct mcti_buf *to, struct mcti_str raw, uint64_t max)
{
    struct mcti_buf text;
    struct mcti_str plain;
    mcti_buf_init(&text, raw.len);
    if (!mcti_json_plain(raw, &plain)) {
        mcti_json_unescape_any(raw, &text);
        plain = mcti_buf_str(&text);
    }
    bool cut = plain.len > max;
    if (cut)
        plain.len = cut_at(plain, max);
    mcti_json_put_string(to, plain);
    mcti_buf_done(&text);
    return cut;
}

static bool nexo_put_content(const struct mcti_dialect_call *c, struct mcti_buf *to, struct mcti_str item)
{
    struct mcti_buf text, length;
    struct mcti_str raw = nexo_text_of(item, "text"), blob = nexo_text_of(item, "blob");
    mcti_buf_init(&text, 6 * raw.len + 8);
    mcti_buf_init(&length, 32);
    bool cut = raw.p && nexo_put_text(&text, raw, c->number);
    if (blob.p)
        mcti_buf_addu(&length, mcti_dialect_text_len(blob));
    struct member members[] = {
        { "uri", nexo_text_of(item, "uri") },
        { "mime_type", nexo_text_of(item, "mimeType") },
        { "text", raw.p ? mcti_buf_str(&text) : MCT_STR_NONE },
        { "blob_length", blob.p ? mcti_buf_str(&length) : MCT_STR_NONE },
        { "blob", blob },
    };
    nexo_put_object(c, to, members, sizeof members / sizeof *members);
    mcti_buf_done(&text);
    mcti_buf_done(&length);
    return cut;
}

static void nexo_on_read(struct mcti_dialect_call *c)
{
    struct mcti_buf b, contents, server, uri;
    struct mcti_str item;
    bool cut = false;
    if (!c->reading.result.p) {
        mcti_dialect_refuse_nexo_read(c, "ReadMcpResource: ");
        return;
    }
    mcti_buf_init(&contents, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&server, 4096);
    mcti_buf_init(&uri, 6 * strlen(c->uri) + 8);
    mcti_json_put_string(&server, mcti_str_of(c->name));
    mcti_json_put_string(&uri, mcti_str_of(c->uri));
    mcti_buf_addc(&contents, '[');
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(c->reading.result, "contents"));
         mcti_json_next_item(&it, &item);) {
        if (contents.len > 1)
            mcti_buf_addc(&contents, ',');
        cut |= nexo_put_content(c, &contents, item);
    }
    mcti_buf_addc(&contents, ']');
    struct member members[] = { { "server", mcti_buf_str(&server) },
                                { "uri", mcti_buf_str(&uri) },
                                { "contents", mcti_buf_str(&contents) },
                                { "truncated", nexo_truth(cut) } };
    nexo_put_object(c, &b, members, sizeof members / sizeof *members);
    b.failed |= contents.failed;
    mcti_buf_done(&contents);
    mcti_buf_done(&server);
    mcti_buf_done(&uri);
    mcti_dialect_answer(c, &b);
}

static void nexo_check_read(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    const char *missing = !mcti_dialect_has_text(c, "server") ? "server"
                          : !mcti_dialect_has_text(c, "uri")  ? "uri"
                                                              : NULL;
    if (missing)
        mcti_buf_printf(refusal, "ReadMcpResource requires `%s` (string)", missing);
}

static void nexo_run_read(struct mcti_dialect_call *c)
{
    const struct mcti_dialect_opts *o = &c->set->opts;
    c->number = nexo_cap(c, "max_bytes", o->read_max, o->read_ceiling);
    c->uri = mcti_dialect_text(c, "uri");
    if (mcti_nexo_take_server(c, "ReadMcpResource"))
        mcti_dialect_read(c, mcti_str_of(c->uri), c->server, nexo_on_read);
}

/* ---- the dialect ---- */

static bool nexo_offers_auth(const struct mcti_dialects *set)
{
    return set->opts.auth_tool;
}

static const struct mcti_dialect_tool tools[] = {
    { .put = nexo_put_list_tool, .run = nexo_run_list },
    { .put = nexo_put_read_tool, .run = nexo_run_read, .check = nexo_check_read },
    { .json = mcti_nexo_auth_json,
      .run = mcti_nexo_run_auth,
      .check = mcti_nexo_check_auth,
      .offered = nexo_offers_auth },
};
const struct mcti_dialect mcti_dialect_nexo = { .name = "nexo", .tools = tools, .n_tools = 3 };
