/*
 * The resource tools of Claude Code: lists are bare arrays whose entries end with the name of their server; binary
 * contents are written to files, and the result gives their paths. UI resources of MCP Apps (ui://…) are not listed.
 *
 * In a list of all servers, a server that fails is left out. A server that is named is reported as an error if it fails
 * or has no resources.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "resources/blob_store.h"

#include <stdlib.h>

/* Limits: blobs saved from one result; number and age of the files kept. */
enum { SAVED_BLOBS = 64, KEPT_FILES = 4096, KEPT_S = 7 * 86400 };
static const uint64_t kept_bytes = (uint64_t)1 << 30;

static const char list_json[] = MCT_JSON({
    "name": "ListMcpResourcesTool",
    "description": "List the resources that MCP servers provide. Each entry names its server; reading the resource requires that name.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one server; default: all servers." } },
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

/* Sets c->server to the server named in the arguments, if one is named. Returns false after refusing a name that is
 * unknown. */
static bool claude_take_server(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    c->name = mcti_dialect_text(c, "server");
    if (mcti_dialect_find_server(c))
        return true;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_printf(&b, "Server \"%s\" not found. Available servers: ", c->name);
    mcti_dialect_put_servers(c, &b, false);
    mcti_dialect_refuse_buf(c, &b);
    return false;
}

static bool is_unreachable(const struct mct_error *err)
{
    bool not_yet = err->kind == MCT_ERR_TIMEOUT && err->unsent;
    return not_yet || err->kind == MCT_ERR_CONNECT || err->kind == MCT_ERR_AUTH || err->kind == MCT_ERR_CONFIG;
}

/* Refuses the call with the reason why c->server failed. Decides by the error, not by the state of c->server, because
 * another connection may have been used. */
static void claude_refuse_failed(struct mcti_dialect_call *c, const struct mct_error *err, bool lacks)
{
    const char *text = mcti_dialect_error_text(c->server, err);
    if (is_unreachable(err)) {
        mcti_log(c->set->log, MCT_LOG_WARN, "server '%s' is not connected: %s", c->name, text);
        mcti_dialect_refuse(c, "Server \"%s\" is not connected", c->name);
    } else if (lacks) {
        mcti_dialect_refuse(c, "Server \"%s\" does not support resources", c->name);
    } else if (err->code) {
        mcti_dialect_refuse(c, "MCP error %d: %s", err->code, text);
    } else {
        mcti_dialect_refuse(c, "%s", text);
    }
}

/* Returns true if the server is connected and does not declare resources. */
static bool lacks_resources(const struct mcti_provider *p, const struct mct_error *err)
{
    return err->kind == MCT_ERR_UNSUPPORTED && p->state == MCT_CONNECTED &&
           !mcti_server_can(&p->info, "resources", NULL);
}

/* ---- list ---- */

static bool is_ui_resource(struct mcti_str item)
{
    char *uri = mcti_json_dup(mcti_json_get(item, "uri"));
    bool is = uri && !strncmp(uri, "ui://", 5);
    free(uri);
    return is;
}

static void claude_put_part(struct mcti_buf *to, const struct mcti_listing_part *part)
{
    static const char *const keys[] = { "uri", "name", "mimeType", "description" };
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_listing_items(part); mcti_json_next_item(&it, &item);) {
        if (is_ui_resource(item))
            continue;
        mcti_buf_addz(to, to->len > 1 ? ",{" : "{");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            mcti_dialect_put(to, keys[i], mcti_json_get(item, keys[i]), false);
        mcti_json_put_member(to, "server", mcti_str_of(part->provider->name));
        mcti_buf_addc(to, '}');
    }
}

static void claude_on_listed(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    if (c->server && c->listing.parts->error.kind) {
        claude_refuse_failed(c, &c->listing.parts->error, c->listing.parts->lacks);
        return;
    }
    mcti_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '[');
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &c->listing.parts[i];
        claude_put_part(&b, part);
        mcti_dialect_log_failed(c, part, true);
    }
    bool none = b.len == 1;
    if (none)
        mcti_buf_clear(&b);
    mcti_buf_addz(&b, none ? nothing : "]");
    mcti_dialect_answer(c, &b);
}

static void claude_run_list(struct mcti_dialect_call *c)
{
    if (claude_take_server(c))
        mcti_dialect_list(c, MCT_RESOURCE, c->server, claude_on_listed);
}

/* ---- read ---- */

/* The blobs of one result. */
struct saving {
    char *folder;
    struct mcti_blob_store store;
    bool is_open;
    size_t n;             /* all blobs, saved or not */
    struct mct_error why; /* why the first unsaved blob was not saved; kind NONE: all were saved */
};

