#include "hub/vet/vet.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

static struct mcti_vet *vet_of(struct mcti_vetter *v)
{
    return MCT_CONTAINER(v, struct mcti_vet, vetter);
}

/* ---- judging ---- */

static enum mcti_judgement vet_ask(struct mcti_judge *j, const struct mcti_vetted *what, struct mcti_findings *to)
{
    struct mcti_buf why;
    mcti_buf_init(&why, MCT_LIMIT_FINDING_BYTES);
    enum mcti_judgement is = j->ops->judge(j, what, &why);
    if (is > MCT_JUDGED_OK && to)
        mcti_findings_add(to, &(struct mcti_finding){ .subject = what->subject,
                                                      .judgement = is,
                                                      .judge = j->ops->name,
                                                      .id = what->id,
                                                      .reason = mcti_buf_str(&why) });
    mcti_buf_done(&why);
    return is;
}

enum mcti_judgement mcti_vet_judge(struct mcti_vetter *vetter, const struct mcti_vetted *what, struct mcti_findings *to)
{
    struct mcti_vet *v = vet_of(vetter);
    enum mcti_judgement strictest = MCT_JUDGED_OK;
    for (size_t i = 0; i < v->n; i++) {
        enum mcti_judgement is = vet_ask(v->judges[i], what, to);
        if (is > strictest)
            strictest = is;
    }
    return strictest;
}

void mcti_vet_listed(struct mcti_vetter *vetter, const struct mcti_provider *p, enum mcti_kind kind,
                     const struct mcti_items *list)
{
    struct mcti_vet *v = vet_of(vetter);
    for (size_t i = 0; i < v->n; i++)
        if (v->judges[i]->ops->listed)
            v->judges[i]->ops->listed(v->judges[i], p->origin ? p->origin : p, kind, list);
}

/* Adds the findings of one judge about what is missing. */
static void vet_miss(struct mcti_judge *j, const struct mcti_provider *p, enum mcti_subject subject,
                     struct mcti_findings *now)
{
    struct mcti_findings missing = { 0 };
    if (!j->ops->missing)
        return;
    j->ops->missing(j, p, subject, &missing);
    for (size_t i = 0; i < missing.n; i++) {
        missing.v[i]->judge = j->ops->name;
        mcti_findings_add(now, missing.v[i]);
    }
    now->n_left_out += missing.n_left_out;
    mcti_findings_clear(&missing);
}

/* ---- telling ---- */

static void vet_put_subject(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str id)
{
    mcti_buf_addz(to, mcti_subject_word(subject));
    if (id.len)
        mcti_buf_printf(to, " '%.*s'", MCT_STR_ARG(id));
}

static void vet_tell(const struct mcti_provider *p, const struct mcti_finding *f)
{
    struct mcti_buf what;
    mcti_buf_init(&what, MCT_LIMIT_URI_BYTES + 64);
    vet_put_subject(&what, f->subject, f->id);
    const char *is = f->judgement == MCT_JUDGED_QUARANTINE ? " is quarantined" : "";
    mcti_log(p->log, MCT_LOG_WARN, "server '%s': %.*s%s (%s): %.*s", p->name, MCT_STR_ARG(mcti_buf_str(&what)), is,
             f->judge, MCT_STR_ARG(f->reason));
    mcti_provider_note((struct mcti_provider *)p, "%.*s%s (%s): %.*s", MCT_STR_ARG(mcti_buf_str(&what)), is, f->judge,
                       MCT_STR_ARG(f->reason));
    mcti_buf_done(&what);
}

/* Reports the findings that were not there before, the first ones in full. */
void mcti_vet_judged(struct mcti_vetter *vetter, struct mcti_provider *p, enum mcti_subject subject,
                     const struct mcti_findings *before)
{
    enum { TOLD_IN_FULL = 10 };
    struct mcti_vet *v = vet_of(vetter);
    struct mcti_provider *of = p->origin ? p->origin : p;
    struct mcti_findings *now = &p->findings[subject];
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        vet_miss(v->judges[i], p, subject, now);
    for (size_t i = 0; i < now->n; i++) {
        if (mcti_findings_have(before, now->v[i]))
            continue;
        *(now->v[i]->judgement == MCT_JUDGED_QUARANTINE ? &of->n_quarantines : &of->n_warnings) += 1;
        if (n++ < TOLD_IN_FULL)
            vet_tell(p, now->v[i]);
    }
    if (n > TOLD_IN_FULL)
        mcti_log(p->log, MCT_LOG_WARN, "server '%s': %zu more findings about its %ss; 'mcptools status %s' shows them",
                 p->name, n - TOLD_IN_FULL, mcti_subject_word(subject), p->name);
}

/* ---- refusing ---- */

static struct mcti_judge *vet_find(const struct mcti_vet *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->judges[i]->ops->name == name)
            return v->judges[i];
    return NULL;
}

/* Appends why a subject is quarantined, and what to do. */
static void vet_put_reason(struct mcti_buf *to, const struct mcti_provider *p, const struct mcti_finding *f)
{
    struct mcti_judge *j = f ? vet_find(vet_of(p->vetter), f->judge) : NULL;
    struct mcti_buf advice;
    if (!f)
        return;
    mcti_buf_printf(to, " (%s)%s%.*s", f->judge, f->reason.len ? ": " : "", MCT_STR_ARG(f->reason));
    mcti_buf_init(&advice, MCT_LIMIT_FINDING_BYTES);
    if (j && j->ops->advise)
        j->ops->advise(j, p->origin ? p->origin : p, f, &advice);
    if (advice.len)
        mcti_buf_printf(to, "; %.*s", MCT_STR_ARG(mcti_buf_str(&advice)));
    mcti_buf_done(&advice);
}

