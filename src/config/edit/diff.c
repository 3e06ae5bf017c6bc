/* Unified diffs of two texts. Lines that both begin and end with are left out before the rest is compared. */
#include "config/edit/edit.h"

#include <stdint.h>
#include <stdlib.h>

enum { DIFF_AROUND = 3, DIFF_MOST_CELLS = 4 << 20 };

struct lines {
    struct mcti_str *v;
    size_t n;
};

/* An edit script: for each line of the result ' ', '-' or '+'. */
struct diff {
    struct lines a, b;
    char *script; /* room for all lines of both */
    size_t n;
};

static int lines_of(struct mcti_str text, struct lines *ret)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == '\n';
    ret->v = calloc(n, sizeof *ret->v);
    ret->n = 0;
    if (!ret->v)
        return -1;
    for (const char *p = text.p, *end = text.p + text.len; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop + 1 : end;
        ret->v[ret->n++] = mcti_str_range(p, stop);
        p = stop;
    }
    return 0;
}

static bool same_line(const struct diff *d, size_t i, size_t j)
{
    return mcti_str_eq(d->a.v[i], d->b.v[j]);
}

static void script_add(struct diff *d, char op, size_t n)
{
    memset(d->script + d->n, op, n);
    d->n += n;
}

/* Appends the script of the lines from `from` to `a_to` and `b_to`: the longest common subsequence stays. */
static void diff_compare(struct diff *d, size_t from, size_t a_to, size_t b_to)
{
    size_t n = a_to - from, m = b_to - from, i = 0, j = 0, width = m + 1;
    uint32_t *len = n && m && n < DIFF_MOST_CELLS / width ? calloc((n + 1) * width, sizeof *len) : NULL;
    for (size_t x = n; len && x-- > 0;)
        for (size_t y = m; y-- > 0;) {
            uint32_t down = len[(x + 1) * width + y], right = len[x * width + y + 1];
            uint32_t both = len[(x + 1) * width + y + 1] + 1;
            len[x * width + y] = same_line(d, from + x, from + y) ? both : down > right ? down : right;
        }
    while (len && i < n && j < m) {
        bool same = same_line(d, from + i, from + j);
        bool remove = !same && len[(i + 1) * width + j] >= len[i * width + j + 1];
        script_add(d, same ? ' ' : remove ? '-' : '+', 1);
        i += same || remove;
        j += same || !remove;
    }
    script_add(d, '-', n - i);
    script_add(d, '+', m - j);
    free(len);
}

static void diff_make(struct diff *d)
{
    size_t from = 0, a_to = d->a.n, b_to = d->b.n;
    while (from < a_to && from < b_to && same_line(d, from, from))
        from++;
    while (a_to > from && b_to > from && same_line(d, a_to - 1, b_to - 1)) {
        a_to--;
        b_to--;
    }
    script_add(d, ' ', from);
    diff_compare(d, from, a_to, b_to);
    script_add(d, ' ', d->a.n - a_to);
}

static void put_line(struct mcti_buf *to, char op, struct mcti_str line)
{
    mcti_buf_addc(to, op);
    mcti_buf_add(to, line);
    if (line.p[line.len - 1] != '\n')
        mcti_buf_addz(to, "\n\\ No newline at end of file\n");
}

/* Returns the end of the hunk that begins at `from`: behind its last change and the lines around that. */
static size_t hunk_end(const struct diff *d, size_t from)
{
    size_t last = from;
    for (size_t k = from; k < d->n && k <= last + 2 * DIFF_AROUND; k++)
        if (d->script[k] != ' ')
            last = k;
    return last + 1 + DIFF_AROUND < d->n ? last + 1 + DIFF_AROUND : d->n;
}

static void put_range(struct mcti_buf *to, char sign, size_t first, size_t n)
{
    mcti_buf_printf(to, " %c%zu", sign, n ? first + 1 : first);
    if (n != 1)
        mcti_buf_printf(to, ",%zu", n);
}

/* Appends the lines of the script from `from` to `end`; `i` and `j` are those of the texts. */
static void put_hunk(struct mcti_buf *to, const struct diff *d, size_t from, size_t end, size_t i, size_t j)
{
    size_t n = 0, m = 0;
    for (size_t k = from; k < end; k++) {
        n += d->script[k] != '+';
        m += d->script[k] != '-';
    }
    mcti_buf_addz(to, "@@");
    put_range(to, '-', i, n);
    put_range(to, '+', j, m);
    mcti_buf_addz(to, " @@\n");
    for (size_t k = from; k < end; k++) {
        put_line(to, d->script[k], d->script[k] == '+' ? d->b.v[j] : d->a.v[i]);
        i += d->script[k] != '+';
        j += d->script[k] != '-';
    }
}

static void put_hunks(struct mcti_buf *to, const struct diff *d)
{
    size_t i = 0, j = 0, k = 0;
    for (size_t next = 0; next < d->n; next++) {
        if (d->script[next] == ' ')
            continue;
        size_t from = next - k > DIFF_AROUND ? next - DIFF_AROUND : k, end = hunk_end(d, next);
        i += from - k; /* lines between hunks are in both texts */
        j += from - k;
        put_hunk(to, d, from, end, i, j);
        for (k = from; k < end; k++) {
            i += d->script[k] != '+';
            j += d->script[k] != '-';
        }
        next = end - 1;
    }
}

void mcti_edit_put_diff(struct mcti_buf *to, const char *file, struct mcti_str before, struct mcti_str after)
{
    struct diff d = { .n = 0 };
    if (mcti_str_eq(before, after))
        return;
    if (lines_of(before, &d.a) == 0 && lines_of(after, &d.b) == 0 && (d.script = malloc(d.a.n + d.b.n + 1))) {
        diff_make(&d);
        mcti_buf_printf(to, "--- %s\n+++ %s\n", before.len ? file : "/dev/null", file);
        put_hunks(to, &d);
    } else {
        to->failed = true;
    }
    free(d.a.v);
    free(d.b.v);
    free(d.script);
}
