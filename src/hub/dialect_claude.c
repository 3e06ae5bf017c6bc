/*
 * The resource tools of Claude Code: lists as bare arrays in which each entry ends with its server, and binary contents
 * as files whose paths are given. Resources of MCP Apps (ui://…) are for the host's screen and not listed.
 *
 * A server that fails is left out of the list of all; named, it is an error, and so is one without resources.
 */
#include "hub/dialect_impl.h"

#include "base/base64.h"
#include "base/limits.h"
#include "hub/blob_store.h"

#include <stdlib.h>

enum { KEPT_S = 7 * 86400 };
static const uint64_t kept_bytes = (uint64_t)1 << 30;

static const char list_json[] = MCT_JSON({
    "name": "ListMcpResourcesTool",
    "description": "List the resources that MCP servers provide. Each entry names its server, which is what reading it needs.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one server. Left out: all of them." } },
        "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char read_json[] = MCT_JSON({
    "name": "ReadMcpResourceTool",
    "description": "Read one resource of an MCP server. Binary contents are written to a file, whose path is given as blobSavedTo.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of the server." },
        "uri": { "type": "string", "description": "URI of the resource." } },
        "required": ["server", "uri"], "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char nothing[] = "No resources found. MCP servers may still provide tools even if they have no resources.";

/* ---- servers ---- */

/* True: c->server is the one that is named. */
static bool find_named(struct dialect_call *c)
{
    const struct mct_view *v = c->set->view;
    struct mct_buf b;
    c->server = dialect_server(c, c->name);
    if (c->server)
        return true;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_printf(&b, "Server \"%s\" not found. Available servers: ", c->name);
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        mct_buf_printf(&b, "%s%s", i ? ", " : "", mct_view_provider(v, i)->name);
    dialect_refuse_buf(c, &b);
    return false;
}

/* Says why c->server did not answer. */
static void refuse_failed(struct dialect_call *c, const struct mct_error *err)
{
    const char *text = dialect_error_text(c->server, err);
    if (err->kind == MCT_ERR_POLICY) {
        dialect_refuse(c, "%s", text);
    } else if (c->server->state != MCT_CONNECTED) {
        mct_log(c->set->log, MCT_LOG_WARN, "server '%s' is not connected: %s", c->name, text);
        dialect_refuse(c, "Server \"%s\" is not connected", c->name);
    } else if (!mct_server_can(&c->server->info, "resources", NULL)) {
        dialect_refuse(c, "Server \"%s\" does not support resources", c->name);
    } else if (err->code) {
        dialect_refuse(c, "MCP error %d: %s", err->code, text);
    } else {
        dialect_refuse(c, "%s", text);
    }
}

/* ---- list ---- */

static bool is_for_screens(struct mct_str item)
{
    char *uri = mct_json_dup(mct_json_get(item, "uri"));
    bool is = uri && !strncmp(uri, "ui://", 5);
    free(uri);
    return is;
}

static void put_part(struct mct_buf *to, const struct mct_listing_part *part)
{
    static const char *const keys[] = { "uri", "name", "mimeType", "description" };
    struct mct_str item;
    for (struct mct_json_iter it = mct_listing_items(part); mct_json_next_item(&it, &item);) {
        if (is_for_screens(item))
            continue;
        mct_buf_addz(to, to->len > 1 ? ",{" : "{");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            dialect_put(to, keys[i], mct_json_get(item, keys[i]), false);
        mct_json_put_member(to, "server", mct_str_of(part->provider->name));
        mct_buf_addc(to, '}');
    }
}

static void on_listed(struct dialect_call *c)
{
    struct mct_buf b;
    if (c->server && c->listing.parts->error.kind) {
        refuse_failed(c, &c->listing.parts->error);
        return;
    }
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '[');
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mct_listing_part *part = &c->listing.parts[i];
        put_part(&b, part);
        dialect_log_failed(c, part);
    }
    bool none = b.len == 1;
    if (none)
        mct_buf_clear(&b);
    mct_buf_addz(&b, none ? nothing : "]");
    dialect_answer(c, &b);
}

static void run_list(struct dialect_call *c)
{
    c->name = dialect_text(c, "server");
    if (!c->name || find_named(c))
        dialect_list(c, MCT_RESOURCE, c->server, on_listed);
}

/* ---- read ---- */

/* The path as a member, or in *why (empty so far, or the first reason) why there is none. */
static void put_saved(const struct dialect_call *c, struct mct_buf *to, struct mct_str item, struct mct_error *why)
{
    struct mct_str raw = mct_json_get(item, "blob");
    char *text = mct_json_dup(raw), *mime = mct_json_dup(mct_json_get(item, "mimeType")), *path = NULL;
    char *folder = c->set->opts.blob_dir ? strdup(c->set->opts.blob_dir) : mct_blob_store_default();
    const struct mct_blob_store store = { folder, kept_bytes, KEPT_S, dialect_wall_ms(c->set) / 1000 };
    struct mct_error err = { 0 };
    struct mct_buf bytes;
    mct_buf_init(&bytes, raw.len);
    if (!text || mct_base64_get(&bytes, mct_str_of(text)) < 0)
        mct_fail(&err, MCT_ERR_PROTOCOL, "the blob is not base64");
    else if (!folder)
        mct_fail(&err, MCT_ERR_CONFIG, "there is no folder for blobs: neither XDG_CACHE_HOME nor HOME is set");
    else if (mct_blob_store_put(&store, mct_buf_str(&bytes), mct_str_of(mime ? mime : ""), &path, &err) == 0)
        mct_json_put_member(to, "blobSavedTo", mct_str_of(path));
    if (!path && !why->kind)
        *why = err;
    mct_buf_done(&bytes);
    free(text);
    free(mime);
    free(path);
    free(folder);
}

static void put_content(const struct dialect_call *c, struct mct_buf *to, struct mct_str item, struct mct_error *why)
{
    static const char *const keys[] = { "uri", "mimeType", "text" };
    mct_buf_addz(to, to->p[to->len - 1] == '[' ? "{" : ",{");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        dialect_put(to, keys[i], mct_json_get(item, keys[i]), false);
    if (mct_json_type(mct_json_get(item, "text")) != '"' && mct_json_type(mct_json_get(item, "blob")) == '"')
        put_saved(c, to, item, why);
    mct_buf_addc(to, '}');
}

static void on_read(struct dialect_call *c)
{
    struct mct_error why = { 0 };
    struct mct_str item;
    struct mct_buf b;
    if (!c->reading.result.p) {
        refuse_failed(c, &c->reading.error);
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"contents\":[");
    struct mct_str contents = mct_json_get(c->reading.result, "contents");
    for (struct mct_json_iter it = mct_json_open(contents); mct_json_next_item(&it, &item);)
        put_content(c, &b, item, &why);
    mct_buf_addc(&b, ']');
    if (why.kind)
        mct_json_put_member(&b, "error", mct_str_of(why.message));
    mct_buf_addc(&b, '}');
    dialect_answer(c, &b);
}

static void run_read(struct dialect_call *c)
{
    c->name = dialect_text(c, "server");
    c->uri = dialect_text(c, "uri");
    if (!c->name || !c->uri)
        dialect_refuse(c, "ReadMcpResourceTool requires `%s` (string)", c->name ? "uri" : "server");
    else if (find_named(c))
        dialect_read(c, mct_str_of(c->uri), c->server, on_read);
}

static const struct dialect_tool tools[] = { { list_json, NULL, run_list }, { read_json, NULL, run_read } };
const struct dialect dialect_claude = { .name = "claude", .tools = tools, .n_tools = 2 };
