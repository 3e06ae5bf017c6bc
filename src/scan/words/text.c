/* Texts as words: cuts, folds, and looks up. One pass; unseen characters are dropped here, after the rules on raw
 * characters have seen them. */
#include "scan/words/words.h"

#include "base/log/utf8.h"

#include <ctype.h>
#include <stdlib.h>

enum { SPACED_LETTERS = 5, IDENTIFIER_BYTES = 128, SENTENCE_JOINTS = 6, TOPIC_WORDS = 3 };

void mcti_scan_text_done(struct mcti_scan_text *t)
{
    mcti_buf_done(&t->folded);
    free(t->span);
    free(t->token);
}

static void *text_more(struct mcti_scan_text *t, void *v, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return v;
    size_t more = *cap ? 2 * *cap : 64;
    void *grown = t->failed ? NULL : reallocarray(v, more, size);
    if (!grown) {
        t->failed = true;
        return NULL;
    }
    *cap = more;
    return grown;
}

static struct mcti_scan_span *span_add(struct mcti_scan_text *t)
{
    void *v = text_more(t, t->span, t->n_spans, &t->span_cap, sizeof *t->span);
    if (!v)
        return NULL;
    t->span = v;
    t->span[t->n_spans] = (struct mcti_scan_span){ .sentence = t->sentence };
    return &t->span[t->n_spans++];
}

static void token_add(struct mcti_scan_text *t, const struct mcti_scan_span *from, const struct mcti_scan_span *to,
                      mcti_scan_mask mask)
{
    if (!mask)
        return;
    void *v = text_more(t, t->token, t->n_tokens, &t->token_cap, sizeof *t->token);
    if (!v)
        return;
    t->token = v;
    t->token[t->n_tokens++] = (struct mcti_scan_token){
        .mask = mask, .pos = t->pos, .raw = from->raw, .rend = to->rend, .sentence = from->sentence
    };
    t->mask |= mask;
}

/* ---- cutting ---- */

struct cut {
    struct mcti_scan_text *t;
    const struct mcti_scan_reader *reader;
    const char *p, *end;
};

/* Returns the length of a word that contains '_' or '-', in which only ASCII occurs; 0: it is none, or it has so many
 * parts that it is a sentence. */
static size_t identifier_len(const char *p, const char *end)
{
    size_t n = 0, n_joints = 0;
    for (; p + n < end && n < IDENTIFIER_BYTES; n++) {
        char c = p[n];
        bool joins =
            (c == '_' || c == '-' || c == '.') && n && p + n + 1 < end && mcti_scan_is_word((unsigned char)p[n + 1]);
        if (!joins && !((unsigned char)c < 0x80 && mcti_scan_is_word((unsigned char)c)) && c != '_')
            break;
        n_joints += c == '_' || c == '-';
    }
    return n_joints && n_joints < SENTENCE_JOINTS ? n : 0;
}

static bool is_before(const struct cut *c, const char *p, const char *signs)
{
    return p > c->t->raw.p && strchr(signs, p[-1]);
}

/* Adds a span for [from, c->p) with concepts of its own. */
static void cut_special(struct cut *c, const char *from, mcti_scan_mask mask)
{
    struct mcti_scan_span *span = span_add(c->t);
    if (!span)
        return;
    span->at = (uint32_t)c->t->folded.len;
    span->raw = (uint32_t)(from - c->t->raw.p);
    span->rend = (uint32_t)(c->p - c->t->raw.p);
    span->mask = mask;
    mcti_buf_addz(&c->t->folded, "\x01 ");
    span->len = 1;
}

static bool cut_is_local(struct mcti_str host)
{
    return mcti_str_starts(host, MCT_STR("localhost")) || mcti_str_starts(host, MCT_STR("127.")) ||
           mcti_str_starts(host, MCT_STR("[::1]")) || mcti_str_starts(host, MCT_STR("0.0.0.0"));
}

