/* Arguments of resource tools, and the servers that are named in them. */
#include "resources/dialect/impl.h"

#include <stdlib.h>

bool dialect_text_or_none(const struct dialect_call *c, const char *key)
{
    char type = mct_json_type(mct_json_get(c->args, key));
    return !type || type == 'n' || type == '"';
}

char *dialect_text(const struct dialect_call *c, const char *key)
{
    return mct_json_dup(mct_json_get(c->args, key));
}

char *dialect_trimmed(const struct dialect_call *c, const char *key)
{
    char *text = dialect_text(c, key);
    struct mct_str words = mct_str_trim_white(mct_str_of(text));
    char *trimmed = words.len ? mct_str_dup(words) : NULL;
    free(text);
    return trimmed;
}

bool dialect_has_text(const struct dialect_call *c, const char *key)
{
    char *text = dialect_text(c, key);
    free(text);
    return text;
}

bool dialect_has_words(const struct dialect_call *c, const char *key)
{
    char *text = dialect_trimmed(c, key);
    free(text);
    return text;
}

/* ---- servers ---- */

bool dialect_find_server(struct dialect_call *c)
{
    const struct mct_view *v = c->set->view;
    for (size_t i = 0; c->name && i < mct_view_n_providers(v); i++)
        if (!strcmp(mct_view_provider(v, i)->name, c->name))
            c->server = mct_view_provider(v, i);
    return !c->name || c->server;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

void dialect_put_servers(const struct dialect_call *c, struct mct_buf *to, bool connected)
{
    const struct mct_view *v = c->set->view;
    size_t all = mct_view_n_providers(v), n = 0;
    const char **names = calloc(all ? all : 1, sizeof *names);
    for (size_t i = 0; names && i < all; i++)
        if (!connected || mct_view_provider(v, i)->state == MCT_CONNECTED)
            names[n++] = mct_view_provider(v, i)->name;
    if (names && connected)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        mct_buf_printf(to, "%s%s", i ? ", " : "", names[i]);
    free(names);
}
