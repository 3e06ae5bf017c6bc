/*
 * The resource tools of mcp_llm (seed 003): one list over all servers, and one read that finds its server by itself,
 * from a URI or a name. They are offered only while a resource is known.
 *
 * What goes wrong is an object with `error` in a result that is none (no isError), as the seed has it. Beside its words
 * stand, only where there is something to tell:
 *   availableResources   when neither a URI nor a known name was given: at most 200, `omitted` says how many more
 *   attempts             [{server, kind, message}] when a read failed for another reason than that nobody has the
 *                        resource: servers that were asked, and those that could not be
 *   also_on              names of the other servers that list the URI which was read
 *
 * An empty `uri` is one: it does not make way for the name, as in the original.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"
#include "hub/core/untrusted.h"

#include <stdlib.h>

/* Names in a description come from servers and cost every request of a model. */
enum { SHOWN_NAMES = 50, SHOWN_BYTES = 2048, NAME_BYTES = 200, AVAILABLE = 200, AVAILABLE_BYTES = 256 << 10 };

/* ---- the tools ---- */

static struct mct_str label_of(struct mct_str item)
{
    struct mct_str name = mct_json_get(item, "name");
    return mct_json_type(name) == '"' && name.len > 2 ? name : mct_json_get(item, "uri");
}

/* False: there is no room for it. */
static bool put_name(struct mct_buf *to, struct mct_str item)
{
    struct mct_buf name;
    mct_buf_init(&name, NAME_BYTES + 1);
    mct_untrusted_put_json(&name, label_of(item), NAME_BYTES);
    bool fits = to->len + 2 + name.len <= SHOWN_BYTES;
    if (fits) {
        mct_buf_addz(to, to->len ? ", " : "");
        mct_buf_add(to, mct_buf_str(&name));
    }
    mct_buf_done(&name);
    return fits;
}

/* "A, B", in configuration order; ", ... (+N more)" for those that are too many. */
static void put_names(const struct mct_dialects *set, struct mct_buf *to)
{
    struct mct_buf names;
    size_t told = 0, all = 0;
    bool room = true;
    mct_buf_init(&names, SHOWN_BYTES + 64);
    for (size_t i = 0; i < mct_view_n_providers(set->view); i++) {
        const struct mct_items *items = &mct_view_provider(set->view, i)->items[MCT_RESOURCE];
        all += items->n;
        for (size_t k = 0; room && k < items->n; k++) {
            room = told < SHOWN_NAMES && put_name(&names, items->v[k]->json);
            told += room;
        }
    }
    if (told < all)
        mct_buf_printf(&names, ", ... (+%zu more)", all - told);
    mct_buf_add(to, mct_buf_str(&names));
    mct_buf_done(&names);
}

