#include "json/noted.h"

/* Returns which member of the message `object` is; `n`: none. */
static size_t noted_member(const struct mcti_json_scan *s, const char *base, struct mcti_str object)
{
    size_t i = 0;
    while (i < s->n &&
           (base + s->member[i].value != object.p || s->member[i].value_end - s->member[i].value != object.len))
        i++;
    return i;
}

bool mcti_json_noted(const struct mcti_chunk *chunk, struct mcti_str object, const char *key, struct mcti_str *ret)
{
    const struct mcti_json_scan *s = chunk ? chunk->check : NULL;
    *ret = MCT_STR_NONE;
    if (!s || !s->is_whole || s->why || s->n > MCT_JSON_TOP || s->n_inner > MCT_JSON_INNER)
        return false;
    const char *base = chunk->p + chunk->text_at;
    size_t of = noted_member(s, base, object);
    for (size_t i = 0; of < s->n && i < s->n_inner; i++) {
        const struct mcti_json_place *m = &s->inner[i];
        struct mcti_str name = { base + m->key, m->key_end - m->key };
        if (s->inner_of[i] != of || !mcti_json_key_is(name, key))
            continue;
        *ret = (struct mcti_str){ base + m->value, m->value_end - m->value };
        break;
    }
    return of < s->n;
}
