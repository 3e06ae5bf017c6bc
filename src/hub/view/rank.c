#include "hub/view/rank.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The usual BM25 parameters: saturation of repeated words, and influence of the length. */
static const double K1 = 1.2, B = 0.75;

enum { TERM_BYTES = 32, NAME_WEIGHT = 4, TITLE_WEIGHT = 2, TEXT_BYTES = 8192 };

struct term {
    char text[TERM_BYTES];
    size_t len;
    bool required;
    size_t n_docs; /* tools that contain the word */
};

struct query {
    struct term terms[MCT_RANK_TERMS];
    size_t n;
};

struct doc {
    double length;
    double count[MCT_RANK_TERMS];
};

/* ---- words ---- */

/* Reads the next word in lower case: letters, digits and bytes beyond ASCII. A change from lower to upper case begins a
 * new word ("readFile" is two). Returns false at the end. */
static bool rank_next_word(struct mcti_str *rest, char *ret, size_t *ret_len)
{
    size_t i = 0, n = 0;
    while (i < rest->len && !isalnum((unsigned char)rest->p[i]) && (unsigned char)rest->p[i] < 0x80)
        i++;
    for (size_t from = i; i < rest->len; i++) {
        unsigned char c = (unsigned char)rest->p[i];
        if ((!isalnum(c) && c < 0x80) || (i > from && isupper(c) && islower((unsigned char)rest->p[i - 1])))
            break;
        if (n < TERM_BYTES)
            ret[n++] = (char)tolower(c);
    }
    *rest = (struct mcti_str){ rest->p + i, rest->len - i };
    *ret_len = n;
    return n > 0;
}

/* Returns true if the words are equal except for a final "s", as in "issue" and "issues". */
static bool rank_matches(const struct term *t, const char *word, size_t len)
{
    size_t short_len = t->len < len ? t->len : len, long_len = t->len < len ? len : t->len;
    const char *longer = t->len < len ? word : t->text;
    if (memcmp(t->text, word, short_len))
        return false;
    return short_len == long_len || (short_len > 2 && long_len == short_len + 1 && longer[short_len] == 's');
}

static void read_terms(struct query *q, struct mcti_str text)
{
    struct mcti_str part;
    while (mcti_str_split(&text, ' ', &part)) {
        bool required = part.len && part.p[0] == '+';
        struct term t = { .required = required };
        while (q->n < MCT_RANK_TERMS && rank_next_word(&part, t.text, &t.len))
            q->terms[q->n++] = t;
    }
}

/* ---- words of a tool ---- */

static void count_text(const struct query *q, struct doc *d, struct mcti_str text, double weight)
{
    char word[TERM_BYTES];
    size_t len;
    while (rank_next_word(&text, word, &len)) {
        d->length += weight;
        for (size_t i = 0; i < q->n; i++)
            d->count[i] += rank_matches(&q->terms[i], word, len) ? weight : 0;
    }
}

static void count_json(const struct query *q, struct doc *d, struct mcti_str string, double weight)
{
    struct mcti_buf text;
    mcti_buf_init(&text, TEXT_BYTES);
    mcti_json_unescape(string, &text); /* if the text is too long, only its beginning is used */
    count_text(q, d, mcti_buf_str(&text), weight);
    mcti_buf_done(&text);
}

static void read_doc(const struct query *q, const struct mcti_exposure *x, struct doc *d)
{
    struct mcti_json_member m;
    struct mcti_str schema = mcti_json_get(mcti_item_json(x->item), "inputSchema");
    *d = (struct doc){ 0 };
    count_text(q, d, x->name, NAME_WEIGHT);
    count_json(q, d, mcti_json_get(mcti_item_json(x->item), "title"), TITLE_WEIGHT);
    count_json(q, d, mcti_json_get(mcti_item_json(x->item), "description"), 1);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "properties"));
         mcti_json_next_member(&it, &m);)
        count_text(q, d, m.key, 1);
}

