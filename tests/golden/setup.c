/* What there is: dialects, options, servers and what they answer. */
#include "run_golden.h"

#include "hub/local/local.h"

#include <stdio.h>
#include <stdlib.h>

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
    if (mcti_dialects_read(mcti_str_of(names), &g.dialects, &err) < 0)
        die("%s", err.message);
}

static const struct option {
    const char *key;
    char type; /* n: number, b: on, s: text, a: texts */
    size_t at;
} options[] = {
#define O(key, type, member)                                                                                           \
    {                                                                                                                  \
        key, type, offsetof(struct mcti_dialect_opts, member)                                                          \
    }
    O("list_max", 'n', list_max),
    O("list_ceiling", 'n', list_ceiling),
    O("read_max", 'n', read_max),
    O("read_ceiling", 'n', read_ceiling),
    O("list_ms", 'n', list_ms),
    O("read_ms", 'n', read_ms),
    O("settle_ms", 'n', settle_ms),
    O("shown", 'n', shown),
    O("whole", 'n', whole),
    O("language", 'n', language),
    O("strict_nexo", 'b', strict_nexo),
    O("codex_nulls", 'b', codex_nulls),
    O("codex_alphabetical", 'b', codex_alphabetical),
    O("lines_kernel", 'b', lines_kernel),
    O("lines_short", 'b', lines_short),
    O("grace_ms", 'n', grace_ms),
    O("told", 'n', told),
    O("blob_dir", 's', blob_dir),
    O("bridge_prefix", 's', bridge_prefix),
    O("uri_allow", 'a', uri_allow),
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
    if (!f || mcti_registry_add(&g.registry, f->p) < 0)
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
            mcti_fail(&f->down, (enum mct_error_kind)k, "%s", rest);
    if (!f->down.kind)
        die("no such kind: %s", kind);
    f->p->info.rev = (enum mcti_rev)0;
}

static void do_lost(char *rest)
{
    enum mcti_rev rev = last()->p->info.rev;
    do_down(rest);
    last()->p->info.rev = rev;
}

static void do_starting(char *rest)
{
    (void)rest;
    last()->starting = true;
    last()->p->info.rev = (enum mcti_rev)0;
}

static void do_login(char *rest)
{
    const char *state = word(&rest);
    last()->login = golden_login(state, *rest ? (int64_t)number(rest) : 0);
    last()->p->login = last()->login;
}

static void do_renews(char *rest)
{
    int64_t until = (int64_t)number(word(&rest));
    if (!last()->p->login)
        die("it has no login");
    golden_renews(last()->p->login, until, *rest ? keep(rest) : NULL);
}

static void do_revision(char *rest)
{
    last()->p->info.rev = mcti_rev_find(mcti_str_of(rest));
    if (!last()->p->info.rev)
        die("no such revision: %s", rest);
}

static void do_own(char *rest)
{
    last()->p->resource_tools = !strcmp(rest, "always") ? MCT_RESOURCE_TOOLS_ALWAYS : MCT_RESOURCE_TOOLS_NEVER;
}

static void on_tool(struct mcti_local_request *r, void *data)
{
    mcti_local_text(r, "this is %s", (const char *)data);
}

static void add_one(enum mcti_kind kind, const char *json)
{
    struct mct_error err;
    check_json(json);
    if (mcti_local_add(last()->p, kind, json, on_tool, last()->p->name, &err) < 0)
        die("%s", err.message);
}

static void add_items(enum mcti_kind kind, char *rest)
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
        struct mcti_buf b;
        mcti_buf_init(&b, 65536);
        put_numbered(&b, mcti_str_of(rest + at), from);
        char *json = mcti_buf_take(&b);
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

const struct directive golden_setup[] = {
    { "dialect", do_dialect, false },
    { "option", do_option, false },
    { "scheme", do_scheme, false },
    { "preferred", do_preferred, false },
    { "server", do_server, false },
    { "down", do_down, false },
    { "lost", do_lost, false },
    { "starting", do_starting, false },
    { "revision", do_revision, false },
    { "login", do_login, false },
    { "renews", do_renews, false },
    { "own", do_own, false },
    { "tool", do_tool, false },
    { "resource", do_resource, false },
    { "template", do_template, false },
    { "pages", do_pages, false },
    { "loops", do_loops, false },
    { "never", do_never, false },
    { "refuses", do_refuses, false },
    { "read", do_read, false },
    { "refuse", do_refuse, false },
    { "ignore", do_ignore, false },
    { 0 },
};
