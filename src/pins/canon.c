#include "pins/canon.h"

#include "base/limits.h"
#include "base/rand.h"

#include <math.h>
#include <stdlib.h>

/* A value of compact JSON. The values of a container follow it, so that one pass reads and one pass writes them all. */
struct canon_node {
    struct mcti_str key;  /* of a member, with quotes */
    struct mcti_str text; /* the bytes of a scalar; the opening bracket of a container */
    size_t end;           /* index of the first node behind it and its values */
    size_t n;             /* number of its own values */
};

struct canon {
    const char *p, *end;
    struct canon_node *v; /* owned */
    size_t n, cap;
    struct mcti_buf *to;
};

enum { CANON_TOO_MANY = 1 };

/* ---- reading ---- */

/* Returns the string or other scalar at the cursor, and moves behind it. */
static struct mcti_str canon_scalar(struct canon *c)
{
    const char *from = c->p;
    if (*c->p == '"') {
        for (c->p++; *c->p != '"'; c->p++)
            c->p += *c->p == '\\';
        c->p++;
    } else {
        while (c->p < c->end && !strchr(",]}", *c->p))
            c->p++;
    }
    return (struct mcti_str){ from, (size_t)(c->p - from) };
}

/* Returns the index of a new node. Fails with CANON_TOO_MANY or -1. */
static int canon_add(struct canon *c, struct mcti_str key, size_t *ret)
{
    if (c->n == MCT_LIMIT_PIN_VALUES)
        return CANON_TOO_MANY;
    if (c->n == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 64;
        struct canon_node *v = realloc(c->v, cap * sizeof *v);
        if (!v)
            return -1;
        c->v = v;
        c->cap = cap;
    }
    *ret = c->n++;
    c->v[*ret] = (struct canon_node){ .key = key };
    return 0;
}

/* The depth of the recursion is that of the value, which its validation has limited. */
static int canon_read(struct canon *c, struct mcti_str key)
{
    size_t at, n = 0;
    int r = canon_add(c, key, &at);
    bool is_object = *c->p == '{';
    if (r == 0 && (is_object || *c->p == '[')) {
        c->v[at].text = (struct mcti_str){ c->p++, 1 };
        for (; r == 0 && *c->p != '}' && *c->p != ']'; n++) {
            struct mcti_str own = MCT_STR_NONE;
            c->p += *c->p == ',';
            if (is_object) {
                own = canon_scalar(c);
                c->p++; /* the colon */
            }
            r = canon_read(c, own);
        }
        c->p++;
    } else if (r == 0) {
        c->v[at].text = canon_scalar(c);
    }
    if (r == 0) {
        c->v[at].end = c->n;
        c->v[at].n = n;
    }
    return r;
}

/* ---- writing ---- */

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

static int canon_by_key(const void *a, const void *b)
{
    const struct canon_node *x = *(struct canon_node *const *)a, *y = *(struct canon_node *const *)b;
    int order = mcti_str_cmp(x->key, y->key);
    return order ? order : (x > y) - (x < y);
}

static int canon_put(struct canon *c, const struct canon_node *node);

/* Members are written in the order of their keys, items in their own. */
static int canon_put_values(struct canon *c, const struct canon_node *node)
{
    bool is_object = *node->text.p == '{';
    const struct canon_node **v = calloc(node->n ? node->n : 1, sizeof(struct canon_node *));
    int r = v ? 0 : -1;
    const struct canon_node *value = node + 1;
    for (size_t i = 0; r == 0 && i < node->n; i++, value = c->v + value->end)
        v[i] = value;
    if (r == 0 && is_object)
        qsort(v, node->n, sizeof(struct canon_node *), canon_by_key);
    mcti_buf_addc(c->to, is_object ? '{' : '[');
    for (size_t i = 0; r == 0 && i < node->n; i++) {
        mcti_buf_addz(c->to, i ? "," : "");
        mcti_buf_add(c->to, v[i]->key);
        mcti_buf_addz(c->to, is_object ? ":" : "");
        r = canon_put(c, v[i]);
    }
    mcti_buf_addc(c->to, is_object ? '}' : ']');
    free(v);
    return r;
}

static int canon_put(struct canon *c, const struct canon_node *node)
{
    char type = *node->text.p;
    if (type == '{' || type == '[')
        return canon_put_values(c, node);
    if (type == '-' || (type >= '0' && type <= '9'))
        canon_put_number(c->to, node->text);
    else
        mcti_buf_add(c->to, node->text);
    return mcti_buf_ok(c->to) ? 0 : -1;
}

int mcti_pins_canon(struct mcti_buf *to, struct mcti_str json)
{
    struct mcti_buf compact;
    mcti_buf_init(&compact, 2 * json.len + 64);
    mcti_json_put_compact(&compact, json);
    struct mcti_str text = mcti_buf_str(&compact);
    struct canon c = { .p = text.p, .end = text.p + text.len, .to = to };
    int r = mcti_buf_ok(&compact) && text.len ? canon_read(&c, MCT_STR_NONE) : -1;
    if (r == 0)
        r = canon_put(&c, c.v);
    else if (r == CANON_TOO_MANY)
        mcti_buf_add(to, text);
    free(c.v);
    mcti_buf_done(&compact);
    return mcti_buf_ok(to) ? r : -1;
}

int mcti_pins_hash(struct mcti_str canonical, char ret[MCT_PINS_HASH_CHARS + 1])
{
    unsigned char digest[32];
    if (mcti_sha256_pair(MCT_STR("mcptools pin 1"), canonical, digest) < 0)
        return -1;
    mcti_hex(digest, sizeof digest, ret);
    return 0;
}
