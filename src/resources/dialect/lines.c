/*
 * The `mcp` agent as one tool: every answer is a block of its line protocol, see resources/lines/answer.h. Errors are
 * blocks, too; a tool error besides, so that hosts that know nothing of blocks see that it failed.
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
        "server_name": { "type": "string", "description": "Only this server." },
        "uri": { "type": "string", "description": "What to read." },
        "format": { "type": "string", "enum": ["detail", "summary", "raw"] } }, "required": ["action"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

/* ---- how a block looks ---- */

static bool take_format(struct mct_str word, enum mct_block_format *ret)
{
    static const char *const words[] = { [MCT_BLOCK_DETAIL] = "detail", [MCT_BLOCK_SUMMARY] = "summary",
                                         [MCT_BLOCK_RAW] = "raw" };
    for (int i = 0; i < 3; i++) {
        if (mct_json_is(word, words[i])) {
            *ret = (enum mct_block_format)i;
            return true;
        }
    }
    *ret = MCT_BLOCK_DETAIL;
    return !word.p || mct_json_type(word) == 'n';
}

static struct mct_block_look look_of(const struct dialect_call *c)
{
    const struct mct_dialect_opts *o = &c->set->opts;
    struct mct_block_look look = {
        .one_line = o->lines_short, .kernel = o->lines_kernel, .limit_ms = c->uri ? o->read_ms : o->list_ms,
        .took_ms = mct_sched_now(c->set->view->registry->sched) - c->started_ms,
        .now_s = (int64_t)(dialect_wall_ms(c->set) / 1000),
    };
    take_format(mct_json_get(c->args, "format"), &look.format);
    return look;
}

static void answer(struct dialect_call *c, struct mct_buf *block, int written, bool is_error)
{
    block->failed |= written < 0;
    if (is_error)
        dialect_refuse_buf(c, block);
    else
        dialect_answer(c, block);
}

/* ---- list ---- */

static void put_uris(struct mct_block_server *to, const struct mct_listing_part *part, struct mct_buf *text)
{
    struct mct_str *uris = calloc(part->n_items ? part->n_items : 1, sizeof *uris), item;
    to->name = mct_str_of(part->provider->name);
    to->uris = uris;
    for (struct mct_json_iter it = mct_listing_items(part); uris && mct_json_next_item(&it, &item);) {
        size_t from = text->len;
        if (mct_json_unescape_any(mct_json_get(item, "uri"), text) < 0 || !mct_buf_ok(text))
            continue;
        uris[to->n_uris++] = (struct mct_str){ text->p + from, text->len - from };
    }
}

/* The parts as the block has them; `text` is large enough never to move. */
static void sort_out(const struct dialect_call *c, struct mct_block_list *list, struct mct_block_server *servers,
                     struct mct_block_failure *failed, struct mct_buf *text)
{
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mct_listing_part *part = &c->listing.parts[i];
        if (part->lacks && !c->server)
            continue;
        if (part->error.kind && !part->lacks) {
            failed[list->n_failed++] = (struct mct_block_failure){
                .name = mct_str_of(part->provider->name), .fault = mct_block_fault_of(&part->error, MCT_STR_NONE),
                .msg = mct_str_of(dialect_error_text(part->provider, &part->error)) };
            if (!part->n_items)
                continue;
        }
        put_uris(&servers[list->n_servers], part, text);
        list->n_resources += servers[list->n_servers++].n_uris;
    }
    list->servers = servers;
    list->failed = failed;
}

static size_t bytes_of(const struct dialect_call *c)
{
    size_t n = 1;
    for (size_t i = 0; i < c->listing.n_parts; i++)
        n += c->listing.parts[i].items.len;
    return n;
}

static void on_listed(struct dialect_call *c)
{
    struct mct_block_list list = { 0 };
    struct mct_block_look look = look_of(c);
    size_t n = c->listing.n_parts ? c->listing.n_parts : 1;
    struct mct_block_server *servers = calloc(n, sizeof *servers);
    struct mct_block_failure *failed = calloc(n, sizeof *failed);
    struct mct_buf b, text;
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&text, bytes_of(c));
    bool room = servers && failed && mct_buf_reserve(&text, text.max);
    if (room)
        sort_out(c, &list, servers, failed, &text);
    int r = room ? mct_block_put_list(&b, &list, &look) : -1;
    for (size_t i = 0; i < list.n_servers; i++)
        free((void *)servers[i].uris);
    free(servers);
    free(failed);
    mct_buf_done(&text);
    answer(c, &b, r, !list.n_servers && list.n_failed);
}

/* ---- read ---- */

static size_t put_blob(struct mct_buf *to, struct mct_str item, struct mct_str blob)
{
    struct mct_str mime = mct_json_get(item, "mimeType");
    size_t n = dialect_blob_size(blob);
    struct mct_buf type;
    mct_buf_init(&type, mime.len + 1);
    mct_json_unescape_any(mime, &type);
    mct_block_put_blob(to, mct_buf_str(&type), n);
    mct_buf_done(&type);
    return n;
}

/* All parts as one text, a blank line between; returns the bytes of what they stand for. */
static size_t put_contents(struct mct_buf *to, struct mct_str result)
{
    struct mct_str item;
    size_t n = 0, bytes = 0;
    for (struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents")); mct_json_next_item(&it, &item); n++) {
        struct mct_str text = mct_json_get(item, "text"), blob = mct_json_get(item, "blob");
        mct_buf_addz(to, n ? "\n\n" : "");
        size_t before = to->len;
        if (mct_json_type(text) == '"')
            mct_json_unescape_any(text, to);
        bytes += mct_json_type(text) != '"' && mct_json_type(blob) == '"' ? put_blob(to, item, blob) : to->len - before;
    }
    return bytes;
}

