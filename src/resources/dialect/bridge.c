/*
 * The resource tools of mcp_llm: one list over all servers, and one read that finds the server by URI or by resource
 * name. They are listed only while a resource is known, and can be called at any time.
 *
 * A failure is an object with the member `error` in a result without isError, as hosts of mcp_llm expect. Further
 * members, only if there is something to report:
 *
 *   availableResources   if neither a URI nor a known name was given: at most 200; `omitted` counts the others
 *   attempts             [{server, kind, message}] if a read failed otherwise than by "not found": servers that were
 *                        asked, and servers that were not connected
 *   also_on              names of the other servers that list the URI that was read
 *   errors               [{server, message}] of a list: servers that were left out, see enum mcti_told
 *
 * An empty `uri` counts as given and does not fall back to the name, as in mcp_llm.
 */
#include "resources/dialect/impl.h"
#include "resources/prompt_block.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"
#include "hub/core/untrusted.h"

#include <stdlib.h>

/* Limits on a tool description and on `availableResources`: servers choose the names, and each request to the model
 * pays for their tokens. */
enum { SHOWN_NAMES = 50, SHOWN_BYTES = 2048, NAME_BYTES = 200, AVAILABLE = 200, AVAILABLE_BYTES = 256 << 10 };

/* ---- the tools ---- */

static struct mcti_str label_of(struct mcti_str item)
{
    struct mcti_str name = mcti_json_get(item, "name");
    return mcti_json_type(name) == '"' && name.len > 2 ? name : mcti_json_get(item, "uri");
}

/* Appends the name of an item; returns false if there is no room for it. */
static bool put_name(struct mcti_buf *to, struct mcti_str item)
{
    struct mcti_buf name;
    mcti_buf_init(&name, NAME_BYTES + 1);
    mcti_untrusted_put_json(&name, label_of(item), NAME_BYTES);
    bool fits = to->len + 2 + name.len <= SHOWN_BYTES;
    if (fits) {
        mcti_buf_addz(to, to->len ? ", " : "");
        mcti_buf_add(to, mcti_buf_str(&name));
    }
    mcti_buf_done(&name);
    return fits;
}

/* Appends "A, B" in configuration order, then ", ... (+N more)" for names beyond the limits. */
static void put_names(const struct mcti_dialects *set, struct mcti_buf *to)
{
    struct mcti_buf names;
    size_t n_put = 0, all = 0;
    bool room = true;
    mcti_buf_init(&names, SHOWN_BYTES + 64);
    for (size_t i = 0; i < mcti_view_n_providers(set->view); i++) {
        const struct mcti_items *items = &mcti_view_provider(set->view, i)->items[MCT_RESOURCE];
        all += items->n;
        for (size_t k = 0; room && k < items->n; k++) {
            room = n_put < SHOWN_NAMES && put_name(&names, mcti_item_json(items->v[k]));
            n_put += room;
        }
    }
    if (n_put < all)
        mcti_buf_printf(&names, ", ... (+%zu more)", all - n_put);
    mcti_buf_add(to, mcti_buf_str(&names));
    mcti_buf_done(&names);
}

static void bridge_put_read(const struct mcti_dialects *set, struct mcti_buf *to)
{
    struct mcti_buf names, text;
    mcti_buf_init(&names, 2 * SHOWN_BYTES);
    mcti_buf_init(&text, 2 * SHOWN_BYTES);
    put_names(set, &names);
    mcti_buf_printf(to, "{\"name\":\"%s_read_resource\"", mcti_bridge_prefix(&set->opts));
    mcti_buf_addz(&text, "Read content from an MCP resource. Available resources: ");
    mcti_buf_add(&text, mcti_buf_str(&names));
    mcti_json_put_member(to, "description", mcti_buf_str(&text));
    mcti_buf_addz(to, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\","
                      "\"description\":\"The resource URI to read\"},\"resourceName\":{\"type\":\"string\"");
    mcti_buf_clear(&text);
    mcti_buf_addz(&text, "Resource name from available list: ");
    mcti_buf_add(&text, mcti_buf_str(&names));
    mcti_json_put_member(to, "description", mcti_buf_str(&text));
    mcti_buf_addz(to, "}},\"required\":[]},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
    mcti_buf_done(&names);
    mcti_buf_done(&text);
}

static void bridge_put_list(const struct mcti_dialects *set, struct mcti_buf *to)
{
    static const char format[] =
        MCT_JSON({
        "name": "%s_list_resources",
        "description": "List all available MCP resources with their URIs and descriptions",
        "inputSchema": { "type": "object", "properties": {}, "required": [] },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    });
    mcti_buf_printf(to, format, mcti_bridge_prefix(&set->opts));
}

static void bridge_instruct(const struct mcti_dialects *set, struct mcti_buf *to)
{
    mcti_prompt_block(to, set->view, mcti_bridge_prefix(&set->opts));
}

static bool is_listed(const struct mcti_dialects *set)
{
    for (size_t i = 0; i < mcti_view_n_providers(set->view); i++)
        if (mcti_view_provider(set->view, i)->items[MCT_RESOURCE].n)
            return true;
    return false;
}

/* ---- entries ---- */

static const char *const list_keys[] = { "name", "uri", "description", "mimeType", NULL };
static const char *const available_keys[] = { "name", "uri", "description", NULL };

/* Appends an object with all keys, null where the server gives no value. */
static void bridge_put_entry(struct mcti_buf *to, struct mcti_str item, const char *const *keys)
{
    if (mcti_buf_last(to) == '}')
        mcti_buf_addc(to, ',');
    mcti_buf_addc(to, '{');
    for (; *keys; keys++) {
        struct mcti_str v = mcti_json_get(item, *keys);
        mcti_dialect_put(to, *keys, mcti_json_type(v) == '"' ? v : MCT_STR_NONE, true);
    }
    mcti_buf_addc(to, '}');
}

/* ---- list ---- */

/* Returns true if every server failed, and sets *ret_why to the first failure. */
static bool all_failed(const struct mcti_dialect_call *c, const struct mcti_listing_part **ret_why)
{
    *ret_why = NULL;
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &c->listing.parts[i];
        if (!part->error.kind || part->lacks || part->n_items)
            return false;
        if (!*ret_why)
            *ret_why = part;
    }
    return *ret_why != NULL;
}