/* Returns the concepts of a URL: a place outside of the machine. The metadata services of clouds hand out keys. */
static mcti_scan_mask url_mask(struct mcti_str host)
{
    static const struct mcti_str metadata[] = { MCT_STR("169.254.169.254"), MCT_STR("metadata.google.internal") };
    for (size_t i = 0; i < SCAN_COUNT(metadata); i++)
        if (mcti_str_starts(host, metadata[i]))
            return SCAN_MASK(FILES);
    return cut_is_local(host) ? 0 : SCAN_MASK(URL) | SCAN_MASK(DEST);
}

/* Takes a URL: SCHEME://… up to white space or a quote. Returns whether there was one. */
static bool cut_url(struct cut *c)
{
    static const struct mcti_str schemes[] = { MCT_STR("http://"), MCT_STR("https://"), MCT_STR("ftp://"),
                                               MCT_STR("wss://"), MCT_STR("hxxp") };
    struct mcti_str rest = mcti_str_range(c->p, c->end);
    for (size_t i = 0; i < SCAN_COUNT(schemes); i++) {
        struct mcti_str head = { rest.p, schemes[i].len < rest.len ? schemes[i].len : rest.len };
        if (!mcti_str_eq_nocase(head, schemes[i]))
            continue;
        const char *from = c->p;
        struct mcti_str host = { rest.p + head.len, rest.len - head.len };
        while (c->p < c->end && (unsigned char)*c->p > ' ' && !strchr("\"'`<>()[]{}|", *c->p))
            c->p++;
        if (c->p > from + head.len && strchr(".,;:!?", c->p[-1]))
            c->p--;
        cut_special(c, from, url_mask(host));
        return true;
    }
    return false;
}

static bool is_mail_char(char c)
{
    return ((unsigned char)c < 0x80 && mcti_scan_is_word((unsigned char)c)) || strchr("._%+-", c);
}

/* Takes an address like a.b@c.example, or four numbers with dots. Returns whether there was one. */
static bool cut_address(struct cut *c)
{
    const char *p = c->p, *from = c->p;
    unsigned dots = 0;
    while (p < c->end && p - from < IDENTIFIER_BYTES && *p && is_mail_char(*p))
        p++;
    if (p < c->end && *p == '@' && p > from) {
        const char *host = ++p;
        for (; p < c->end && p - host < IDENTIFIER_BYTES && *p && is_mail_char(*p); p++)
            dots += *p == '.' && p + 1 < c->end && mcti_scan_is_word((unsigned char)p[1]);
        if (!dots)
            return false;
        while (p > host && p[-1] == '.')
            p--;
        c->p = p;
        cut_special(c, from, SCAN_MASK(URL) | SCAN_MASK(DEST));
        return true;
    }
    unsigned digits = 0;
    for (p = from, dots = 0; p < c->end && ((*p >= '0' && *p <= '9') || (*p == '.' && digits)); p++) {
        dots += *p == '.';
        digits = *p == '.' ? 0 : digits + 1;
    }
    if (dots != 3 || !digits || cut_is_local(mcti_str_range(from, p)))
        return false;
    c->p = p;
    cut_special(c, from, SCAN_MASK(URL) | SCAN_MASK(DEST));
    return true;
}

/* Returns the length of a single word between backticks, as in `state`; 0: it is none. */
static size_t code_len(const struct cut *c)
{
    size_t n = 0;
    if (!is_before(c, c->p, "`"))
        return 0;
    while (c->p + n < c->end && (unsigned char)c->p[n] < 0x80 && mcti_scan_is_word((unsigned char)c->p[n]))
        n++;
    return c->p + n < c->end && c->p[n] == '`' ? n : 0;
}

/* Returns the length of a bank account or phone number at `p`: "DE00 1234 5678 9012", "+49 151 1234567"; 0: none. */
static size_t account_len(const char *p, const char *end)
{
    enum { FEW_DIGITS = 9, MANY_BYTES = 42 };
    bool phone = *p == '+', iban = end - p > 4 && isupper((unsigned char)p[0]) && isupper((unsigned char)p[1]);
    size_t n = phone ? 1 : 2, n_digits = 0;
    if (!phone && !(iban && isdigit((unsigned char)p[2]) && isdigit((unsigned char)p[3])))
        return 0;
    for (size_t i = n; p + i < end && i < MANY_BYTES; i++) {
        bool digit = isdigit((unsigned char)p[i]);
        if (!digit &&
            !(strchr(" -", p[i]) && i + 1 < MANY_BYTES && p + i + 1 < end && isalnum((unsigned char)p[i + 1])) &&
            !(iban && isupper((unsigned char)p[i])))
            break;
        n_digits += digit;
        n = digit ? i + 1 : n;
    }
    return n_digits >= FEW_DIGITS ? n : 0;
}

