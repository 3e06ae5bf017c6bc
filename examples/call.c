/*
 * The shortest client: connects to the servers of a configuration, calls one tool, and waits for its result.
 *
 *     cc call.c $(pkg-config --cflags --libs mcptools) -o call && ./call mcptools.json TOOL '{"arguments":"as JSON"}'
 */
#include <mcptools/mcptools.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct mct_error err;
    struct mct_instance *instance = argc == 4 ? mct_instance_new(NULL, &err) : NULL;
    if (!instance)
        return fprintf(stderr, "usage: call CONFIGURATION TOOL ARGUMENTS\n"), 2;

    int status = mct_instance_load_file(instance, argv[1], &err);
    if (status == 0)
        status = mct_instance_start(instance, &err);
    if (status == 0 && mct_instance_wait_ready(instance, 30000, &err) < 0)
        fprintf(stderr, "call: %s\n", err.message); /* the other servers can be used */

    struct mct_request *request = status == 0 ? mct_instance_call(instance, argv[2], argv[3], NULL, &err) : NULL;
    const char *text = mct_request_wait(request, &err) == 0 ? mct_request_text(request, &err) : NULL;
    if (text)
        puts(text);
    else
        fprintf(stderr, "call: %s\n", err.message);
    status = text && !mct_request_is_error(request) ? 0 : 1;
    mct_request_free(request);
    mct_instance_close_wait(instance);
    return status;
}