static void put_read(const struct mct_dialects *set, struct mct_buf *to)
{
    struct mct_buf names, text;
    mct_buf_init(&names, 2 * SHOWN_BYTES);
    mct_buf_init(&text, 2 * SHOWN_BYTES);
    put_names(set, &names);
    mct_buf_addz(to, "{\"name\":\"mcp_read_resource\"");
    mct_buf_addz(&text, "Read content from an MCP resource. Available resources: ");
    mct_buf_add(&text, mct_buf_str(&names));
    mct_json_put_member(to, "description", mct_buf_str(&text));
    mct_buf_addz(to, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\","
                     "\"description\":\"The resource URI to read\"},\"resourceName\":{\"type\":\"string\"");
    mct_buf_clear(&text);
    mct_buf_addz(&text, "Resource name from available list: ");
    mct_buf_add(&text, mct_buf_str(&names));
    mct_json_put_member(to, "description", mct_buf_str(&text));
    mct_buf_addz(to, "}},\"required\":[]},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
    mct_buf_done(&names);
    mct_buf_done(&text);
}

static const char list_json[] = MCT_JSON({
    "name": "mcp_list_resources",
    "description": "List all available MCP resources with their URIs and descriptions",
    "inputSchema": { "type": "object", "properties": {}, "required": [] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static bool is_offered(const struct mct_dialects *set)
{
    for (size_t i = 0; i < mct_view_n_providers(set->view); i++)
        if (mct_view_provider(set->view, i)->items[MCT_RESOURCE].n)
            return true;
    return false;
}

/* ---- entries ---- */

static const char *const list_keys[] = { "name", "uri", "description", "mimeType", NULL };
static const char *const available_keys[] = { "name", "uri", "description", NULL };

/* All keys are there, null where the server says nothing. */
static void put_entry(struct mct_buf *to, struct mct_str item, const char *const *keys)
{
    if (mct_buf_last(to) == '}')
        mct_buf_addc(to, ',');
    mct_buf_addc(to, '{');
    for (; *keys; keys++) {
        struct mct_str v = mct_json_get(item, *keys);
        dialect_put(to, *keys, mct_json_type(v) == '"' ? v : MCT_STR_NONE, true);
    }
    mct_buf_addc(to, '}');
}

/* ---- list ---- */

/* Whether nobody answered, and *ret_why the first who did not. */
static bool all_failed(const struct dialect_call *c, const struct mct_listing_part **ret_why)
{
    *ret_why = NULL;
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mct_listing_part *part = &c->listing.parts[i];
        if (!part->error.kind || part->lacks || part->n_items)
            return false;
        if (!*ret_why)
            *ret_why = part;
    }
    return *ret_why != NULL;
}

static void answer_error(struct dialect_call *c, struct mct_buf *text)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "error", mct_buf_str(text));
    mct_buf_addc(&b, '}');
    mct_buf_done(text);
    dialect_answer(c, &b);
}

static void on_listed(struct dialect_call *c)
{
    const struct mct_listing_part *why;
    struct mct_str item;
    struct mct_buf b;
    size_t n = 0;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        dialect_log_failed(c, &c->listing.parts[i], true);
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    if (all_failed(c, &why)) {
        mct_buf_printf(&b, "Failed to list resources: Exception: %s", why->error.message);
        answer_error(c, &b);
        return;
    }
    mct_buf_addz(&b, "{\"resources\":[");
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mct_json_iter it = mct_listing_items(&c->listing.parts[i]); mct_json_next_item(&it, &item); n++)
            put_entry(&b, item, list_keys);
    mct_buf_printf(&b, "],\"count\":%zu,\"message\":\"Found %zu available resources\"}", n, n);
    dialect_answer(c, &b);
}

static void run_list(struct dialect_call *c)
{
    dialect_list(c, MCT_RESOURCE, NULL, on_listed);
}

/* ---- read: what came of it ---- */

/* Appends names of servers that list the URI, beside the one that answered. */
static void put_also_on(const struct dialect_call *c, struct mct_buf *to)
{
    const struct mct_reading *r = &c->reading;
    if (r->n_listed < 2)
        return;
    if (!mct_buf_ok(to))
        return;
    while (mct_buf_last(to) != '}')
        to->len--;
    to->len--; /* the object is opened once more */
    mct_json_put_key(to, "also_on");
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < r->n_candidates; i++) {
        const struct mct_provider *p = r->candidates[i];
        if (p == r->provider || !mct_items_find(&p->items[MCT_RESOURCE], r->uri))
            continue;
        mct_buf_addz(to, mct_buf_last(to) == '[' ? "" : ",");
        mct_json_put_string(to, mct_str_of(p->name));
    }
    mct_buf_addz(to, "]}");
}

static bool was_asked(const struct dialect_call *c, const struct mct_provider *p)
{
    for (size_t i = 0; i < c->reading.n_made; i++)
        if (c->reading.made[i].provider == p)
            return true;
    return false;
}

static bool is_down(const struct mct_provider *p)
{
    return p->state != MCT_CONNECTED;
}

/* Whether there is more to it than that nobody has the resource. */
static bool is_unclear(const struct dialect_call *c)
{
    const struct mct_view *v = c->set->view;
    for (size_t i = 0; i < c->reading.n_made; i++) {
        enum mct_error_kind kind = c->reading.made[i].error.kind;
        if (kind != MCT_ERR_NOT_FOUND && kind != MCT_ERR_UNSUPPORTED)
            return true;
    }
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        if (is_down(mct_view_provider(v, i)))
            return true;
    return false;
}

static void put_attempt(struct mct_buf *to, const struct mct_provider *p, const struct mct_error *err)
{
    mct_buf_addz(to, mct_buf_last(to) == '[' ? "{" : ",{");
    mct_json_put_member(to, "server", mct_str_of(p->name));
    mct_json_put_member(to, "kind", mct_str_of(mct_error_word(err->kind ? err->kind : MCT_ERR_CONNECT)));
    mct_json_put_member(to, "message", mct_str_of(err->kind ? dialect_error_text(p, err) : "it is not connected"));
    mct_buf_addc(to, '}');
}

