/* Reads TOML: arrays, inline tables, and the kinds of values. */
#include "config/notation/toml.h"

#include "base/limits.h"

/* Skips blanks, line breaks and comments inside an array. */
static int skip_between(struct mcti_toml *t)
{
    do {
        mcti_toml_blanks(t);
        if (mcti_toml_comment(t) < 0)
            return -1;
    } while (mcti_toml_break(t));
    return 0;
}

static int read_items(struct mcti_toml *t, struct mcti_doc_node *array)
{
    t->p++;
    for (;;) {
        if (skip_between(t) < 0)
            return -1;
        if (mcti_toml_at(t, 0) == ']')
            break;
        struct mcti_doc_node *item = mcti_toml_value(t);
        if (!item || mcti_doc_add(t->tree, array, item) < 0 || skip_between(t) < 0)
            return -1;
        if (mcti_toml_at(t, 0) != ',' && mcti_toml_at(t, 0) != ']')
            return mcti_toml_fail(t, "\",\" or \"]\" is missing in the array");
        t->p += mcti_toml_at(t, 0) == ',';
    }
    t->p++;
    return 0;
}

/* Marks a table and the tables that dotted keys made in it: nothing adds to an inline table. */
static void close_inline(struct mcti_doc_node *table)
{
    table->origin = MCT_DOC_INLINE;
    for (struct mcti_doc_entry *e = table->first; e; e = e->next)
        if (e->value->type == '{' && e->value->origin != MCT_DOC_INLINE)
            close_inline(e->value);
}

static int read_inline(struct mcti_toml *t, struct mcti_doc_node *table)
{
    t->p++;
    mcti_toml_blanks(t);
    for (bool more = mcti_toml_at(t, 0) != '}'; more;) {
        if (mcti_toml_pair(t, table) < 0)
            return -1;
        mcti_toml_blanks(t);
        more = mcti_toml_at(t, 0) == ',';
        if (!more && mcti_toml_at(t, 0) != '}')
            return mcti_toml_fail(t, "\",\" or \"}\" is missing in the inline table, which must be on one line");
        t->p += more;
        mcti_toml_blanks(t);
    }
    t->p++;
    close_inline(table);
    return 0;
}

static struct mcti_doc_node *toml_read_text(struct mcti_toml *t)
{
    struct mcti_buf text;
    unsigned line = t->line;
    mcti_buf_init(&text, MCT_LIMIT_NOTATION_BYTES);
    int r = mcti_toml_string(t, &text, false);
    struct mcti_doc_node *node = NULL;
    if (r == 0 && (!mcti_buf_ok(&text) || !(node = mcti_doc_text(t->tree, '"', mcti_buf_str(&text), line))))
        mcti_doc_no_memory(t->tree);
    mcti_buf_done(&text);
    return node;
}

struct mcti_doc_node *mcti_toml_value(struct mcti_toml *t)
{
    char c = mcti_toml_at(t, 0);
    if (c == '"' || c == '\'')
        return toml_read_text(t);
    if (c != '[' && c != '{')
        return mcti_toml_word(t);
    if (t->depth >= MCT_LIMIT_NOTATION_DEPTH) {
        mcti_toml_fail(t, "values are nested too deeply");
        return NULL;
    }
    struct mcti_doc_node *node = mcti_doc_new(t->tree, c, t->line);
    if (!node) {
        mcti_doc_no_memory(t->tree);
        return NULL;
    }
    t->depth++;
    int r = c == '[' ? read_items(t, node) : read_inline(t, node);
    t->depth--;
    return r < 0 ? NULL : node;
}
