/* Converts content blocks that a revision does not have. */
#include "mcp/shape/impl.h"

/* Returns the text between the quotes of a string, which can be inserted into another string; empty for other values.
 */
static struct mcti_str inside_of(struct mcti_str string)
{
    if (mcti_json_type(string) != '"')
        return MCT_STR("");
    return (struct mcti_str){ string.p + 1, string.len - 2 };
}

/* ---- a resource_link as text: "[TITLE] URI", and the description on a line of its own ---- */

static enum mcti_shape_outcome type_of_link(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_buf *to = s->edit.to;
    struct mcti_str title = inside_of(mcti_json_get(s->whole, "title"));
    struct mcti_str description = inside_of(mcti_json_get(s->whole, "description"));
    mcti_json_edit_replace(&s->edit, m->value, MCT_STR("\"text\",\"text\":\"["));
    mcti_buf_add(to, title.len ? title : inside_of(mcti_json_get(s->whole, "name")));
    mcti_buf_add(to, MCT_STR("] "));
    mcti_buf_add(to, inside_of(mcti_json_get(s->whole, "uri")));
    if (description.len)
        mcti_buf_add(to, MCT_STR("\\n"));
    mcti_buf_add(to, description);
    mcti_buf_addc(to, '"');
    return SHAPE_KEEP;
}

static const struct mcti_shape_rule link_as_text[] = {
    { "type", .inside = type_of_link },
    { "uri", .inside = mcti_shape_never },
    { "name", .inside = mcti_shape_never },
    { "title", .inside = mcti_shape_never },
    { "description", .inside = mcti_shape_never },
    { "mimeType", .inside = mcti_shape_never },
    { "size", .inside = mcti_shape_never },
    { "icons", .inside = mcti_shape_never },
    { "text", .inside = mcti_shape_never },
};

static const struct mcti_shape_rule link_rules[] = { { "icons", MCT_REV_2025_11_25 } };

/* ---- audio as an embedded resource: no byte is lost, and 2024-11-05 allows blobs of any type ---- */

static enum mcti_shape_outcome type_of_audio(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_buf *to = s->edit.to;
    struct mcti_str mime = mcti_json_get(s->whole, "mimeType");
    mcti_json_edit_replace(&s->edit, m->value, MCT_STR("\"resource\",\"resource\":{"));
    mcti_buf_printf(to, "\"uri\":\"urn:mcptools:audio:%u\"", ++s->n_audio);
    if (mime.p)
        mcti_json_put_raw(to, "mimeType", mime);
    mcti_json_put_raw(to, "blob", mcti_json_get(s->whole, "data"));
    mcti_buf_addc(to, '}');
    return SHAPE_KEEP;
}

static const struct mcti_shape_rule audio_as_blob[] = {
    { "type", .inside = type_of_audio },
    { "mimeType", .inside = mcti_shape_never },
    { "data", .inside = mcti_shape_never },
    { "resource", .inside = mcti_shape_never },
};

/* ---- blocks ---- */

static const struct {
    const char *type, *needs; /* needs: a string without which the block is not of this type */
    enum mcti_rev since;
    const struct mcti_shape_rule *before; /* for older revisions */
    size_t n_before;
    const struct mcti_shape_rule *then; /* for revisions that have the type */
    size_t n_then;
} rows[] = {
    { "audio", "data", MCT_REV_2025_03_26, SHAPE_TABLE(audio_as_blob), NULL, 0 },
    { "resource_link", "uri", MCT_REV_2025_06_18, SHAPE_TABLE(link_as_text), SHAPE_TABLE(link_rules) },
};

enum mcti_shape_outcome mcti_shape_block(struct mcti_shape *s, struct mcti_str block)
{
    struct mcti_str type = mcti_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mcti_json_is(type, rows[i].type) || mcti_json_type(mcti_json_get(block, rows[i].needs)) != '"')
            continue;
        bool known = s->to >= rows[i].since;
        mcti_shape_members(s, block, known ? rows[i].then : rows[i].before, known ? rows[i].n_then : rows[i].n_before);
    }
    return SHAPE_KEEP;
}

void mcti_shape_put_text_block(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, "{\"type\":\"text\",\"text\":");
    mcti_json_put_string(to, text);
    mcti_buf_addc(to, '}');
}
