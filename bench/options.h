#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

#include "text.h"

enum { MAX_PIDS = 16 };

struct options {
    struct sockaddr_in address;
    struct text request_line, headers; /* headers without Content-Length */
    char *body;
    const char *expect;
    size_t clients, requests, warmup;
    pid_t pids[MAX_PIDS];
    size_t pid_count;
    bool session;
};

/* Ends the program when the command line is wrong. */
void options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

#endif
