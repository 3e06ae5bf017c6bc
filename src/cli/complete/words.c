#include "cli/complete/impl.h"

#include <stdlib.h>

/* Appends the character behind a backslash, or the backslash if it means itself. Returns what follows. */
static const char *unquote_escape(struct mcti_buf *to, const char *p, bool in_quotes)
{
    if (!p[1])
        return p + 1;
    if (in_quotes && !strchr("\\\"$`", p[1]))
        mcti_buf_addc(to, '\\');
    mcti_buf_addc(to, p[1]);
    return p + 2;
}

char *mcti_complete_unquote(const char *word)
{
    struct mcti_buf b;
    char quote = 0;
    mcti_buf_init(&b, 1u << 20);
    for (const char *p = word; *p;) {
        if (*p == '\\' && quote != '\'') {
            p = unquote_escape(&b, p, quote);
        } else if (quote ? *p == quote : *p == '\'' || *p == '"') {
            quote = quote ? 0 : *p;
            p++;
        } else {
            mcti_buf_addc(&b, *p++);
        }
    }
    mcti_buf_addz(&b, "");
    return mcti_buf_take(&b);
}

/* Notes the value of an option that matters for completion. */
static void words_note_value(struct mcti_complete *c, const struct mcti_option *o, const char *value)
{
    if (!strcmp(o->name, "--config"))
        mcti_strings_add(&c->files, mcti_str_of(value));
    else if (!strcmp(o->name, "--server"))
        mcti_strings_add(&c->servers, mcti_str_of(value));
    else if (!strcmp(o->name, "--url") || (!strcmp(o->name, "--stdio") && o->argument))
        c->is_adhoc = true;
}

/* Reads a word that begins with '-'. Returns the option if its value is the next word. */
static const struct mcti_option *words_read_option(struct mcti_complete *c, const char *word)
{
    const char *eq = strchr(word, '=');
    const struct mcti_option *o = mcti_option_find(eq ? mcti_str_range(word, eq) : mcti_str_of(word), c->command);
    if (!o || !o->argument)
        return NULL;
    if (eq)
        words_note_value(c, o, eq + 1);
    return eq ? NULL : o;
}

static void words_read_word(struct mcti_complete *c, const char *word)
{
    if (c->command)
        mcti_strings_add(&c->words, mcti_str_of(word));
    else if (!strcmp(word, "help"))
        c->wants_help = true;
    else
        c->command = mcti_command_find(word);
}

const struct mcti_option *mcti_complete_read(struct mcti_complete *c, int n, char *const *words)
{
    const struct mcti_option *pending = NULL;
    bool literal = false;
    for (int i = 0; i + 1 < n; i++) {
        const char *word = words[i];
        if (pending) {
            words_note_value(c, pending, word);
            pending = NULL;
        } else if (!literal && !strcmp(word, "--")) {
            literal = true;
        } else if (!literal && word[0] == '-' && word[1]) {
            pending = words_read_option(c, word);
        } else {
            words_read_word(c, word);
        }
    }
    if (literal)
        c->flags |= COMPLETE_NO_OPTIONS;
    return pending;
}