static void put_attempts(const struct dialect_call *c, struct mct_buf *to)
{
    const struct mct_view *v = c->set->view;
    mct_json_put_key(to, "attempts");
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < c->reading.n_made; i++)
        put_attempt(to, c->reading.made[i].provider, &c->reading.made[i].error);
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
        if (is_down(p) && !was_asked(c, p))
            put_attempt(to, p, &p->error);
    }
    mct_buf_addc(to, ']');
}

/* A read that was not even tried says why; any other has one text, whatever the reason (decision 12). */
static void answer_failed(struct dialect_call *c)
{
    const struct mct_error *err = &c->reading.error;
    bool tried = err->kind != MCT_ERR_POLICY && err->kind != MCT_ERR_INTERNAL && err->kind != MCT_ERR_NO_MEMORY;
    struct mct_buf b, text;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&text, 4096);
    mct_buf_printf(&text, "Failed to read resource: Exception: %s",
                   tried ? "Resource URI not found or reading failed" : err->message);
    if (!tried || !is_unclear(c)) {
        mct_buf_done(&b);
        answer_error(c, &text);
        return;
    }
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "error", mct_buf_str(&text));
    put_attempts(c, &b);
    mct_buf_addc(&b, '}');
    mct_buf_done(&text);
    dialect_answer(c, &b);
}

static void on_read(struct dialect_call *c)
{
    struct mct_buf b;
    if (!c->reading.result.p) {
        answer_failed(c);
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    dialect_put_read_result(c, &b);
    put_also_on(c, &b);
    dialect_answer(c, &b);
}

/* ---- read: what is asked for ---- */

static void answer_unnamed(struct dialect_call *c)
{
    struct mct_str item;
    struct mct_buf b;
    size_t n = 0, told = 0;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"error\":\"Resource URI or valid resourceName is required\",\"availableResources\":[");
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mct_json_iter it = mct_listing_items(&c->listing.parts[i]); mct_json_next_item(&it, &item); n++) {
            if (told != n || told == AVAILABLE || b.len + item.len > AVAILABLE_BYTES)
                continue;
            put_entry(&b, item, available_keys);
            told++;
        }
    mct_buf_addc(&b, ']');
    if (n > told)
        mct_buf_printf(&b, ",\"omitted\":%zu", n - told);
    mct_buf_addc(&b, '}');
    dialect_answer(c, &b);
}

/* The first in configuration order whose `key` is the name; *n: how many there are. */
static struct mct_str find_named(const struct dialect_call *c, const char *key, size_t *n)
{
    struct mct_str item, found = MCT_STR_NONE;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        for (struct mct_json_iter it = mct_listing_items(&c->listing.parts[i]); mct_json_next_item(&it, &item);)
            if (mct_json_is(mct_json_get(item, key), c->name) && !(*n)++)
                found = mct_json_get(item, "uri");
    return found;
}

static void on_known(struct dialect_call *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        dialect_log_failed(c, &c->listing.parts[i], true);
    struct mct_str uri = c->name ? find_named(c, "name", &n) : MCT_STR_NONE;
    if (c->name && !n)
        uri = find_named(c, "title", &n);
    if (n > 1)
        mct_log(c->set->log, MCT_LOG_WARN, "%zu resources are called '%s': the first of them is read", n, c->name);
    c->uri = mct_json_dup(uri);
    if (c->uri && *c->uri)
        dialect_read(c, mct_str_of(c->uri), NULL, on_read);
    else
        answer_unnamed(c);
}

static void check_read(const struct dialect_call *c, struct mct_buf *refusal)
{
    const char *key = dialect_text_or_none(c, "uri") ? "resourceName" : "uri";
    if (!dialect_text_or_none(c, key))
        mct_buf_printf(refusal, "mcp_read_resource: `%s` must be a string", key);
}

static void run_read(struct dialect_call *c)
{
    c->uri = dialect_text(c, "uri");
    if (c->uri && *c->uri) {
        dialect_read(c, mct_str_of(c->uri), NULL, on_read);
        return;
    }
    c->name = c->uri ? NULL : dialect_text(c, "resourceName"); /* an empty URI is one */
    free(c->uri);
    c->uri = NULL;
    dialect_list(c, MCT_RESOURCE, NULL, on_known);
}

static const struct dialect_tool tools[] = { { .put = put_read, .run = run_read, .check = check_read },
                                             { .json = list_json, .run = run_list } };
const struct dialect dialect_bridge = { .name = "bridge", .tools = tools, .n_tools = 2, .follows = 1u << MCT_RESOURCE,
                                        .offered = is_offered };
