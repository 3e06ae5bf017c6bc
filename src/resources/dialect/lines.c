/*
 * The `mcp` agent as one tool: every answer is a block of its line protocol, see resources/lines/answer.h. An error is
 * a block as well, and marked as a tool error for hosts that do not know blocks.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "resources/lines/answer.h"

#include <stdlib.h>

static const char tool_json[] = MCT_JSON({
    "name": "mcp",
    "description": "List or read the resources of MCP servers. Answers with a compact block: a status line, then state, data and meta.",
    "inputSchema": { "type": "object", "properties": {
        "action": { "type": "string", "enum": ["list", "read"] },
        "server_name": { "type": "string", "description": "Name of one server; default: all servers." },
        "uri": { "type": "string", "description": "URI of the resource to read." },
        "format": { "type": "string", "enum": ["detail", "summary", "raw"] } }, "required": ["action"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* ---- form of a block ---- */

static bool dialect_lines_take_format(struct mcti_str word, enum mcti_block_format *ret)
{
    static const char *const words[] = {
        [MCT_BLOCK_DETAIL] = "detail", [MCT_BLOCK_SUMMARY] = "summary", [MCT_BLOCK_RAW] = "raw"
    };
    for (int i = 0; i < 3; i++) {
        if (mcti_json_is(word, words[i])) {
            *ret = (enum mcti_block_format)i;
            return true;
        }
    }
    *ret = MCT_BLOCK_DETAIL;
    return !word.p || mcti_json_type(word) == 'n';
}

static struct mcti_block_style dialect_lines_style_of(const struct mcti_dialect_call *c)
{
    const struct mcti_dialect_opts *o = &c->set->opts;
    struct mcti_block_style style = {
        .language = o->language,
        .one_line = o->lines_short,
        .kernel = o->lines_kernel,
        .limit_ms = c->uri ? o->read_ms : o->list_ms,
        .took_ms = mcti_sched_now(c->set->view->registry->sched) - c->started_ms,
        .now_s = (int64_t)(mcti_dialect_wall_ms(c->set) / 1000),
    };
    dialect_lines_take_format(mcti_json_get(c->args, "format"), &style.format);
    return style;
}

/* Returns the length up to which a content is shown whole. Whoever has set only `shown` wants no more than that. */
static unsigned whole_chars(const struct mcti_dialect_opts *o)
{
    enum { WHOLE = 10000 };
    bool as_shown = o->shown != mcti_dialect_defaults.shown;
    return o->whole ? o->whole : as_shown ? o->shown : WHOLE;
}

static void dialect_lines_answer(struct mcti_dialect_call *c, struct mcti_buf *block, int written, bool is_error)
{
    block->failed |= written < 0;
    if (is_error)
        mcti_dialect_refuse_buf(c, block);
    else
        mcti_dialect_answer(c, block);
}

/* ---- list ---- */

static void put_uris(struct mcti_block_server *to, const struct mcti_listing_part *part, struct mcti_buf *text)
{
    struct mcti_str *uris = calloc(part->n_items ? part->n_items : 1, sizeof *uris), item;
    to->name = mcti_str_of(part->provider->name);
    to->uris = uris;
    for (struct mcti_json_iter it = mcti_listing_items(part); uris && mcti_json_next_item(&it, &item);) {
        size_t from = text->len;
        if (mcti_json_unescape_any(mcti_json_get(item, "uri"), text) < 0 || !mcti_buf_ok(text))
            continue;
        uris[to->n_uris++] = (struct mcti_str){ text->p + from, text->len - from };
    }
}

/* Splits the parts of the listing into servers and failures; `text` is large enough never to move. */
static void split_parts(const struct mcti_dialect_call *c, struct mcti_block_list *list,
                        struct mcti_block_server *servers, struct mcti_block_failure *failed, struct mcti_buf *text)
{
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &c->listing.parts[i];
        if (part->lacks && !c->server)
            continue;
        if (part->error.kind && !part->lacks) {
            failed[list->n_failed++] =
                (struct mcti_block_failure){ .name = mcti_str_of(part->provider->name),
                                             .fault = mcti_block_fault_of(&part->error, MCT_STR_NONE),
                                             .msg =
                                                 mcti_str_of(mcti_dialect_error_text(part->provider, &part->error)) };
            if (!part->n_items)
                continue;
        }
        put_uris(&servers[list->n_servers], part, text);
        list->n_resources += servers[list->n_servers++].n_uris;
    }
    list->servers = servers;
    list->failed = failed;
}

