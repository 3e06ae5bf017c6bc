/*
 * Writes the tables of configuration keys into docs/CONFIGURATION.md and man/mcptools.json.5, and that of options into
 * man/mcptools.1.scd: between the lines "keys: PATH" or "options" and "end". The rest of these files is written by
 * hand. Without --write: fails if a file differs from the tables.
 *
 * usage: table-docs [--write] FILE...
 */
#include "cli/option.h"
#include "base/buf.h"
#include "config/read_impl.h"
#include "resources/dialect/dialect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_BYTES = 1 << 20, KEY_BYTES = 256, TEXT_BYTES = 512 };

struct page;

struct form {
    const char *ending;               /* of the names of files in this form */
    const char *begin, *behind, *end; /* begin PATH behind; end: whole lines */
    const char *head;                 /* what stands in front of the rows */
    const char *open, *close;         /* around code */
    const char *special;              /* characters that a backslash makes plain */
    void (*put_row)(struct mcti_buf *to, const struct form *form, const char *key, const struct mcti_config_field *f,
                    const void *defaults);
    void (*put_part)(struct page *page, const char *want);
};

struct page {
    const struct form *form;
    const char *old;
    struct mcti_buf out;
    unsigned n_rows, n_keys; /* written; known */
};

/* ---- texts ---- */

/* Writes a text with `code` in it. */
static void put_text(struct mcti_buf *to, const struct form *form, const char *text)
{
    bool is_code = false;
    for (; *text; text++) {
        if (*text != '`') {
            mcti_buf_addz(to, strchr(form->special, *text) ? "\\" : "");
            mcti_buf_addc(to, *text);
            continue;
        }
        is_code = !is_code;
        mcti_buf_addz(to, is_code ? form->open : form->close);
    }
}

static void put_words(struct mcti_buf *to, const struct form *form, const struct mcti_word *words)
{
    for (const struct mcti_word *w = words; w->word; w++)
        mcti_buf_printf(to, "%s%s%s%s", w == words ? "" : w[1].word ? ", " : " or ", form->open, w->word, form->close);
}

static void put_range(struct mcti_buf *to, const struct mcti_config_field *f)
{
    mcti_buf_printf(to, "%s, %zu to %zu", f->unit ? f->unit : "number", f->min, f->max);
}

static const char *const kinds[] = {
    [TYPE_STRING] = "string",
    [TYPE_STRINGS] = "list of strings",
    [TYPE_PAIRS] = "object of strings",
    [TYPE_BOOL] = "`true` or `false`",
    [TYPE_INT] = "whole number",
    [TYPE_DIALECTS] = "list of " MCT_DIALECT_WORDS,
    [TYPE_JSON] = "object",
    [TYPE_RULES] = "object of objects",
    [TYPE_GROUPS] = "object of lists of strings",
    [TYPE_TOKENS] = "list of strings and objects",
    [TYPE_HOOKS] = "list of objects",
    [TYPE_LATER] = "any",
};

static void put_kind(struct mcti_buf *to, const struct form *form, const struct mcti_config_field *f)
{
    if (f->words)
        put_words(to, form, f->words);
    if (f->type == TYPE_REVISION)
        mcti_buf_addz(to, ", or a revision");
    else if (f->max)
        put_range(to, f);
    else if (!f->words)
        put_text(to, form, f->type == TYPE_SPECIAL ? f->unit : kinds[f->type]);
}

static void put_size(struct mcti_buf *to, size_t n)
{
    mcti_buf_printf(to, "%zu", n);
    if (n && n % (1u << 30) == 0)
        mcti_buf_printf(to, " (%zu GiB)", n >> 30);
    else if (n && n % (1u << 20) == 0)
        mcti_buf_printf(to, " (%zu MiB)", n >> 20);
}

