/*
 * Runs golden files: what a resource tool answers, byte for byte, from servers in this process (fake.h), on a virtual
 * clock. No sockets, no sleep. A file is a list of lines; it first says what there is:
 *
 *   dialect NAME,… [alone]   whose tools are offered, beside or instead of the servers'
 *   option KEY [VALUE]       of struct mcti_dialect_opts: see `options` below; the wall clock begins at
 *                            2026-01-01T00:00:00Z
 *   preferred NAME           this server is asked first for a URI that nobody lists
 *   scheme WORD              how names are made: double, mcp, nexo, bare
 *   server NAME              the lines below are about the last one
 *   down KIND TEXT           it could not be started: KIND is connect, timeout, auth …
 *   lost KIND TEXT           it was connected, and is not any more
 *   starting                 it is neither up nor down, for good
 *   revision REV             what it speaks (2025-11-25)
 *   login STATE [SECONDS]    the state of its login, whose token expires so many seconds after 1970
 *   renews SECONDS [TEXT]    a renewal of the login gets a token until then, or fails with TEXT
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
 *   = TEXT                   the text it answers; several lines of this are lines of the text. A second text of the
 *                            result is a line that begins with "note: "
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
#include "run_golden.h"

#include "base/limits.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t wall_begin_ms = 1767225600000;

struct golden g;

static uint64_t wall_ms(void)
{
    return wall_begin_ms + g.now_ms;
}

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    mcti_buf_printf(&g.logged, "%s\n", line);
}

/* ---- lines ---- */

static const struct directive *find(const char *name)
{
    const struct directive *const tables[] = { golden_setup, golden_asked };
    for (size_t i = 0; i < 2; i++)
        for (const struct directive *d = tables[i]; d->word; d++)
            if (!strcmp(d->word, name))
                return d;
    die("unknown word: %s", name);
}

static void run_line(const char *line)
{
    char *all = expand(line), *rest = all, first[32];
    size_t n = strcspn(rest, " ");
    snprintf(first, sizeof first, "%.*s", (int)n, rest);
    rest += n + (rest[n] == ' ');
    const struct directive *d = find(first);
    unsigned here = g.line;
    if (!d->about_text)
        check_text();
    g.line = here;
    d->run(rest);
    free(all);
}

static void on_stopped(void *data)
{
    *(bool *)data = true;
}

static void close_all(void)
{
    bool stopped = false;
    mcti_registry_stop(&g.registry, on_stopped, &stopped);
    settle();
    if (g.open)
        mcti_view_done(&g.view);
    mcti_registry_done(&g.registry);
    for (size_t i = 0; i < g.n_fakes; i++)
        fake_free(g.fakes[i]);
    mcti_buf_done(&g.logged);
    mcti_buf_done(&g.text);
    mcti_buf_done(&g.wanted);
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
    g.log = (struct mcti_log){ .level = MCT_LOG_DEBUG, .write = write_log };
    g.naming = (struct mcti_naming){ .scheme = "double", .max_length = 64 };
    g.opts = mcti_dialect_defaults;
    g.opts.wall_ms = wall_ms;
    snprintf(g.tmp, sizeof g.tmp, "/tmp/golden.XXXXXX");
    if (!mkdtemp(g.tmp))
        return 2;
    atexit(remove_tmp);
    mcti_buf_init(&g.logged, 1u << 20);
    mcti_buf_init(&g.text, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&g.wanted, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_sched_init(&g.sched);
    mcti_registry_init(&g.registry, &g.sched);
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