static size_t bytes_of(const struct mcti_dialect_call *c)
{
    size_t n = 1;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        n += c->listing.parts[i].items.len;
    return n;
}

static void dialect_lines_on_listed(struct mcti_dialect_call *c)
{
    struct mcti_block_list list = { 0 };
    struct mcti_block_style style = dialect_lines_style_of(c);
    size_t n = c->listing.n_parts ? c->listing.n_parts : 1;
    struct mcti_block_server *servers = calloc(n, sizeof *servers);
    struct mcti_block_failure *failed = calloc(n, sizeof *failed);
    struct mcti_buf b, text;
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&text, bytes_of(c));
    bool room = servers && failed && mcti_buf_reserve(&text, text.max);
    if (room)
        split_parts(c, &list, servers, failed, &text);
    int r = room ? mcti_block_put_list(&b, &list, &style) : -1;
    for (size_t i = 0; i < list.n_servers; i++)
        free((void *)servers[i].uris);
    free(servers);
    free(failed);
    mcti_buf_done(&text);
    dialect_lines_answer(c, &b, r, !list.n_servers && list.n_failed);
}

/* ---- read ---- */

struct dialect_lines_item {
    struct mcti_str json, text, blob; /* text, blob: JSON strings, or absent */
};

static bool dialect_lines_next(struct mcti_json_iter *it, struct dialect_lines_item *ret)
{
    if (!mcti_json_next_item(it, &ret->json))
        return false;
    ret->text = mcti_json_get(ret->json, "text");
    ret->blob = mcti_json_get(ret->json, "blob");
    if (mcti_json_type(ret->text) != '"')
        ret->text = MCT_STR_NONE;
    if (mcti_json_type(ret->blob) != '"')
        ret->blob = MCT_STR_NONE;
    return true;
}

static size_t dialect_lines_put_text(struct mcti_buf *to, struct mcti_str text)
{
    size_t before = to->len;
    mcti_json_unescape_any(text, to);
    return to->len - before;
}

static size_t put_blob(struct mcti_buf *to, const struct dialect_lines_item *item)
{
    struct mcti_str mime = mcti_json_get(item->json, "mimeType");
    size_t n = mcti_dialect_blob_size(item->blob);
    struct mcti_buf type;
    mcti_buf_init(&type, mime.len + 1);
    mcti_json_unescape_any(mime, &type);
    mcti_block_put_blob(to, mcti_buf_str(&type), n);
    mcti_buf_done(&type);
    return n;
}

/* Appends all contents as one text, separated by blank lines; returns the number of bytes they decode to. */
static size_t put_contents(struct mcti_buf *to, struct mcti_str result)
{
    struct dialect_lines_item item;
    size_t n = 0, bytes = 0;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents")); dialect_lines_next(&it, &item);
         n++) {
        mcti_buf_addz(to, n ? "\n\n" : "");
        if (item.text.p)
            bytes += dialect_lines_put_text(to, item.text);
        mcti_buf_addz(to, item.text.p && item.blob.p ? "\n\n" : "");
        if (item.blob.p)
            bytes += put_blob(to, &item);
    }
    return bytes;
}

/* ---- read, raw ---- */

static bool has_blobs(struct mcti_str result)
{
    struct dialect_lines_item item;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents")); dialect_lines_next(&it, &item);)
        if (item.blob.p)
            return true;
    return false;
}

static void dialect_lines_put_text_block(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, to->len > 1 ? ",{\"type\":\"text\"" : "{\"type\":\"text\"");
    mcti_json_put_raw(to, "text", text);
    mcti_buf_addc(to, '}');
}

static void put_resource_block(struct mcti_buf *to, const struct dialect_lines_item *item, const char *uri)
{
    struct mcti_str own = mcti_json_get(item->json, "uri");
    mcti_buf_addz(to, to->len > 1 ? ",{" : "{");
    mcti_buf_addz(to, "\"type\":\"resource\",\"resource\":{\"uri\":");
    if (mcti_json_type(own) == '"')
        mcti_buf_add(to, own);
    else
        mcti_json_put_string(to, mcti_str_of(uri));
    mcti_dialect_put(to, "mimeType", mcti_json_get(item->json, "mimeType"), false);
    mcti_json_put_raw(to, "blob", item->blob);
    mcti_buf_addz(to, "}}");
}

