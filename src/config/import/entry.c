/* Writes the entry of a server as mcptools.json has it: by the rows of the table of its keys. */
#include "config/import/impl.h"

#include "json/write.h"
#include "mcp/era.h"

#include <stdio.h>

static void entry_put_strings(struct mcti_buf *to, const struct mcti_strings *list)
{
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_string(to, mcti_str_of(list->v[i]));
    }
    mcti_buf_addc(to, ']');
}

static void entry_put_pairs(struct mcti_buf *to, const struct mcti_pairs *pairs)
{
    mcti_buf_addc(to, '{');
    for (size_t i = 0; i < pairs->n; i++)
        mcti_json_put_member(to, pairs->v[i].key, mcti_str_of(pairs->v[i].value));
    mcti_buf_addc(to, '}');
}

static const char *protocol_word(const struct mcti_config_field *f, const struct mcti_server_protocol *p)
{
    if (p->rev)
        return mcti_rev_text(p->rev);
    return mcti_word_of(f->words, p->era == MCT_ERA_HANDSHAKE ? MCT_PROTOCOL_LEGACY : (unsigned)p->match);
}

/* Returns true if the values differ. `slot` and `preset` point to values of the type of the row. */
static bool entry_is_set(const struct mcti_config_field *f, const void *slot, const void *preset)
{
    switch (f->type) {
    case TYPE_STRING:
    case TYPE_WORD:
    case TYPE_JSON:
        return *(const char *const *)slot;
    case TYPE_STRINGS:
        return ((const struct mcti_strings *)slot)->n;
    case TYPE_PAIRS:
        return ((const struct mcti_pairs *)slot)->n;
    case TYPE_BOOL:
        return *(const bool *)slot != *(const bool *)preset;
    case TYPE_ENUM:
    case TYPE_UINT:
    case TYPE_SECONDS:
        return *(const unsigned *)slot != *(const unsigned *)preset;
    case TYPE_REVISION:
        return memcmp(slot, preset, sizeof(struct mcti_server_protocol)) != 0;
    default:
        return false;
    }
}

static void entry_put_value(struct mcti_buf *to, const struct mcti_config_field *f, const void *slot)
{
    double seconds;
    switch (f->type) {
    case TYPE_STRING:
    case TYPE_WORD:
        mcti_json_put_string(to, mcti_str_of(*(const char *const *)slot));
        break;
    case TYPE_JSON:
        mcti_buf_addz(to, *(const char *const *)slot);
        break;
    case TYPE_STRINGS:
        entry_put_strings(to, slot);
        break;
    case TYPE_PAIRS:
        entry_put_pairs(to, slot);
        break;
    case TYPE_UINT:
        mcti_buf_addu(to, *(const unsigned *)slot);
        break;
    case TYPE_BOOL:
        mcti_buf_addz(to, *(const bool *)slot ? "true" : "false");
        break;
    case TYPE_ENUM:
        mcti_json_put_string(to, mcti_str_of(mcti_word_of(f->words, *(const unsigned *)slot)));
        break;
    case TYPE_REVISION:
        mcti_json_put_string(to, mcti_str_of(protocol_word(f, slot)));
        break;
    default: /* other programs have other limits */
        seconds = *(const unsigned *)slot / 1000.0;
        seconds = seconds < (double)f->min ? (double)f->min : seconds > (double)f->max ? (double)f->max : seconds;
        mcti_json_put_double(to, seconds);
        break;
    }
}

/* Returns true if an earlier row of the table stores into the same member: the key is another name of that one. */
static bool is_alias(const struct mcti_config_field *fields, const struct mcti_config_field *f)
{
    for (const struct mcti_config_field *before = fields; before < f; before++)
        if (before->offset == f->offset && before->type == f->type)
            return true;
    return false;
}

/* Returns the value that may be written instead of an object with the first member alone, or the object. */
static struct mcti_str entry_shortest(const struct mcti_config_field *f, struct mcti_str object)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member first, second;
    bool is_one = mcti_json_next_member(&it, &first) && !mcti_json_next_member(&it, &second);
    return is_one && f->words && mcti_json_key_is(first.key, f->fields->key) ? first.value : object;
}

static void entry_put_fields(struct mcti_buf *to, const struct mcti_config_field *fields, const void *from,
                             const void *defaults)
{
    mcti_buf_addc(to, '{');
    for (const struct mcti_config_field *f = fields; f->key; f++) {
        const void *slot = (const char *)from + f->offset;
        struct mcti_buf inner;
        if (f->type == TYPE_OBJECT) {
            mcti_buf_init(&inner, 1u << 20);
            entry_put_fields(&inner, f->fields, from, defaults);
            if (inner.len > 2)
                mcti_json_put_raw(to, f->key, entry_shortest(f, mcti_buf_str(&inner)));
            mcti_buf_done(&inner);
        } else if (strcmp(f->key, "disabled") && !is_alias(fields, f) &&
                   entry_is_set(f, slot, (const char *)defaults + f->offset)) {
            mcti_json_put_key(to, f->key);
            entry_put_value(to, f, slot);
        }
    }
    mcti_buf_addc(to, '}');
}

void mcti_config_put_entry(struct mcti_buf *to, const struct mcti_config_server *s)
{
    struct mcti_config_server shown = *s;
    if (shown.command && shown.type == MCT_SERVER_STDIO)
        shown.type = MCT_SERVER_UNSET; /* "command" says it */
    entry_put_fields(to, mcti_config_server_fields, &shown, &mcti_config_server_preset);
}
