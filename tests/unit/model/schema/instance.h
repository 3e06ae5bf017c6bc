/* Values made by chance for a schema that collect() has looked at. */
#ifndef MCT_TESTS_INSTANCE_H
#define MCT_TESTS_INSTANCE_H

#include "unit.h"

#include "json/scan.h"

static unsigned long chance_state;

static inline unsigned chance(unsigned n)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(chance_state >> 33) % n;
}

/* Names and values that stand in the schema itself hit its rules far more often than any others. */
static struct {
    struct mcti_str name[256], value[256];
    unsigned n_names, n_values;
} words;

static inline void collect(struct mcti_str value)
{
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_json_member m;
    struct mcti_str item;
    char type = mcti_json_type(value);
    if (type == '{')
        while (mcti_json_next_member(&it, &m)) {
            if (words.n_names < 256)
                words.name[words.n_names++] = m.key;
            collect(m.value);
        }
    else if (type == '[')
        while (mcti_json_next_item(&it, &item))
            collect(item);
    else if (words.n_values < 256)
        words.value[words.n_values++] = value;
}

static inline void put_instance(struct mcti_buf *to, int depth);

static inline void put_container(struct mcti_buf *to, bool object, int depth)
{
    struct mcti_str used[4];
    unsigned n = chance(5);
    mcti_buf_addc(to, object ? '{' : '[');
    for (unsigned i = 0, n_used = 0; i < n && i < 4; i++) {
        struct mcti_str name = words.name[chance(words.n_names)];
        bool again = false;
        for (unsigned k = 0; object && k < n_used; k++)
            again |= mcti_str_eq(used[k], name);
        if (again)
            continue;
        used[n_used] = name;
        mcti_buf_addz(to, n_used++ ? "," : "");
        if (object) {
            mcti_buf_addc(to, '"');
            mcti_buf_add(to, name);
            mcti_buf_addz(to, "\":");
        }
        put_instance(to, depth - 1);
    }
    mcti_buf_addc(to, object ? '}' : ']');
}

static inline void put_instance(struct mcti_buf *to, int depth)
{
    static const char *const plain[] = { "null", "true", "false", "0", "1", "2.5", "-7", "\"\"", "\"x\"", "\"1\"" };
    if (depth > 0 && chance(3) == 0)
        put_container(to, chance(3) > 0, depth);
    else if (chance(2) && words.n_values)
        mcti_buf_add(to, words.value[chance(words.n_values)]);
    else
        mcti_buf_addz(to, plain[chance(sizeof plain / sizeof *plain)]);
}

#endif
