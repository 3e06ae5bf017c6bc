/*
 * Runs golden files: what a resource tool answers, byte for byte, from servers in this process (fake.h), on a virtual clock.
 * No sockets, no sleep. A file is a list of lines; it first says what there is:
 *
 *   dialect NAME,… [alone]   whose tools are offered, beside or instead of the servers'
 *   option KEY [VALUE]       of struct mct_dialect_opts: see `options` below; the wall clock begins at 2026-01-01T00:00:00Z
 *   preferred NAME           this server is asked first for a URI that nobody lists
 *   scheme WORD              how names are made: double, mcp, nexo, bare
 *   server NAME              the lines below are about the last one
 *   down KIND TEXT           it could not be started: KIND is connect, timeout, auth …
 *   starting                 it is neither up nor down, for good
 *   revision REV             what it speaks (2025-11-25)
 *   own always|never         whether it has resource tools of its own
 *   tool|resource|template JSON, or FROM..TO JSON with % for the number: its items
 *   pages N                  its lists come in pages of N and are not remembered
 *   loops, never lists       its lists do not end; are not answered
 *   refuses lists CODE TEXT  a JSON-RPC error instead (with pages: of the first)
 *   read URI RESULT          what resources/read is answered with; URIs without such a line are "not found"
 *   refuse URI CODE TEXT     a JSON-RPC error
 *   ignore URI               no answer at all
 *
 * and then, after the first line of these, what is asked and answered:
 *
 *   call TOOL [ARGUMENTS]    by its exposed name; ARGUMENTS is any JSON
 *   = TEXT                   the text it answers; several lines of this are lines of the text
 *   ! TEXT                   the same for a result with isError
 *   fails TEXT               there is no result
 *   took MS                  the call before has taken so much of the virtual clock
 *   asked NAME N             so many requests have reached that server by now
 *   tools NAME, …            the names of all tools there are
 *   shows TOOL JSON          the tool as the newest revision lists it
 *   prompt                   the block for system prompts; its text follows as that of a call
 *   logged TEXT, silent TEXT a line with TEXT has been logged; none has
 *   file PATH N              there is a private file of N bytes
 *
 * In all lines <<N*TEXT>> stands for N times TEXT, <<FROM..TO|TEXT>> for TEXT with each number in place of its %, with
 * commas between, and $TMP for a folder of the run's own. Blank lines and lines that begin with '#' are comments.
 */
#include "fake.h"

#include "base/limits.h"
#include "hub/dialect.h"
#include "hub/pages.h"
#include "hub/prompt_block.h"
#include "hub/provider_local.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SERVERS = 128, PATIENCE_MS = 3600000 };

static const uint64_t wall_begin_ms = 1767225600000;

struct golden {
    struct mct_sched sched;
    struct mct_registry registry;
    struct mct_view view;
    struct mct_log log;
    struct mct_naming naming;
    const char *preferred;
    struct mct_dialect_opts opts;
    const char *allow[8];
    unsigned dialects;
    bool alone, search, open;
    struct fake *fakes[MAX_SERVERS];
    size_t n_fakes;
    uint64_t now_ms, begun_ms;
    struct mct_buf logged, text, wanted; /* text: what the last call said; wanted: what the file says it says */
    bool has_text, is_error, failed, checked, wanted_error;
    unsigned text_line;
    struct mct_call call;
    bool done;
    char tmp[64];
    const char *file;
    unsigned line;
    char *kept[64]; /* texts that options borrow */
    size_t n_kept;
};

static struct golden g;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "%s:%u: ", g.file, g.line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static uint64_t wall_ms(void)
{
    return wall_begin_ms + g.now_ms;
}

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    mct_buf_printf(&g.logged, "%s\n", line);
}

/* ---- words ---- */

/* Splits off the first word; what is left has no blank in front. */
static char *word(char **rest)
{
    char *w = *rest, *end = w + strcspn(w, " ");
    *rest = end + strspn(end, " ");
    *end = '\0';
    return w;
}

static unsigned number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || *end)
        die("no number: %s", text);
    return (unsigned)n;
}

/* A copy for the whole run. */
static char *keep(const char *text)
{
    char *copy = strdup(text);
    if (!copy || g.n_kept == sizeof g.kept / sizeof *g.kept)
        die("too many texts");
    return g.kept[g.n_kept++] = copy;
}