static void bridge_answer_error(struct mcti_dialect_call *c, struct mcti_buf *text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "error", mcti_buf_str(text));
    mcti_buf_addc(&b, '}');
    mcti_buf_done(text);
    mcti_dialect_answer(c, &b);
}

static void bridge_on_listed(struct mcti_dialect_call *c)
{
    const struct mcti_listing_part *why;
    struct mcti_str item;
    struct mcti_buf b;
    size_t n = 0;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        mcti_dialect_log_failed(c, &c->listing.parts[i], true);
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    if (all_failed(c, &why)) {
        mcti_buf_printf(&b, "Failed to list resources: Exception: %s", why->error.message);
        bridge_answer_error(c, &b);
        return;
    }
    mcti_buf_addz(&b, "{\"resources\":[");
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mcti_json_iter it = mcti_listing_items(&c->listing.parts[i]); mcti_json_next_item(&it, &item); n++)
            bridge_put_entry(&b, item, list_keys);
    mcti_buf_printf(&b, "],\"count\":%zu,\"message\":\"Found %zu available resources\"", n, n);
    mcti_dialect_put_told(c, &b, NULL);
    mcti_buf_addc(&b, '}');
    mcti_dialect_answer(c, &b);
}

static void bridge_run_list(struct mcti_dialect_call *c)
{
    mcti_dialect_list(c, MCT_RESOURCE, NULL, bridge_on_listed);
}

/* ---- read: result ---- */

/* Adds to the written object the names of the other servers that list the URI. */
static void put_also_on(const struct mcti_dialect_call *c, struct mcti_buf *to)
{
    const struct mcti_reading *r = &c->reading;
    if (r->n_listed < 2)
        return;
    if (!mcti_buf_ok(to))
        return;
    while (mcti_buf_last(to) != '}')
        to->len--;
    to->len--; /* reopens the object */
    mcti_json_put_key(to, "also_on");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < r->n_candidates; i++) {
        const struct mcti_provider *p = r->candidates[i];
        if (p == r->provider || !mcti_items_find(&p->items[MCT_RESOURCE], r->uri))
            continue;
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "" : ",");
        mcti_json_put_string(to, mcti_str_of(p->name));
    }
    mcti_buf_addz(to, "]}");
}

static bool was_asked(const struct mcti_dialect_call *c, const struct mcti_provider *p)
{
    for (size_t i = 0; i < c->reading.n_attempts; i++)
        if (c->reading.attempts[i].provider == p)
            return true;
    return false;
}

static bool bridge_is_down(const struct mcti_provider *p)
{
    return p->state != MCT_CONNECTED;
}

/* Returns true if the resource may exist nevertheless: an attempt failed otherwise than by "not found", or a server is
 * down. */
static bool may_exist(const struct mcti_dialect_call *c)
{
    const struct mcti_view *v = c->set->view;
    for (size_t i = 0; i < c->reading.n_attempts; i++) {
        enum mct_error_kind kind = c->reading.attempts[i].error.kind;
        if (kind != MCT_ERR_NOT_FOUND && kind != MCT_ERR_UNSUPPORTED)
            return true;
    }
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (bridge_is_down(mcti_view_provider(v, i)))
            return true;
    return false;
}

static void put_attempt(struct mcti_buf *to, const struct mcti_provider *p, const struct mct_error *err)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    mcti_json_put_member(to, "server", mcti_str_of(p->name));
    mcti_json_put_fault(to, err->kind ? err->kind : MCT_ERR_CONNECT,
                        err->kind ? mcti_dialect_error_text(p, err) : "it is not connected");
    mcti_buf_addc(to, '}');
}