/* Returns the length of a wallet's address at `p`: "0x" and 40 digits, "bc1" and more than 20 letters; 0: none. */
static size_t wallet_len(struct mcti_str rest)
{
    bool hex = mcti_str_starts(rest, MCT_STR("0x"));
    size_t n = hex ? 2 : 3, least = hex ? 42 : 24;
    if (!hex && !mcti_str_starts(rest, MCT_STR("bc1")))
        return 0;
    while (n < rest.len && n < 64 && isalnum((unsigned char)rest.p[n]))
        n++;
    return n >= least ? n : 0;
}

/* Takes a bank account or phone number. Returns whether there was one. */
static bool cut_account(struct cut *c)
{
    const char *from = c->p;
    size_t n = account_len(c->p, c->end);
    n = n ? n : wallet_len(mcti_str_range(c->p, c->end));
    c->p += n;
    if (n)
        cut_special(c, from, SCAN_MASK(DEST) | SCAN_MASK(PAYEE));
    return n != 0;
}

/* Takes a name such as create_issue. In names themselves the parts are words. Returns whether there was one. */
static bool cut_identifier(struct cut *c)
{
    size_t n = identifier_len(c->p, c->end);
    n = n ? n : code_len(c);
    if (!n || c->reader->is_name || is_before(c, c->p, "/.~\\"))
        return false;
    struct mcti_str name = { c->p, n };
    mcti_scan_mask mask = c->reader->name_mask ? c->reader->name_mask(c->reader->data, name) : 0;
    if (!mask)
        return false;
    c->p += n;
    cut_special(c, name.p, mask);
    return true;
}

/* ---- words ---- */

struct letters {
    unsigned v[64];
    size_t n;
    bool latin, other, leet;
};

static void letters_put(struct mcti_scan_text *t, const struct letters *l)
{
    bool mixed = l->latin && l->other, leet = l->latin && l->leet;
    for (size_t i = 0; i < l->n; i++) {
        unsigned like = mixed && l->v[i] > 0x7f ? mcti_scan_lookalike(l->v[i]) : 0;
        unsigned plain = leet && !like ? mcti_scan_leet(l->v[i]) : 0;
        mcti_utf8_put(&t->folded, like ? like : plain ? plain : l->v[i]);
    }
}

/* Returns true for a sign that stands for a letter between letters, as in "p@ss". */
static bool is_leet_sign(const struct cut *c, const char *p)
{
    return (*p == '@' || *p == '$') && p + 1 < c->end && p > c->t->raw.p && mcti_scan_is_word((unsigned char)p[1]) &&
           mcti_scan_is_word((unsigned char)p[-1]);
}

/* Reads the letters of one word. In names, a capital after a small letter begins a new word. */
static void cut_letters(struct cut *c, struct letters *l, uint32_t *ret_end)
{
    bool names = c->reader->is_name;
    bool small = false;
    *ret_end = (uint32_t)(c->p - c->t->raw.p);
    while (c->p < c->end) {
        const char *before = c->p;
        unsigned raw = mcti_scan_next(&c->p, c->end), f = mcti_scan_fold(raw);
        if (!f)
            continue; /* unseen */
        bool inner = l->n && f == '\'' && c->p < c->end && mcti_scan_is_latin((unsigned char)*c->p);
        bool breaks = (names && small && raw >= 'A' && raw <= 'Z') || (l->n && mcti_scan_is_glued(f));
        if ((!mcti_scan_is_word(f) && !inner && !is_leet_sign(c, before)) || breaks || l->n == SCAN_COUNT(l->v)) {
            c->p = before;
            break;
        }
        small = raw >= 'a' && raw <= 'z';
        l->latin |= mcti_scan_is_latin(f);
        l->other |= f > 0x24f;
        l->leet |= f < 0x80 && !mcti_scan_is_latin(f) && mcti_scan_leet(f);
        l->v[l->n++] = f;
        *ret_end = (uint32_t)(c->p - c->t->raw.p);
        if (mcti_scan_is_glued(f))
            break;
    }
}

