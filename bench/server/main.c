/* Serves MCP on stdin and stdout, or over HTTP with answers in JSON. */
#include "server.h"

#include "io/lines.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 18 };

static const char usage[] = "usage: bench-server [--http PORT] [--stateless] [--tools N] [--bytes N] [--start-ms N]\n"
                            "Without --http it serves on stdin and stdout. --start-ms: waits before it answers.\n";

static bool on_line(void *data, struct mcti_str line)
{
    struct iovec pieces[ANSWER_PIECES + 1];
    if (!server_answer(data, line, pieces))
        return true;
    pieces[ANSWER_PIECES] = (struct iovec){ "\n", 1 };
    return server_write(STDOUT_FILENO, pieces, ANSWER_PIECES + 1) == 0;
}

static void serve_lines(struct server *s)
{
    static char bytes[READ_SIZE];
    struct mcti_lines lines;
    ssize_t n;
    mcti_lines_init(&lines, (size_t)1 << 30);
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        mcti_lines_feed(&lines, &(struct mcti_str){ bytes, (size_t)n }, on_line, s);
    mcti_lines_done(&lines);
}

static unsigned long number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || *end) {
        fputs(usage, stderr);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        { "http", required_argument, NULL, 'h' },     { "stateless", no_argument, NULL, 's' },
        { "tools", required_argument, NULL, 't' },    { "bytes", required_argument, NULL, 'b' },
        { "start-ms", required_argument, NULL, 'w' }, { NULL, 0, NULL, 0 },
    };
    struct server s = { .tools = 10, .bytes = 200 };
    unsigned long start_ms = 0;
    int option, port = -1;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h')
            port = (int)number(optarg);
        else if (option == 's')
            s.stateless = true;
        else if (option == 't')
            s.tools = (unsigned)number(optarg);
        else if (option == 'b')
            s.bytes = number(optarg);
        else if (option == 'w')
            start_ms = number(optarg);
        else
            return fputs(usage, stderr), 2;
    }
    signal(SIGPIPE, SIG_IGN);
    usleep((useconds_t)start_ms * 1000);
    server_init(&s);
    if (port >= 0)
        server_listen(&s, (unsigned)port);
    serve_lines(&s);
    server_done(&s);
    return 0;
}
