#include "base/log/near.h"

#include <stdio.h>

static unsigned near_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the optimal string alignment distance, by rows of the usual table: the last two rows are enough. */
static unsigned near_distance(struct mcti_str a, struct mcti_str b)
{
    unsigned rows[3][MCT_NEAR_NAME_BYTES + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= b.len; j++)
        last[j] = j;
    for (unsigned i = 1; i <= a.len; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            char x = mcti_lower(a.p[i - 1]), y = mcti_lower(b.p[j - 1]);
            row[j] = near_least(near_least(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == mcti_lower(b.p[j - 2]) && y == mcti_lower(a.p[i - 2]))
                row[j] = near_least(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b.len];
}

void mcti_near_try(struct mcti_near *n, struct mcti_str name)
{
    if (!n->word.len || !name.len || n->word.len > MCT_NEAR_NAME_BYTES || name.len > MCT_NEAR_NAME_BYTES)
        return;
    unsigned most = near_least(3, (unsigned)(n->word.len + 2) / 3), distance = near_distance(n->word, name);
    if (distance > most || distance >= name.len || (*n->best && distance >= n->distance))
        return;
    n->distance = distance;
    memcpy(n->best, name.p, name.len);
    n->best[name.len] = '\0';
}

void mcti_near_try_list(struct mcti_near *n, struct mcti_str names)
{
    struct mcti_str name;
    while (mcti_str_split(&names, ',', &name))
        mcti_near_try(n, mcti_str_trim(name));
}

const char *mcti_near_hint(const struct mcti_near *n, char to[MCT_NEAR_HINT_BYTES])
{
    *to = '\0';
    if (*n->best)
        snprintf(to, MCT_NEAR_HINT_BYTES, "; did you mean '%s'?", n->best);
    return to;
}