int mcti_vet_refuse(const struct mcti_provider *p, enum mcti_subject subject, struct mcti_str id, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 4096);
    vet_put_subject(&text, subject, id.len > 200 ? (struct mcti_str){ id.p, 200 } : id);
    mcti_buf_printf(&text, " of server '%s' is quarantined", p->name);
    vet_put_reason(&text, p, mcti_findings_of(&p->findings[subject], id));
    mcti_fail(err, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
    mcti_buf_done(&text);
    if (err)
        snprintf(err->server, sizeof err->server, "%s", p->name);
    return -1;
}

/* ---- checking ---- */

const struct mcti_item *mcti_vet_barred(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str id)
{
    const struct mcti_item *item = mcti_items_find(&p->barred[kind], id);
    return item || !p->origin ? item : mcti_items_find(&p->origin->barred[kind], id);
}

static int vet_check_item(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str id, struct mct_error *err)
{
    const struct mcti_item *item = mcti_vet_barred(p, kind, id);
    bool by_origin = item && !mcti_items_find(&p->barred[kind], id);
    return item ? mcti_vet_refuse(by_origin ? p->origin : p, (enum mcti_subject)kind, id, err) : 0;
}

static int vet_check_template(const struct mcti_provider *p, struct mcti_str uri, struct mct_error *err)
{
    for (size_t i = 0; i < p->barred[MCT_TEMPLATE].n; i++) {
        const struct mcti_item *item = p->barred[MCT_TEMPLATE].v[i];
        if (mcti_str_eq(mcti_item_id(item), uri) || mcti_template_matches(mcti_item_id(item), uri))
            return mcti_vet_refuse(p, MCT_SUBJECT_TEMPLATE, mcti_item_id(item), err);
    }
    return p->origin ? vet_check_template(p->origin, uri, err) : 0;
}

int mcti_vet_check_uri(const struct mcti_provider *p, struct mcti_str uri, struct mct_error *err)
{
    if (vet_check_item(p, MCT_RESOURCE, uri, err) < 0)
        return -1;
    return mcti_items_find(&p->items[MCT_RESOURCE], uri) ? 0 : vet_check_template(p, uri, err);
}

/* Requests that name an item, and the kind of item. */
struct vet_row {
    enum mcti_verb verb;
    const char *member; /* of the params */
    enum mcti_kind kind;
};

static bool vet_has_barred(const struct mcti_provider *p)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->barred[k].n)
            return true;
    return p->origin && vet_has_barred(p->origin);
}

static int vet_check_text(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str json,
                          struct mct_error *err)
{
    char *text = mcti_json_dup(json);
    int r = 0;
    if (text)
        r = kind == MCT_RESOURCE ? mcti_vet_check_uri(p, mcti_str_of(text), err)
                                 : vet_check_item(p, kind, mcti_str_of(text), err);
    free(text);
    return r;
}

/* Checks completion/complete, whose ref names a prompt or a template. */
static int vet_check_ref(const struct mcti_provider *p, struct mcti_str ref, struct mct_error *err)
{
    bool is_prompt = mcti_json_is(mcti_json_get(ref, "type"), "ref/prompt");
    return vet_check_text(p, is_prompt ? MCT_PROMPT : MCT_RESOURCE, mcti_json_get(ref, is_prompt ? "name" : "uri"),
                          err);
}

int mcti_vet_check(const struct mcti_provider *p, const struct mcti_call *call, struct mct_error *err)
{
    static const struct vet_row rows[] = { { MCT_VERB_TOOLS_CALL, "name", MCT_TOOL },
                                           { MCT_VERB_PROMPTS_GET, "name", MCT_PROMPT },
                                           { MCT_VERB_RESOURCES_READ, "uri", MCT_RESOURCE },
                                           { MCT_VERB_SUBSCRIBE, "uri", MCT_RESOURCE } };
    if (!p->vetter || !vet_has_barred(p))
        return 0;
    struct mcti_str own = call->subject.value;
    if (call->verb == MCT_VERB_COMPLETE)
        return vet_check_ref(p, own.p ? own : mcti_json_get(call->params, "ref"), err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].verb == call->verb)
            return vet_check_text(p, rows[i].kind, own.p ? own : mcti_json_get(call->params, rows[i].member), err);
    return 0;
}

/* ---- life ---- */

static const struct mcti_vetter vet_functions = {
    mcti_vetted_split, mcti_vetted_over, mcti_vetted_again, mcti_vetted_put, mcti_vetted_forget,
};

static void vet_on_again(void *data)
{
    mcti_registry_vet(((struct mcti_vet *)data)->registry);
}

void mcti_vet_init(struct mcti_vet *v, struct mcti_registry *r)
{
    *v = (struct mcti_vet){ .vetter = vet_functions, .registry = r };
    mcti_task_init(&v->again, vet_on_again, v);
}

void mcti_vet_clear(struct mcti_vet *v)
{
    while (v->n) {
        struct mcti_judge *j = v->judges[--v->n];
        j->ops->free(j);
    }
}

void mcti_vet_done(struct mcti_vet *v)
{
    if (!v->registry)
        return;
    mcti_task_stop(&v->again);
    mcti_vet_clear(v);
    *v = (struct mcti_vet){ 0 };
}

void mcti_vet_add(struct mcti_vet *v, struct mcti_judge *judge)
{
    v->judges[v->n++] = judge;
    v->registry->vetter = &v->vetter;
    if (v->registry->n)
        mcti_vet_again(v);
}

void mcti_vet_again(struct mcti_vet *v)
{
    mcti_task_post(v->registry->sched, &v->again);
}