static bool dialect_lines_is_base64(struct mcti_str blob)
{
    struct mcti_buf bytes;
    mcti_buf_init(&bytes, blob.len);
    bool is = mcti_dialect_put_blob(&bytes, blob) == 0;
    mcti_buf_done(&bytes);
    return is;
}

/* Answers with the contents themselves: each text as a block of text, each blob as an embedded resource. A blob that
 * cannot be decoded is a text. */
static void answer_blobs(struct mcti_dialect_call *c)
{
    struct dialect_lines_item item;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '[');
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(c->reading.result, "contents"));
         dialect_lines_next(&it, &item);) {
        if (item.text.p)
            dialect_lines_put_text_block(&b, item.text);
        if (item.blob.p && dialect_lines_is_base64(item.blob))
            put_resource_block(&b, &item, c->uri);
        else if (item.blob.p)
            dialect_lines_put_text_block(&b, item.blob);
    }
    mcti_buf_addc(&b, ']');
    mcti_dialect_answer_blocks(c, &b);
}

/* ---- errors ---- */

static void put_unconnected(struct mcti_buf *to, const struct mcti_dialect_call *c, const char *quote)
{
    const char *before = "; not connected: ";
    for (size_t i = 0; i < mcti_view_n_providers(c->set->view); i++) {
        const struct mcti_provider *p = mcti_view_provider(c->set->view, i);
        if (p->state == MCT_CONNECTED)
            continue;
        mcti_buf_printf(to, "%s%s%s%s", before, quote, p->name, quote);
        before = ", ";
    }
}

static void put_missing(struct mcti_buf *to, const struct mcti_dialect_call *c)
{
    const struct mcti_reading *r = &c->reading;
    mcti_buf_printf(to, "URI '%s' not found on %s", c->uri,
                    r->n_attempts ? r->n_attempts > 1 ? "servers " : "server " : "any server");
    for (size_t i = 0; i < r->n_attempts; i++)
        mcti_buf_printf(to, "%s'%s'", i ? ", " : "", r->attempts[i].provider->name);
    if (!c->server)
        put_unconnected(to, c, "'");
}

static bool is_among(const struct mcti_str *uris, size_t n, struct mcti_str uri)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_str_eq(uris[i], uri))
            return true;
    return false;
}

/* Fills ret with known URIs, of c->server or of all servers, each once; returns how many. */
static size_t dialect_lines_available(const struct mcti_dialect_call *c, struct mcti_str *ret)
{
    const struct mcti_view *v = c->set->view;
    size_t n = 0;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        const struct mcti_items *items = &p->items[MCT_RESOURCE];
        for (size_t k = 0; k < items->n && n < MCT_BLOCK_AVAILABLE && (!c->server || c->server == p); k++)
            if (!is_among(ret, n, mcti_item_id(items->v[k])))
                ret[n++] = mcti_item_id(items->v[k]);
    }
    return n;
}

/* Appends an error block; returns -1 if it is too long. */
static int dialect_lines_put_error(const struct mcti_dialect_call *c, struct mcti_buf *to, struct mcti_str uri,
                                   const struct mct_error *err)
{
    struct mcti_str uris[MCT_BLOCK_AVAILABLE];
    struct mcti_block_style style = dialect_lines_style_of(c);
    struct mcti_block_error e = { .fault = mcti_block_fault_of(err, uri), .uri = uri };
    struct mcti_buf msg;
    mcti_buf_init(&msg, MCT_LIMIT_MESSAGE_BYTES);
    if (e.fault == MCT_FAULT_NOT_FOUND) {
        put_missing(&msg, c);
        e.available = uris;
        e.n_available = dialect_lines_available(c, uris);
    } else if (e.fault == MCT_FAULT_INVALID_URI && err->kind == MCT_ERR_NOT_FOUND) {
        mcti_buf_printf(&msg, "URI '%s' has no scheme, and no server has it", c->uri);
    } else {
        mcti_buf_addz(&msg, err->message);
    }
    e.msg = mcti_buf_str(&msg);
    int r = mcti_block_put_error(to, &e, &style);
    mcti_buf_done(&msg);
    return r;
}

