/*
 * Combinations of concepts. Each pattern is one pass over the words that have concepts: for each set of parts that were
 * met, the latest word that began it is kept, so that the shortest window is found and the work is linear.
 */
#include "scan/impl.h"

enum {
    PATTERN_SETS = 1 << SCAN_PATTERN_PARTS,
    PATTERN_REACH = 4, /* words in front of a match in which `without` counts */
};

#define NO_TOKEN SIZE_MAX

struct pattern_pass {
    const struct mcti_scan_pattern *pattern;
    const struct mcti_scan_text *t;
    unsigned n_parts;
    mcti_scan_mask any;
    size_t start[PATTERN_SETS]; /* the latest token that began this set of parts */
    size_t last_without;
};

static void pass_begin(struct pattern_pass *p, const struct mcti_scan_pattern *pattern, const struct mcti_scan_text *t)
{
    *p = (struct pattern_pass){ .pattern = pattern, .t = t, .last_without = NO_TOKEN };
    while (p->n_parts < SCAN_PATTERN_PARTS && pattern->part[p->n_parts])
        p->any |= pattern->part[p->n_parts++];
    for (size_t i = 0; i < PATTERN_SETS; i++)
        p->start[i] = NO_TOKEN;
}

/* Returns true if all parts of the pattern occur in the text. */
static bool pattern_may_match(const struct mcti_scan_pattern *pattern, mcti_scan_mask mask)
{
    for (size_t i = 0; i < SCAN_PATTERN_PARTS && pattern->part[i]; i++)
        if (!(pattern->part[i] & mask))
            return false;
    return true;
}

/* Returns true if the set may be extended by the part: in an ordered pattern, parts come one after the other. */
static bool pass_may_add(const struct pattern_pass *p, unsigned set, unsigned part)
{
    if (set >> part & 1)
        return false;
    return !p->pattern->ordered || set == (1u << part) - 1;
}

/* Extends the sets by one token, from the largest down, so that the token meets one part of each. */
static void pass_feed(struct pattern_pass *p, size_t i)
{
    mcti_scan_mask mask = p->t->token[i].mask;
    for (unsigned set = 1u << p->n_parts; set-- > 0;)
        for (unsigned part = 0; part < p->n_parts; part++) {
            if (!(mask & p->pattern->part[part]) || !pass_may_add(p, set, part))
                continue;
            size_t from = set ? p->start[set] : i;
            size_t *to = &p->start[set | 1u << part];
            if (from != NO_TOKEN && (*to == NO_TOKEN || *to < from))
                *to = from;
        }
}

/* Returns true if a word of `without` stands between the tokens or shortly in front. */
static bool pass_is_excluded(const struct pattern_pass *p, size_t from)
{
    if (p->last_without == NO_TOKEN)
        return false;
    const struct mcti_scan_token *first = &p->t->token[from], *bad = &p->t->token[p->last_without];
    return bad->pos >= first->pos || (bad->sentence == first->sentence && first->pos - bad->pos <= 2 * PATTERN_REACH);
}

static bool pass_is_met(const struct pattern_pass *p, size_t from, size_t i)
{
    const struct mcti_scan_token *first = &p->t->token[from], *last = &p->t->token[i];
    return last->sentence - first->sentence <= p->pattern->spans && last->pos - first->pos <= 2 * p->pattern->words &&
           !pass_is_excluded(p, from);
}

static void pattern_found(struct mcti_scan_run *run, const struct pattern_pass *p, size_t from, size_t i, bool soft)
{
    const struct mcti_scan_token *first = &p->t->token[from], *last = &p->t->token[i];
    const struct mcti_scan_rule *rule = p->pattern->rule;
    struct mcti_scan_degree degree = { soft ? MCT_SCAN_SOFT : rule->severity, soft ? 0 : rule->weight };
    mcti_scan_found_at(run, rule, degree, p->t->raw,
                       mcti_str_range(p->t->raw.p + first->raw, p->t->raw.p + last->rend));
}

/* Returns true if the text in front of `at` ends in words that introduce an example, as in: such as "…". */
static bool pattern_introduces(struct mcti_str raw, size_t at)
{
    static const struct mcti_str words[] = { MCT_STR("such as"),      MCT_STR("like"), MCT_STR("e.g."),
                                             MCT_STR("for example"),  MCT_STR("say"),  MCT_STR("says"),
                                             MCT_STR("for instance"), MCT_STR("z.B."), MCT_STR("including") };
    while (at && strchr(" ,:\n", raw.p[at - 1]))
        at--;
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (at >= words[i].len &&
            mcti_str_eq_nocase((struct mcti_str){ raw.p + at - words[i].len, words[i].len }, words[i]))
            return true;
    return false;
}

/* Returns true if the token begins a quotation that stands for an example. */
static bool pattern_is_example(const struct mcti_scan_text *t, size_t from)
{
    size_t at = t->token[from].raw;
    return at && strchr("\"'`", t->raw.p[at - 1]) && pattern_introduces(t->raw, at - 1);
}

/* Returns true if a word about attacks or examples stands in front of the match in its sentence. */
static bool pattern_is_quoted(const struct mcti_scan_pattern *pattern, const struct mcti_scan_text *t, size_t from)
{
    return pattern->rule->quotable && (t->token[from].quoted || pattern_is_example(t, from));
}

static bool pattern_is_harmless(const struct mcti_scan_run *run, const struct mcti_scan_pattern *pattern,
                                const struct mcti_scan_text *t, size_t from, size_t to)
{
    return pattern->harmless && pattern->harmless(run, t, from, to);
}

/* Finds the first match; a quoted one counts only if there is no other. */
static void pattern_run(struct mcti_scan_run *run, const struct mcti_scan_text *t,
                        const struct mcti_scan_pattern *pattern)
{
    struct pattern_pass p;
    unsigned whole;
    size_t soft_from = NO_TOKEN, soft_at = 0;
    pass_begin(&p, pattern, t);
    whole = (1u << p.n_parts) - 1;
    for (size_t i = 0; i < t->n_tokens; i++) {
        mcti_scan_mask mask = t->token[i].mask;
        if (mask & pattern->without && !(mask & p.any)) /* "no need to" may be a part itself */
            p.last_without = i;
        if (!(mask & p.any))
            continue;
        size_t old = p.start[whole];
        pass_feed(&p, i);
        size_t from = p.start[whole];
        if (from == old || from == NO_TOKEN || !pass_is_met(&p, from, i) ||
            pattern_is_harmless(run, pattern, t, from, i))
            continue;
        if (!pattern_is_quoted(pattern, t, from)) {
            pattern_found(run, &p, from, i, false);
            return;
        }
        soft_from = from;
        soft_at = i;
    }
    if (soft_from != NO_TOKEN)
        pattern_found(run, &p, soft_from, soft_at, true);
}

void mcti_scan_patterns(struct mcti_scan_run *run, const struct mcti_scan_text *t,
                        const struct mcti_scan_pattern *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool here = !patterns[i].roles || patterns[i].roles >> run->role & 1;
        if (here && pattern_may_match(&patterns[i], t->mask))
            pattern_run(run, t, &patterns[i]);
    }
}