static void put_attempts(const struct mcti_dialect_call *c, struct mcti_buf *to)
{
    const struct mcti_view *v = c->set->view;
    mcti_json_put_key(to, "attempts");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < c->reading.n_attempts; i++)
        put_attempt(to, c->reading.attempts[i].provider, &c->reading.attempts[i].error);
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        if (bridge_is_down(p) && !was_asked(c, p))
            put_attempt(to, p, p->error);
    }
    mcti_buf_addc(to, ']');
}

/* A read that was refused before it was tried reports its reason; any other failure has one fixed text, as in
 * mcp_llm. */
static void answer_failed(struct mcti_dialect_call *c)
{
    const struct mct_error *err = &c->reading.error;
    bool tried = err->kind != MCT_ERR_POLICY && err->kind != MCT_ERR_INTERNAL && err->kind != MCT_ERR_NO_MEMORY;
    struct mcti_buf b, text;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&text, 4096);
    mcti_buf_printf(&text, "Failed to read resource: Exception: %s",
                    tried ? "Resource URI not found or reading failed" : err->message);
    if (!tried || !may_exist(c)) {
        mcti_buf_done(&b);
        bridge_answer_error(c, &text);
        return;
    }
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "error", mcti_buf_str(&text));
    put_attempts(c, &b);
    mcti_buf_addc(&b, '}');
    mcti_buf_done(&text);
    mcti_dialect_answer(c, &b);
}

static void bridge_on_read(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    if (!c->reading.result.p) {
        answer_failed(c);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_dialect_put_read_result(c, &b);
    put_also_on(c, &b);
    mcti_dialect_answer(c, &b);
}

/* ---- read: arguments ---- */

static void answer_unnamed(struct mcti_dialect_call *c)
{
    struct mcti_str item;
    struct mcti_buf b;
    size_t n = 0, n_put = 0;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"error\":\"Resource URI or valid resourceName is required\",\"availableResources\":[");
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mcti_json_iter it = mcti_listing_items(&c->listing.parts[i]); mcti_json_next_item(&it, &item);
             n++) {
            if (n_put != n || n_put == AVAILABLE || b.len + item.len > AVAILABLE_BYTES)
                continue;
            bridge_put_entry(&b, item, available_keys);
            n_put++;
        }
    mcti_buf_addc(&b, ']');
    if (n > n_put)
        mcti_buf_printf(&b, ",\"omitted\":%zu", n - n_put);
    mcti_dialect_put_told(c, &b, NULL);
    mcti_buf_addc(&b, '}');
    mcti_dialect_answer(c, &b);
}

/* Returns the URI of the first item in configuration order whose `key` equals the name, and counts all such items in
 * *n. */
static struct mcti_str bridge_find_named(const struct mcti_dialect_call *c, const char *key, size_t *n)
{
    struct mcti_str item, found = MCT_STR_NONE;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mcti_json_iter it = mcti_listing_items(&c->listing.parts[i]); mcti_json_next_item(&it, &item);)
            if (mcti_json_is(mcti_json_get(item, key), c->name) && !(*n)++)
                found = mcti_json_get(item, "uri");
    return found;
}

static void bridge_on_known(struct mcti_dialect_call *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        mcti_dialect_log_failed(c, &c->listing.parts[i], true);
    struct mcti_str uri = c->name ? bridge_find_named(c, "name", &n) : MCT_STR_NONE;
    if (c->name && !n)
        uri = bridge_find_named(c, "title", &n);
    if (n > 1)
        mcti_log(c->set->log, MCT_LOG_WARN, "%zu resources are named '%s'; reading the first", n, c->name);
    c->uri = mcti_json_dup(uri);
    if (c->uri && *c->uri)
        mcti_dialect_read(c, mcti_str_of(c->uri), NULL, bridge_on_read);
    else
        answer_unnamed(c);
}

static void bridge_check_read(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    const char *key = mcti_dialect_text_or_none(c, "uri") ? "resourceName" : "uri";
    if (!mcti_dialect_text_or_none(c, key))
        mcti_buf_printf(refusal, "%s_read_resource: `%s` must be a string", mcti_bridge_prefix(&c->set->opts), key);
}

static void bridge_run_read(struct mcti_dialect_call *c)
{
    c->uri = mcti_dialect_text(c, "uri");
    if (c->uri && *c->uri) {
        mcti_dialect_read(c, mcti_str_of(c->uri), NULL, bridge_on_read);
        return;
    }
    c->name = c->uri ? NULL : mcti_dialect_text(c, "resourceName"); /* an empty URI counts as given */
    free(c->uri);
    c->uri = NULL;
    mcti_dialect_list(c, MCT_RESOURCE, NULL, bridge_on_known);
}

static const struct mcti_dialect_tool tools[] = {
    { .put = bridge_put_read, .run = bridge_run_read, .check = bridge_check_read },
    { .put = bridge_put_list, .run = bridge_run_list }
};
const struct mcti_dialect mcti_dialect_bridge = { .name = "bridge",
                                                  .tools = tools,
                                                  .n_tools = 2,
                                                  .follows = 1u << MCT_RESOURCE,
                                                  .listed = is_listed,
                                                  .instruct = bridge_instruct };