static int open_store(const struct mcti_dialect_call *c, struct saving *s, struct mct_error *err)
{
    if (s->is_open)
        return 0;
    if (!s->folder)
        s->folder = c->set->opts.blob_dir ? strdup(c->set->opts.blob_dir) : mcti_blob_store_default();
    if (!s->folder)
        return mcti_fail(err, MCT_ERR_CONFIG, "no folder for blobs: set XDG_CACHE_HOME or HOME");
    s->store = (struct mcti_blob_store){ .dir = s->folder,
                                         .max_bytes = kept_bytes,
                                         .max_files = KEPT_FILES,
                                         .max_age_s = KEPT_S,
                                         .now_s = mcti_dialect_wall_ms(c->set) / 1000 };
    s->is_open = mcti_blob_store_open(&s->store, err) == 0;
    return s->is_open ? 0 : -1;
}

static char *claude_save(const struct mcti_dialect_call *c, struct saving *s, struct mcti_str item,
                         struct mct_error *err)
{
    struct mcti_str blob = mcti_json_get(item, "blob");
    char *mime = mcti_json_dup(mcti_json_get(item, "mimeType")), *path = NULL;
    struct mcti_buf bytes;
    mcti_buf_init(&bytes, blob.len);
    if (mcti_dialect_put_blob(&bytes, blob) < 0)
        mcti_fail(err, MCT_ERR_PROTOCOL, "the blob is not base64");
    else if (open_store(c, s, err) == 0)
        mcti_blob_store_put(&s->store, mcti_buf_str(&bytes), mcti_str_of(mime ? mime : ""), &path, err);
    mcti_buf_done(&bytes);
    free(mime);
    return path;
}

static void claude_put_content(const struct mcti_dialect_call *c, struct saving *s, struct mcti_buf *to,
                               struct mcti_str item)
{
    static const char *const keys[] = { "uri", "mimeType", "text" };
    struct mct_error err;
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        mcti_dialect_put(to, keys[i], mcti_json_get(item, keys[i]), false);
    bool is_blob =
        mcti_json_type(mcti_json_get(item, "text")) != '"' && mcti_json_type(mcti_json_get(item, "blob")) == '"';
    if (is_blob && s->n++ < SAVED_BLOBS) {
        char *path = claude_save(c, s, item, &err);
        if (path)
            mcti_json_put_member(to, "blobSavedTo", mcti_str_of(path));
        else if (!s->why.kind)
            s->why = err;
        free(path);
    }
    mcti_buf_addc(to, '}');
}

/* Appends the reasons why contents have no path, if there are any. */
static void put_unsaved(const struct saving *s, struct mcti_buf *to)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 2 * sizeof s->why.message);
    if (s->why.kind)
        mcti_buf_addz(&text, s->why.message);
    if (s->n > SAVED_BLOBS)
        mcti_buf_printf(&text, "%s%zu blobs were not saved: of one result %d are at most", text.len ? "; " : "",
                        s->n - SAVED_BLOBS, SAVED_BLOBS);
    if (text.len)
        mcti_json_put_member(to, "error", mcti_buf_str(&text));
    mcti_buf_done(&text);
}

static void claude_on_read(struct mcti_dialect_call *c)
{
    struct saving s = { 0 };
    struct mcti_str item;
    struct mcti_buf b;
    if (!c->reading.result.p) {
        claude_refuse_failed(c, &c->reading.error, lacks_resources(c->server, &c->reading.error));
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"contents\":[");
    struct mcti_str contents = mcti_json_get(c->reading.result, "contents");
    for (struct mcti_json_iter it = mcti_json_open(contents); mcti_json_next_item(&it, &item);)
        claude_put_content(c, &s, &b, item);
    mcti_buf_addc(&b, ']');
    put_unsaved(&s, &b);
    mcti_buf_addc(&b, '}');
    if (s.is_open)
        mcti_blob_store_close(&s.store);
    free(s.folder);
    mcti_dialect_answer(c, &b);
}

static void claude_check_read(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    const char *missing = !mcti_dialect_has_text(c, "server") ? "server"
                          : !mcti_dialect_has_text(c, "uri")  ? "uri"
                                                              : NULL;
    if (missing)
        mcti_buf_printf(refusal, "ReadMcpResourceTool requires `%s` (string)", missing);
}

static void claude_run_read(struct mcti_dialect_call *c)
{
    c->uri = mcti_dialect_text(c, "uri");
    if (claude_take_server(c))
        mcti_dialect_read(c, mcti_str_of(c->uri), c->server, claude_on_read);
}

static const struct mcti_dialect_tool tools[] = {
    { .json = list_json, .run = claude_run_list },
    { .json = read_json, .run = claude_run_read, .check = claude_check_read }
};
const struct mcti_dialect mcti_dialect_claude = { .name = "claude", .tools = tools, .n_tools = 2 };
