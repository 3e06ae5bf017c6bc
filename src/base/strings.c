#include "base/strings.h"

#include <stdlib.h>

int mcti_strings_add(struct mcti_strings *s, struct mcti_str text)
{
    char **v = realloc(s->v, (s->n + 1) * sizeof *v);
    if (!v)
        return -1;
    s->v = v;
    v[s->n] = mcti_str_dup(text);
    return v[s->n] ? (s->n++, 0) : -1;
}

bool mcti_strings_has(const struct mcti_strings *s, struct mcti_str text)
{
    for (size_t i = 0; i < s->n; i++)
        if (mcti_str_is(text, s->v[i]))
            return true;
    return false;
}

void mcti_strings_clear(struct mcti_strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i]);
    free(s->v);
    *s = (struct mcti_strings){ 0 };
}

void mcti_pairs_clear(struct mcti_pairs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->v[i].key);
        free(p->v[i].value);
    }
    free(p->v);
    *p = (struct mcti_pairs){ 0 };
}