/* Writes the value that a configuration without the key has. */
static void put_default(struct mcti_buf *to, const struct form *form, const struct mcti_config_field *f,
                        const void *defaults)
{
    const void *slot = (const char *)defaults + f->offset;
    const char *word = f->type == TYPE_ENUM ? mcti_word_of(f->words, *(const unsigned *)slot)
                       : f->type == TYPE_WORD || f->type == TYPE_STRING ? *(const char *const *)slot
                                                                        : NULL;
    if (f->preset)
        put_text(to, form, f->preset);
    else if (f->type == TYPE_BOOL)
        mcti_buf_printf(to, "%s%s%s", form->open, *(const bool *)slot ? "true" : "false", form->close);
    else if (f->type == TYPE_UINT || f->type == TYPE_INT)
        put_size(to, *(const unsigned *)slot);
    else if (f->type == TYPE_BYTES)
        put_size(to, *(const size_t *)slot);
    else if (f->type == TYPE_SECONDS)
        mcti_buf_printf(to, "%g", *(const unsigned *)slot / 1000.0);
    else if (word)
        mcti_buf_printf(to, "%s%s%s", form->open, word, form->close);
    else
        mcti_buf_addz(to, "none");
}

/* ---- rows ---- */

static void put_markdown_row(struct mcti_buf *to, const struct form *form, const char *key,
                             const struct mcti_config_field *f, const void *defaults)
{
    mcti_buf_printf(to, "| `%s` | ", key);
    put_kind(to, form, f);
    mcti_buf_addz(to, " | ");
    put_default(to, form, f, defaults);
    mcti_buf_printf(to, " | %s |\n", f->help);
}

static void put_man_row(struct mcti_buf *to, const struct form *form, const char *key,
                        const struct mcti_config_field *f, const void *defaults)
{
    mcti_buf_printf(to, ".TP\n.B %s\n", key);
    put_text(to, form, f->help);
    mcti_buf_addz(to, "\n.br\nValue: ");
    put_kind(to, form, f);
    mcti_buf_addz(to, ". Default: ");
    put_default(to, form, f, defaults);
    mcti_buf_addz(to, ".\n");
}

/* ---- keys ---- */

static bool has_part(const struct page *page, const char *path)
{
    char line[KEY_BYTES + 32];
    snprintf(line, sizeof line, "%s%s%s", page->form->begin, path, page->form->behind);
    return strstr(page->old, line);
}

/* Returns the key as the documents write it: without what all keys begin with. */
static const char *shown_key(const char *path)
{
    static const char *const heads[] = { "mcpServers.NAME.", "mcptools." };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!strncmp(path, heads[i], strlen(heads[i])))
            return path + strlen(heads[i]);
    return path;
}

/* Writes the rows that belong to the part `want` of the page, and counts all keys if that is NULL. Tables below `path`
 * belong to the same part unless they have their own. */
static void put_rows(struct page *page, const char *want, const char *path, const struct mcti_config_field *fields,
                     const void *defaults, bool is_inside)
{
    static const char zeros[4096];
    if (want && has_part(page, path))
        is_inside = !strcmp(path, want);
    for (const struct mcti_config_field *f = fields; f->key; f++) {
        char key[KEY_BYTES];
        bool is_object = f->type == TYPE_OBJECT;
        snprintf(key, sizeof key, "%s.%s", path, f->key);
        page->n_keys += !want && !is_object;
        page->n_rows += is_inside && !is_object;
        if (is_inside && !is_object)
            page->form->put_row(&page->out, page->form, shown_key(key), f, defaults);
        const char *each = is_object ? "" : f->type == TYPE_RULES ? ".NAME" : "[]";
        snprintf(key, sizeof key, "%s.%s%s", path, f->key, each);
        if (f->fields)
            put_rows(page, want, key, f->fields, is_object ? defaults : zeros, is_inside);
    }
}

static void put_keys(struct page *page, const char *want)
{
    struct mcti_config c;
    mcti_config_init(&c);
    const struct mcti_config_server *s = mcti_config_add_server(&c, "NAME");
    if (s)
        put_rows(page, want, "mcpServers.NAME", mcti_config_server_fields, s, false);
    put_rows(page, want, "mcptools", mcti_config_settings_fields, &c, false);
    mcti_config_done(&c);
}

/* ---- options ---- */

