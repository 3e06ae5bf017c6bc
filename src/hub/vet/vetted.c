#include "hub/vet/vetted.h"

#include "base/limits.h"
#include "hub/vet/vet.h"

#include <stdlib.h>

const char *mcti_subject_word(enum mcti_subject subject)
{
    return subject < MCT_SUBJECT_INSTRUCTIONS    ? mcti_kind_info((enum mcti_kind)subject)->word
           : subject == MCT_SUBJECT_INSTRUCTIONS ? "instructions"
                                                 : "serverInfo";
}

const char *mcti_judgement_word(enum mcti_judgement judgement)
{
    static const char *const words[] = { "ok", "warn", "quarantine" };
    return words[judgement];
}

/* ---- findings ---- */

void mcti_findings_clear(struct mcti_findings *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i]);
    free(f->v);
    *f = (struct mcti_findings){ 0 };
}

/* Takes the finding, which may be NULL. */
static void findings_take(struct mcti_findings *f, struct mcti_finding *one)
{
    if (one && f->n == f->cap && f->n < MCT_LIMIT_FINDINGS) {
        size_t cap = f->cap ? 2 * f->cap : 8;
        struct mcti_finding **v = realloc(f->v, cap * sizeof(struct mcti_finding *));
        f->v = v ? v : f->v;
        f->cap = v ? cap : f->cap;
    }
    if (one && f->n < f->cap) {
        f->v[f->n++] = one;
        return;
    }
    free(one);
    f->n_left_out++;
}

void mcti_findings_add(struct mcti_findings *f, const struct mcti_finding *finding)
{
    size_t n = finding->id.len + finding->reason.len + 2;
    struct mcti_finding *one = f->n < MCT_LIMIT_FINDINGS ? malloc(sizeof *one + n) : NULL;
    if (one) {
        char *at = (char *)(one + 1);
        *one = *finding;
        one->id = mcti_str_keep(&at, finding->id);
        *at++ = '\0';
        one->reason = mcti_str_keep(&at, finding->reason);
        *at = '\0';
    }
    findings_take(f, one);
}

const struct mcti_finding *mcti_findings_of(const struct mcti_findings *f, struct mcti_str id)
{
    const struct mcti_finding *best = NULL;
    for (size_t i = 0; i < f->n; i++)
        if (mcti_str_eq(f->v[i]->id, id) && (!best || f->v[i]->judgement > best->judgement))
            best = f->v[i];
    return best;
}

bool mcti_findings_have(const struct mcti_findings *f, const struct mcti_finding *finding)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i]->judgement == finding->judgement && f->v[i]->judge == finding->judge &&
            mcti_str_eq(f->v[i]->id, finding->id) && mcti_str_eq(f->v[i]->reason, finding->reason))
            return true;
    return false;
}

/* ---- judging ---- */

static enum mcti_judgement vetted_judge(struct mcti_provider *p, enum mcti_subject subject, struct mcti_str id,
                                        struct mcti_str text, struct mcti_findings *to)
{
    const struct mcti_vetted what = { p->origin ? p->origin : p, subject, p->info.rev, id, text };
    return mcti_vet_judge(p->vetter, &what, to);
}

/* Sets the findings of the subject to `fresh`, which it takes, and has the news reported. */
static void vetted_report(struct mcti_provider *p, enum mcti_subject subject, struct mcti_findings *fresh)
{
    struct mcti_findings before = p->findings[subject];
    p->findings[subject] = *fresh;
    mcti_vet_judged(p->vetter, p, subject, &before);
    mcti_findings_clear(&before);
}

/* Keeps the admitted items in *list and moves the others to *barred, which has room for `room`. */
static void vetted_sort(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *list,
                        struct mcti_items *barred, struct mcti_findings *to)
{
    size_t n = 0;
    mcti_vet_listed(p->vetter, p, kind, list);
    for (size_t i = 0; i < list->n; i++) {
        struct mcti_item *item = list->v[i];
        if (vetted_judge(p, (enum mcti_subject)kind, mcti_item_id(item), mcti_item_json(item), to) <
            MCT_JUDGED_QUARANTINE)
            list->v[n++] = item;
        else
            mcti_items_add(barred, item); /* frees it when out of memory: it stays out of sight */
    }
    list->n = n;
}

void mcti_vetted_split(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh,
                       struct mcti_items *barred)
{
    for (size_t i = 0; i < fresh->n; i++)
        fresh->v[i]->place = (unsigned)i;
    vetted_sort(p, kind, fresh, barred, &p->next_findings);
}

void mcti_vetted_over(struct mcti_provider *p, enum mcti_kind kind)
{
    struct mcti_findings fresh = p->next_findings;
    p->next_findings = (struct mcti_findings){ 0 };
    vetted_report(p, (enum mcti_subject)kind, &fresh);
}

static enum mcti_judgement vetted_text(struct mcti_provider *p, enum mcti_subject subject, const char *text)
{
    struct mcti_findings fresh = { 0 };
    enum mcti_judgement is = MCT_JUDGED_OK;
    if (text)
        is = vetted_judge(p, subject, MCT_STR(""), mcti_str_of(text), &fresh);
    vetted_report(p, subject, &fresh);
    return is;
}

