/* Searches a kept result: plain text, line by line. */
#include "hub/results/impl.h"

enum {
    MATCHES = 50,
    BEFORE_BYTES = 150,
    AFTER_BYTES = 350,
    SEARCH_BYTES = 4 << 20, /* of the text, at once */
    WINDOW_BYTES = 64 << 10 /* whole lines of about this length are searched together */
};

/* A search of a text. */
struct range_search {
    const struct mcti_range *range;
    struct mcti_buf *to;
    struct mcti_str text, needle; /* needle: in lower case if case is ignored */
    struct mcti_str window;       /* whole lines of the text */
    struct mcti_buf lower;        /* the window in lower case if case is ignored */
    uint64_t context, shown;      /* shown: number of the last line that was written */
    uint64_t n, n_shown;          /* lines that match, and those that were written */
    uint64_t next;                /* line to go on with; 0: none */
    uint64_t after;               /* lines of the last match's context that are still to be written */
};

/* Sets the window to whole lines from `p` on, which begin in the next `max` bytes. */
static void range_look_through(struct range_search *s, const char *p, size_t max)
{
    const char *end = s->text.p + s->text.len;
    size_t len = max < WINDOW_BYTES ? max : WINDOW_BYTES;
    const char *until = (size_t)(end - p) > len ? mcti_range_line_end(p + len - 1, end) : end;
    s->window = mcti_str_range(p, until);
    if (!s->range->q->ignore_case)
        return;
    mcti_buf_clear(&s->lower);
    mcti_buf_add_lower(&s->lower, s->window);
}

/* Returns the place of the needle between `p` and `end`, both in the window; NULL if it is not there. Linear in that
 * length. */
static const char *range_find(const struct range_search *s, const char *p, const char *end)
{
    struct mcti_str in = s->range->q->ignore_case ? mcti_buf_str(&s->lower) : s->window;
    size_t from = (size_t)(p - s->window.p), len = (size_t)(end - p);
    const char *at = from + len <= in.len && len ? memmem(in.p + from, len, s->needle.p, s->needle.len) : NULL;
    return at ? s->window.p + (at - in.p) : NULL;
}

/* Moves *l to the next line that contains the needle; to the end of the window if no line does. */
static void range_skip(struct range_search *s, struct mcti_range_line *l)
{
    const char *end = s->window.p + s->window.len, *at = range_find(s, l->p, end);
    const char *feed = memrchr(l->p, '\n', (size_t)((at ? at : end) - l->p));
    if (feed) {
        uint64_t left = UINT64_MAX;
        l->p = mcti_range_skip_lines(l->p, feed + 1, &left);
        l->number += UINT64_MAX - left;
    }
    if (!at && l->p < end) { /* the last line of the text, without a line feed */
        l->p = end;
        l->number++;
    }
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
    const char *at = range_find(s, line.p, line.p + line.len);
    bool room = !s->next && s->n_shown < MATCHES && (!s->range->q->max || s->to->len < s->range->q->max);
    s->n += at != NULL;
    if (at && room) {
        range_put_before(s, l);
        range_put_line(s, l->number, line, (size_t)(at - line.p), ':');
        s->n_shown++;
        s->after = s->context;
    } else if (at && !s->next) {
        s->next = l->number;
    } else if (!at && s->after && room) {
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
    for (const char *begin = l.p; l.p < end && l.p - begin < SEARCH_BYTES;) {
        if (q->lines && l.number - first >= q->lines)
            break;
        if (l.p >= s->window.p + s->window.len)
            range_look_through(s, l.p, SEARCH_BYTES - (size_t)(l.p - begin));
        if (!q->lines && (s->next || !s->after))
            range_skip(s, &l);
        if (l.p == s->window.p + s->window.len)
            continue;
        l.end = mcti_range_line_end(l.p, end);
        range_look_at(s, &l);
        l.number++;
        l.p = l.end;
    }
    range_put_found(s, first, &l);
    return mcti_buf_ok(&s->lower) ? 0 : mcti_no_memory(err);
}

int mcti_range_search(const struct mcti_range *r, struct mct_error *err)
{
    const struct mcti_result_query *q = r->q;
    struct mcti_buf needle;
    struct range_search s = {
        .range = r, .to = r->to, .text = r->text, .context = q->context, .window = { r->text.p, 0 }
    };
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
