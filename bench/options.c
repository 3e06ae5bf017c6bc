#include "options.h"

#include <err.h>
#include <getopt.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLIENTS = 1024, MAX_REQUESTS = 10000000, READ_SIZE = 16384 };

static const char usage[] = "usage: loadgen --url http://HOST:PORT/PATH [--clients N] [--requests N]\n"
                            "  [--warmup N] [--body TEXT|FILE] [--header 'NAME: VALUE']...\n"
                            "  [--expect TEXT] [--pid PID]... [--session]\n"
                            "A --body that begins with / or . names a file. " ID_TOKEN " in the body and in\n"
                            "the expected text stands for the number of the request.\n";

static size_t parse_count(const char *text, size_t least, size_t most)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end || count < least || count > most)
        errx(CANNOT_RUN, "'%s' is not a number from %zu to %zu", text, least, most);
    return count;
}

static void resolve(const char *host, const char *port, struct sockaddr_in *address)
{
    const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found;
    int failure = getaddrinfo(host, port, &hints, &found);

    if (failure)
        errx(CANNOT_RUN, "%s:%s: %s", host, port, gai_strerror(failure));
    memcpy(address, found->ai_addr, sizeof *address);
    freeaddrinfo(found);
}

static void parse_url(struct options *options, const char *url)
{
    char host[128], port[6], path[1024] = "/";

    if (sscanf(url, "http://%127[^:/]:%5[0-9]%1023s", host, port, path) < 2)
        errx(CANNOT_RUN, "'%s' is not of the form http://HOST:PORT/PATH", url);
    resolve(host, port, &options->address);
    text_format(&options->request_line, "POST %s HTTP/1.1\r\nHost: %s:%s\r\n", path, host, port);
}

/* Returns text to be freed. */
static char *read_file(const char *path)
{
    struct text content = { 0 };
    FILE *file = fopen(path, "r");
    size_t count;

    if (!file)
        err(CANNOT_RUN, "%s", path);
    do {
        text_reserve(&content, READ_SIZE + 1);
        count = fread(content.data + content.len, 1, READ_SIZE, file);
        content.len += count;
    } while (count > 0);
    if (ferror(file))
        err(CANNOT_RUN, "%s", path);
    fclose(file);
    content.data[content.len] = '\0';
    return content.data;
}

static void set_body(struct options *options, const char *argument)
{
    bool is_path = argument[0] == '/' || argument[0] == '.';

    free(options->body);
    options->body = is_path ? read_file(argument) : strdup(argument);
    if (!options->body)
        err(CANNOT_RUN, "strdup");
}

static void add_pid(struct options *options, const char *argument)
{
    if (options->pid_count == MAX_PIDS)
        errx(CANNOT_RUN, "more than %d pids", MAX_PIDS);
    options->pids[options->pid_count++] = (pid_t)parse_count(argument, 1, INT32_MAX);
}

static void set_option(struct options *options, int option, const char *argument)
{
    switch (option) {
    case 'u':
        parse_url(options, argument);
        break;
    case 'c':
        options->clients = parse_count(argument, 1, MAX_CLIENTS);
        break;
    case 'r':
        options->requests = parse_count(argument, 1, MAX_REQUESTS);
        break;
    case 'w':
        options->warmup = parse_count(argument, 0, MAX_REQUESTS);
        break;
    case 'b':
        set_body(options, argument);
        break;
    case 'h':
        text_format(&options->headers, "%s\r\n", argument);
        break;
    case 'e':
        options->expect = argument;
        break;
    case 'p':
        add_pid(options, argument);
        break;
    case 's':
        options->session = true;
        break;
    default:
        fputs(usage, stderr);
        exit(CANNOT_RUN);
    }
}

void options_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        { "url", required_argument, NULL, 'u' },      { "clients", required_argument, NULL, 'c' },
        { "requests", required_argument, NULL, 'r' }, { "warmup", required_argument, NULL, 'w' },
        { "body", required_argument, NULL, 'b' },     { "header", required_argument, NULL, 'h' },
        { "expect", required_argument, NULL, 'e' },   { "pid", required_argument, NULL, 'p' },
        { "session", no_argument, NULL, 's' },        { NULL, 0, NULL, 0 },
    };
    int option;

    *options = (struct options){ .clients = 1, .requests = 1000, .expect = "" };
    set_body(options, "{\"jsonrpc\":\"2.0\",\"id\":" ID_TOKEN ",\"method\":\"ping\"}");
    text_format(&options->headers, "Content-Type: application/json\r\n"
                                   "Accept: application/json, text/event-stream\r\n");
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        set_option(options, option, optarg);
    if (optind < argc || options->request_line.len == 0)
        set_option(options, '?', NULL);
}

void options_free(struct options *options)
{
    free(options->request_line.data);
    free(options->headers.data);
    free(options->body);
}