/* ---- ranks ---- */

static bool lacks_required(const struct query *q, const struct doc *d)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->terms[i].required && !(d->count[i] > 0))
            return true;
    return false;
}

static double rank_score(const struct query *q, const struct doc *d, size_t n_docs, double average)
{
    double sum = 0;
    for (size_t i = 0; i < q->n; i++) {
        double n = (double)q->terms[i].n_docs, tf = d->count[i];
        double idf = log(1 + ((double)n_docs - n + 0.5) / (n + 0.5));
        sum += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * d->length / average));
    }
    return sum;
}

static int by_rank(const void *a, const void *b)
{
    const struct mcti_ranked *x = a, *y = b;
    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    return mcti_str_cmp(x->tool->name, y->tool->name);
}

static void rank_all(struct mcti_ranking *ret, const struct mcti_exposures *e, struct query *q, struct doc *docs)
{
    double total = 0;
    for (size_t i = 0; i < e->n; i++) {
        read_doc(q, &e->v[i], &docs[i]);
        total += docs[i].length;
        for (size_t k = 0; k < q->n; k++)
            q->terms[k].n_docs += docs[i].count[k] > 0;
    }
    for (size_t i = 0; i < e->n; i++) {
        double s = lacks_required(q, &docs[i]) ? 0 : rank_score(q, &docs[i], e->n, total / (double)e->n);
        if (s > 0)
            ret->v[ret->n++] = (struct mcti_ranked){ &e->v[i], s };
    }
    qsort(ret->v, ret->n, sizeof *ret->v, by_rank);
}

static int rank_rank(struct mcti_ranking *ret, const struct mcti_exposures *e, struct mcti_str query,
                     struct mct_error *err)
{
    struct query q = { .n = 0 };
    struct doc *docs = calloc(e->n ? e->n : 1, sizeof *docs);
    read_terms(&q, query);
    if (!q.n || !docs) {
        free(docs);
        return docs ? mcti_fail(err, MCT_ERR_USAGE, "the query has no words") : mcti_no_memory(err);
    }
    rank_all(ret, e, &q, docs);
    free(docs);
    return 0;
}

static void take_named(struct mcti_ranking *ret, struct mcti_view *v, struct mcti_str names, size_t max)
{
    struct mcti_str name;
    for (size_t seen = 0; seen < MCT_RANK_NAMES && mcti_str_split(&names, ',', &name); seen++) {
        name = mcti_str_trim(name);
        const struct mcti_exposure *x = name.len ? mcti_view_named(v, MCT_TOOL, name, NULL) : NULL;
        x = x && mcti_view_is_for_model(x) ? x : NULL;
        if (x && ret->n < max)
            ret->v[ret->n++] = (struct mcti_ranked){ x, 0 };
        else if (name.len && !x)
            ret->missing[ret->n_missing++] = name;
    }
}

int mcti_rank(struct mcti_ranking *ret, struct mcti_view *v, struct mcti_str query, size_t max, struct mct_error *err)
{
    const struct mcti_exposures *e = mcti_view_items(v, MCT_TOOL);
    const struct mcti_str select = MCT_STR("select:");
    size_t room = e->n > MCT_RANK_NAMES ? e->n : MCT_RANK_NAMES;
    query = mcti_str_trim(query);
    *ret = (struct mcti_ranking){ .selects = mcti_str_starts(query, select) };
    ret->v = calloc(room, sizeof *ret->v);
    if (!ret->v)
        return mcti_no_memory(err);
    int r = 0;
    if (ret->selects)
        take_named(ret, v, (struct mcti_str){ query.p + select.len, query.len - select.len }, max);
    else
        r = rank_rank(ret, e, query, err);
    if (ret->n > max)
        ret->n = max;
    if (r < 0)
        mcti_ranking_done(ret);
    return r;
}

void mcti_ranking_done(struct mcti_ranking *r)
{
    free(r->v);
    r->v = NULL;
    r->n = 0;
}
