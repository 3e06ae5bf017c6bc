/*
 * A program that logs in at a server in its own window: here the terminal. It shows the page to open, also takes the
 * URL at which a browser on another machine arrived, and calls a tool when the login is there.
 *
 *     cc login.c $(pkg-config --cflags --libs mcptools) -o login && ./login mcptools.json SERVER TOOL
 */
#include <mcptools/mcptools.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int on_invite(struct mct_instance *instance, const struct mct_auth_invitation *invitation, void *data)
{
    (void)instance;
    (void)data;
    printf("Log in at '%s' with a browser:\n%s\n", invitation->server, invitation->url);
    if (invitation->user_code)
        printf("and enter the code %s there.\n", invitation->user_code);
    else if (invitation->takes_answer)
        puts("If it ends at a page that cannot be opened, paste the address of that page here.");
    return fflush(stdout) == 0 ? 0 : -1;
}

static void on_over(struct mct_instance *instance, const char *server, void *data)
{
    (void)instance;
    (void)server;
    *(bool *)data = false; /* nothing more to paste */
}

/* Reads a pasted URL. Returns false at the end of stdin. */
static bool take_answer(struct mct_instance *instance, const char *server)
{
    char line[8192];
    struct mct_error err;
    if (!fgets(line, sizeof line, stdin))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    if (mct_instance_login_answer(instance, server, line, &err) < 0)
        printf("%s\n", err.message);
    return true;
}

/* Drives the instance until the request is over. */
static int run(struct mct_instance *instance, struct mct_request *login, const char *server, bool *asks)
{
    while (!mct_request_is_over(login)) {
        struct pollfd fds[2] = { { .fd = mct_instance_fd(instance), .events = POLLIN },
                                 { .fd = *asks ? STDIN_FILENO : -1, .events = POLLIN } };
        poll(fds, 2, mct_instance_timeout(instance));
        if (fds[1].revents)
            *asks = take_answer(instance, server);
        mct_instance_dispatch(instance);
    }
    const struct mct_error *err = mct_request_error(login);
    if (err)
        printf("login: %s\n", err->message);
    return err ? -1 : 0;
}

static int call(struct mct_instance *instance, const char *tool)
{
    struct mct_error err;
    if (mct_instance_wait_ready(instance, 30000, &err) < 0)
        return printf("login: %s\n", err.message), -1;
    struct mct_request *request = mct_instance_call(instance, tool, "{}", NULL, &err);
    int status = request ? mct_request_wait(request, &err) : -1;
    const char *text = status == 0 ? mct_request_text(request, &err) : NULL;
    puts(text ? text : err.message);
    mct_request_free(request);
    return text ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct mct_error err;
    bool asks = true;
    const struct mct_auth_opts auth = {
        .size = sizeof auth, .invite = on_invite, .over = on_over, .only_asked = true, .data = &asks
    };
    if (argc != 4)
        return fprintf(stderr, "usage: login CONFIGURATION SERVER TOOL\n"), 2;
    struct mct_instance *instance = mct_instance_new(NULL, &err);
    struct mct_request *login = NULL;
    if (instance && mct_instance_load_file(instance, argv[1], &err) == 0 &&
        mct_instance_set_auth(instance, &auth, &err) == 0 && mct_instance_start(instance, &err) == 0)
        login = mct_instance_login(instance, argv[2], NULL, NULL, &err);
    if (!login)
        fprintf(stderr, "login: %s\n", err.message);
    int status = login && run(instance, login, argv[2], &asks) == 0 ? call(instance, argv[3]) : -1;
    mct_request_free(login);
    mct_instance_close_wait(instance);
    return status == 0 ? 0 : 1;
}
