/* What is asked, and what must come of it. */
#include "run_golden.h"

#include "base/limits.h"
#include "hub/view/pages.h"
#include "resources/prompt_block.h"

#include <stdio.h>
#include <sys/stat.h>

enum { PATIENCE_MS = 3600000 };

static void turn(uint64_t to_ms)
{
    g.now_ms = to_ms;
    mcti_sched_run(&g.sched, to_ms);
}

void settle(void)
{
    while (mcti_sched_next_ms(&g.sched) == 0)
        turn(g.now_ms);
}

static void open_all(void)
{
    if (g.open)
        return;
    g.open = true;
    mcti_registry_start_all(&g.registry);
    settle();
    if (mcti_view_init(&g.view, &g.registry,
                       &(struct mcti_view_opts){ .naming = &g.naming, .preferred = g.preferred }) < 0 ||
        mcti_dialects_attach(&g.view,
                             &(struct mcti_offer){ .dialects = g.dialects, .alone = g.alone, .search = g.search },
                             &g.opts, NULL, &g.log) < 0)
        die("out of memory");
}

static void show(const char *what, struct mcti_str text)
{
    fprintf(stderr, "%s (%zu bytes): ", what, text.len);
    if (text.len > 20000)
        fprintf(stderr, "%.*s…%.*s\n", 2000, text.p, 2000, text.p + text.len - 2000);
    else
        fprintf(stderr, "%.*s\n", (int)text.len, text.p);
}

void check_text(void)
{
    if (!g.has_text)
        return;
    g.has_text = false;
    g.line = g.text_line;
    if (!g.checked)
        show("nothing is expected; it says", mcti_buf_str(&g.text));
    else if (g.is_error != g.wanted_error)
        show(g.is_error ? "it is an error" : "it is no error", mcti_buf_str(&g.text));
    else if (mcti_str_eq(mcti_buf_str(&g.text), mcti_buf_str(&g.wanted)))
        return;
    else
        show("it says", mcti_buf_str(&g.text));
    if (g.checked)
        show("expected", mcti_buf_str(&g.wanted));
    die("that is not what is expected");
}

static void new_text(void)
{
    open_all();
    mcti_buf_clear(&g.text);
    mcti_buf_clear(&g.wanted);
    g.has_text = true;
    g.checked = g.failed = g.is_error = false;
    g.text_line = g.line;
}

/* A result of a resource tool is one text. A second one is a note, and stands on a line of its own. */
static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_str content = mcti_json_get(o->result, "content"), block;
    struct mcti_json_iter it = mcti_json_open(content);
    (void)call;
    g.done = true;
    g.failed = !o->result.p;
    if (o->failed)
        mcti_buf_addz(&g.text, o->failed->message);
    else if (o->error.p)
        mcti_buf_add(&g.text, o->error);
    if (g.failed)
        return;
    g.is_error = mcti_json_true(mcti_json_get(o->result, "isError"));
    for (int n = 0; mcti_json_next_item(&it, &block); n++) {
        mcti_buf_addz(&g.text, n == 1 ? "\nnote: " : "");
        if (n > 1 || !mcti_json_is(mcti_json_get(block, "type"), "text") ||
            mcti_json_unescape(mcti_json_get(block, "text"), &g.text) < 0)
            die("the content is not one text, or one and a note: %.*s", MCT_STR_ARG(content));
    }
}

static void do_call(char *rest)
{
    struct mct_error err;
    struct mcti_buf params;
    new_text();
    const char *name = word(&rest);
    const struct mcti_exposure *x = mcti_view_named(&g.view, MCT_TOOL, mcti_str_of(name), &err);
    if (!x) {
        g.failed = true;
        mcti_buf_addz(&g.text, err.message);
        return;
    }
    mcti_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&params, '{');
    mcti_json_put_member(&params, "name", mcti_item_id(x->item));
    if (*rest)
        check_json(rest);
    if (*rest)
        mcti_json_put_raw(&params, "arguments", mcti_str_of(rest));
    mcti_buf_addc(&params, '}');
    g.call = (struct mcti_call){ .verb = MCT_VERB_TOOLS_CALL,
                                 .params = mcti_buf_str(&params),
                                 .caller = { .rev = MCT_REV_LATEST },
                                 .done = on_done };
    g.done = false;
    g.begun_ms = g.now_ms;
    if (mcti_provider_call(x->provider, &g.call, &err) < 0)
        die("%s", err.message);
    mcti_buf_done(&params);
    while (!g.done) {
        int64_t in_ms = mcti_sched_next_ms(&g.sched);
        if (in_ms < 0 || g.now_ms - g.begun_ms > PATIENCE_MS)
            die("it never answers");
        turn(g.now_ms + (uint64_t)in_ms);
    }
}

