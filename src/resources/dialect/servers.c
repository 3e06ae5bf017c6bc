/*
 * Resource tools of single servers, for few servers: they stand among the server's own tools,
 * named as these are. Lists are bare arrays, absent members are left out, and what is read becomes one text.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"

static const char nothing[] = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";

/* ---- lists ---- */

static const struct {
    const char *from, *to;
} members[] = { { "uri", "uri" }, { "uriTemplate", "uri_template" }, { "name", "name" }, { "description", "description" },
                { "mimeType", "mime_type" } };

/* {audience, priority}, what there is of it. */
static void put_annotations(struct mct_buf *to, struct mct_str annotations)
{
    struct mct_str audience = mct_json_get(annotations, "audience"), priority = mct_json_get(annotations, "priority");
    if (!audience.p && !priority.p)
        return;
    mct_json_put_key(to, "annotations");
    mct_buf_addc(to, '{');
    dialect_put(to, "audience", audience, false);
    dialect_put(to, "priority", priority, false);
    mct_buf_addc(to, '}');
}

static void put_item(struct mct_buf *to, struct mct_str item)
{
    mct_buf_addc(to, '{');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct mct_str v = mct_json_get(item, members[i].from);
        if (mct_json_type(v) == '"' && v.len > 2)
            dialect_put(to, members[i].to, v, false);
    }
    put_annotations(to, mct_json_get(item, "annotations"));
    mct_buf_addc(to, '}');
}

static void on_listed(struct dialect_call *c)
{
    const struct mct_listing_part *part = c->listing.parts;
    const char *what = c->listing.kind == MCT_TEMPLATE ? "list_resource_templates" : "list_resources";
    struct mct_str item;
    struct mct_buf b;
    if (part->error.kind) {
        dialect_refuse(c, "mcp '%s' %s error: %s", c->server->name, what, dialect_error_text(c->server, &part->error));
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '[');
    for (struct mct_json_iter it = mct_listing_items(part); mct_json_next_item(&it, &item);) {
        if (b.len > 1)
            mct_buf_addc(&b, ',');
        put_item(&b, item);
    }
    mct_buf_addc(&b, ']');
    dialect_answer(c, &b);
}

static void run_list(struct dialect_call *c)
{
    dialect_list(c, MCT_RESOURCE, c->server, on_listed);
}

static void run_templates(struct dialect_call *c)
{
    dialect_list(c, MCT_TEMPLATE, c->server, on_listed);
}

/* ---- read ---- */

static void put_content(struct mct_buf *to, struct mct_str item)
{
    struct mct_str text = mct_json_get(item, "text"), blob = mct_json_get(item, "blob"), mime = mct_json_get(item, "mimeType");
    if (mct_json_type(text) == '"') {
        mct_json_unescape_any(text, to);
    } else if (mct_json_type(blob) == '"') {
        mct_buf_addz(to, "[blob: ");
        if (mct_json_unescape_any(mime, to) < 0)
            mct_buf_addc(to, '?');
        mct_buf_printf(to, ", %zu bytes]", dialect_blob_size(blob));
    } else {
        mct_buf_addz(to, "[empty resource content]");
    }
}

static void on_read(struct dialect_call *c)
{
    struct mct_str item, result = c->reading.result;
    struct mct_buf b;
    size_t n = 0;
    const struct mct_error *err = &c->reading.error;
    if (!result.p) {
        dialect_refuse(c, err->kind == MCT_ERR_POLICY ? "mcp '%s' read_resource: %s" : "mcp '%s' read_resource error: %s",
                       c->server->name, dialect_error_text(c->server, err));
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    for (struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents")); mct_json_next_item(&it, &item); n++) {
        mct_buf_addz(&b, n ? "\n\n" : "");
        put_content(&b, item);
    }
    dialect_answer(c, &b);
}

static void check_read(const struct dialect_call *c, struct mct_buf *refusal)
{
    if (!dialect_has_text(c, "uri"))
        mct_buf_printf(refusal, "mcp '%s' read_resource: missing required 'uri' argument", c->server->name);
}

static void run_read(struct dialect_call *c)
{
    c->uri = dialect_text(c, "uri");
    dialect_read(c, mct_str_of(c->uri), c->server, on_read);
}

const struct dialect_server_tool dialect_server_tools[DIALECT_SERVER_TOOLS] = {
    { "list_resources", "List the resources of this server.", nothing, run_list, NULL },
    { "list_resource_templates", "List the resource templates of this server.", nothing, run_templates, NULL },
    { "read_resource", "Read a resource of this server.",
      "{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\"}},\"required\":[\"uri\"],"
      "\"additionalProperties\":false}", run_read, check_read },
};
