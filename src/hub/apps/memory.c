#include "hub/apps/memory.h"

static bool seen_within(uint64_t at_ms, uint64_t now_ms, uint64_t within_ms)
{
    return !within_ms || now_ms - at_ms <= within_ms;
}

static struct mcti_app_seen *seen_find(struct mcti_app_memory *m, uint64_t server)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->seen[i].server == server)
            return &m->seen[i];
    return NULL;
}

/* Returns the place of the server that was not seen for the longest time. */
static struct mcti_app_seen *seen_oldest(struct mcti_app_memory *m)
{
    struct mcti_app_seen *oldest = &m->seen[0];
    for (size_t i = 1; i < m->n; i++)
        if (m->seen[i].at_ms < oldest->at_ms)
            oldest = &m->seen[i];
    return oldest;
}

void mcti_app_memory_note(struct mcti_app_memory *m, struct mcti_str server, uint64_t now_ms)
{
    uint64_t hash = mcti_hash(0, server);
    struct mcti_app_seen *at = seen_find(m, hash);
    if (!at && m->n < MCT_APPS_REMEMBERED) {
        at = &m->seen[m->n++];
    } else if (!at) {
        at = seen_oldest(m);
        m->forgotten_ms = at->at_ms;
        m->has_forgotten = true;
    }
    *at = (struct mcti_app_seen){ hash, now_ms };
}

bool mcti_app_memory_has(const struct mcti_app_memory *m, struct mcti_str server, uint64_t now_ms, uint64_t within_ms)
{
    const struct mcti_app_seen *at = seen_find((struct mcti_app_memory *)m, mcti_hash(0, server));
    return at && seen_within(at->at_ms, now_ms, within_ms);
}

bool mcti_app_memory_is_whole(const struct mcti_app_memory *m, uint64_t now_ms, uint64_t within_ms)
{
    return !m->has_forgotten || !seen_within(m->forgotten_ms, now_ms, within_ms);
}
