/* Findings: kept, shown, and left out. */
#include "scan/impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "json/write.h"

#include <stdlib.h>

enum { EXCERPT_BYTES = 160, EXCERPT_BEFORE = 24, EXCERPT_AFTER = 40 };

static void finding_done(struct mcti_scan_finding *f)
{
    free(f->place);
    free(f->excerpt);
}

void mcti_scan_report_done(struct mcti_scan_report *report)
{
    for (size_t i = 0; i < report->n; i++)
        finding_done(&report->v[i]);
    free(report->v);
    *report = (struct mcti_scan_report){ 0 };
}

size_t mcti_scan_report_count(const struct mcti_scan_report *report, enum mcti_scan_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++)
        n += report->v[i].severity == severity;
    return n;
}

static bool is_ignored(const struct mcti_scan_rule *rule, const struct mcti_strings *globs, struct mcti_str server,
                       struct mcti_str item)
{
    struct mcti_buf whole;
    mcti_buf_init(&whole, 2 * MCT_LIMIT_URI_BYTES);
    mcti_buf_printf(&whole, "%s:%.*s.%.*s", rule->id, MCT_STR_ARG(server), MCT_STR_ARG(item));
    const char *const *v = (const char *const *)globs->v;
    bool is = mcti_str_glob_any(v, globs->n, mcti_str_of(rule->id)) ||
              (mcti_buf_ok(&whole) && mcti_str_glob_any(v, globs->n, mcti_buf_str(&whole)));
    mcti_buf_done(&whole);
    return is;
}

size_t mcti_scan_report_ignore(struct mcti_scan_report *report, const struct mcti_strings *globs,
                               struct mcti_str server, struct mcti_str item)
{
    size_t to = 0, n = globs->n ? report->n : 0;
    if (!n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (is_ignored(report->v[i].rule, globs, server, item))
            finding_done(&report->v[i]);
        else
            report->v[to++] = report->v[i];
    report->n = to;
    return n - to;
}

void mcti_scan_put_finding(struct mcti_buf *to, const struct mcti_scan_finding *finding)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "rule", mcti_str_of(finding->rule->id));
    mcti_json_put_member(to, "severity", mcti_str_of(mcti_scan_severity_word(finding->severity)));
    mcti_json_put_member(to, "owasp", mcti_str_of(finding->rule->owasp));
    mcti_json_put_member(to, "title", mcti_str_of(finding->rule->title));
    mcti_json_put_member(to, "place", mcti_str_of(finding->place));
    mcti_json_put_member(to, "excerpt", mcti_str_of(finding->excerpt));
    mcti_json_put_member(to, "advice", mcti_str_of(finding->rule->advice));
    mcti_buf_addc(to, '}');
}

void mcti_scan_report_settle(struct mcti_scan_report *report, size_t first)
{
    size_t to = first;
    for (size_t i = first; i < report->n; i++)
        if (report->v[i].rule == &mcti_scan_combined.rules[0])
            return;
    for (size_t i = first; i < report->n; i++)
        if (report->v[i].rule->hint)
            finding_done(&report->v[i]);
        else
            report->v[to++] = report->v[i];
    report->n = to;
}

/* ---- excerpts ---- */

/* Moves an index to the beginning of a character. */
static size_t char_start(struct mcti_str s, size_t i)
{
    while (i > 0 && i < s.len && ((unsigned char)s.p[i] & 0xc0) == 0x80)
        i--;
    return i;
}

static bool is_hidden(unsigned c, const char *p, size_t n)
{
    return c == 0xfffd || mcti_unseen_len(p, n) || !mcti_scan_fold(c) || (c >= 0xe000 && c <= 0xf8ff) || c >= 0xe0000;
}

/* Appends the text with hidden characters as <U+200B>; a run of them shows the first, and the number of the others. */
static void put_harmless(struct mcti_buf *to, struct mcti_str s)
{
    size_t n_hidden = 0;
    for (const char *p = s.p, *end = s.p + s.len; p < end;) {
        const char *at = p;
        unsigned c = mcti_scan_next(&p, end);
        bool blank = c == '\n' || c == '\t' || c == '\r';
        bool hidden = !blank && is_hidden(c, at, (size_t)(end - at));
        if (!hidden && n_hidden > 1)
            mcti_buf_printf(to, "<%zu more>", n_hidden - 1);
        n_hidden = hidden ? n_hidden + 1 : 0;
        if (n_hidden == 1)
            mcti_buf_printf(to, "<U+%04X>", c == 0xfffd && p - at == 1 ? (unsigned)(unsigned char)*at : c);
        else if (!hidden && blank && mcti_buf_last(to) != ' ')
            mcti_buf_addc(to, ' ');
        else if (!hidden && !blank && !(c == ' ' && mcti_buf_last(to) == ' '))
            mcti_buf_add(to, mcti_str_range(at, p));
    }
    if (n_hidden > 1)
        mcti_buf_printf(to, "<%zu more>", n_hidden - 1);
}

