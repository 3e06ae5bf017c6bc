/* What a file would bring, for people. Its author may want to hide something: every character that controls a terminal
 * or cannot be seen is written as an escape, and long texts say how long they are. */
#include "cli/trust/trust.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "config/expand/expand.h"

#include <stdlib.h>

enum { LINE_BYTES = 1 << 20, SHOWN_BYTES = 4000, MOST_BLANKS = 8, MOST_SETTINGS = 200 };

/* ---- foreign text ---- */

/* Returns the number of blanks at `p`; 0: too few to hide something behind them. */
static size_t preview_blanks_at(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] == ' ')
        n++;
    return n > MOST_BLANKS ? n : 0;
}

/* Appends the text with escapes for what a person would not see. */
static void preview_put(struct mcti_buf *to, struct mcti_str text)
{
    const char *p = text.p, *end = p + text.len;
    size_t most = to->len + SHOWN_BYTES;
    while (p < end && to->len < most) {
        size_t n_blanks = preview_blanks_at(p, end);
        if (n_blanks) {
            mcti_buf_printf(to, "[%zu blanks]", n_blanks);
            p += n_blanks;
            continue;
        }
        size_t n = mcti_utf8_len(p, end), unseen = n ? mcti_unseen_len(p, (size_t)(end - p)) : 0;
        if (!n)
            mcti_buf_printf(to, "\\x%02x", (unsigned char)*p);
        else if (unseen)
            mcti_buf_printf(to, "\\u{%x}", mcti_utf8_at(p, n));
        else
            mcti_buf_add(to, (struct mcti_str){ p, n });
        p += n ? n : 1;
    }
    if (p < end)
        mcti_buf_printf(to, "... (%zu more bytes)", (size_t)(end - p));
}

struct page {
    const struct mcti_app *app;
    size_t n_settings;
};

static void page_line(const struct page *p, const char *before, struct mcti_str text)
{
    struct mcti_buf line;
    mcti_buf_init(&line, LINE_BYTES);
    mcti_buf_addz(&line, before);
    preview_put(&line, text);
    mcti_buf_addc(&line, '\n');
    mcti_out_text(p->app, mcti_buf_str(&line));
    mcti_buf_done(&line);
}

static void page_pair(const struct page *p, const char *what, const struct mcti_pair *pair)
{
    struct mcti_buf text;
    mcti_buf_init(&text, LINE_BYTES);
    mcti_buf_printf(&text, "%s%s%s", pair->key, what,
                    mcti_config_is_secret(pair->key, pair->value) ? "***" : pair->value);
    page_line(p, "      ", mcti_buf_str(&text));
    mcti_buf_done(&text);
}

/* ---- one entry ---- */

/* Appends the command line as one would type it, without its secrets. */
static void put_command(struct mcti_buf *to, const struct mcti_config_server *s)
{
    mcti_expand_put_word(to, mcti_str_of(s->command));
    for (size_t i = 0; i < s->args.n; i++) {
        struct mcti_buf arg;
        mcti_buf_init(&arg, LINE_BYTES);
        mcti_config_put_arg(&arg, &s->args, i);
        mcti_buf_addc(to, ' ');
        mcti_expand_put_word(to, mcti_buf_str(&arg));
        mcti_buf_done(&arg);
    }
}

static void page_start(const struct page *p, const struct mcti_config_server *s)
{
    struct mcti_buf text;
    mcti_buf_init(&text, LINE_BYTES);
    if (s->command)
        put_command(&text, s);
    else if (s->url)
        mcti_config_put_url(&text, s->url);
    if (text.len)
        page_line(p, s->command ? "    $ " : "    ", mcti_buf_str(&text));
    mcti_buf_done(&text);
    if (s->cwd)
        page_line(p, "      in ", mcti_str_of(s->cwd));
    if (s->plugin_path)
        page_line(p, "    loads the shared object ", mcti_str_of(s->plugin_path));
    for (size_t i = 0; i < s->plugins.n; i++)
        page_line(p, "    loads the plugins in ", mcti_str_of(s->plugins.v[i]));
    for (size_t i = 0; i < s->env.n; i++)
        page_pair(p, "=", &s->env.v[i]);
    for (size_t i = 0; i < s->headers.n; i++)
        page_pair(p, ": ", &s->headers.v[i]);
}

