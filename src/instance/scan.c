/* The judge "scan" of an instance: the rules of scan/ for what servers say. */
#include "instance/vetting.h"

#include "scan/scan.h"

#include <stdlib.h>

/* Servers start at different times: what was judged before the names of all tools were known is judged again. */
enum { SETTLED_MS = 1000, TOLD_RULES = 3 };

struct scan_judge {
    struct mcti_judge base;
    struct mcti_instance *instance;
    struct mcti_scanner *scanner;
    struct mcti_scan_names *names; /* of the tools of all servers; may have some that are gone */
    struct mcti_timer settled;     /* runs if names were added */
};

static struct scan_judge *scan_judge_of(struct mcti_judge *j)
{
    return MCT_CONTAINER(j, struct scan_judge, base);
}

static enum mcti_vet_mode scan_mode(const struct mcti_config *c, const struct mcti_config_server *s)
{
    return s && s->scan ? s->scan : c->scan;
}

/* ---- names ---- */

static void scan_on_listed(struct mcti_judge *base, const struct mcti_provider *p, enum mcti_kind kind,
                           const struct mcti_items *list)
{
    struct scan_judge *j = scan_judge_of(base);
    struct mcti_str server = mcti_str_of(p->name);
    bool is_new = false;
    if (kind != MCT_TOOL)
        return;
    for (size_t i = 0; i < list->n; i++) {
        bool is_own = false;
        mcti_scan_names_foreign(j->names, server, mcti_item_id(list->v[i]), &is_own);
        if (!is_own)
            is_new |= mcti_scan_names_add(j->names, server, mcti_item_id(list->v[i])) == 0;
    }
    if (is_new && !j->settled.set)
        mcti_timer_set(j->instance->registry.sched, &j->settled, SETTLED_MS);
}

/* Returns the names of the tools that are there now, or NULL when out of memory. */
static struct mcti_scan_names *scan_current_names(const struct mcti_registry *r)
{
    struct mcti_scan_names *names = mcti_scan_names_new();
    bool ok = names != NULL;
    for (size_t i = 0; ok && i < r->n; i++) {
        const struct mcti_items *lists[] = { &r->v[i]->items[MCT_TOOL], &r->v[i]->barred[MCT_TOOL] };
        for (size_t k = 0; k < 2; k++)
            for (size_t t = 0; ok && t < lists[k]->n; t++)
                ok = mcti_scan_names_add(names, mcti_str_of(r->v[i]->name), mcti_item_id(lists[k]->v[t])) == 0;
    }
    if (ok)
        return names;
    mcti_scan_names_free(names);
    return NULL;
}

static void scan_on_settled(void *data)
{
    struct scan_judge *j = data;
    struct mcti_scan_names *names = scan_current_names(&j->instance->registry);
    if (names) {
        mcti_scan_names_free(j->names);
        j->names = names;
    }
    mcti_vet_again(&j->instance->vet);
}

/* ---- judging ---- */

/* Appends the rules of hard findings. Places and excerpts stay out: they are texts of the server. */
static void scan_put_reason(struct mcti_buf *why, const struct mcti_scan_report *report)
{
    const struct mcti_scan_rule *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < report->n && n < TOLD_RULES; i++) {
        const struct mcti_scan_rule *rule = report->v[i].rule;
        if (report->v[i].severity != MCT_SCAN_HARD || rule == last)
            continue;
        mcti_buf_printf(why, "%s%s (%s)", n++ ? ", " : "", rule->title, rule->id);
        last = rule;
    }
}

static enum mcti_judgement scan_judge_one(struct mcti_judge *base, const struct mcti_vetted *what, struct mcti_buf *why)
{
    const struct scan_judge *j = scan_judge_of(base);
    const struct mcti_config *c = &j->instance->config;
    struct mcti_str server = mcti_str_of(what->provider->name);
    enum mcti_vet_mode mode = scan_mode(c, mcti_config_find(c, server));
    struct mcti_scan_report report = { 0 };
    struct mcti_scan_what scanned = { .server = server, .names = j->names };
    if (mode == MCT_VET_OFF)
        return MCT_JUDGED_OK;
    scanned.kind = what->subject == MCT_SUBJECT_INSTRUCTIONS  ? MCT_SCAN_TEXT
                   : what->subject == MCT_SUBJECT_SERVER_INFO ? MCT_SCAN_SAID
                                                              : MCT_SCAN_ITEM;
    mcti_scan_value(j->scanner, &scanned, what->text, &report);
    mcti_scan_report_ignore(&report, &c->scan_ignore, server, what->id);
    bool is_bad = report.failed || mcti_scan_report_count(&report, MCT_SCAN_HARD);
    if (report.failed)
        mcti_buf_addz(why, MCT_NO_MEMORY_TEXT);
    else
        scan_put_reason(why, &report);
    mcti_scan_report_done(&report);
    return !is_bad ? MCT_JUDGED_OK : mode == MCT_VET_WARN ? MCT_JUDGED_WARN : MCT_JUDGED_QUARANTINE;
}

static void scan_judge_advise(struct mcti_judge *j, const struct mcti_provider *p, const struct mcti_finding *finding,
                              struct mcti_buf *to)
{
    (void)j;
    (void)finding;
    mcti_buf_printf(to, "'mcptools scan %s' shows the text, an entry of policy.scan_ignore admits it", p->name);
}

/* ---- life ---- */

static void scan_judge_free(struct mcti_judge *base)
{
    struct scan_judge *j = scan_judge_of(base);
    mcti_timer_stop(j->instance->registry.sched, &j->settled);
    mcti_scan_names_free(j->names);
    mcti_scanner_free(j->scanner);
    free(j);
}

static const struct mcti_judge_ops scan_judge_ops = {
    .name = "scan",
    .judge = scan_judge_one,
    .listed = scan_on_listed,
    .advise = scan_judge_advise,
    .free = scan_judge_free,
};

bool mcti_instance_wants_scan(const struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].enabled && scan_mode(c, &c->servers[i]) != MCT_VET_OFF)
            return true;
    return false;
}

struct mcti_judge *mcti_instance_make_scan(struct mcti_instance *i)
{
    struct scan_judge *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    *j = (struct scan_judge){
        { &scan_judge_ops }, .instance = i, .scanner = mcti_scanner_new(), .names = scan_current_names(&i->registry)
    };
    mcti_timer_init(&j->settled, scan_on_settled, j);
    if (j->scanner && j->names)
        return &j->base;
    scan_judge_free(&j->base);
    return NULL;
}
