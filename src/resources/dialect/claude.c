/*
 * The resource tools of Claude Code: lists as bare arrays in which each entry ends with its server, and binary contents
 * as files whose paths are given. Resources of MCP Apps (ui://…) are for the host's screen and not listed.
 *
 * A server that fails is left out of the list of all; named, it is an error, and so is one without resources.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "resources/blob_store.h"

#include <stdlib.h>

/* Blobs that are saved of one result, and files that there are of all of them. */
enum { SAVED_BLOBS = 64, KEPT_FILES = 4096, KEPT_S = 7 * 86400 };
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

/* True: c->server is the one that is named, if one is. */
static bool find_named(struct dialect_call *c)
{
    struct mct_buf b;
    c->name = dialect_text(c, "server");
    if (dialect_find_server(c))
        return true;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_printf(&b, "Server \"%s\" not found. Available servers: ", c->name);
    dialect_put_servers(c, &b, false);
    dialect_refuse_buf(c, &b);
    return false;
}

static bool is_away(const struct mct_error *err)
{
    return err->kind == MCT_ERR_CONNECT || err->kind == MCT_ERR_AUTH || err->kind == MCT_ERR_CONFIG;
}

/* Says why c->server did not answer. The connection that was used may be another than that of c->server: what is said
 * of the failure counts, not the state c->server is in. */
static void refuse_failed(struct dialect_call *c, const struct mct_error *err, bool lacks)
{
    const char *text = dialect_error_text(c->server, err);
    if (is_away(err)) {
        mct_log(c->set->log, MCT_LOG_WARN, "server '%s' is not connected: %s", c->name, text);
        dialect_refuse(c, "Server \"%s\" is not connected", c->name);
    } else if (lacks) {
        dialect_refuse(c, "Server \"%s\" does not support resources", c->name);
    } else if (err->code) {
        dialect_refuse(c, "MCP error %d: %s", err->code, text);
    } else {
        dialect_refuse(c, "%s", text);
    }
}

/* Whether it says of itself that it has no resources. */
static bool lacks_resources(const struct mct_provider *p, const struct mct_error *err)
{
    return err->kind == MCT_ERR_UNSUPPORTED && p->state == MCT_CONNECTED &&
           !mct_server_can(&p->info, "resources", NULL);
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
        refuse_failed(c, &c->listing.parts->error, c->listing.parts->lacks);
        return;
    }
    mct_buf_init(&b, 2 * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '[');
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mct_listing_part *part = &c->listing.parts[i];
        put_part(&b, part);
        dialect_log_failed(c, part, true);
    }
    bool none = b.len == 1;
    if (none)
        mct_buf_clear(&b);
    mct_buf_addz(&b, none ? nothing : "]");
    dialect_answer(c, &b);
}

static void run_list(struct dialect_call *c)
{
    if (find_named(c))
        dialect_list(c, MCT_RESOURCE, c->server, on_listed);
}

/* ---- read ---- */

/* The blobs of one result. */
struct saving {
    char *folder;
    struct mct_blob_store store;
    bool is_open;
    size_t n;             /* that there are, saved or not */
    struct mct_error why; /* the first reason why one was not saved; kind NONE: all were */
};

static int open_store(const struct dialect_call *c, struct saving *s, struct mct_error *err)
{
    if (s->is_open)
        return 0;
    if (!s->folder)
        s->folder = c->set->opts.blob_dir ? strdup(c->set->opts.blob_dir) : mct_blob_store_default();
    if (!s->folder)
        return mct_fail(err, MCT_ERR_CONFIG, "there is no folder for blobs: neither XDG_CACHE_HOME nor HOME is set");
    s->store = (struct mct_blob_store){ .dir = s->folder, .max_bytes = kept_bytes, .max_files = KEPT_FILES,
                                        .max_age_s = KEPT_S, .now_s = dialect_wall_ms(c->set) / 1000 };
    s->is_open = mct_blob_store_open(&s->store, err) == 0;
    return s->is_open ? 0 : -1;
}

