/*
 * A fast MCP server on stdin and stdout, scripted by its command line: the peer of the tests, in good
 * and bad manners, and the backend of the benchmarks. Tools answer with their own arguments as
 * structured content, so that a test sees what arrived.
 */
#include "test_server.h"

#include "base/limits.h"
#include "io/lines.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void record(const struct server *s, struct mcti_str line)
{
    FILE *f = s->o.record ? fopen(s->o.record, "ae") : NULL;
    if (!f)
        return;
    fprintf(f, "%.*s\n", (int)line.len, line.p);
    fclose(f);
}

static bool on_line(void *data, struct mcti_str line)
{
    struct server *s = data;
    struct mcti_msg msg;
    record(s, line);
    if (s->o.silent || mcti_msg_parse(line, &msg, NULL) < 0 || !msg.method.p)
        return true;
    if (s->o.exit_on && mcti_str_is(msg.method, s->o.exit_on))
        exit(5);
    if (s->o.hang_on && mcti_str_is(msg.method, s->o.hang_on))
        return true;
    bool refuses = s->o.refuse && mcti_str_is(msg.method, s->o.refuse) && msg.id.p;
    if (refuses && (!s->o.refuse_times || s->n_refused++ < s->o.refuse_times))
        test_server_refuse(s, &msg, s->o.refuse_code ? -(int)s->o.refuse_code : -32603, "refused as asked");
    else if (msg.kind == MCT_MSG_REQUEST)
        test_server_answer(s, &msg);
    return true;
}

/* ---- the process ---- */

static int send_due(struct server *s)
{
    int wait = -1;
    uint64_t now = test_server_now_ms();
    MCT_LIST_EACH(it, &s->later) {
        struct later *l = MCT_CONTAINER(it, struct later, node);
        if (l->due_ms > now) {
            int in = (int)(l->due_ms - now);
            wait = wait < 0 || in < wait ? in : wait;
            continue;
        }
        mcti_buf_add(&s->out, (struct mcti_str){ l->text, l->len });
        mcti_list_remove(it);
        free(l->text);
        free(l);
    }
    return wait;
}

static void linger(const struct server *s)
{
    while (s->o.ignore_eof)
        pause();
}

static void serve(struct server *s)
{
    static char bytes[1 << 18];
    struct mcti_lines lines;
    mcti_lines_init(&lines, (size_t)1 << 30);
    for (;;) {
        int wait = send_due(s);
        test_server_flush(s);
        struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
        if (wait >= 0 && poll(&p, 1, wait) == 0)
            continue;
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n <= 0)
            break;
        mcti_lines_feed(&lines, &(struct mcti_str){ bytes, (size_t)n }, on_line, s);
    }
    mcti_lines_done(&lines);
    linger(s);
}

/* Continues in a process without a parent, without our session and our pipes. */
static void become_daemon(void)
{
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int fd = 0; fd < 3; fd++)
        close(fd);
}

/* A process that is left behind: "child" in our group, "session" in a group of its own within our session, "detached"
 * in a session of its own, "daemon" without a parent as well, and "bare" with an empty environment besides. */
static void leave_behind(const struct options *o)
{
    if (!o->spawn || fork() != 0)
        return;
    signal(SIGTERM, SIG_IGN);
    if (!strcmp(o->spawn, "session"))
        setpgid(0, 0);
    else if (!strcmp(o->spawn, "detached"))
        setsid();
    else if (strcmp(o->spawn, "child") != 0)
        become_daemon();
    if (!strcmp(o->spawn, "bare"))
        execle("/proc/self/exe", "test-server", "--record", o->record, "--pause", NULL, (char *const[]){ NULL });
    for (;;)
        pause();
}

struct option_row {
    const char *name;
    enum { NUMBER, TEXT, FLAG } type;
    size_t offset;
};

#define O(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    { "--tools", NUMBER, O(tools) },
    { "--resources", NUMBER, O(resources) },
    { "--templates", NUMBER, O(templates) },
    { "--prompts", NUMBER, O(prompts) },
    { "--page-size", NUMBER, O(page_size) },
    { "--delay", NUMBER, O(delay_ms) },
    { "--garbage", NUMBER, O(garbage) },
    { "--stderr", NUMBER, O(stderr_lines) },
    { "--huge", NUMBER, O(huge_bytes) },
    { "--exit-after", NUMBER, O(exit_after) },
    { "--name", TEXT, O(name) },
    { "--tool-name", TEXT, O(tool_name) },
    { "--tool-json", TEXT, O(tool_json) },
    { "--era", TEXT, O(era) },
    { "--revision", TEXT, O(revision) },
    { "--hang-on", TEXT, O(hang_on) },
    { "--exit-on", TEXT, O(exit_on) },
    { "--refuse", TEXT, O(refuse) },
    { "--refuse-times", NUMBER, O(refuse_times) },
    { "--refuse-code", NUMBER, O(refuse_code) },
    { "--record", TEXT, O(record) },
    { "--spawn", TEXT, O(spawn) },
    { "--silent", FLAG, O(silent) },
    { "--exit-at-start", FLAG, O(exit_at_start) },
    { "--loop-pages", FLAG, O(loop_pages) },
    { "--ignore-eof", FLAG, O(ignore_eof) },
    { "--ignore-term", FLAG, O(ignore_term) },
    { "--exit-on-probe", FLAG, O(exit_on_probe) },
    { "--crlf", FLAG, O(crlf) },
    { "--bad-list", FLAG, O(bad_list) },
    { "--announce", FLAG, O(announce) },
    { "--endless-pages", FLAG, O(endless_pages) },
    { "--list-delay", NUMBER, O(list_delay_ms) },
    { "--pad", NUMBER, O(pad) },
    { "--die-in-page", NUMBER, O(die_in_page) },
    { "--read-line", TEXT, O(read_line) },
    { "--pause", FLAG, O(pause) },
};

static const struct option_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    fprintf(stderr, "test-server: unknown option %s\n", name);
    exit(1);
}

static void parse(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const struct option_row *row = find_row(argv[i]);
        char *slot = (char *)o + row->offset;
        if (row->type == FLAG)
            *(bool *)(void *)slot = true;
        else if (i + 1 == argc)
            exit(1);
        else if (row->type == TEXT)
            *(const char **)(void *)slot = argv[++i];
        else
            *(unsigned *)(void *)slot = (unsigned)strtoul(argv[++i], NULL, 10);
    }
}

int main(int argc, char **argv)
{
    struct server s = { .o = { .tools = 3, .name = "", .era = "legacy" } };
    parse(&s.o, argc, argv);
    mcti_list_init(&s.later);
    mcti_buf_init(&s.out, (size_t)1 << 31);
    for (unsigned i = 0; i < s.o.stderr_lines; i++)
        fprintf(stderr, "test-server: line %u\n", i);
    if (s.o.ignore_term)
        signal(SIGTERM, SIG_IGN);
    leave_behind(&s.o);
    while (s.o.pause)
        pause();
    if (s.o.exit_at_start)
        return 7;
    test_server_put_garbage(&s);
    serve(&s);
    mcti_buf_done(&s.out);
    return 0;
}
