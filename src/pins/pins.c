#include "pins/pins.h"

#include <stdlib.h>

void mcti_pins_init(struct mcti_pins *p)
{
    *p = (struct mcti_pins){ 0 };
    mcti_map_init(&p->by_key);
}

static void pin_free(struct mcti_pin *pin)
{
    free(pin->server);
    free(pin->id);
    free(pin->parts);
    free(pin->key);
    free(pin);
}

void mcti_pins_done(struct mcti_pins *p)
{
    mcti_map_done(&p->by_key);
    for (size_t i = 0; i < p->n; i++)
        pin_free(p->v[i]);
    free(p->v);
    *p = (struct mcti_pins){ 0 };
}

/* Appends the key of a pin in the map: names of servers and ids have no NUL. */
static void pins_put_key(struct mcti_buf *to, struct mcti_str server, unsigned subject, struct mcti_str id)
{
    mcti_buf_add(to, server);
    mcti_buf_addc(to, '\0');
    mcti_buf_addc(to, (char)('0' + subject));
    mcti_buf_add(to, id);
}

static struct mcti_pin *pins_get(const struct mcti_pins *p, struct mcti_str server, unsigned subject,
                                 struct mcti_str id)
{
    struct mcti_buf key;
    mcti_buf_init(&key, server.len + id.len + 2);
    pins_put_key(&key, server, subject, id);
    struct mcti_map_node *n = mcti_buf_ok(&key) ? mcti_map_get(&p->by_key, mcti_buf_str(&key)) : NULL;
    mcti_buf_done(&key);
    return n ? MCT_CONTAINER(n, struct mcti_pin, by_key) : NULL;
}

const struct mcti_pin *mcti_pins_find(const struct mcti_pins *p, struct mcti_str server, unsigned subject,
                                      struct mcti_str id)
{
    return pins_get(p, server, subject, id);
}

bool mcti_pins_have(const struct mcti_pins *p, const char *server)
{
    return p->n && mcti_pins_find(p, mcti_str_of(server), MCT_PIN_ABOUT, MCT_STR(""));
}

static int pins_add(struct mcti_pins *p, struct mcti_pin *pin)
{
    struct mcti_buf key;
    mcti_buf_init(&key, strlen(pin->server) + strlen(pin->id) + 3);
    pins_put_key(&key, mcti_str_of(pin->server), (unsigned)pin->subject, mcti_str_of(pin->id));
    size_t len = key.len;
    bool ok = mcti_buf_ok(&key);
    pin->key = mcti_buf_take(&key);
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 32;
        struct mcti_pin **v = realloc(p->v, cap * sizeof(struct mcti_pin *));
        ok &= v != NULL;
        p->v = v ? v : p->v;
        p->cap = v ? cap : p->cap;
    }
    if (!ok || !pin->key || mcti_map_put(&p->by_key, &pin->by_key, (struct mcti_str){ pin->key, len }) < 0)
        return -1;
    p->v[p->n++] = pin;
    return 0;
}

int mcti_pins_put(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id,
                  struct mcti_str parts)
{
    struct mcti_pin *pin = pins_get(p, server, subject, id);
    char *copy = mcti_str_dup(parts);
    if (pin && copy) {
        free(pin->parts);
        pin->parts = copy;
        return 0;
    }
    pin = pin || !copy ? NULL : calloc(1, sizeof *pin);
    if (!pin) {
        free(copy);
        return -1;
    }
    *pin = (struct mcti_pin){
        .server = mcti_str_dup(server), .id = mcti_str_dup(id), .subject = (enum mcti_subject)subject, .parts = copy
    };
    if (pin->server && pin->id && pins_add(p, pin) == 0)
        return 0;
    pin_free(pin);
    return -1;
}

static void pins_drop(struct mcti_pins *p, size_t i)
{
    mcti_map_remove(&p->by_key, &p->v[i]->by_key);
    pin_free(p->v[i]);
    memmove(&p->v[i], &p->v[i + 1], (p->n - i - 1) * sizeof(struct mcti_pin *));
    p->n--;
}

void mcti_pins_remove(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id)
{
    const struct mcti_pin *pin = pins_get(p, server, subject, id);
    for (size_t i = 0; pin && i < p->n; i++)
        if (p->v[i] == pin) {
            pins_drop(p, i);
            return;
        }
}

void mcti_pins_remove_server(struct mcti_pins *p, const char *server)
{
    for (size_t i = p->n; i-- > 0;)
        if (!strcmp(p->v[i]->server, server))
            pins_drop(p, i);
}