static void put_option(struct mcti_buf *to, const struct form *form, const struct mcti_option *o)
{
    struct mcti_str only = mcti_str_of(o->only), word;
    if (o->letter)
        mcti_buf_printf(to, "*-%c*, ", o->letter);
    mcti_buf_printf(to, "*%s*", o->name);
    if (o->argument) {
        mcti_buf_addc(to, ' ');
        put_text(to, form, o->argument);
    }
    mcti_buf_printf(to, "\n\t%c", toupper((unsigned char)o->help[0]));
    put_text(to, form, o->help + 1);
    mcti_buf_addc(to, '.');
    if (o->more) {
        mcti_buf_addc(to, ' ');
        put_text(to, form, o->more);
    }
    for (const char *before = " Only with "; mcti_str_split(&only, ' ', &word); before = ", ")
        mcti_buf_printf(to, "%s*%.*s*", before, MCT_STR_ARG(word));
    mcti_buf_addz(to, o->only ? ".\n\n" : "\n\n");
}

static void put_options(struct page *page, const char *want)
{
    for (const struct mcti_option *o = mcti_options; o->name; o++) {
        page->n_keys += !want;
        page->n_rows += want != NULL;
        if (want)
            put_option(&page->out, page->form, o);
    }
}

/* ---- forms ---- */

static const struct form forms[] = {
    { ".md", "<!-- keys: ", " -->\n", "<!-- end -->\n", "| key | value | default | meaning |\n|---|---|---|---|\n", "`",
      "`", "", put_markdown_row, put_keys },
    { ".5", ".\\\" keys: ", "\n", ".\\\" end\n", "", "\\fB", "\\fR", "\\", put_man_row, put_keys },
    { ".scd", "; options", "\n", "; end\n", "\n", "*", "*", "\\_*<`", NULL, put_options },
};

static const struct form *form_of(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i].ending);
        if (len > n && !strcmp(path + len - n, forms[i].ending))
            return &forms[i];
    }
    return NULL;
}

/* ---- pages ---- */

/* Writes the page anew. Returns what is wrong with it, or NULL. */
static const char *make_page(struct page *page)
{
    const struct form *form = page->form;
    for (const char *at = page->old; *at;) {
        const char *begin = strstr(at, form->begin), *path = begin ? begin + strlen(form->begin) : NULL;
        const char *behind = path ? strstr(path, form->behind) : NULL, *end = behind ? strstr(behind, form->end) : NULL;
        char want[KEY_BYTES];
        if (begin && (!end || (size_t)(behind - path) >= sizeof want))
            return "a part has no end";
        if (!begin) {
            mcti_buf_addz(&page->out, at);
            break;
        }
        snprintf(want, sizeof want, "%.*s", (int)(behind - path), path);
        mcti_buf_add(&page->out, mcti_str_range(at, behind + strlen(form->behind)));
        mcti_buf_addz(&page->out, form->head);
        unsigned before = page->n_rows;
        form->put_part(page, want);
        if (page->n_rows == before)
            return "a part names no table";
        mcti_buf_addz(&page->out, form->end);
        at = end + strlen(form->end);
    }
    form->put_part(page, NULL);
    return page->n_rows == page->n_keys ? NULL : "a table has no part";
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = f ? calloc(1, PAGE_BYTES) : NULL;
    if (text && !fread(text, 1, PAGE_BYTES - 1, f))
        text[0] = '\0';
    if (f)
        fclose(f);
    return text;
}

static int write_file(const char *path, struct mcti_str text)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(text.p, 1, text.len, f) == text.len;
    return f && fclose(f) == 0 && ok ? 0 : -1;
}

/* Returns what is wrong with the file, or NULL. */
static const char *check_file(const char *path, bool writes)
{
    char *old = read_file(path);
    struct page page = { .form = form_of(path), .old = old };
    mcti_buf_init(&page.out, PAGE_BYTES);
    const char *what = !page.form ? "is in no known form" : old ? make_page(&page) : "cannot be read";
    bool same = old && !what && mcti_str_is(mcti_buf_str(&page.out), old);
    if (!what && !same && !writes)
        what = "differs from the tables; run: ninja -C BUILD update-docs";
    if (!what && !same && write_file(path, mcti_buf_str(&page.out)) < 0)
        what = "cannot be written";
    mcti_buf_done(&page.out);
    free(old);
    return what;
}

int main(int argc, char **argv)
{
    bool writes = argc > 1 && !strcmp(argv[1], "--write");
    int status = argc > 1 + writes ? 0 : 2;
    for (int i = 1 + writes; i < argc; i++) {
        const char *what = check_file(argv[i], writes);
        if (what) {
            fprintf(stderr, "%s: %s\n", argv[i], what);
            status = 1;
        }
    }
    return status;
}