static void dialect_lines_fail(struct mcti_dialect_call *c, const struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    int r = dialect_lines_put_error(c, &b, mcti_str_of(c->uri), err);
    dialect_lines_answer(c, &b, r, true);
}

static void dialect_lines_on_read(struct mcti_dialect_call *c)
{
    struct mcti_block_style style = dialect_lines_style_of(c);
    struct mcti_buf b, content;
    if (!c->reading.result.p) {
        dialect_lines_fail(c, &c->reading.error);
        return;
    }
    if (style.format == MCT_BLOCK_RAW && has_blobs(c->reading.result)) {
        answer_blobs(c);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&content, MCT_LIMIT_MESSAGE_BYTES);
    size_t bytes = put_contents(&content, c->reading.result);
    struct mcti_block_read read = { .uri = mcti_str_of(c->uri),
                                    .content = mcti_buf_str(&content),
                                    .original_size = bytes };
    if (style.format != MCT_BLOCK_RAW)
        mcti_block_cut(&read, whole_chars(&c->set->opts), c->set->opts.shown);
    int r = mcti_buf_ok(&content) ? mcti_block_put_read(&b, &read, &style) : -1;
    mcti_buf_done(&content);
    dialect_lines_answer(c, &b, r, false);
}

/* ---- arguments ---- */

/* Sets *err if the arguments are wrong. */
static void dialect_lines_find_mistake(const struct mcti_dialect_call *c, struct mct_error *err)
{
    struct mcti_str action = mcti_json_get(c->args, "action");
    enum mcti_block_format format;
    bool reads = mcti_json_is(action, "read");
    if (!reads && !mcti_json_is(action, "list"))
        mcti_fail(err, MCT_ERR_USAGE, "\"action\" must be \"list\" or \"read\"");
    else if (!dialect_lines_take_format(mcti_json_get(c->args, "format"), &format))
        mcti_fail(err, MCT_ERR_USAGE, "\"format\" must be \"detail\", \"summary\" or \"raw\"");
    else if (!mcti_dialect_text_or_none(c, "server_name"))
        mcti_fail(err, MCT_ERR_USAGE, "\"server_name\" must be a string");
    else if (reads && !mcti_dialect_has_words(c, "uri"))
        mcti_fail(err, MCT_ERR_USAGE, "\"uri\" must be given");
}

/* Only a missing URI is an invalid one; other mistakes have nothing to do with it. */
static void dialect_lines_check(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    struct mct_error err = { 0 };
    dialect_lines_find_mistake(c, &err);
    bool of_uri = err.kind && strstr(err.message, "\"uri\"");
    if (err.kind)
        dialect_lines_put_error(c, refusal, of_uri ? MCT_STR("") : MCT_STR_NONE, &err);
}

/* Refuses an unknown name and says which servers there are. */
static void dialect_lines_refuse_unknown(struct mcti_dialect_call *c)
{
    struct mct_error err;
    struct mcti_buf names;
    mcti_buf_init(&names, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&names, "connected: ");
    mcti_dialect_put_servers(c, &names, true);
    put_unconnected(&names, c, "");
    mcti_fail(&err, MCT_ERR_CONNECT, "no server is called '%s' (%.*s)", c->name, MCT_STR_ARG(mcti_buf_str(&names)));
    mcti_buf_done(&names);
    dialect_lines_fail(c, &err);
}

static void dialect_lines_run(struct mcti_dialect_call *c)
{
    bool reads = mcti_json_is(mcti_json_get(c->args, "action"), "read");
    c->name = mcti_dialect_trimmed(c, "server_name");
    c->uri = reads ? mcti_dialect_trimmed(c, "uri") : NULL;
    if (!mcti_dialect_find_server(c))
        mcti_dialect_settle(c, dialect_lines_refuse_unknown);
    else if (reads)
        mcti_dialect_read(c, mcti_str_of(c->uri), c->server, dialect_lines_on_read);
    else
        mcti_dialect_list(c, MCT_RESOURCE, c->server, dialect_lines_on_listed);
}

static const struct mcti_dialect_tool tools[] = {
    { .json = tool_json, .run = dialect_lines_run, .check = dialect_lines_check }
};
const struct mcti_dialect mcti_dialect_lines = { .name = "lines", .tools = tools, .n_tools = 1 };
