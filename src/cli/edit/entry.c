/* Members of servers' entries as their files have them. */
#include "cli/edit/edit.h"

#include "config/import/import.h"
#include "config/notation/document.h"
#include "json/write.h"

#include <stdlib.h>
#include <sys/stat.h>

void mcti_change_entries_done(struct mcti_change_entries *x)
{
    free(x->file);
    mcti_buf_done(&x->text);
    *x = (struct mcti_change_entries){ .file = NULL };
}

/* Reads the entries of a file in JSON; nothing else is read, and a pipe has been read already. */
static void entries_open(struct mcti_change_entries *x, const char *file)
{
    struct mcti_buf text;
    struct mcti_edit e;
    struct mcti_edit_value v;
    struct stat st;
    mcti_change_entries_done(x);
    x->file = strdup(file);
    mcti_buf_init(&x->text, MCT_EDIT_MAX_BYTES);
    if (mcti_notation_of(file) != MCT_NOTATION_JSON || stat(file, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    mcti_buf_init(&text, MCT_EDIT_MAX_BYTES);
    int r = mcti_config_load(file, &text);
    mcti_edit_init(&e, NULL, mcti_buf_str(&text));
    if (r == 0 && mcti_edit_get(&e, mcti_change_container(&e), &v, NULL) == 0) {
        mcti_buf_add(&x->text, mcti_buf_str(&v.json));
        mcti_buf_done(&v.json);
    }
    x->next = mcti_json_open(mcti_buf_str(&x->text));
    mcti_edit_done(&e);
    mcti_buf_done(&text);
}

/* Finds an entry. Entries are asked for in the order of the file, so the search begins behind the last one. */
static struct mcti_str entries_find(struct mcti_change_entries *x, const char *name)
{
    struct mcti_json_member m;
    for (int round = 0; round < 2; round++) {
        while (mcti_json_next_member(&x->next, &m))
            if (mcti_json_key_is(m.key, name))
                return m.value;
        x->next = mcti_json_open(mcti_buf_str(&x->text));
    }
    return MCT_STR_NONE;
}

static bool entries_has_word(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

/* Returns the last member of that name, which is the one that counts. */
static struct mcti_str entries_last(struct mcti_str entry, const char *key)
{
    struct mcti_json_member m;
    struct mcti_str found = MCT_STR_NONE;
    for (struct mcti_json_iter it = mcti_json_open(entry); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, key))
            found = m.value;
    return found;
}

/* Only members that have a row: a key of another program may stand for a secret. */
static void entries_put_known(struct mcti_str entry, const char *const *but, struct mcti_buf *to)
{
    for (const struct mcti_config_field *f = mcti_config_server_fields; f->key; f++) {
        struct mcti_str value = entries_has_word(but, f->key) ? MCT_STR_NONE : entries_last(entry, f->key);
        if (!value.p)
            continue;
        mcti_json_put_key(to, f->key);
        mcti_json_put_compact(to, value);
    }
}

void mcti_change_put_members(struct mcti_change_entries *x, const struct mcti_config_server *s, const char *const *but,
                             struct mcti_buf *to)
{
    struct mcti_buf known, shown;
    if (!s->file)
        return;
    if (!x->file || strcmp(x->file, s->file) != 0)
        entries_open(x, s->file);
    mcti_buf_init(&known, MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&shown, MCT_EDIT_MAX_BYTES);
    mcti_buf_addc(&known, '{');
    entries_put_known(entries_find(x, s->name), but, &known);
    mcti_buf_addc(&known, '}');
    mcti_config_put_masked(&shown, mcti_buf_str(&known));
    struct mcti_str all = mcti_buf_str(&shown);
    if (all.len > 2) { /* more than "{}" */
        mcti_buf_addc(to, ',');
        mcti_buf_add(to, mcti_str_range(all.p + 1, all.p + all.len - 1));
    }
    mcti_buf_done(&known);
    mcti_buf_done(&shown);
}