void mcti_vetted_identity(struct mcti_provider *p)
{
    p->bars_instructions = p->bars_server_info = false;
    if (!p->vetter || !p->info.rev)
        return;
    p->bars_instructions = vetted_text(p, MCT_SUBJECT_INSTRUCTIONS, p->info.instructions) == MCT_JUDGED_QUARANTINE;
    p->bars_server_info = vetted_text(p, MCT_SUBJECT_SERVER_INFO, p->info.server_info) == MCT_JUDGED_QUARANTINE;
}

/* Puts all items of the kind into *list, in the server's order. Returns -1 when out of memory: nothing has changed. */
static int vetted_unite(const struct mcti_items *list, const struct mcti_items *barred, struct mcti_items *ret)
{
    size_t n = list->n + barred->n;
    *ret = (struct mcti_items){ .v = malloc((n ? n : 1) * sizeof(struct mcti_item *)), .cap = n };
    for (size_t a = 0, b = 0; ret->v && ret->n < n;) {
        bool first = b == barred->n || (a < list->n && list->v[a]->place < barred->v[b]->place);
        ret->v[ret->n++] = first ? list->v[a++] : barred->v[b++];
    }
    return ret->v ? 0 : -1;
}

/* Judges a list that the provider has. */
static void vetted_list_again(struct mcti_provider *p, enum mcti_kind kind)
{
    struct mcti_items *list = &p->items[kind], *old_barred = &p->barred[kind], all, barred = { 0 };
    size_t n_before = list->n, n_barred = old_barred->n;
    struct mcti_findings fresh = { 0 };
    if (vetted_unite(list, old_barred, &all) < 0)
        return;
    if (!n_barred)
        for (size_t i = 0; i < all.n; i++)
            all.v[i]->place = (unsigned)i;
    bool differs = false;
    vetted_sort(p, kind, &all, &barred, &fresh);
    for (size_t i = 0; i < all.n && !differs; i++)
        differs = i >= n_before || all.v[i] != list->v[i];
    differs |= all.n != n_before || barred.n != n_barred;
    free(list->v);
    free(old_barred->v);
    *list = all;
    *old_barred = barred;
    vetted_report(p, (enum mcti_subject)kind, &fresh);
    if (differs)
        mcti_provider_tell_list(p, kind);
}

void mcti_vetted_again(struct mcti_provider *p)
{
    mcti_vetted_identity(p);
    for (int k = 0; k < MCT_KIND_N; k++)
        vetted_list_again(p, (enum mcti_kind)k);
}

bool mcti_vetted_passes(struct mcti_provider *p, enum mcti_kind kind, struct mcti_str json)
{
    if (!p->vetter)
        return true;
    struct mcti_item *item = mcti_item_new(kind, json);
    bool passes = item && vetted_judge(p, (enum mcti_subject)kind, mcti_item_id(item), mcti_item_json(item), NULL) <
                              MCT_JUDGED_QUARANTINE;
    free(item);
    return passes;
}

void mcti_vetted_forget(struct mcti_provider *p)
{
    for (int s = 0; s < MCT_SUBJECT_N; s++)
        mcti_findings_clear(&p->findings[s]);
}

/* ---- reading ---- */

void mcti_vetted_each(const struct mcti_provider *p, enum mcti_kind kind,
                      void (*fn)(void *data, const struct mcti_item *item, bool is_barred), void *data)
{
    const struct mcti_items *list = &p->items[kind], *barred = &p->barred[kind];
    for (size_t a = 0, b = 0; a + b < list->n + barred->n;) {
        bool first = b == barred->n || (a < list->n && list->v[a]->place < barred->v[b]->place);
        fn(data, first ? list->v[a] : barred->v[b], !first);
        *(first ? &a : &b) += 1;
    }
}

size_t mcti_vetted_n_barred(const struct mcti_provider *p)
{
    size_t n = (size_t)p->bars_instructions + p->bars_server_info;
    for (int k = 0; k < MCT_KIND_N; k++)
        n += p->barred[k].n;
    return n;
}

static void vetted_put_finding(struct mcti_buf *to, const struct mcti_finding *f)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    mcti_json_put_member(to, "type", mcti_str_of(mcti_subject_word(f->subject)));
    if (f->id.len)
        mcti_json_put_member(to, "name", f->id);
    mcti_json_put_member(to, "judgement", mcti_str_of(mcti_judgement_word(f->judgement)));
    mcti_json_put_member(to, "judge", mcti_str_of(f->judge));
    mcti_json_put_member(to, "reason", f->reason);
    mcti_buf_addc(to, '}');
}

void mcti_vetted_put(struct mcti_buf *to, const struct mcti_provider *p)
{
    enum { MOST = 100 };
    size_t n = 0, left_out = 0;
    for (int s = 0; s < MCT_SUBJECT_N; s++) {
        n += p->findings[s].n;
        left_out += p->findings[s].n_left_out;
    }
    if (!n && !left_out)
        return;
    mcti_json_put_key(to, "quarantined");
    mcti_buf_addu(to, mcti_vetted_n_barred(p));
    mcti_json_put_key(to, "findings");
    mcti_buf_addc(to, '[');
    for (int s = 0, put = 0; s < MCT_SUBJECT_N; s++)
        for (size_t i = 0; i < p->findings[s].n; i++, put++)
            if (put < MOST)
                vetted_put_finding(to, p->findings[s].v[i]);
    mcti_buf_addc(to, ']');
    left_out += n > MOST ? n - MOST : 0;
    if (!left_out)
        return;
    mcti_json_put_key(to, "findingsLeftOut");
    mcti_buf_addu(to, left_out);
}