static void put_missing(struct mct_buf *to, const struct dialect_call *c)
{
    const struct mct_reading *r = &c->reading;
    mct_buf_printf(to, "URI '%s' not found on %s", c->uri, r->n_made ? r->n_made > 1 ? "servers " : "server " : "any server");
    for (size_t i = 0; i < r->n_made; i++)
        mct_buf_printf(to, "%s'%s'", i ? ", " : "", r->made[i].provider->name);
    const char *before = "; not connected: ";
    for (size_t i = 0; !c->server && i < mct_view_n_providers(c->set->view); i++) {
        const struct mct_provider *p = mct_view_provider(c->set->view, i);
        if (p->state == MCT_CONNECTED)
            continue;
        mct_buf_printf(to, "%s'%s'", before, p->name);
        before = ", ";
    }
}

/* What there is, of the servers that were asked or of all. */
static size_t available(const struct dialect_call *c, struct mct_str *ret)
{
    const struct mct_view *v = c->set->view;
    size_t n = 0;
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
        for (size_t k = 0; k < p->items[MCT_RESOURCE].n && n < MCT_BLOCK_AVAILABLE && (!c->server || c->server == p); k++)
            ret[n++] = p->items[MCT_RESOURCE].v[k]->id;
    }
    return n;
}

/* 0, or -1 when the block is too long. */
static int put_error(const struct dialect_call *c, struct mct_buf *to, struct mct_str uri, const struct mct_error *err)
{
    struct mct_str uris[MCT_BLOCK_AVAILABLE];
    struct mct_block_look look = look_of(c);
    struct mct_block_error e = { .fault = mct_block_fault_of(err, uri), .uri = uri };
    struct mct_buf msg;
    mct_buf_init(&msg, MCT_LIMIT_MESSAGE_BYTES);
    if (e.fault == MCT_FAULT_NOT_FOUND)
        put_missing(&msg, c);
    else
        mct_buf_addz(&msg, err->message);
    e.msg = mct_buf_str(&msg);
    if (e.fault == MCT_FAULT_NOT_FOUND) {
        e.available = uris;
        e.n_available = available(c, uris);
    }
    int r = mct_block_put_error(to, &e, &look);
    mct_buf_done(&msg);
    return r;
}

static void fail(struct dialect_call *c, const struct mct_error *err)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    int r = put_error(c, &b, mct_str_of(c->uri), err);
    answer(c, &b, r, true);
}

static void on_read(struct dialect_call *c)
{
    struct mct_block_look look = look_of(c);
    struct mct_buf b, content;
    if (!c->reading.result.p) {
        fail(c, &c->reading.error);
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&content, MCT_LIMIT_MESSAGE_BYTES);
    size_t bytes = put_contents(&content, c->reading.result);
    struct mct_block_read read = { .uri = mct_str_of(c->uri), .content = mct_buf_str(&content), .original_size = bytes };
    if (look.format != MCT_BLOCK_RAW)
        mct_block_cut(&read, c->set->opts.shown);
    int r = mct_buf_ok(&content) ? mct_block_put_read(&b, &read, &look) : -1;
    mct_buf_done(&content);
    answer(c, &b, r, false);
}

/* ---- arguments ---- */

static void check(const struct dialect_call *c, struct mct_buf *refusal)
{
    struct mct_str action = mct_json_get(c->args, "action");
    struct mct_error err;
    enum mct_block_format format;
    bool reads = mct_json_is(action, "read");
    if (!reads && !mct_json_is(action, "list")) {
        mct_buf_addz(refusal, "\"action\" must be \"list\" or \"read\"");
    } else if (!take_format(mct_json_get(c->args, "format"), &format)) {
        mct_buf_addz(refusal, "\"format\" must be \"detail\", \"summary\" or \"raw\"");
    } else if (reads && !dialect_has_words(c, "uri")) {
        mct_fail(&err, MCT_ERR_USAGE, "\"uri\" must be given");
        put_error(c, refusal, MCT_STR(""), &err);
    }
}

static void refuse_unknown(struct dialect_call *c)
{
    struct mct_error err;
    struct mct_buf names;
    mct_buf_init(&names, sizeof err.message);
    dialect_put_servers(c, &names, true);
    mct_fail(&err, MCT_ERR_CONNECT, "no server is called '%s' (connected: %.*s)", c->name, MCT_STR_ARG(mct_buf_str(&names)));
    mct_buf_done(&names);
    fail(c, &err);
}

static void run(struct dialect_call *c)
{
    bool reads = mct_json_is(mct_json_get(c->args, "action"), "read");
    c->name = dialect_has_words(c, "server_name") ? dialect_text(c, "server_name") : NULL;
    c->uri = reads ? dialect_text(c, "uri") : NULL;
    if (!dialect_find_server(c))
        refuse_unknown(c);
    else if (reads)
        dialect_read(c, mct_str_of(c->uri), c->server, on_read);
    else
        dialect_list(c, MCT_RESOURCE, c->server, on_listed);
}

static const struct dialect_tool tools[] = { { .json = tool_json, .run = run, .check = check } };
const struct dialect dialect_lines = { .name = "lines", .tools = tools, .n_tools = 1 };
