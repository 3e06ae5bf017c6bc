/* Content blocks: those a revision does not know become what it knows. */
#include "mcp/shape/impl.h"

/* What stands between the quotes of a string, which can stand in another; nothing for anything else. */
static struct mct_str inside_of(struct mct_str string)
{
    if (mct_json_type(string) != '"')
        return MCT_STR("");
    return (struct mct_str){ string.p + 1, string.len - 2 };
}

/* ---- a resource_link as text: "[TITLE] URI", and the description in a line of its own ---- */

static enum shape_fate type_of_link(struct shape *s, const struct mct_json_member *m)
{
    struct mct_buf *to = s->edit.to;
    struct mct_str title = inside_of(mct_json_get(s->whole, "title"));
    struct mct_str description = inside_of(mct_json_get(s->whole, "description"));
    mct_json_edit_replace(&s->edit, m->value, MCT_STR("\"text\",\"text\":\"["));
    mct_buf_add(to, title.len ? title : inside_of(mct_json_get(s->whole, "name")));
    mct_buf_add(to, MCT_STR("] "));
    mct_buf_add(to, inside_of(mct_json_get(s->whole, "uri")));
    if (description.len)
        mct_buf_add(to, MCT_STR("\\n"));
    mct_buf_add(to, description);
    mct_buf_addc(to, '"');
    return SHAPE_KEEP;
}

static const struct shape_rule link_as_text[] = {
    { "type", .inside = type_of_link },
    { "uri", .inside = shape_never }, { "name", .inside = shape_never }, { "title", .inside = shape_never },
    { "description", .inside = shape_never }, { "mimeType", .inside = shape_never },
    { "size", .inside = shape_never }, { "icons", .inside = shape_never }, { "text", .inside = shape_never },
};

static const struct shape_rule link_rules[] = { { "icons", MCT_REV_2025_11_25 } };

/* ---- audio as an embedded resource: no byte is lost, and 2024-11-05 knows blobs of any type ---- */

static enum shape_fate type_of_audio(struct shape *s, const struct mct_json_member *m)
{
    struct mct_buf *to = s->edit.to;
    struct mct_str mime = mct_json_get(s->whole, "mimeType");
    mct_json_edit_replace(&s->edit, m->value, MCT_STR("\"resource\",\"resource\":{"));
    mct_buf_printf(to, "\"uri\":\"urn:mcptools:audio:%u\"", ++s->n_audio);
    if (mime.p)
        mct_json_put_raw(to, "mimeType", mime);
    mct_json_put_raw(to, "blob", mct_json_get(s->whole, "data"));
    mct_buf_addc(to, '}');
    return SHAPE_KEEP;
}

static const struct shape_rule audio_as_blob[] = {
    { "type", .inside = type_of_audio }, { "mimeType", .inside = shape_never }, { "data", .inside = shape_never },
    { "resource", .inside = shape_never },
};

/* ---- blocks ---- */

static const struct {
    const char *type, *needs; /* a block without that string is none of the type */
    enum mct_rev since;
    const struct shape_rule *before; /* for older revisions */
    size_t n_before;
    const struct shape_rule *then;   /* for those that know the type */
    size_t n_then;
} rows[] = {
    { "audio", "data", MCT_REV_2025_03_26, SHAPE_TABLE(audio_as_blob), NULL, 0 },
    { "resource_link", "uri", MCT_REV_2025_06_18, SHAPE_TABLE(link_as_text), SHAPE_TABLE(link_rules) },
};

enum shape_fate shape_block(struct shape *s, struct mct_str block)
{
    struct mct_str type = mct_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mct_json_is(type, rows[i].type) || mct_json_type(mct_json_get(block, rows[i].needs)) != '"')
            continue;
        bool known = s->to >= rows[i].since;
        shape_members(s, block, known ? rows[i].then : rows[i].before, known ? rows[i].n_then : rows[i].n_before);
    }
    return SHAPE_KEEP;
}

void shape_put_text_block(struct mct_buf *to, struct mct_str text)
{
    mct_buf_addz(to, "{\"type\":\"text\",\"text\":");
    mct_json_put_string(to, text);
    mct_buf_addc(to, '}');
}
