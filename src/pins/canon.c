#include "pins/canon.h"

#include "base/rand.h"

#include <math.h>
#include <stdlib.h>

struct canon_member {
    struct mcti_str key; /* in its shortest form, with quotes */
    struct mcti_str value;
    size_t place;
};

static int canon_by_key(const void *a, const void *b)
{
    const struct canon_member *x = a, *y = b;
    int order = mcti_str_cmp(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* ---- numbers ---- */

static bool canon_is_integer(struct mcti_str n)
{
    for (size_t i = n.len && n.p[0] == '-'; i < n.len; i++)
        if (n.p[i] < '0' || n.p[i] > '9')
            return false;
    return true;
}

/* A number that no double holds is kept as it is written. */
static void canon_put_number(struct mcti_buf *to, struct mcti_str n)
{
    double value = mcti_json_double(n);
    if (canon_is_integer(n))
        mcti_buf_add(to, mcti_str_is(n, "-0") ? MCT_STR("0") : n);
    else if (!isfinite(value))
        mcti_buf_add(to, n);
    else if (fabs(value) < 9007199254740992.0 && value == trunc(value)) /* 2^53 */
        mcti_buf_printf(to, "%lld", (long long)value);
    else
        mcti_json_put_double(to, value);
}

/* ---- containers ---- */

static size_t canon_count(struct mcti_str object)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member m;
    size_t n = 0;
    while (mcti_json_next_member(&it, &m))
        n++;
    return n;
}

/* Fills the members and sorts them. Keys are spans of `keys`, which has room for them. */
static void canon_sort(struct mcti_str object, struct mcti_buf *keys, struct canon_member *v, size_t n)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member m;
    size_t at = 0;
    for (size_t i = 0; i < n && mcti_json_next_member(&it, &m); i++) {
        size_t before = keys->len;
        mcti_json_put_compact(keys, mcti_json_key_value(m.key));
        v[i] = (struct canon_member){ { NULL, keys->len - before }, m.value, i };
    }
    for (size_t i = 0; mcti_buf_ok(keys) && i < n; i++) {
        v[i].key.p = keys->p + at; /* the buffer does not move any more */
        at += v[i].key.len;
    }
    if (mcti_buf_ok(keys))
        qsort(v, n, sizeof *v, canon_by_key);
}

static int canon_put_object(struct mcti_buf *to, struct mcti_str object)
{
    size_t n = canon_count(object);
    struct canon_member *v = calloc(n ? n : 1, sizeof *v);
    struct mcti_buf keys;
    mcti_buf_init(&keys, object.len + 1);
    if (v)
        canon_sort(object, &keys, v, n);
    int r = v && mcti_buf_ok(&keys) ? 0 : -1;
    mcti_buf_addc(to, '{');
    for (size_t i = 0; r == 0 && i < n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_buf_add(to, v[i].key);
        mcti_buf_addc(to, ':');
        r = mcti_pins_canon(to, v[i].value);
    }
    mcti_buf_addc(to, '}');
    mcti_buf_done(&keys);
    free(v);
    return r;
}

static int canon_put_array(struct mcti_buf *to, struct mcti_str array)
{
    struct mcti_json_iter it = mcti_json_open(array);
    struct mcti_str item;
    int r = 0;
    mcti_buf_addc(to, '[');
    for (bool first = true; r == 0 && mcti_json_next_item(&it, &item); first = false) {
        mcti_buf_addz(to, first ? "" : ",");
        r = mcti_pins_canon(to, item);
    }
    mcti_buf_addc(to, ']');
    return r;
}

int mcti_pins_canon(struct mcti_buf *to, struct mcti_str json)
{
    switch (mcti_json_type(json)) {
    case '{':
        return canon_put_object(to, json);
    case '[':
        return canon_put_array(to, json);
    case '0':
        canon_put_number(to, json);
        break;
    default:
        mcti_json_put_compact(to, json);
    }
    return mcti_buf_ok(to) ? 0 : -1;
}

int mcti_pins_hash(struct mcti_str canonical, char ret[MCT_PINS_HASH_CHARS + 1])
{
    unsigned char digest[32];
    if (mcti_sha256_pair(MCT_STR("mcptools pin 1"), canonical, digest) < 0)
        return -1;
    mcti_hex(digest, sizeof digest, ret);
    return 0;
}
