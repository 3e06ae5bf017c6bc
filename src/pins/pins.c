#include "pins/pins.h"

#include <stdlib.h>

void mcti_pins_init(struct mcti_pins *p)
{
    *p = (struct mcti_pins){ 0 };
    mcti_map_init(&p->by_key);
    mcti_map_init(&p->by_server);
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
    mcti_map_done(&p->by_server);
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

/* Sets *ret to the pin, or NULL. Returns -1 when out of memory. */
static int pins_get(const struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id,
                    struct mcti_pin **ret)
{
    struct mcti_buf key;
    mcti_buf_init(&key, server.len + id.len + 2);
    pins_put_key(&key, server, subject, id);
    int r = mcti_buf_ok(&key) ? 0 : -1;
    struct mcti_map_node *n = r == 0 ? mcti_map_get(&p->by_key, mcti_buf_str(&key)) : NULL;
    mcti_buf_done(&key);
    *ret = n ? MCT_CONTAINER(n, struct mcti_pin, by_key) : NULL;
    return r;
}

const struct mcti_pin *mcti_pins_find(const struct mcti_pins *p, struct mcti_str server, unsigned subject,
                                      struct mcti_str id)
{
    struct mcti_pin *pin;
    pins_get(p, server, subject, id, &pin);
    return pin;
}

bool mcti_pins_have(const struct mcti_pins *p, const char *server)
{
    return mcti_map_get(&p->by_server, mcti_str_of(server)) != NULL;
}

/* Makes room for one more pin. */
static int pins_grow(struct mcti_pins *p)
{
    if (p->n < p->cap)
        return 0;
    size_t cap = p->cap ? 2 * p->cap : 32;
    struct mcti_pin **v = realloc(p->v, cap * sizeof(struct mcti_pin *));
    if (!v)
        return -1;
    p->v = v;
    p->cap = cap;
    return 0;
}

static int pins_add(struct mcti_pins *p, struct mcti_pin *pin)
{
    struct mcti_buf key;
    mcti_buf_init(&key, strlen(pin->server) + strlen(pin->id) + 3);
    pins_put_key(&key, mcti_str_of(pin->server), pin->subject, mcti_str_of(pin->id));
    size_t len = key.len;
    pin->key = mcti_buf_take(&key);
    if (!pin->key || pins_grow(p) < 0 || mcti_map_put(&p->by_key, &pin->by_key, (struct mcti_str){ pin->key, len }) < 0)
        return -1;
    if (pin->subject == MCT_PIN_ABOUT && mcti_map_put(&p->by_server, &pin->by_server, mcti_str_of(pin->server)) < 0) {
        mcti_map_remove(&p->by_key, &pin->by_key);
        return -1;
    }
    pin->place = p->n;
    p->v[p->n++] = pin;
    return 0;
}

int mcti_pins_put(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id,
                  struct mcti_str parts)
{
    struct mcti_pin *pin;
    char *copy = pins_get(p, server, subject, id, &pin) == 0 ? mcti_str_dup(parts) : NULL;
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
    *pin =
        (struct mcti_pin){ .server = mcti_str_dup(server), .id = mcti_str_dup(id), .subject = subject, .parts = copy };
    if (pin->server && pin->id && pins_add(p, pin) == 0)
        return 0;
    pin_free(pin);
    return -1;
}

int mcti_pins_remove(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id)
{
    struct mcti_pin *pin;
    int r = pins_get(p, server, subject, id, &pin);
    if (!pin)
        return r;
    mcti_map_remove(&p->by_key, &pin->by_key);
    if (pin->subject == MCT_PIN_ABOUT)
        mcti_map_remove(&p->by_server, &pin->by_server);
    p->v[pin->place] = p->v[--p->n];
    p->v[pin->place]->place = pin->place;
    pin_free(pin);
    return 0;
}

int mcti_pins_remove_server(struct mcti_pins *p, const char *server)
{
    int r = 0;
    for (size_t i = p->n; i-- > 0 && r == 0;) /* the last pin takes the place of the one that is removed */
        if (!strcmp(p->v[i]->server, server))
            r = mcti_pins_remove(p, mcti_str_of(server), p->v[i]->subject, mcti_str_of(p->v[i]->id));
    return r;
}