static char *save(const struct dialect_call *c, struct saving *s, struct mct_str item, struct mct_error *err)
{
    struct mct_str blob = mct_json_get(item, "blob");
    char *mime = mct_json_dup(mct_json_get(item, "mimeType")), *path = NULL;
    struct mct_buf bytes;
    mct_buf_init(&bytes, blob.len);
    if (dialect_put_blob(&bytes, blob) < 0)
        mct_fail(err, MCT_ERR_PROTOCOL, "the blob is not base64");
    else if (open_store(c, s, err) == 0)
        mct_blob_store_put(&s->store, mct_buf_str(&bytes), mct_str_of(mime ? mime : ""), &path, err);
    mct_buf_done(&bytes);
    free(mime);
    return path;
}

static void put_content(const struct dialect_call *c, struct saving *s, struct mct_buf *to, struct mct_str item)
{
    static const char *const keys[] = { "uri", "mimeType", "text" };
    struct mct_error err;
    mct_buf_addz(to, mct_buf_last(to) == '[' ? "{" : ",{");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        dialect_put(to, keys[i], mct_json_get(item, keys[i]), false);
    bool is_blob = mct_json_type(mct_json_get(item, "text")) != '"' && mct_json_type(mct_json_get(item, "blob")) == '"';
    if (is_blob && s->n++ < SAVED_BLOBS) {
        char *path = save(c, s, item, &err);
        if (path)
            mct_json_put_member(to, "blobSavedTo", mct_str_of(path));
        else if (!s->why.kind)
            s->why = err;
        free(path);
    }
    mct_buf_addc(to, '}');
}

/* Why contents have no path, if some have none. */
static void put_unsaved(const struct saving *s, struct mct_buf *to)
{
    struct mct_buf text;
    mct_buf_init(&text, 2 * sizeof s->why.message);
    if (s->why.kind)
        mct_buf_addz(&text, s->why.message);
    if (s->n > SAVED_BLOBS)
        mct_buf_printf(&text, "%s%zu blobs were not saved: of one result %d are at most", text.len ? "; " : "",
                       s->n - SAVED_BLOBS, SAVED_BLOBS);
    if (text.len)
        mct_json_put_member(to, "error", mct_buf_str(&text));
    mct_buf_done(&text);
}

static void on_read(struct dialect_call *c)
{
    struct saving s = { 0 };
    struct mct_str item;
    struct mct_buf b;
    if (!c->reading.result.p) {
        refuse_failed(c, &c->reading.error, lacks_resources(c->server, &c->reading.error));
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"contents\":[");
    struct mct_str contents = mct_json_get(c->reading.result, "contents");
    for (struct mct_json_iter it = mct_json_open(contents); mct_json_next_item(&it, &item);)
        put_content(c, &s, &b, item);
    mct_buf_addc(&b, ']');
    put_unsaved(&s, &b);
    mct_buf_addc(&b, '}');
    if (s.is_open)
        mct_blob_store_close(&s.store);
    free(s.folder);
    dialect_answer(c, &b);
}

static void check_read(const struct dialect_call *c, struct mct_buf *refusal)
{
    const char *missing = !dialect_has_text(c, "server") ? "server" : !dialect_has_text(c, "uri") ? "uri" : NULL;
    if (missing)
        mct_buf_printf(refusal, "ReadMcpResourceTool requires `%s` (string)", missing);
}

static void run_read(struct dialect_call *c)
{
    c->uri = dialect_text(c, "uri");
    if (find_named(c))
        dialect_read(c, mct_str_of(c->uri), c->server, on_read);
}

static const struct dialect_tool tools[] = { { .json = list_json, .run = run_list },
                                             { .json = read_json, .run = run_read, .check = check_read } };
const struct dialect dialect_claude = { .name = "claude", .tools = tools, .n_tools = 2 };
