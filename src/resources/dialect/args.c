/* Arguments of resource tools, and the servers named in them. */
#include "resources/dialect/impl.h"

#include "base/log/utf8.h"

#include <stdlib.h>

bool mcti_dialect_text_or_none(const struct mcti_dialect_call *c, const char *key)
{
    char type = mcti_json_type(mcti_json_get(c->args, key));
    return !type || type == 'n' || type == '"';
}

char *mcti_dialect_text(const struct mcti_dialect_call *c, const char *key)
{
    return mcti_json_dup(mcti_json_get(c->args, key));
}

char *mcti_dialect_trimmed(const struct mcti_dialect_call *c, const char *key)
{
    char *text = mcti_dialect_text(c, key);
    struct mcti_str words = mcti_utf8_trim(mcti_str_of(text));
    char *trimmed = words.len ? mcti_str_dup(words) : NULL;
    free(text);
    return trimmed;
}

bool mcti_dialect_has_text(const struct mcti_dialect_call *c, const char *key)
{
    char *text = mcti_dialect_text(c, key);
    free(text);
    return text;
}

bool mcti_dialect_has_words(const struct mcti_dialect_call *c, const char *key)
{
    char *text = mcti_dialect_trimmed(c, key);
    free(text);
    return text;
}

/* ---- servers ---- */

struct mcti_provider *mcti_dialect_server_named(const struct mcti_dialects *set, const char *name)
{
    for (size_t i = 0; i < mcti_view_n_providers(set->view); i++)
        if (!strcmp(mcti_view_provider(set->view, i)->name, name))
            return mcti_view_provider(set->view, i);
    return NULL;
}

bool mcti_dialect_find_server(struct mcti_dialect_call *c)
{
    if (c->name)
        c->server = mcti_dialect_server_named(c->set, c->name);
    return !c->name || c->server;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

void mcti_dialect_put_servers(const struct mcti_dialect_call *c, struct mcti_buf *to, bool connected)
{
    const struct mcti_view *v = c->set->view;
    size_t all = mcti_view_n_providers(v), n = 0;
    const char **names = calloc(all ? all : 1, sizeof *names);
    for (size_t i = 0; names && i < all; i++)
        if (!connected || mcti_view_provider(v, i)->state == MCT_CONNECTED)
            names[n++] = mcti_view_provider(v, i)->name;
    if (names && connected)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        mcti_buf_printf(to, "%s%s", i ? ", " : "", names[i]);
    free(names);
}