char *mcti_scan_excerpt(struct mcti_str raw, struct mcti_str at)
{
    struct mcti_buf text;
    size_t from = (size_t)(at.p - raw.p), to = from + at.len;
    from = char_start(raw, from > EXCERPT_BEFORE ? from - EXCERPT_BEFORE : 0);
    to = char_start(raw, to + EXCERPT_AFTER < raw.len ? to + EXCERPT_AFTER : raw.len);
    bool cut = to - from > EXCERPT_BYTES;
    to = cut ? char_start(raw, from + EXCERPT_BYTES) : to;
    mcti_buf_init(&text, 16 * EXCERPT_BYTES);
    mcti_buf_addz(&text, from ? "…" : "");
    put_harmless(&text, (struct mcti_str){ raw.p + from, to - from });
    mcti_buf_addz(&text, to < raw.len ? "…" : "");
    return mcti_buf_take(&text);
}

char *mcti_scan_shown(struct mcti_str text)
{
    struct mcti_buf shown;
    mcti_buf_init(&shown, 16 * text.len + 64);
    put_harmless(&shown, text);
    return mcti_buf_take(&shown);
}

/* A secret is shown by its first letters and its length. */
static char *excerpt_masked(struct mcti_str at)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 256);
    put_harmless(&text, (struct mcti_str){ at.p, at.len < 6 ? at.len : 6 });
    mcti_buf_printf(&text, "… (%zu characters)", at.len);
    return mcti_buf_take(&text);
}

/* ---- adding ---- */

/* Returns the finding of this rule in the current text, or NULL. */
static struct mcti_scan_finding *report_find(const struct mcti_scan_run *run, const struct mcti_scan_rule *rule)
{
    for (size_t i = run->first; i < run->report->n; i++)
        if (run->report->v[i].rule == rule)
            return &run->report->v[i];
    return NULL;
}

static struct mcti_scan_finding *report_more(struct mcti_scan_report *report)
{
    if (report->n >= MCT_LIMIT_SCAN_FINDINGS) {
        report->cut = true;
        return NULL;
    }
    if (report->n == report->cap) {
        size_t cap = report->cap ? 2 * report->cap : 8;
        void *v = reallocarray(report->v, cap, sizeof *report->v);
        if (!v) {
            report->failed = true;
            return NULL;
        }
        report->v = v;
        report->cap = cap;
    }
    return &report->v[report->n];
}

static void report_add(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_scan_degree degree,
                       size_t at, char *take_excerpt)
{
    struct mcti_scan_finding *f = report_more(run->report);
    char *place = f ? mcti_str_dup(mcti_buf_str(&run->place)) : NULL;
    if (!f || !place || !take_excerpt) {
        run->report->failed |= f != NULL;
        free(place);
        free(take_excerpt);
        return;
    }
    *f = (struct mcti_scan_finding){ rule, degree.severity, degree.weight, at, place, take_excerpt };
    run->report->n++;
}

/* Returns the excerpt as it is shown, with the encoding in which the text was found. */
static char *excerpt_of(const struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_str raw,
                        struct mcti_str at)
{
    bool secret = mcti_str_starts(mcti_str_of(rule->id), MCT_STR("secret."));
    char *excerpt = secret ? excerpt_masked(at) : mcti_scan_excerpt(raw, at);
    struct mcti_buf text;
    if (!run->via || !excerpt)
        return excerpt;
    mcti_buf_init(&text, 32 * EXCERPT_BYTES);
    mcti_buf_printf(&text, "in %s: %s", run->via, excerpt);
    free(excerpt);
    return mcti_buf_take(&text);
}

void mcti_scan_found_at(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_scan_degree degree,
                        struct mcti_str raw, struct mcti_str at)
{
    struct mcti_scan_finding *old = report_find(run, rule);
    if (!old) {
        report_add(run, rule, degree, (size_t)(at.p - raw.p), excerpt_of(run, rule, raw, at));
        return;
    }
    old->severity = degree.severity > old->severity ? degree.severity : old->severity;
    old->weight = degree.weight > old->weight ? degree.weight : old->weight;
}

void mcti_scan_found(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_str raw,
                     struct mcti_str at)
{
    mcti_scan_found_at(run, rule, (struct mcti_scan_degree){ rule->severity, rule->weight }, raw, at);
}

void mcti_scan_found_as(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, const char *excerpt)
{
    report_add(run, rule, (struct mcti_scan_degree){ rule->severity, rule->weight }, 0,
               mcti_str_dup(mcti_str_of(excerpt)));
}
