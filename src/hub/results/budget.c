/* Budgets: how they are written, and which one a tool has. */
#include "hub/results/results.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *word;
    size_t bytes;
} units[] = {
    { "", 1 },
    { "b", 1 },
    { "bytes", 1 },
    { "k", 1000 },
    { "kb", 1000 },
    { "kib", 1024 },
    { "m", 1000 * 1000 },
    { "mb", 1000 * 1000 },
    { "mib", 1024 * 1024 },
    { "token", MCT_RESULT_TOKEN_BYTES },
    { "tokens", MCT_RESULT_TOKEN_BYTES },
    { "k token", 1000 * MCT_RESULT_TOKEN_BYTES },
    { "k tokens", 1000 * MCT_RESULT_TOKEN_BYTES },
};

enum { DIGITS = 10 };

bool mcti_result_budget_read(struct mcti_str text, size_t *ret)
{
    uint64_t n = 0;
    size_t i = 0;
    text = mcti_str_trim(text);
    *ret = 0;
    if (mcti_str_is(text, "off"))
        return true;
    for (; i < text.len && i < DIGITS && text.p[i] >= '0' && text.p[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(text.p[i] - '0');
    struct mcti_str unit = mcti_str_trim((struct mcti_str){ text.p + i, text.len - i });
    for (size_t u = 0; i && u < sizeof units / sizeof *units; u++)
        if (mcti_str_eq_nocase(unit, mcti_str_of(units[u].word)))
            *ret = n <= SIZE_MAX / 2 / units[u].bytes ? (size_t)n * units[u].bytes : 0;
    return *ret >= MCT_RESULT_LEAST;
}

int mcti_result_rules_add(struct mcti_result_rules *rules, struct mcti_str glob, size_t bytes)
{
    struct mcti_result_rule *v = realloc(rules->v, (rules->n + 1) * sizeof *v);
    char *copy = v ? mcti_str_dup(glob) : NULL;
    rules->v = v ? v : rules->v;
    if (!copy)
        return -1;
    rules->v[rules->n++] = (struct mcti_result_rule){ copy, bytes };
    return 0;
}

void mcti_result_rules_done(struct mcti_result_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        free(rules->v[i].glob);
    free(rules->v);
    *rules = (struct mcti_result_rules){ 0 };
}

bool mcti_result_rules_any(const struct mcti_result_rules *rules)
{
    bool any = rules->bytes;
    for (size_t i = 0; i < rules->n; i++)
        any |= rules->v[i].bytes != 0;
    return any;
}

bool mcti_result_rules_same(const struct mcti_result_rules *a, const struct mcti_result_rules *b)
{
    bool same = a->bytes == b->bytes && a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->v[i].bytes == b->v[i].bytes && !strcmp(a->v[i].glob, b->v[i].glob);
    return same;
}

/* Returns true if the glob matches "SERVER.TOOL", or the server if it has no dot. */
static bool budget_matches(struct mcti_str glob, const char *server, struct mcti_str tool)
{
    char whole[MCT_LIMIT_NAME_BYTES + 256];
    int n = snprintf(whole, sizeof whole, "%s.%.*s", server, MCT_STR_ARG(tool));
    if (!memchr(glob.p, '.', glob.len))
        return mcti_str_glob(glob, mcti_str_of(server));
    return n > 0 && (size_t)n < sizeof whole && mcti_str_glob(glob, (struct mcti_str){ whole, (size_t)n });
}

size_t mcti_result_budget(const struct mcti_result_rules *rules, const char *server, struct mcti_str tool)
{
    for (size_t i = 0; i < rules->n; i++)
        if (budget_matches(mcti_str_of(rules->v[i].glob), server, tool))
            return rules->v[i].bytes;
    return rules->bytes;
}
