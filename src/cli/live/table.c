/*
 * The live table: while a command waits for its servers, their states on stderr, drawn again in place and erased at the
 * end.
 */
#include "cli/live/lines.h"
#include "cli/terminal/wrap.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { APPEARS_MS = 200, FRAME_MS = 100, TABLE_BYTES = 1 << 20 };

struct row {
    const struct mcti_provider *provider;
    uint64_t took_ms; /* until its state was reached; 0: it is still starting */
};

struct mcti_live {
    struct mcti_app *app;
    struct mcti_watcher watcher;
    struct mcti_timer frame;
    bool only_starting; /* servers that are connected or have failed have no line */
    struct row *rows;
    size_t n_rows;
    unsigned *drawn; /* columns of each line on the terminal */
    size_t n_drawn;
};

static void live_write(struct mcti_buf *b)
{
    if (mcti_buf_ok(b))
        fwrite(mcti_buf_str(b).p, 1, b->len, stderr);
    fflush(stderr);
}

/* ---- the terminal ---- */

static unsigned live_lines(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row - 1u : 23;
}

/* Appends what moves to the first line of the table and erases from there. The terminal may be narrower than it was
 * when the lines were drawn: they take several of its lines then. */
static void live_erase(struct mcti_live *l, struct mcti_buf *to)
{
    unsigned columns = mcti_terminal_columns(STDERR_FILENO), n = 0;
    for (size_t i = 0; i < l->n_drawn; i++)
        n += 1 + (l->drawn[i] ? (l->drawn[i] - 1) / columns : 0);
    if (n)
        mcti_buf_printf(to, "\r\x1b[%uA\x1b[J", n);
    l->n_drawn = 0;
}

/* ---- rows ---- */

static bool table_is_starting(const struct mcti_provider *p)
{
    return p->state == MCT_CONNECTING || p->standby == MCT_STANDBY_STARTING ||
           (p->state == MCT_DISCONNECTED && !p->settled);
}

static uint64_t live_age_ms(const struct mcti_live *l, const struct mcti_provider *p)
{
    uint64_t now = mcti_sched_now(&l->app->inst.loop.sched);
    return now > p->started_ms ? now - p->started_ms : 0;
}

/* Returns the row of the provider; NULL when out of memory. */
static struct row *row_of(struct mcti_live *l, const struct mcti_provider *p)
{
    for (size_t i = 0; i < l->n_rows; i++)
        if (l->rows[i].provider == p)
            return &l->rows[i];
    struct row *rows = realloc(l->rows, (l->n_rows + 1) * sizeof *rows);
    if (!rows)
        return NULL;
    l->rows = rows;
    rows[l->n_rows] = (struct row){ .provider = p };
    return &rows[l->n_rows++];
}

/* Returns how long the provider took to reach its state, or has been starting. */
static uint64_t live_took_ms(struct mcti_live *l, const struct mcti_provider *p)
{
    struct row *r = row_of(l, p);
    uint64_t age = live_age_ms(l, p);
    if (!r || table_is_starting(p))
        return r ? r->took_ms = 0, age : age;
    return r->took_ms = r->took_ms ? r->took_ms : age;
}

static bool live_shows(const struct mcti_live *l, const struct mcti_provider *p)
{
    return !p->bare && (!l->only_starting || table_is_starting(p));
}

static void live_add_line(struct mcti_live *l, struct mcti_buf *to, const struct mcti_provider *p, unsigned columns)
{
    unsigned *drawn = realloc(l->drawn, (l->n_drawn + 1) * sizeof *drawn);
    if (!drawn)
        return;
    l->drawn = drawn;
    drawn[l->n_drawn++] = mcti_live_put_line(to, l->app, p, live_took_ms(l, p), columns);
    mcti_buf_addz(to, "\n");
}

static void live_draw(struct mcti_live *l)
{
    const struct mcti_registry *r = &l->app->inst.registry;
    unsigned columns = mcti_terminal_columns(STDERR_FILENO) - 1, most = live_lines();
    struct mcti_buf b;
    mcti_buf_init(&b, TABLE_BYTES);
    live_erase(l, &b);
    for (size_t i = 0; i < r->n && l->n_drawn + 1 < most; i++)
        if (live_shows(l, r->v[i]))
            live_add_line(l, &b, r->v[i], columns);
    live_write(&b);
    mcti_buf_done(&b);
}

/* ---- life ---- */

static void live_on_frame(void *data)
{
    struct mcti_live *l = data;
    live_draw(l);
    mcti_timer_set(&l->app->inst.loop.sched, &l->frame, FRAME_MS);
}

static void live_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_live *l = MCT_CONTAINER(w, struct mcti_live, watcher);
    for (size_t i = l->n_rows; i-- > 0;)
        if (l->rows[i].provider == p)
            l->rows[i] = l->rows[--l->n_rows];
}

/* Notes when the server has reached its state. */
static void live_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    live_took_ms(MCT_CONTAINER(w, struct mcti_live, watcher), p);
}

void mcti_live_begin(struct mcti_app *app, bool only_starting)
{
    struct mcti_live *l = app->live || !app->progress ? NULL : calloc(1, sizeof *l);
    if (!l)
        return;
    l->app = app;
    l->only_starting = only_starting;
    l->watcher.state = live_on_state;
    l->watcher.left = live_on_left;
    mcti_registry_watch(&app->inst.registry, &l->watcher);
    mcti_timer_init(&l->frame, live_on_frame, l);
    mcti_timer_set(&app->inst.loop.sched, &l->frame, APPEARS_MS);
    app->live = l;
}

void mcti_live_hide(const struct mcti_app *app)
{
    struct mcti_buf b;
    if (!app->live || !app->live->n_drawn)
        return;
    mcti_buf_init(&b, 64);
    live_erase(app->live, &b);
    live_write(&b);
    mcti_buf_done(&b);
}

void mcti_live_end(struct mcti_app *app)
{
    struct mcti_live *l = app->live;
    if (!l)
        return;
    mcti_live_hide(app);
    mcti_timer_stop(&app->inst.loop.sched, &l->frame);
    mcti_watcher_remove(&l->watcher);
    free(l->rows);
    free(l->drawn);
    free(l);
    app->live = NULL;
}
