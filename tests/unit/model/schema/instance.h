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
    struct mct_str name[256], value[256];
    unsigned n_names, n_values;
} words;

static inline void collect(struct mct_str value)
{
    struct mct_json_iter it = mct_json_open(value);
    struct mct_json_member m;
    struct mct_str item;
    char type = mct_json_type(value);
    if (type == '{')
        while (mct_json_next_member(&it, &m)) {
            if (words.n_names < 256)
                words.name[words.n_names++] = m.key;
            collect(m.value);
        }
    else if (type == '[')
        while (mct_json_next_item(&it, &item))
            collect(item);
    else if (words.n_values < 256)
        words.value[words.n_values++] = value;
}

static inline void put_instance(struct mct_buf *to, int depth);

static inline void put_container(struct mct_buf *to, bool object, int depth)
{
    struct mct_str used[4];
    unsigned n = chance(5);
    mct_buf_addc(to, object ? '{' : '[');
    for (unsigned i = 0, n_used = 0; i < n && i < 4; i++) {
        struct mct_str name = words.name[chance(words.n_names)];
        bool again = false;
        for (unsigned k = 0; object && k < n_used; k++)
            again |= mct_str_eq(used[k], name);
        if (again)
            continue;
        used[n_used] = name;
        mct_buf_addz(to, n_used++ ? "," : "");
        if (object) {
            mct_buf_addc(to, '"');
            mct_buf_add(to, name);
            mct_buf_addz(to, "\":");
        }
        put_instance(to, depth - 1);
    }
    mct_buf_addc(to, object ? '}' : ']');
}

static inline void put_instance(struct mct_buf *to, int depth)
{
    static const char *const plain[] = { "null", "true", "false", "0", "1", "2.5", "-7", "\"\"", "\"x\"", "\"1\"" };
    if (depth > 0 && chance(3) == 0)
        put_container(to, chance(3) > 0, depth);
    else if (chance(2) && words.n_values)
        mct_buf_add(to, words.value[chance(words.n_values)]);
    else
        mct_buf_addz(to, plain[chance(sizeof plain / sizeof *plain)]);
}

#endif
