/*
 * Resource tools of single servers, suited to setups with few servers. They are listed among the server's own tools and
 * named like these. Lists are bare arrays, absent members are left out, and the contents of a read become one text.
 */
#include "resources/dialect/impl.h"

#include "base/limits.h"

static const char nothing[] = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";

/* ---- lists ---- */

static const struct {
    const char *from, *to;
} members[] = { { "uri", "uri" },
                { "uriTemplate", "uri_template" },
                { "name", "name" },
                { "description", "description" },
                { "mimeType", "mime_type" } };

/* Appends audience and priority, as far as they are present. */
static void put_annotations(struct mcti_buf *to, struct mcti_str annotations)
{
    struct mcti_str audience = mcti_json_get(annotations, "audience"),
                    priority = mcti_json_get(annotations, "priority");
    if (!audience.p && !priority.p)
        return;
    mcti_json_put_key(to, "annotations");
    mcti_buf_addc(to, '{');
    mcti_dialect_put(to, "audience", audience, false);
    mcti_dialect_put(to, "priority", priority, false);
    mcti_buf_addc(to, '}');
}

static void dialect_servers_put_item(struct mcti_buf *to, struct mcti_str item)
{
    mcti_buf_addc(to, '{');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct mcti_str v = mcti_json_get(item, members[i].from);
        if (mcti_json_type(v) == '"' && v.len > 2)
            mcti_dialect_put(to, members[i].to, v, false);
    }
    put_annotations(to, mcti_json_get(item, "annotations"));
    mcti_buf_addc(to, '}');
}

static void dialect_servers_on_listed(struct mcti_dialect_call *c)
{
    const struct mcti_listing_part *part = c->listing.parts;
    const char *what = c->listing.kind == MCT_TEMPLATE ? "list_resource_templates" : "list_resources";
    struct mcti_str item;
    struct mcti_buf b;
    if (part->error.kind) {
        mcti_buf_init(&b, 4096);
        mcti_buf_printf(&b, "mcp '%s' %s error: ", c->server->name, what);
        mcti_dialect_put_nexo_error(&b, c->server, &part->error, part->duration_ms);
        mcti_dialect_refuse_buf(c, &b);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '[');
    for (struct mcti_json_iter it = mcti_listing_items(part); mcti_json_next_item(&it, &item);) {
        if (b.len > 1)
            mcti_buf_addc(&b, ',');
        dialect_servers_put_item(&b, item);
    }
    mcti_buf_addc(&b, ']');
    mcti_dialect_answer(c, &b);
}

static void dialect_servers_run_list(struct mcti_dialect_call *c)
{
    mcti_dialect_list(c, MCT_RESOURCE, c->server, dialect_servers_on_listed);
}

static void dialect_servers_run_templates(struct mcti_dialect_call *c)
{
    mcti_dialect_list(c, MCT_TEMPLATE, c->server, dialect_servers_on_listed);
}

/* ---- read ---- */

static void dialect_servers_put_content(struct mcti_buf *to, struct mcti_str item)
{
    struct mcti_str text = mcti_json_get(item, "text"), blob = mcti_json_get(item, "blob"),
                    mime = mcti_json_get(item, "mimeType");
    if (mcti_json_type(text) == '"') {
        mcti_json_unescape_any(text, to);
    } else if (mcti_json_type(blob) == '"') {
        mcti_buf_addz(to, "[blob: ");
        if (mcti_json_unescape_any(mime, to) < 0)
            mcti_buf_addc(to, '?');
        mcti_buf_printf(to, ", %zu bytes]", mcti_dialect_blob_size(blob));
    } else {
        mcti_buf_addz(to, "[empty resource content]");
    }
}

static void dialect_servers_on_read(struct mcti_dialect_call *c)
{
    struct mcti_str item, result = c->reading.result;
    struct mcti_buf b;
    size_t n = 0;
    if (!result.p) {
        mcti_dialect_refuse_nexo_read(c, NULL);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents")); mcti_json_next_item(&it, &item);
         n++) {
        mcti_buf_addz(&b, n ? "\n\n" : "");
        dialect_servers_put_content(&b, item);
    }
    mcti_dialect_answer(c, &b);
}

static void dialect_servers_check_read(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    if (!mcti_dialect_has_text(c, "uri"))
        mcti_buf_printf(refusal, "mcp '%s' read_resource: missing required 'uri' argument", c->server->name);
}

static void dialect_servers_run_read(struct mcti_dialect_call *c)
{
    c->uri = mcti_dialect_text(c, "uri");
    mcti_dialect_read(c, mcti_str_of(c->uri), c->server, dialect_servers_on_read);
}

const struct mcti_dialect_server_tool mcti_dialect_server_tools[DIALECT_SERVER_TOOLS] = {
    { "list_resources", "List the resources of this server.", nothing, dialect_servers_run_list, NULL },
    { "list_resource_templates", "List the resource templates of this server.", nothing, dialect_servers_run_templates,
      NULL },
    { "read_resource", "Read a resource of this server.",
      "{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\"}},\"required\":[\"uri\"],"
      "\"additionalProperties\":false}",
      dialect_servers_run_read, dialect_servers_check_read },
};