static void check_json(const char *text)
{
    struct mct_json_fault fault;
    if (!mct_json_valid(mct_str_of(text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        die("not JSON at byte %zu: %s", fault.offset, fault.why);
}

static char *error_json(char *rest)
{
    struct mct_buf b;
    const char *code = word(&rest);
    mct_buf_init(&b, 65536);
    mct_buf_printf(&b, "{\"code\":%s,", code);
    mct_json_put_string(&b, MCT_STR("message"));
    mct_buf_addc(&b, ':');
    mct_json_put_string(&b, mct_str_of(rest));
    mct_buf_addc(&b, '}');
    return mct_buf_take(&b);
}

/* ---- what there is ---- */

static struct fake *last(void)
{
    if (!g.n_fakes || g.open)
        die("this belongs below a server, before the first call");
    return g.fakes[g.n_fakes - 1];
}

static void do_dialect(char *rest)
{
    struct mct_error err;
    const char *names = word(&rest);
    g.search = !strcmp(rest, "search");
    g.alone = g.search || !strcmp(rest, "alone");
    if (mct_dialects_read(mct_str_of(names), &g.dialects, &err) < 0)
        die("%s", err.message);
}

static const struct option {
    const char *key;
    char type; /* n: number, b: on, s: text, a: texts */
    size_t at;
} options[] = {
#define O(key, type, member) { key, type, offsetof(struct mct_dialect_opts, member) }
    O("list_max", 'n', list_max), O("list_ceiling", 'n', list_ceiling), O("read_max", 'n', read_max),
    O("read_ceiling", 'n', read_ceiling), O("list_ms", 'n', list_ms), O("read_ms", 'n', read_ms),
    O("settle_ms", 'n', settle_ms), O("shown", 'n', shown), O("strict_nexo", 'b', strict_nexo),
    O("codex_nulls", 'b', codex_nulls), O("codex_alphabetical", 'b', codex_alphabetical),
     O("lines_kernel", 'b', lines_kernel), O("lines_short", 'b', lines_short),
    O("grace_ms", 'n', grace_ms), O("blob_dir", 's', blob_dir), O("uri_allow", 'a', uri_allow),
    O("max_pages", 'n', max_pages),
#undef O
};

static void do_option(char *rest)
{
    const char *key = word(&rest);
    size_t i = 0;
    while (i < sizeof options / sizeof *options && strcmp(options[i].key, key))
        i++;
    if (i == sizeof options / sizeof *options)
        die("unknown option %s", key);
    void *at = (char *)&g.opts + options[i].at;
    switch (options[i].type) {
    case 'n':
        *(unsigned *)at = number(rest);
        break;
    case 'b':
        *(bool *)at = true;
        break;
    case 's':
        *(char **)at = keep(rest);
        break;
    default:
        if (g.opts.n_uri_allow == sizeof g.allow / sizeof *g.allow)
            die("too many");
        g.allow[g.opts.n_uri_allow++] = keep(rest);
        g.opts.uri_allow = g.allow;
    }
}

static void do_preferred(char *rest)
{
    g.preferred = keep(rest);
}

static void do_scheme(char *rest)
{
    g.naming.scheme = keep(rest);
}

static void do_server(char *rest)
{
    if (g.n_fakes == MAX_SERVERS || g.open)
        die("no more servers");
    struct fake *f = fake_new(rest, &g.sched, &g.log);
    if (!f || mct_registry_add(&g.registry, f->p) < 0)
        die("out of memory");
    f->p->info.rev = MCT_REV_2025_11_25;
    g.fakes[g.n_fakes++] = f;
}

static void do_down(char *rest)
{
    struct fake *f = last();
    const char *kind = word(&rest);
    for (int k = 1; k < MCT_ERR_N_KINDS; k++)
        if (!strcmp(mct_error_word((enum mct_error_kind)k), kind))
            mct_fail(&f->down, (enum mct_error_kind)k, "%s", rest);
    if (!f->down.kind)
        die("no such kind: %s", kind);
}

static void do_starting(char *rest)
{
    (void)rest;
    last()->starting = true;
}

static void do_revision(char *rest)
{
    last()->p->info.rev = mct_rev_find(mct_str_of(rest));
    if (!last()->p->info.rev)
        die("no such revision: %s", rest);
}

static void do_own(char *rest)
{
    last()->p->resource_tools = !strcmp(rest, "always") ? MCT_RESOURCE_TOOLS_ALWAYS : MCT_RESOURCE_TOOLS_NEVER;
}

static void on_tool(struct mct_local_request *r, void *data)
{
    mct_local_text(r, "this is %s", (const char *)data);
}

static void add_one(enum mct_kind kind, const char *json)
{
    struct mct_error err;
    check_json(json);
    if (mct_local_add(last()->p, kind, json, on_tool, last()->p->name, &err) < 0)
        die("%s", err.message);
}

/* JSON with each % as the number. */
static void put_numbered(struct mct_buf *to, struct mct_str text, unsigned n)
{
    struct mct_str part;
    for (bool first = true; mct_str_split(&text, '%', &part); first = false) {
        if (!first)
            mct_buf_printf(to, "%u", n);
        mct_buf_add(to, part);
    }
}

static void add_items(enum mct_kind kind, char *rest)
{
    unsigned from, to;
    int at = 0;
    if (*rest == '{') {
        add_one(kind, rest);
        return;
    }
    if (sscanf(rest, "%u..%u %n", &from, &to, &at) < 2 || !at)
        die("neither an object nor FROM..TO: %s", rest);
    for (; from <= to; from++) {
        struct mct_buf b;
        mct_buf_init(&b, 65536);
        put_numbered(&b, mct_str_of(rest + at), from);
        char *json = mct_buf_take(&b);
        add_one(kind, json);
        free(json);
    }
}

static void do_tool(char *rest)
{
    add_items(MCT_TOOL, rest);
}

static void do_resource(char *rest)
{
    add_items(MCT_RESOURCE, rest);
}

static void do_template(char *rest)
{
    add_items(MCT_TEMPLATE, rest);
}

static void do_pages(char *rest)
{
    last()->page = number(rest);
}

static void do_loops(char *rest)
{
    (void)rest;
    last()->loops = true;
}

static void do_never(char *rest)
{
    if (strcmp(rest, "lists"))
        die("never what?");
    last()->list_never = true;
}

static void do_refuses(char *rest)
{
    if (strcmp(word(&rest), "lists"))
        die("refuses what?");
    last()->list_error = error_json(rest);
}

static void do_read(char *rest)
{
    char *uri = strdup(word(&rest));
    check_json(rest);
    fake_answer(last(), (struct fake_answer){ .uri = uri, .result = strdup(rest) });
}

static void do_refuse(char *rest)
{
    char *uri = strdup(word(&rest));
    fake_answer(last(), (struct fake_answer){ .uri = uri, .error = error_json(rest) });
}

static void do_ignore(char *rest)
{
    fake_answer(last(), (struct fake_answer){ .uri = strdup(rest) });
}

/* ---- running ---- */

static void turn(uint64_t to_ms)
{
    g.now_ms = to_ms;
    mct_sched_run(&g.sched, to_ms);
}

static void settle(void)
{
    while (mct_sched_next_ms(&g.sched) == 0)
        turn(g.now_ms);
}

static void open_all(void)
{
    if (g.open)
        return;
    g.open = true;
    mct_registry_start_all(&g.registry);
    settle();
    if (mct_view_init(&g.view, &g.registry, &(struct mct_view_opts){ .naming = &g.naming, .preferred = g.preferred }) < 0 ||
        mct_dialects_attach(&g.view, &(struct mct_offer){ .dialects = g.dialects, .alone = g.alone, .search = g.search }, &g.opts, NULL, &g.log) < 0)
        die("out of memory");
}

static void show(const char *what, struct mct_str text)
{
    fprintf(stderr, "%s (%zu bytes): ", what, text.len);
    if (text.len > 20000)
        fprintf(stderr, "%.*s…%.*s\n", 2000, text.p, 2000, text.p + text.len - 2000);
    else
        fprintf(stderr, "%.*s\n", (int)text.len, text.p);
}

/* What the last call said is what the file says it says. */
static void check_text(void)
{
    if (!g.has_text)
        return;
    g.has_text = false;
    g.line = g.text_line;
    if (!g.checked)
        show("nothing is expected; it says", mct_buf_str(&g.text));
    else if (g.is_error != g.wanted_error)
        show(g.is_error ? "it is an error" : "it is no error", mct_buf_str(&g.text));
    else if (mct_str_eq(mct_buf_str(&g.text), mct_buf_str(&g.wanted)))
        return;
    else
        show("it says", mct_buf_str(&g.text));
    if (g.checked)
        show("expected", mct_buf_str(&g.wanted));
    die("that is not what is expected");
}

static void new_text(void)
{
    open_all();
    mct_buf_clear(&g.text);
    mct_buf_clear(&g.wanted);
    g.has_text = true;
    g.checked = g.failed = g.is_error = false;
    g.text_line = g.line;
}

/* A result of a resource tool is one text. */
static void on_done(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_str content = mct_json_get(o->result, "content"), block, more;
    struct mct_json_iter it = mct_json_open(content);
    (void)call;
    g.done = true;
    g.failed = !o->result.p;
    if (o->failed)
        mct_buf_addz(&g.text, o->failed->message);
    else if (o->error.p)
        mct_buf_add(&g.text, o->error);
    if (g.failed)
        return;
    g.is_error = mct_json_true(mct_json_get(o->result, "isError"));
    if (!mct_json_next_item(&it, &block) || mct_json_next_item(&it, &more) ||
        !mct_json_is(mct_json_get(block, "type"), "text") || mct_json_unescape(mct_json_get(block, "text"), &g.text) < 0)
        die("the content is not one text: %.*s", MCT_STR_ARG(content));
}

static void do_call(char *rest)
{
    struct mct_error err;
    struct mct_buf params;
    new_text();
    const char *name = word(&rest);
    const struct mct_exposure *x = mct_view_named(&g.view, MCT_TOOL, mct_str_of(name), &err);
    if (!x) {
        g.failed = true;
        mct_buf_addz(&g.text, err.message);
        return;
    }
    mct_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&params, '{');
    mct_json_put_member(&params, "name", x->item->id);
    if (*rest)
        check_json(rest);
    if (*rest)
        mct_json_put_raw(&params, "arguments", mct_str_of(rest));
    mct_buf_addc(&params, '}');
    g.call = (struct mct_call){ .verb = MCT_VERB_TOOLS_CALL, .params = mct_buf_str(&params),
                                .caller = { .rev = MCT_REV_LATEST }, .done = on_done };
    g.done = false;
    g.begun_ms = g.now_ms;
    if (mct_provider_call(x->provider, &g.call, &err) < 0)
        die("%s", err.message);
    mct_buf_done(&params);
    while (!g.done) {
        int64_t in_ms = mct_sched_next_ms(&g.sched);
        if (in_ms < 0 || g.now_ms - g.begun_ms > PATIENCE_MS)
            die("it never answers");
        turn(g.now_ms + (uint64_t)in_ms);
    }
}

static void do_prompt(char *rest)
{
    (void)rest;
    new_text();
    mct_view_items(&g.view, MCT_RESOURCE);
    mct_prompt_block(&g.text, &g.view);
}

static void expect(const char *rest, bool is_error)
{
    if (!g.has_text || g.failed)
        die(g.failed ? "there is no result: %.*s" : "nothing was called%.*s", MCT_STR_ARG(mct_buf_str(&g.text)));
    mct_buf_addz(&g.wanted, g.checked ? "\n" : "");
    mct_buf_addz(&g.wanted, rest);
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
    if (!g.has_text || !g.failed || !mct_str_is(mct_buf_str(&g.text), rest)) {
        show("it says", mct_buf_str(&g.text));
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
    struct mct_buf b;
    open_all();
    mct_buf_init(&b, 1u << 20);
    const struct mct_exposures *e = mct_view_items(&g.view, MCT_TOOL);
    for (size_t i = 0; i < e->n; i++) {
        mct_buf_addz(&b, i ? ", " : "");
        mct_buf_add(&b, e->v[i].name);
    }
    if (!mct_str_is(mct_buf_str(&b), rest))
        die("there are: %.*s", MCT_STR_ARG(mct_buf_str(&b)));
    mct_buf_done(&b);
}

static void do_shows(char *rest)
{
    struct mct_page page;
    struct mct_buf list;
    struct mct_str item;
    open_all();
    const char *name = word(&rest);
    if (mct_view_first_page(&g.view, MCT_TOOL, MCT_REV_LATEST, SIZE_MAX, &page) < 0)
        die("out of memory");
    mct_buf_init(&list, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&list, '[');
    mct_buf_add(&list, page.items);
    mct_buf_addc(&list, ']');
    for (struct mct_json_iter it = mct_json_open(mct_buf_str(&list)); mct_json_next_item(&it, &item);) {
        if (!mct_json_is(mct_json_get(item, "name"), name))
            continue;
        if (!mct_str_is(item, rest)) {
            show("it is", item);
            die("that is not what is expected");
        }
        mct_buf_done(&list);
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
        die("that was not logged; this was:\n%.*s", MCT_STR_ARG(mct_buf_str(&g.logged)));
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
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0777) != 0600 || (size_t)st.st_size != number(rest))
        die("there is no such file, or it is not private, or of another size");
}

/* ---- lines ---- */

static const struct {
    const char *word;
    void (*run)(char *rest);
    bool about_text; /* goes on with what the last call said */
} directives[] = {
    { "dialect", do_dialect, false }, { "option", do_option, false }, { "scheme", do_scheme, false },
    { "preferred", do_preferred, false }, { "server", do_server, false }, { "down", do_down, false }, { "starting", do_starting, false },
    { "revision", do_revision, false }, { "own", do_own, false }, { "tool", do_tool, false },
    { "resource", do_resource, false }, { "template", do_template, false }, { "pages", do_pages, false },
    { "loops", do_loops, false }, { "never", do_never, false }, { "refuses", do_refuses, false },
    { "read", do_read, false }, { "refuse", do_refuse, false }, { "ignore", do_ignore, false },
    { "call", do_call, false }, { "prompt", do_prompt, false }, { "=", do_says, true }, { "!", do_errs, true },
    { "fails", do_fails, true }, { "took", do_took, false }, { "asked", do_asked, false }, { "tools", do_tools, false },
    { "shows", do_shows, false }, { "logged", do_logged, false }, { "silent", do_silent, false },
    { "file", do_file, false },
};

/* One <<…>>, without the brackets. */
static void expand_one(struct mct_buf *to, struct mct_str what)
{
    char *text = mct_str_dup(what);
    unsigned from, until;
    int at = 0;
    if (sscanf(text, "%u..%u|%n", &from, &until, &at) == 2 && at) {
        for (unsigned i = from; i <= until; i++) {
            mct_buf_addz(to, i > from ? "," : "");
            put_numbered(to, (struct mct_str){ what.p + at, what.len - (size_t)at }, i);
        }
    } else if (sscanf(text, "%u*%n", &from, &at) == 1 && at) {
        while (from--)
            mct_buf_add(to, (struct mct_str){ what.p + at, what.len - (size_t)at });
    } else {
        die("what is <<%s>>?", text);
    }
    free(text);
}

static char *expand(const char *line)
{
    struct mct_buf b;
    mct_buf_init(&b, 64u << 20);
    while (*line) {
        const char *end = strncmp(line, "<<", 2) ? NULL : strstr(line, ">>");
        if (end) {
            expand_one(&b, mct_str_range(line + 2, end));
            line = end + 2;
        } else if (!strncmp(line, "$TMP", 4)) {
            mct_buf_addz(&b, g.tmp);
            line += 4;
        } else {
            mct_buf_addc(&b, *line++);
        }
    }
    char *text = mct_buf_take(&b);
    if (!text)
        die("too long");
    return text;
}

static void run_line(char *line)
{
    char *rest = expand(line), *all = rest, first[32];
    size_t n = strcspn(rest, " ");
    snprintf(first, sizeof first, "%.*s", (int)n, rest);
    rest += n + (rest[n] == ' ');
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (!strcmp(directives[i].word, first)) {
            unsigned here = g.line;
            if (!directives[i].about_text)
                check_text();
            g.line = here;
            directives[i].run(rest);
            free(all);
            return;
        }
    die("unknown word: %s", first);
}

static void on_stopped(void *data)
{
    *(bool *)data = true;
}

static void close_all(void)
{
    bool stopped = false;
    mct_registry_stop(&g.registry, on_stopped, &stopped);
    settle();
    if (g.open)
        mct_view_done(&g.view);
    mct_registry_done(&g.registry);
    for (size_t i = 0; i < g.n_fakes; i++)
        fake_free(g.fakes[i]);
    mct_sched_done(&g.sched);
    mct_buf_done(&g.logged);
    mct_buf_done(&g.text);
    mct_buf_done(&g.wanted);
    while (g.n_kept)
        free(g.kept[--g.n_kept]);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_tmp(void)
{
    nftw(g.tmp, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!f)
        return 2;
    g.file = argv[1];
    g.log = (struct mct_log){ .level = MCT_LOG_DEBUG, .write = write_log };
    g.naming = (struct mct_naming){ .scheme = "double", .max_length = 64 };
    g.opts = mct_dialect_defaults;
    g.opts.wall_ms = wall_ms;
    snprintf(g.tmp, sizeof g.tmp, "/tmp/golden.XXXXXX");
    if (!mkdtemp(g.tmp))
        return 2;
    atexit(remove_tmp);
    mct_buf_init(&g.logged, 1u << 20);
    mct_buf_init(&g.text, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&g.wanted, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_sched_init(&g.sched);
    mct_registry_init(&g.registry, &g.sched);
    while ((n = getline(&line, &cap, f)) >= 0) {
        g.line++;
        if (n && line[n - 1] == '\n')
            line[n - 1] = '\0';
        if (line[0] && line[0] != '#')
            run_line(line);
    }
    check_text();
    close_all();
    free(line);
    fclose(f);
    return 0;
}
