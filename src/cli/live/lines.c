#include "cli/live/lines.h"

#include "base/log/visible.h"
#include "cli/terminal/wrap.h"
#include "hub/core/journal.h"

enum { SLOW_MS = 5000, LINE_BYTES = 8192 };

void mcti_live_put_seconds(struct mcti_buf *to, uint64_t ms)
{
    if (ms < 10000)
        mcti_buf_printf(to, "%u.%u s", (unsigned)(ms / 1000), (unsigned)(ms / 100 % 10));
    else
        mcti_buf_printf(to, "%u s", (unsigned)(ms / 1000));
}

void mcti_live_put_limit(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p)
{
    const struct mcti_config *c = &app->inst.config;
    const struct mcti_config_server *s = mcti_config_find(c, mcti_str_of(p->name));
    unsigned ms = s ? mcti_connect_start_limits(c, s, app->inst.env.restart).start_ms : 0;
    if (ms)
        mcti_buf_printf(to, "limit %u s (start_timeout)", ms / 1000);
    else
        mcti_buf_addz(to, "no limit (start_timeout sets one)");
}

static void lines_on_line(void *data, const struct mcti_journal_line *line)
{
    if (line->by == MCT_SAID_STDERR && line->text.len)
        *(struct mcti_str *)data = line->text;
}

/* Appends the line without the sequences that set colours, which many programs write: ESC [ … letter. */
static void lines_put_plain(struct mcti_buf *to, struct mcti_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.p[i] != '\x1b' || i + 1 == line.len || line.p[i + 1] != '[') {
            mcti_buf_addc(to, line.p[i]);
            continue;
        }
        for (i += 2; i < line.len && !(line.p[i] >= '@' && line.p[i] <= '~'); i++)
            ;
    }
}

void mcti_live_put_last(struct mcti_buf *to, const struct mcti_provider *p)
{
    struct mcti_str last = MCT_STR_NONE;
    struct mcti_buf plain;
    mcti_journal_each(&p->journal, p->journal.start_seq, lines_on_line, &last);
    mcti_buf_init(&plain, LINE_BYTES);
    lines_put_plain(&plain, last);
    mcti_visible_put(to, mcti_buf_str(&plain), MCT_VISIBLE_LINE);
    mcti_buf_done(&plain);
}

/* Returns true if the process installs packages before it is a server. */
static bool is_installing(const struct mcti_app *app, const struct mcti_provider *p, uint64_t took_ms)
{
    enum { NOTICED_MS = 2000 };
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(p->name));
    return s && s->command && took_ms > NOTICED_MS && mcti_connect_installs(s->command, &s->args);
}

struct words {
    enum mcti_style style;
    const char *state;
};

static struct words words_of(const struct mcti_app *app, const struct mcti_provider *p, uint64_t took_ms)
{
    if (mcti_provider_needs_login(p))
        return (struct words){ MCT_RED, "login needed" };
    if (p->state == MCT_CONNECTED && p->standby != MCT_STANDBY_STARTING)
        return (struct words){ p->standby ? MCT_DIM : MCT_GREEN, mcti_provider_state_word(p) };
    if (p->state == MCT_CONNECTED || p->state == MCT_CONNECTING)
        return (struct words){ MCT_YELLOW, is_installing(app, p, took_ms) ? "installing" : "connecting" };
    if (p->state == MCT_FAILED)
        return (struct words){ MCT_RED, "failed" };
    return (struct words){ MCT_DIM, p->settled ? "not started" : "starting" };
}

static void put_detail(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p, uint64_t took_ms)
{
    size_t n = p->items[MCT_TOOL].n;
    bool shows_stored = p->standby == MCT_STANDBY_STARTING;
    if (p->state == MCT_CONNECTED && !shows_stored) {
        mcti_buf_printf(to, "%zu tool%s", n, n == 1 ? "" : "s");
    } else if (p->state == MCT_CONNECTING || shows_stored) {
        size_t before = to->len;
        if (took_ms > SLOW_MS)
            mcti_live_put_limit(to, app, p);
        mcti_buf_addz(to, to->len > before ? "  " : "");
        mcti_live_put_last(to, p);
    } else if (p->error->kind) {
        mcti_visible_put(to, mcti_str_of(p->error->message), MCT_VISIBLE_LINE);
    }
}

enum { STATE_COLUMNS = 12, SECONDS_COLUMNS = 7 };

/* Appends seconds and details. Returns the columns that they take. */
static unsigned put_rest(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p,
                         uint64_t took_ms, unsigned columns)
{
    struct mcti_buf detail, seconds;
    if (columns < SECONDS_COLUMNS)
        return 0;
    mcti_buf_init(&detail, LINE_BYTES);
    mcti_buf_init(&seconds, 32);
    mcti_live_put_seconds(&seconds, took_ms);
    mcti_buf_printf(to, "%*.*s", SECONDS_COLUMNS, MCT_STR_ARG(mcti_buf_str(&seconds)));
    put_detail(&detail, app, p, took_ms);
    struct mcti_str shown =
        mcti_text_cut(mcti_buf_str(&detail), columns > SECONDS_COLUMNS + 2 ? columns - SECONDS_COLUMNS - 2 : 0);
    mcti_buf_printf(to, "%s%.*s", shown.len ? "  " : "", MCT_STR_ARG(shown));
    unsigned used = SECONDS_COLUMNS + (shown.len ? 2 + mcti_text_columns(shown) : 0);
    mcti_buf_done(&seconds);
    mcti_buf_done(&detail);
    return used;
}

unsigned mcti_live_put_line(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p,
                            uint64_t took_ms, unsigned columns)
{
    enum { LEAST = 8, MOST = 24, INDENT = 2 };
    struct words w = words_of(app, p, took_ms);
    unsigned room = columns > INDENT + STATE_COLUMNS + 2 ? columns - INDENT - STATE_COLUMNS - 2 : 1, most = LEAST;
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        unsigned n = mcti_text_columns(mcti_str_of(app->inst.registry.v[i]->name));
        most = n > most ? n : most;
    }
    most = most < MOST ? most : MOST;
    most = most < room ? most : room;
    struct mcti_str name = mcti_text_cut(mcti_str_of(p->name), most);
    mcti_buf_printf(to, "  %s%.*s%s%*s ", mcti_style_begin(app, MCT_BOLD), MCT_STR_ARG(name),
                    mcti_style_end(app, MCT_BOLD), (int)(most - mcti_text_columns(name)), "");
    mcti_buf_printf(to, "%s%-*s%s", mcti_style_begin(app, w.style), STATE_COLUMNS, w.state,
                    mcti_style_end(app, w.style));
    unsigned used = INDENT + most + 1 + STATE_COLUMNS;
    return used + put_rest(to, app, p, took_ms, columns > used ? columns - used : 0);
}
