/*
 * One call through libmcptools. usage: api_call CONFIGURATION PROVIDER TOOL ARGUMENTS. PROVIDER is "-" for a call of
 * the program, otherwise the call comes from a model of that provider, and TOOL is the call. With STRANGER in the
 * environment the caller is not the owner. Prints what became of the call, and the port where /metrics is; ends with
 * its stdin.
 */
#include <mcptools/mcptools.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct mct_request *start(struct mct_instance *r, char **argv, struct mct_error *err)
{
    if (!strcmp(argv[2], "-"))
        return mct_instance_call(r, argv[3], argv[4], NULL, err);
    return mct_instance_call_model(r, argv[2], argv[3], NULL, err);
}

static void tell(struct mct_request *q, const struct mct_error *err)
{
    const struct mct_error *failed = q ? mct_request_error(q) : err;
    puts(failed ? failed->message : mct_request_text(q, NULL));
}

static void serve(struct mct_instance *r, int port)
{
    struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = mct_instance_fd(r), .events = POLLIN } };
    printf("port %d\n", port);
    fflush(stdout);
    while (!p[0].revents) {
        poll(p, 2, mct_instance_timeout(r));
        mct_instance_dispatch(r);
    }
}

int main(int argc, char **argv)
{
    const struct mct_instance_opts opts = { .size = sizeof opts, .stranger = getenv("STRANGER") };
    struct mct_error err;
    int port = -1;
    struct mct_instance *r = argc == 5 ? mct_instance_new(&opts, &err) : NULL;
    if (!r || mct_instance_load_file(r, argv[1], &err) < 0 ||
        (port = mct_instance_serve_http(r, "127.0.0.1:0", &err)) < 0 || mct_instance_start(r, &err) < 0 ||
        mct_instance_wait_ready(r, 30000, &err) < 0) {
        fprintf(stderr, "api_call: %s\n", r ? err.message : "usage: CONFIGURATION PROVIDER TOOL ARGUMENTS");
        mct_instance_close_wait(r);
        return 2;
    }
    struct mct_request *q = start(r, argv, &err);
    if (q)
        mct_request_wait(q, NULL);
    tell(q, &err);
    mct_request_free(q);
    serve(r, port);
    mct_instance_close_wait(r);
    return 0;
}