/* "/env.example" and the like are no secrets. */
static bool is_sample(const struct cut *c)
{
    static const struct mcti_str ends[] = { MCT_STR(".example"), MCT_STR(".sample"), MCT_STR(".template"),
                                            MCT_STR(".dist") };
    for (size_t i = 0; i < SCAN_COUNT(ends); i++)
        if (mcti_str_starts(mcti_str_range(c->p, c->end), ends[i]))
            return true;
    return false;
}

/* A word that follows '.', '/', '~' or '\' without a blank is also looked up as "/word": ".ssh", "~/.aws". */
static void cut_word(struct cut *c)
{
    struct mcti_scan_text *t = c->t;
    struct letters l = { .n = 0 };
    const char *from = c->p;
    bool path = is_before(c, c->p, "/.~\\");
    uint32_t end;
    cut_letters(c, &l, &end);
    if (!l.n) {
        c->p = c->p > from ? c->p : c->p + 1;
        return;
    }
    bool glued = mcti_scan_is_glued(l.v[0]);
    struct mcti_scan_span *last = t->n_spans ? &t->span[t->n_spans - 1] : NULL;
    bool joins = glued && last && last->glued && last->rend == (uint32_t)(from - t->raw.p);
    if (joins && mcti_buf_last(&t->folded) == ' ')
        t->folded.len--;
    struct mcti_scan_span *span = span_add(t);
    if (!span)
        return;
    span->at = (uint32_t)t->folded.len;
    letters_put(t, &l);
    span->len = (uint32_t)t->folded.len - span->at;
    span->raw = (uint32_t)(from - t->raw.p);
    span->rend = end;
    span->glued = glued;
    mcti_buf_addc(&t->folded, ' ');
    if (path && !is_sample(c)) {
        char word[80] = "/";
        size_t n = span->len < 70 ? span->len : 70;
        memcpy(word + 1, t->folded.p ? t->folded.p + span->at : "", n);
        span->mask = mcti_scanner_word(c->reader->s, (struct mcti_str){ word, n + 1 });
    }
}

/* ---- sentences ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns true if the sign at `p` ends a sentence. */
static bool ends_sentence(const struct cut *c, const char *p, unsigned sign)
{
    const char *next = c->p;
    if (sign == 0x3002 || sign == 0xff01 || sign == 0xff1f || sign == 0xff1b || sign == 0x2022 || sign == 0x2029)
        return true;
    if (sign == '\n')
        return next < c->end && (*next == '\n' || *next == '-' || *next == '*' || *next == '#' || *next == '|' ||
                                 (*next >= '0' && *next <= '9'));
    if (sign != '.' && sign != '!' && sign != '?' && sign != ';')
        return false;
    bool letter = p - c->t->raw.p >= 2 && p[-2] == '.'; /* e.g., i.e. */
    return (next == c->end || is_blank(*next) || strchr("\"')]<", *next)) && !(sign == '.' && letter);
}

static void cut_sign(struct cut *c)
{
    const char *p = c->p;
    unsigned sign = mcti_scan_next(&c->p, c->end);
    if (ends_sentence(c, p, sign))
        c->t->sentence++;
}

static void cut_all(struct cut *c)
{
    while (c->p < c->end && !c->t->failed && mcti_buf_ok(&c->t->folded)) {
        const char *p = c->p;
        unsigned f = mcti_scan_fold(mcti_scan_next(&p, c->end));
        if (f && !mcti_scan_is_word(f)) {
            if (*c->p != '+' || !cut_account(c))
                cut_sign(c);
            continue;
        }
        bool fresh = c->p == c->t->raw.p || (!mcti_scan_is_word((unsigned char)c->p[-1]) && !strchr("_-", c->p[-1]));
        if (!fresh || f >= 0x80 || !(cut_url(c) || cut_address(c) || cut_account(c) || cut_identifier(c)))
            cut_word(c);
    }
}

/* ---- single letters ---- */

