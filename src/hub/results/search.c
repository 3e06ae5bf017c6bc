/* Searches a kept result: plain text, line by line. */
#include "hub/results/impl.h"

enum { MATCHES = 50, BEFORE_BYTES = 150, AFTER_BYTES = 350, SEARCH_BYTES = 4 << 20 /* of the text, at once */ };

/* A search of a text. */
struct range_search {
    const struct mcti_range *range;
    struct mcti_buf *to;
    struct mcti_str text, needle; /* needle: in lower case if case is ignored */
    struct mcti_buf lower;        /* a line in lower case */
    uint64_t context, shown;      /* shown: number of the last line that was written */
    uint64_t n, n_shown;          /* lines that match, and those that were written */
    uint64_t next;                /* line to go on with; 0: none */
    uint64_t after;               /* lines of the last match's context that are still to be written */
};

/* Returns the offset of the needle in the line; -1 if it is not there. Linear in the length of the line. */
static long range_find(struct range_search *s, struct mcti_str line)
{
    struct mcti_str in = line;
    if (s->range->q->ignore_case) {
        mcti_buf_clear(&s->lower);
        mcti_buf_add_lower(&s->lower, line);
        in = mcti_buf_str(&s->lower);
    }
    const char *at = in.len ? memmem(in.p, in.len, s->needle.p, s->needle.len) : NULL;
    return at ? (long)(at - in.p) : -1;
}

/* Returns the line without its line ending. */
static struct mcti_str range_bare(const char *p, const char *end)
{
    struct mcti_str line = mcti_str_range(p, end);
    if (line.len && line.p[line.len - 1] == '\n')
        line.len--;
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Writes "12:text" for a match and "12-text" for a line around one; of a long line, what is around `at`. */
static void range_put_line(struct range_search *s, uint64_t number, struct mcti_str line, size_t at, char mark)
{
    size_t from = at > BEFORE_BYTES ? mcti_range_boundary(line, at - BEFORE_BYTES) : 0;
    size_t until = mcti_range_boundary(line, at + s->needle.len + AFTER_BYTES);
    if (s->to->len && number > s->shown + 1 && s->context)
        mcti_buf_addz(s->to, "--\n");
    mcti_buf_printf(s->to, "%llu%c", (unsigned long long)number, mark);
    mcti_buf_addz(s->to, from ? "\xe2\x80\xa6" : "");
    mcti_buf_add(s->to, mcti_str_range(line.p + from, line.p + until));
    if (until < line.len)
        mcti_buf_printf(s->to, "\xe2\x80\xa6 (byte=%zu)", (size_t)(line.p - s->text.p) + until);
    mcti_buf_addc(s->to, '\n');
    s->shown = number;
}

/* Writes the lines before a match that are not written yet. */
static void range_put_before(struct range_search *s, const struct mcti_range_line *match)
{
    const char *p = match->p;
    uint64_t number = match->number;
    while (p > s->text.p && number > s->shown + 1 && match->number - number < s->context) {
        const char *before = p - 1;
        while (before > s->text.p && before[-1] != '\n')
            before--;
        p = before;
        number--;
    }
    for (; number < match->number; number++) {
        const char *end = mcti_range_line_end(p, s->text.p + s->text.len);
        range_put_line(s, number, range_bare(p, end), 0, '-');
        p = end;
    }
}

/* Writes the line if it matches or is near a match. */
static void range_look_at(struct range_search *s, const struct mcti_range_line *l)
{
    struct mcti_str line = range_bare(l->p, l->end);
    long at = range_find(s, line);
    bool room = !s->next && s->n_shown < MATCHES && (!s->range->q->max || s->to->len < s->range->q->max);
    s->n += at >= 0;
    if (at >= 0 && room) {
        range_put_before(s, l);
        range_put_line(s, l->number, line, (size_t)at, ':');
        s->n_shown++;
        s->after = s->context;
    } else if (at >= 0 && !s->next) {
        s->next = l->number;
    } else if (at < 0 && s->after && room) {
        range_put_line(s, l->number, line, 0, '-');
        s->after--;
    }
}

/* Says what was found. `l` is the line behind those that were searched. */
static void range_put_found(struct range_search *s, uint64_t first, const struct mcti_range_line *l)
{
    struct mcti_buf *note = s->range->note;
    const char *end = s->text.p + s->text.len;
    uint64_t n_lines = mcti_range_n_lines(s->range, l->p, l->number - 1);
    bool is_part = l->p < end;
    if (s->n)
        mcti_buf_printf(note, "%llu of %llu lines with the text.", (unsigned long long)s->n_shown,
                        (unsigned long long)s->n);
    else
        mcti_buf_printf(note, "No line contains the text; the text has %llu lines.", (unsigned long long)n_lines);
    if (is_part)
        mcti_buf_printf(note, " Lines %llu to %llu of %llu were searched.", (unsigned long long)first,
                        (unsigned long long)(l->number - 1), (unsigned long long)n_lines);
    if (s->next || (is_part && !s->range->q->lines))
        mcti_buf_printf(note, " Go on with line=%llu and the same search.",
                        (unsigned long long)(s->next ? s->next : l->number));
}

static int range_search_lines(struct range_search *s, struct mct_error *err)
{
    const struct mcti_result_query *q = s->range->q;
    struct mcti_range_line l;
    uint64_t first = q->line ? q->line : 1;
    const char *end = s->text.p + s->text.len;
    if (!mcti_range_seek(s->range, first, &l))
        return mcti_range_fail_line(err, first, l.number - 1);
    s->shown = first - 1;
    for (const char *begin = l.p; l.p < end && l.p - begin < SEARCH_BYTES; l.number++, l.p = l.end) {
        if (q->lines && l.number - first >= q->lines)
            break;
        l.end = mcti_range_line_end(l.p, end);
        range_look_at(s, &l);
    }
    range_put_found(s, first, &l);
    return mcti_buf_ok(&s->lower) ? 0 : mcti_no_memory(err);
}

int mcti_range_search(const struct mcti_range *r, struct mct_error *err)
{
    const struct mcti_result_query *q = r->q;
    struct mcti_buf needle;
    struct range_search s = { .range = r, .to = r->to, .text = r->text, .context = q->context };
    mcti_buf_init(&needle, q->search.len);
    mcti_buf_init(&s.lower, r->text.len);
    if (q->ignore_case)
        mcti_buf_add_lower(&needle, mcti_buf_str(&q->search));
    else
        mcti_buf_add(&needle, mcti_buf_str(&q->search));
    s.needle = mcti_buf_str(&needle);
    int result = mcti_buf_ok(&needle) ? range_search_lines(&s, err) : mcti_no_memory(err);
    mcti_buf_done(&needle);
    mcti_buf_done(&s.lower);
    return result;
}
