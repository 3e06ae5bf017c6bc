/*
 * An asynchronous client: calls several tools at once from a poll loop of its own, and prints each result when it
 * arrives. When stdin ends it cancels the calls that are left.
 *
 *     cc async.c $(pkg-config --cflags --libs mcptools) -o async && ./async mcptools.json TOOL ARGUMENTS…
 */
#include <mcptools/mcptools.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static void on_done(struct mct_request *request, void *data)
{
    struct mct_error err;
    int *n_open = (int *)data;
    const char *text = mct_request_text(request, &err);
    printf("%s\n", text ? text : err.message);
    fflush(stdout);
    mct_request_free(request);
    --*n_open;
}

static void on_closed(void *data)
{
    *(bool *)data = true;
}

/* Drives the instance once. Returns false when stdin has ended. */
static bool turn(struct mct_instance *instance, bool watch_stdin)
{
    struct pollfd fds[2] = { { .fd = mct_instance_fd(instance), .events = POLLIN },
                             { .fd = watch_stdin ? STDIN_FILENO : -1, .events = POLLIN } };
    char ignored[256];
    poll(fds, 2, mct_instance_timeout(instance));
    mct_instance_dispatch(instance);
    return !fds[1].revents || read(STDIN_FILENO, ignored, sizeof ignored) > 0;
}

static int open_instance(struct mct_instance **ret, const char *configuration, struct mct_error *err)
{
    *ret = mct_instance_new(NULL, err);
    if (!*ret || mct_instance_load_file(*ret, configuration, err) < 0)
        return -1;
    return mct_instance_start(*ret, err);
}

static void call_all(struct mct_instance *instance, char **words, struct mct_cancel *cancel)
{
    struct mct_call_opts opts = MCT_CALL_OPTS_INIT;
    struct mct_error err;
    int n_open = 0;
    bool has_input = true;
    opts.done = on_done;
    opts.data = &n_open;
    opts.cancel = cancel;
    while (!mct_instance_is_ready(instance))
        turn(instance, false);
    for (; words[0] && words[1]; words += 2) {
        if (mct_instance_call(instance, words[0], words[1], &opts, &err))
            n_open++;
        else
            printf("%s\n", err.message);
    }
    while (n_open) {
        if (!turn(instance, has_input)) {
            has_input = false;
            mct_cancel_fire(cancel);
        }
    }
}

int main(int argc, char **argv)
{
    struct mct_instance *instance = NULL;
    struct mct_error err;
    bool closed = false;
    if (argc < 4)
        return fprintf(stderr, "usage: async CONFIGURATION TOOL ARGUMENTS…\n"), 2;
    int status = open_instance(&instance, argv[1], &err);
    struct mct_cancel *cancel = status == 0 ? mct_cancel_new(instance, &err) : NULL;
    if (cancel)
        call_all(instance, argv + 2, cancel);
    else
        fprintf(stderr, "async: %s\n", err.message);
    mct_cancel_free(cancel);
    mct_instance_close(instance, on_closed, &closed);
    while (instance && !closed)
        turn(instance, false);
    return cancel ? 0 : 1;
}