static void do_prompt(char *rest)
{
    (void)rest;
    new_text();
    mcti_view_items(&g.view, MCT_RESOURCE);
    mcti_prompt_block(&g.text, &g.view, mcti_bridge_prefix(&g.opts));
}

static void expect(const char *rest, bool is_error)
{
    if (!g.has_text || g.failed)
        die(g.failed ? "there is no result: %.*s" : "nothing was called%.*s", MCT_STR_ARG(mcti_buf_str(&g.text)));
    mcti_buf_addz(&g.wanted, g.checked ? "\n" : "");
    mcti_buf_addz(&g.wanted, rest);
    g.checked = true;
    g.wanted_error = is_error;
}

static void do_says(char *rest)
{
    expect(rest, false);
}

static void do_errs(char *rest)
{
    expect(rest, true);
}

static void do_fails(char *rest)
{
    if (!g.has_text || !g.failed || !mcti_str_is(mcti_buf_str(&g.text), rest)) {
        show("it says", mcti_buf_str(&g.text));
        die("it does not fail so");
    }
    g.has_text = false;
}

static void do_took(char *rest)
{
    if (g.now_ms - g.begun_ms != number(rest))
        die("it took %llu ms", (unsigned long long)(g.now_ms - g.begun_ms));
}

static void do_asked(char *rest)
{
    const char *name = word(&rest);
    for (size_t i = 0; i < g.n_fakes; i++)
        if (!strcmp(g.fakes[i]->p->name, name)) {
            if (g.fakes[i]->n_asked != number(rest))
                die("it was asked %u times", g.fakes[i]->n_asked);
            return;
        }
    die("no such server");
}

static void do_tools(char *rest)
{
    struct mcti_buf b;
    open_all();
    mcti_buf_init(&b, 1u << 20);
    const struct mcti_exposures *e = mcti_view_items(&g.view, MCT_TOOL);
    for (size_t i = 0; i < e->n; i++) {
        mcti_buf_addz(&b, i ? ", " : "");
        mcti_buf_add(&b, e->v[i].name);
    }
    if (!mcti_str_is(mcti_buf_str(&b), rest))
        die("there are: %.*s", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

static void do_shows(char *rest)
{
    struct mcti_page page;
    struct mcti_buf list;
    struct mcti_str item;
    open_all();
    const char *name = word(&rest);
    if (mcti_view_first_page(&g.view, &(struct mcti_list_of){ MCT_TOOL, MCT_REV_LATEST }, SIZE_MAX, &page) < 0)
        die("out of memory");
    mcti_buf_init(&list, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&list, '[');
    mcti_buf_add(&list, page.items);
    mcti_buf_addc(&list, ']');
    for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&list)); mcti_json_next_item(&it, &item);) {
        if (!mcti_json_is(mcti_json_get(item, "name"), name))
            continue;
        if (!mcti_str_is(item, rest)) {
            show("it is", item);
            die("that is not what is expected");
        }
        mcti_buf_done(&list);
        return;
    }
    die("there is no tool %s", name);
}

static bool was_logged(const char *text)
{
    return g.logged.len && memmem(g.logged.p, g.logged.len, text, strlen(text));
}

static void do_logged(char *rest)
{
    if (!was_logged(rest))
        die("that was not logged; this was:\n%.*s", MCT_STR_ARG(mcti_buf_str(&g.logged)));
}

static void do_silent(char *rest)
{
    if (was_logged(rest))
        die("that was logged");
}

static void do_file(char *rest)
{
    const char *path = word(&rest);
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0777) != 0600 ||
        (size_t)st.st_size != number(rest))
        die("there is no such file, or it is not private, or of another size");
}

const struct directive golden_asked[] = {
    { "call", do_call, false },
    { "prompt", do_prompt, false },
    { "=", do_says, true },
    { "!", do_errs, true },
    { "fails", do_fails, true },
    { "took", do_took, false },
    { "asked", do_asked, false },
    { "tools", do_tools, false },
    { "shows", do_shows, false },
    { "logged", do_logged, false },
    { "silent", do_silent, false },
    { "file", do_file, false },
    { 0 },
};
