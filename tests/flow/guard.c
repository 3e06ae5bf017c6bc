#include "guard.h"

#include "torture/failing.h"

#include <stdio.h>
#include <stdlib.h>

static void hear(struct guards *g, const char *what, const char *detail)
{
    char *text;
    test_begins();
    if (g->n_heard < MAX_GUARDED && asprintf(&text, "%s%s", what, detail) > 0)
        g->heard[g->n_heard++] = text;
    test_ends();
}

static void forget(struct guards *g, const struct mct_hook_event *e)
{
    for (size_t i = 0; i < g->n_open; i++) {
        if (g->open[i] != e)
            continue;
        memmove(&g->open[i], &g->open[i + 1], (g->n_open - i - 1) * sizeof *g->open);
        g->n_open--;
        return;
    }
}

static void on_event(struct mct_hook_event *e, void *data)
{
    struct guard *one = data;
    hear(one->guards, "", mct_hook_event_json(e));
    if (one->decision[0])
        mct_hook_decide(e, one->decision);
    else
        one->guards->open[one->guards->n_open++] = e;
}

static void on_withdrawn(struct mct_hook_event *e, void *data)
{
    struct guard *one = data;
    hear(one->guards, "withdrawn", "");
    forget(one->guards, e);
}

/* hook KIND GLOB DECISION */
static const char *do_hook(struct guards *g, struct mcti_str rest)
{
    struct mcti_str word, glob;
    char kind[32], tools[64];
    const char *list[] = { tools, NULL };
    struct guard *one = &g->v[g->n++];
    struct mct_hook_def def = {
        .size = sizeof def, .name = "guard", .tools = list, .run = on_event, .withdrawn = on_withdrawn, .data = one
    };
    mcti_str_split(&rest, ' ', &word);
    mcti_str_split(&rest, ' ', &glob);
    snprintf(kind, sizeof kind, "%.*s", MCT_STR_ARG(word));
    snprintf(tools, sizeof tools, "%.*s", MCT_STR_ARG(glob));
    one->guards = g;
    snprintf(one->decision, sizeof one->decision, "%.*s", MCT_STR_ARG(mcti_str_is(rest, "later") ? MCT_STR("") : rest));
    return mcti_hook_kind_find(kind, &def.kind) && mcti_hooks_add(&g->hooks, &def, g, NULL) == 0 ? NULL
                                                                                                 : "no such hook";
}

/* hooked PATTERN: the next that one of them hears */
static const char *do_hooked(struct guards *g, struct mcti_str pattern)
{
    if (g->next == g->n_heard)
        return "no hook has heard anything";
    const char *got = g->heard[g->next++];
    return mcti_str_glob(pattern, mcti_str_of(got)) ? NULL : got;
}

/* decide DECISION: about the oldest */
static const char *do_decide(struct guards *g, struct mcti_str rest)
{
    if (!g->n_open)
        return "there is nothing to decide";
    struct mct_hook_event *e = g->open[0];
    test_begins();
    char *text = mcti_str_dup(rest);
    test_ends();
    forget(g, e);
    mct_hook_decide(e, text);
    free(text);
    return NULL;
}

/* Cuts a list of names with commas into g->lists[i], and returns a step with it. */
static struct mcti_rule_step *make_step(struct guards *g, int i, struct mcti_str names)
{
    size_t n = 0;
    struct mcti_rule_step *step = calloc(1, sizeof *step);
    snprintf(g->listed[i], sizeof g->listed[i], "%.*s", MCT_STR_ARG(names));
    for (char *at = g->listed[i], *one; (one = strsep(&at, ","));)
        g->lists[i][n++] = one;
    *step = (struct mcti_rule_step){ .deny = { g->lists[i], n } };
    return step;
}

/* external NAME,… [frame|none] */
static const char *do_external(struct guards *g, struct mcti_str rest)
{
    struct mcti_str names;
    test_begins();
    mcti_str_split(&rest, ' ', &names);
    struct mcti_outside_opts opts = { .is_on = true, .external = { .steps = make_step(g, 0, names), .n_steps = 1 } };
    opts.mark = mcti_str_is(rest, "frame") ? MCT_MARK_FRAME : mcti_str_is(rest, "none") ? MCT_MARK_NONE : MCT_MARK_META;
    opts.remember_ms = 60000;
    mcti_outside_take(&g->outside, &opts);
    test_ends();
    return NULL;
}

/* guarded NAME,… ask|deny [call] [principal]: behind `external` */
static const char *do_guarded(struct guards *g, struct mcti_str rest)
{
    struct mcti_str names, word;
    struct mcti_outside_opts *o = &g->outside.opts;
    test_begins();
    mcti_str_split(&rest, ' ', &names);
    o->guarded = (struct mcti_rules){ .steps = make_step(g, 1, names), .n_steps = 1 };
    o->rules = calloc(1, sizeof *o->rules);
    while (rest.len && mcti_str_split(&rest, ' ', &word)) {
        if (mcti_str_is(word, "deny"))
            o->rules->mode = MCT_OUTSIDE_DENY;
        else if (mcti_str_is(word, "call"))
            o->rules->approval = MCT_OUTSIDE_PER_CALL;
        else if (mcti_str_is(word, "principal"))
            o->scope = MCT_OUTSIDE_BY_PRINCIPAL;
    }
    test_ends();
    return NULL;
}

bool guards_line(struct guards *g, struct mcti_str word, struct mcti_str rest, const char **ret_wrong)
{
    static const struct {
        const char *word;
        const char *(*run)(struct guards *g, struct mcti_str rest);
    } lines[] = { { "hook", do_hook },
                  { "hooked", do_hooked },
                  { "decide", do_decide },
                  { "external", do_external },
                  { "guarded", do_guarded } };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!mcti_str_is(word, lines[i].word))
            continue;
        *ret_wrong = lines[i].run(g, rest);
        return true;
    }
    return false;
}

void guards_init(struct guards *g, struct mcti_sched *s, struct mcti_naming *naming)
{
    mcti_hooks_init(&g->hooks, s, NULL);
    mcti_outside_init(&g->outside, naming, s, NULL);
    g->hooks.outside = &g->outside;
}

void guards_done(struct guards *g)
{
    mcti_hook_hosts_close(&g->hosts);
    mcti_hooks_done(&g->hooks);
}

void guards_clear(struct guards *g)
{
    while (g->n_heard)
        free(g->heard[--g->n_heard]);
    mcti_outside_done(&g->outside);
}