static bool is_single(const struct mcti_scan_span *span)
{
    return span->len == 1 && !span->glued && !span->mask;
}

/* Joins runs of single letters with blanks between them, "i g n o r e", to words: a gap of more than one sign ends a
 * word. */
static void join_letters(struct mcti_scan_text *t)
{
    size_t to = 0;
    for (size_t i = 0; i < t->n_spans;) {
        size_t n = 0;
        while (i + n < t->n_spans && is_single(&t->span[i + n]))
            n++;
        if (n < SPACED_LETTERS || !mcti_buf_ok(&t->folded)) {
            for (n = n ? n : 1; n; n--)
                t->span[to++] = t->span[i++];
            continue;
        }
        for (; n; n--, i++) {
            const struct mcti_scan_span *s = &t->span[i];
            struct mcti_scan_span *last = to ? &t->span[to - 1] : NULL;
            bool more = last && i && is_single(&t->span[i - 1]) && s->raw - last->rend <= 1;
            if (more && last->len < 64) {
                t->folded.p[last->at + last->len++] = t->folded.p[s->at];
                last->rend = s->rend;
            } else {
                t->span[to++] = *s;
            }
        }
    }
    t->n_spans = to;
}

/* Phrases are looked up in the folded text, so the words must stand in it one blank apart. */
static void close_gaps(struct mcti_scan_text *t)
{
    uint32_t at = 0;
    for (size_t i = 0; i < t->n_spans && mcti_buf_ok(&t->folded); i++) {
        struct mcti_scan_span *s = &t->span[i];
        bool joins = i && s->glued && t->span[i - 1].glued && t->span[i - 1].rend == s->raw;
        at += i && !joins;
        memmove(t->folded.p + at, t->folded.p + s->at, s->len);
        if (at && !joins && i)
            t->folded.p[at - 1] = ' ';
        s->at = at;
        at += s->len;
    }
    t->folded.len = mcti_buf_ok(&t->folded) ? at : 0;
}

/* The words of a phrase have no tokens of their own; those of a phrase that is laid over them have, and the first is
 * joined with it. */
static void text_look_up(struct mcti_scan_text *t, const struct mcti_scanner *s)
{
    for (size_t i = 0; i < t->n_spans && mcti_buf_ok(&t->folded);) {
        struct mcti_scan_match m;
        mcti_scanner_find(s, t, i, &m);
        size_t n = m.n_words > m.n_over ? m.n_words : m.n_over;
        token_add(t, &t->span[i], &t->span[i + n - 1], t->span[i].mask | m.mask | m.over);
        for (n = m.n_words; n; n--, i++)
            t->pos += t->span[i].glued ? 1 : 2;
    }
}

/* Returns true if attacks are what the text is about. */
static bool is_about_attacks(const struct mcti_scan_text *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_tokens; i++)
        n += (t->token[i].mask & SCAN_MASK(DEFENCE)) != 0;
    return n >= TOPIC_WORDS;
}

/* Gives each word the concepts of its sentence. */
static void mark_sentences(struct mcti_scan_text *t)
{
    bool topic = is_about_attacks(t);
    for (size_t i = 0, n; i < t->n_tokens; i += n) {
        mcti_scan_mask around = 0;
        for (n = 0; i + n < t->n_tokens && t->token[i + n].sentence == t->token[i].sentence; n++)
            around |= t->token[i + n].mask;
        bool quoted = topic;
        for (size_t k = 0; k < n; k++) {
            quoted |= (t->token[i + k].mask & SCAN_MASK(DEFENCE)) != 0;
            t->token[i + k].around = around;
            t->token[i + k].quoted = quoted;
        }
    }
}

void mcti_scan_text_read(struct mcti_scan_text *t, const struct mcti_scan_reader *reader, struct mcti_str raw)
{
    struct cut c = { .t = t, .reader = reader, .p = raw.p, .end = raw.p + raw.len };
    *t = (struct mcti_scan_text){ .raw = raw };
    mcti_buf_init(&t->folded, 8 * raw.len + 64);
    cut_all(&c);
    join_letters(t);
    close_gaps(t);
    text_look_up(t, reader->s);
    mark_sentences(t);
    t->failed |= !mcti_buf_ok(&t->folded);
}