static void page_expansions(const struct page *p, const struct mcti_strings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *text = list->v[i];
        if (!strncmp(text, "cmd:", 4))
            page_line(p, "      runs for a value: ", mcti_str_of(text + 4));
        else if (!strncmp(text, "file:", 5))
            page_line(p, "      reads the file ", mcti_str_of(text + 5));
        else if (!strncmp(text, "credential:", 11))
            page_line(p, "      reads the credential ", mcti_str_of(text + 11));
        else
            page_line(p, "      gets your variable ", mcti_str_of(text));
    }
}

static void page_server(const struct page *p, const struct mcti_config_server *s)
{
    struct mcti_strings expansions = { 0 };
    struct mcti_buf name;
    mcti_buf_init(&name, LINE_BYTES);
    preview_put(&name, mcti_str_of(s->name));
    mcti_out_styled(p->app, MCT_BOLD, "  %.*s", MCT_STR_ARG(mcti_buf_str(&name)));
    mcti_out_styled(p->app, MCT_DIM, "%s%s", s->enabled ? "" : "  disabled",
                    s->trusted ? "  its tools are believed" : "");
    putchar('\n');
    mcti_buf_done(&name);
    page_start(p, s);
    mcti_trust_expansions(s, &expansions);
    page_expansions(p, &expansions);
    mcti_strings_clear(&expansions);
    if (s->error.kind)
        page_line(p, "      has a mistake: ", mcti_str_of(s->error.message));
}

static void page_hook(const struct page *p, const struct mcti_config_hook *h)
{
    mcti_out_styled(p->app, MCT_BOLD, "  hook");
    mcti_out(p->app, ": runs around calls\n");
    page_start(p, &h->run);
}

/* ---- the file ---- */

static void page_setting(void *data, struct mcti_str path, struct mcti_str value)
{
    struct page *p = data;
    struct mcti_buf text;
    if (p->n_settings++ >= MOST_SETTINGS)
        return;
    mcti_buf_init(&text, LINE_BYTES);
    mcti_buf_add(&text, path);
    mcti_buf_addz(&text, " = ");
    mcti_buf_add(&text, value);
    page_line(p, "    ", mcti_buf_str(&text));
    mcti_buf_done(&text);
}

static void page_settings(struct page *p, const struct mcti_trust_file *f)
{
    struct mcti_strings expansions = { 0 };
    mcti_out_styled(p->app, MCT_BOLD, "  settings of mcptools");
    putchar('\n');
    mcti_trust_each_setting(f, page_setting, p);
    if (p->n_settings > MOST_SETTINGS)
        mcti_out(p->app, "    ... and %zu more\n", p->n_settings - MOST_SETTINGS);
    mcti_trust_setting_expansions(f, &expansions);
    page_expansions(p, &expansions);
    mcti_strings_clear(&expansions);
}

static void page_title(const struct page *p, const struct mcti_trust_file *f)
{
    static const char *const states[] = { [MCT_TRUST_YES] = "trusted",
                                          [MCT_TRUST_NO] = "not trusted",
                                          [MCT_TRUST_CHANGED] = "has changed since it was trusted" };
    struct mcti_buf text;
    mcti_buf_init(&text, LINE_BYTES);
    preview_put(&text, mcti_str_of(f->at.path));
    mcti_out_styled(p->app, MCT_BOLD, "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
    mcti_out(p->app, ": %s\n", states[f->verdict.trust]);
    mcti_buf_clear(&text);
    for (size_t i = 0; mcti_trust_put_note(f, i, &text); i++) {
        if (text.len)
            page_line(p, "  note: ", mcti_buf_str(&text));
        mcti_buf_clear(&text);
    }
    mcti_buf_done(&text);
}

void mcti_trust_print(const struct mcti_app *app, const struct mcti_trust_file *f)
{
    struct page p = { .app = app };
    size_t n = 0;
    page_title(&p, f);
    for (size_t k = 0; k < f->n_readings; k++)
        for (size_t i = 0; i < f->readings[k].n_servers; i++)
            if (!mcti_trust_is_shown(f, k, &f->readings[k].servers[i]) && ++n)
                page_server(&p, &f->readings[k].servers[i]);
    for (size_t i = 0; i < f->readings[0].n_hooks && ++n; i++)
        page_hook(&p, &f->readings[0].hooks[i]);
    if (f->has_settings && ++n)
        page_settings(&p, f);
    if (!n)
        mcti_out(app, "  It names no servers and has no settings.\n");
    for (size_t i = 0; i < f->readings[0].n_problems; i++)
        if (f->readings[0].broken && f->readings[0].problems[i].fatal)
            page_line(&p, "  mistake: ", mcti_str_of(f->readings[0].problems[i].text));
}
