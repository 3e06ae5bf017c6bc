/* Splits command lines. */
#include "config/expand/expand.h"

enum { WORD_BYTES = 1 << 20 };

/* Reads one word at *at. Quotes keep blanks, a backslash keeps the next byte (not inside ''). */
static int expand_next_word(const char **at, struct mcti_buf *word, struct mct_error *err)
{
    const char *p = *at;
    char quote = 0;
    for (; *p && (quote || (*p != ' ' && *p != '\t')); p++) {
        if (*p == '\\' && quote != '\'' && p[1])
            mcti_buf_addc(word, *++p);
        else if (quote ? *p == quote : (*p == '"' || *p == '\''))
            quote = quote ? 0 : *p;
        else
            mcti_buf_addc(word, *p);
    }
    *at = p;
    return quote ? mcti_fail(err, MCT_ERR_USAGE, "unclosed %c in the command line", quote) : 0;
}

int mcti_expand_split(const char *line, struct mcti_strings *ret, struct mct_error *err)
{
    struct mcti_buf word;
    int r = 0;
    mcti_buf_init_secret(&word, WORD_BYTES);
    for (const char *p = line; r == 0;) {
        p += strspn(p, " \t");
        if (!*p)
            break;
        mcti_buf_clear(&word);
        r = expand_next_word(&p, &word, err);
        if (r == 0 && (!mcti_buf_ok(&word) || mcti_strings_add(ret, mcti_buf_str(&word)) < 0))
            r = mcti_no_memory(err);
    }
    mcti_buf_done(&word);
    if (r == 0 && !ret->n)
        r = mcti_fail(err, MCT_ERR_USAGE, "the command line is empty");
    if (r < 0)
        mcti_strings_clear(ret);
    return r;
}

void mcti_expand_put_word(struct mcti_buf *to, struct mcti_str word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
    bool is_plain = word.len > 0;
    for (size_t i = 0; i < word.len; i++)
        is_plain &= word.p[i] && strchr(plain, word.p[i]) != NULL;
    mcti_buf_addz(to, is_plain ? "" : "'");
    for (size_t i = 0; i < word.len; i++)
        if (word.p[i] == '\'')
            mcti_buf_addz(to, "'\\''");
        else
            mcti_buf_addc(to, word.p[i]);
    mcti_buf_addz(to, is_plain ? "" : "'");
}
