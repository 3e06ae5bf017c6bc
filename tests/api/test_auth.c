/* The library as a program uses it that makes logins in its own window and keeps them in its own store. */
#include "program.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the server, and the person's browser ---- */

static pid_t as_pid;
static char as_url[128], config[512];

/* Starts a program whose stdout is read. */
static pid_t spawn_reading(char *const *argv, int *ret_fd)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
    posix_spawn_file_actions_addclose(&actions, fds[0]);
    assert_int_equal(posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    *ret_fd = fds[0];
    return pid;
}

static int start_server(void **state)
{
    char *argv[] = { (char *)PYTHON, (char *)AUTH_SERVER, NULL };
    size_t n = 0;
    int fd;
    (void)state;
    setenv("MCP_LOGIN", "no", 1);
    as_pid = spawn_reading(argv, &fd);
    while (n < sizeof as_url - 1 && read(fd, as_url + n, 1) == 1 && as_url[n] != '\n')
        n++;
    as_url[n] = '\0';
    close(fd);
    snprintf(config, sizeof config, "{\"mcpServers\":{\"s\":{\"url\":\"%s\"}}}", as_url);
    return n ? 0 : -1;
}

static int stop_server(void **state)
{
    (void)state;
    kill(as_pid, SIGKILL);
    waitpid(as_pid, NULL, 0);
    return 0;
}

/* Opens the URL without waiting: the library, which listens meanwhile, must be driven. */
static void visit(const char *url)
{
    char *argv[] = { (char *)PYTHON, (char *)VISIT, (char *)url, NULL };
    pid_t pid;
    assert_int_equal(posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ), 0);
}

/* Returns the URL to which the browser would be sent. */
static const char *visit_and_stay(const char *url)
{
    static char place[2048];
    char *argv[] = { (char *)PYTHON, (char *)VISIT, (char *)"--stay", (char *)url, NULL };
    size_t n = 0;
    ssize_t more;
    int fd;
    pid_t pid = spawn_reading(argv, &fd);
    while ((more = read(fd, place + n, sizeof place - 1 - n)) > 0)
        n += (size_t)more;
    place[n] = '\0';
    close(fd);
    waitpid(pid, NULL, 0);
    return place;
}

/* ---- the program ---- */

static struct {
    int n_invited, n_over, n_done;
    char server[64], url[2048];
    bool visits, refuses, takes_answer;
} window;

static int on_invite(struct mct_instance *r, const struct mct_auth_invitation *i, void *data)
{
    assert_non_null(r);
    assert_ptr_equal(data, &window);
    assert_null(i->user_code);
    window.n_invited++;
    window.takes_answer = i->takes_answer;
    snprintf(window.server, sizeof window.server, "%s", i->server);
    snprintf(window.url, sizeof window.url, "%s", i->url);
    if (window.visits)
        visit(i->url);
    return window.refuses ? -1 : 0;
}

static void on_over(struct mct_instance *r, const char *server, void *data)
{
    assert_non_null(r);
    assert_ptr_equal(data, &window);
    assert_string_equal(server, window.server);
    window.n_over++;
}

static void on_done(struct mct_request *q, void *data)
{
    (void)q;
    (void)data;
    window.n_done++;
}

/* A store of one text for each of two keys. */
static struct {
    char key[2][80], text[2][8192];
    int n_loads, n_saves, n_locks, n_unlocks, busy;
    bool fails;
} kept;

static int kept_at(const char *key)
{
    for (int i = 0; i < 2; i++)
        if (!*kept.key[i] || !strcmp(kept.key[i], key)) {
            snprintf(kept.key[i], sizeof kept.key[i], "%s", key);
            return i;
        }
    fail_msg("a third key: %s", key);
    return 0;
}

static int kept_load(void *data, const char *key, struct mct_auth_text *to, struct mct_error *err)
{
    const char *text = kept.text[kept_at(key)];
    assert_ptr_equal(data, &kept);
    assert_int_equal(strlen(key), 64);
    assert_non_null(err);
    kept.n_loads++;
    return *text ? mct_auth_text_set(to, text, strlen(text)) : 0;
}

static int kept_save(void *data, const char *key, const char *text, size_t len, struct mct_error *err)
{
    assert_ptr_equal(data, &kept);
    kept.n_saves++;
    if (kept.fails) {
        snprintf(err->message, sizeof err->message, "the vault is shut");
        return -1;
    }
    assert_true(len < sizeof kept.text[0]);
    snprintf(kept.text[kept_at(key)], sizeof kept.text[0], "%.*s", (int)len, text ? text : "");
    return 0;
}

static int kept_lock(void *data, const char *key, struct mct_error *err)
{
    (void)key;
    (void)err;
    assert_ptr_equal(data, &kept);
    assert_int_equal(kept.n_locks, kept.n_unlocks);
    if (kept.busy) {
        kept.busy--;
        return 0;
    }
    kept.n_locks++;
    return 1;
}

static void kept_unlock(void *data, const char *key)
{
    (void)key;
    assert_ptr_equal(data, &kept);
    kept.n_unlocks++;
}

static const struct mct_auth_store own_store = { .size = sizeof own_store,
                                                 .load = kept_load,
                                                 .save = kept_save,
                                                 .lock = kept_lock,
                                                 .unlock = kept_unlock,
                                                 .data = &kept };

static int fresh(void **state)
{
    memset(&window, 0, sizeof window);
    memset(&kept, 0, sizeof kept);
    window.visits = true;
    set_up(state);
    return start_server(state);
}

/* An instance with the server `s`; `only_asked` as in the options. */
static struct mct_instance *login_instance(bool only_asked, const char *redirect_uri)
{
    struct mct_error err;
    const struct mct_auth_opts auth = { .size = sizeof auth,
                                        .invite = on_invite,
                                        .over = on_over,
                                        .only_asked = only_asked,
                                        .redirect_uri = redirect_uri,
                                        .store = &own_store,
                                        .data = &window };
    struct mct_instance *r = with(config, NULL);
    assert_ok(mct_instance_set_auth(r, &auth, &err));
    return r;
}

static struct mct_request *login(struct mct_instance *r)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .done = on_done };
    struct mct_error err;
    struct mct_request *q = mct_instance_login(r, "s", NULL, &opts, &err);
    if (!q)
        fail_msg("%s", err.message);
    return q;
}

/* Nothing that a token server or a secret gave is in the text. */
static void assert_no_secret(const char *text)
{
    static const char *const secrets[] = { "at-", "rt-", "code=", "access_token" };
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (strstr(text, secrets[i]))
            fail_msg("'%s' in: %s", secrets[i], text);
}

static void assert_state(struct mct_instance *r, const char *state)
{
    struct mct_error err;
    char *text = mct_instance_login_status(r, "s", &err), wanted[64];
    snprintf(wanted, sizeof wanted, "\"state\":\"%s\"", state);
    assert_has(text, wanted);
    assert_no_secret(text);
    mct_free(text);
}

/* ---- tests ---- */

static void a_program_logs_in_when_it_wants(void **state)
{
    struct mct_instance *r = login_instance(true, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(window.n_invited, 0);
    mct_instance_state(r, "s", &err);
    assert_int_equal(err.kind, MCT_ERR_AUTH);
    assert_state(r, "needed");
    struct mct_request *q = login(r);
    assert_ok(mct_request_wait(q, &err));
    assert_int_equal(window.n_invited, 1);
    assert_int_equal(window.n_over, 1);
    assert_int_equal(window.n_done, 1);
    assert_string_equal(window.server, "s");
    assert_true(window.takes_answer);
    assert_has(mct_request_result(q), "\"state\":\"ready\"");
    assert_has(mct_request_result(q), "\"canRenew\":true");
    assert_has(mct_request_result(q), "\"expiresAt\":");
    assert_no_secret(mct_request_result(q));
    mct_request_free(q);
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err)); /* it was connected again */
    assert_says(r, "test-tool", "{}", "done: test-tool");
    assert_state(r, "ready");
    assert_no_secret(logged);
    assert_has(kept.text[0], "\"access_token\":\"at-");
    mct_instance_close_wait(r);
    assert_int_equal(kept.n_locks, kept.n_unlocks);
}

static void a_refused_request_waits_for_the_login(void **state)
{
    struct mct_instance *r = login_instance(false, NULL);
    (void)state;
    start(r);
    assert_int_equal(window.n_invited, 1);
    assert_int_equal(window.n_over, 1);
    assert_says(r, "test-tool", "{}", "done: test-tool");
    mct_instance_close_wait(r);
}

static void the_answer_may_arrive_at_the_program(void **state)
{
    struct mct_instance *r = login_instance(true, "com.example.app:/callback");
    struct mct_error err;
    (void)state;
    window.visits = false;
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_login_answer(r, "s", "com.example.app:/callback?code=x&state=y", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    struct mct_request *q = login(r);
    until(r, &window.n_invited, 1);
    assert_has(window.url, "redirect_uri=com.example.app%3A%2Fcallback");
    assert_int_equal(mct_instance_login_answer(r, "s", "com.example.app:/callback?code=x&state=y", &err), -1);
    assert_int_equal(mct_instance_login_answer(r, "s", "", &err), -1);
    assert_int_equal(mct_instance_login_answer(r, "s", NULL, &err), -1);
    assert_int_equal(window.n_over, 0);
    assert_ok(mct_instance_login_answer(r, "s", visit_and_stay(window.url), &err));
    assert_ok(mct_request_wait(q, &err));
    assert_has(mct_request_result(q), "\"state\":\"ready\"");
    mct_request_free(q);
    mct_instance_close_wait(r);
}

static void a_login_outlives_the_instance_and_ends_with_logout(void **state)
{
    struct mct_instance *r = login_instance(false, NULL);
    struct mct_error err;
    char before[8192];
    (void)state;
    kept.busy = 2; /* another process has the lock meanwhile */
    start(r);
    mct_instance_close_wait(r);
    snprintf(before, sizeof before, "%s", kept.text[0]);
    r = login_instance(false, NULL);
    start(r);
    assert_int_equal(window.n_invited, 1);
    assert_string_equal(kept.text[0], before);
    for (int all = 0; all < 2; all++) {
        struct mct_request *q = mct_instance_logout(r, "s", all, NULL, &err);
        assert_ok(mct_request_wait(q, &err));
        assert_null(strstr(mct_request_result(q), "\"state\":\"ready\""));
        mct_request_free(q);
        assert_null(strstr(kept.text[0], "at-"));
        assert_null(strstr(kept.text[0], "rt-"));
        assert_int_equal(!strstr(kept.text[0], "\"client_id\""), all);
    }
    mct_instance_close_wait(r);
    assert_no_secret(logged);
}

/* Another process has logged in. */
static void a_change_of_the_store_is_taken_up(void **state)
{
    struct mct_instance *r = login_instance(false, NULL), *other;
    struct mct_error err;
    (void)state;
    mct_instance_login_changed(r, NULL); /* before the start it has nothing to do */
    start(r);
    mct_instance_close_wait(r);
    char text[8192];
    snprintf(text, sizeof text, "%s", kept.text[0]);
    *kept.text[0] = '\0';
    other = login_instance(true, NULL);
    assert_ok(mct_instance_start(other, &err));
    assert_int_equal(mct_instance_wait_ready(other, PATIENCE_MS, &err), -1);
    snprintf(kept.text[0], sizeof kept.text[0], "%s", text);
    mct_instance_login_changed(other, kept.key[0]);
    while (strcmp(mct_instance_state(other, "s", NULL), "connected") != 0) {
        struct pollfd ready = { .fd = mct_instance_fd(other), .events = POLLIN };
        poll(&ready, 1, mct_instance_timeout(other));
        mct_instance_dispatch(other);
    }
    assert_says(other, "test-tool", "{}", "done: test-tool");
    mct_instance_close_wait(other);
}

static void failures_of_the_program_are_told(void **state)
{
    struct mct_instance *r = login_instance(true, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    window.refuses = true;
    window.visits = false;
    struct mct_request *q = login(r);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_has(err.message, "could not show the page");
    assert_string_equal(err.server, "s");
    mct_request_free(q);
    window.refuses = false;
    window.visits = true;
    kept.fails = true;
    q = login(r);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_has(err.message, "the vault is shut");
    assert_no_secret(err.message);
    mct_request_free(q);
    assert_state(r, "ready"); /* it is valid until the instance ends */
    mct_instance_close_wait(r);
    assert_no_secret(logged);
}

static void a_login_can_be_cancelled(void **state)
{
    struct mct_instance *r = login_instance(true, NULL);
    struct mct_error err;
    (void)state;
    window.visits = false;
    assert_ok(mct_instance_start(r, &err));
    struct mct_request *q = login(r), *second;
    until(r, &window.n_invited, 1);
    second = login(r);
    assert_int_equal(mct_request_wait(second, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    mct_request_free(second);
    second = login(r);
    mct_request_free(second); /* ends itself, not the one in progress */
    assert_int_equal(window.n_over, 0);
    assert_state(r, "running");
    mct_request_cancel(q, NULL);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    assert_int_equal(window.n_over, 1);
    mct_request_free(q);
    window.visits = true;
    q = login(r);
    assert_ok(mct_request_wait(q, &err));
    mct_request_free(q);
    mct_instance_close_wait(r);
}

static void a_login_ends_with_its_server_or_instance(void **state)
{
    struct mct_instance *r = login_instance(true, NULL);
    struct mct_error err;
    (void)state;
    window.visits = false;
    assert_ok(mct_instance_start(r, &err));
    struct mct_request *q = login(r);
    until(r, &window.n_invited, 1);
    assert_ok(mct_instance_remove_server(r, "s", &err));
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONNECT);
    assert_has(err.message, "was removed");
    assert_int_equal(window.n_over, 1);
    mct_request_free(q);
    assert_null(mct_instance_login_status(r, "s", &err));
    mct_instance_close_wait(r);
    r = login_instance(true, NULL);
    assert_ok(mct_instance_start(r, &err));
    q = login(r);
    until(r, &window.n_invited, 2);
    mct_instance_close_wait(r);
    assert_int_equal(window.n_over, 2);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CANCELLED);
    mct_request_free(q);
}

static void mistakes_are_told(void **state)
{
    struct mct_auth_store half = own_store;
    struct mct_auth_opts auth = { .size = sizeof auth, .store = &half };
    struct mct_instance *r = with("{\"mcpServers\":{\"s\":{\"url\":\"http://127.0.0.1:9/mcp\",\"headers\":"
                                  "{\"Authorization\":\"Bearer t\"}}}}",
                                  NULL);
    struct mct_login_opts no_size = { .scope = "x" };
    struct mct_error err;
    (void)state;
    assert_int_equal(mct_instance_set_auth(r, NULL, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    half.load = NULL;
    assert_int_equal(mct_instance_set_auth(r, &auth, &err), -1);
    half = own_store;
    half.unlock = NULL;
    assert_int_equal(mct_instance_set_auth(r, &auth, &err), -1);
    half.size = 0;
    assert_int_equal(mct_instance_set_auth(r, &auth, &err), -1);
    auth.store = NULL;
    assert_null(mct_instance_login(r, "s", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_ok(mct_instance_set_auth(r, &auth, &err));
    assert_int_equal(mct_instance_set_auth(r, &auth, &err), -1);
    assert_ok(mct_instance_start(r, &err));
    assert_null(mct_instance_login(r, "none", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_null(mct_instance_login(r, NULL, NULL, NULL, &err));
    assert_null(mct_instance_login(r, "s", &no_size, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_null(mct_instance_login(r, "s", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    assert_null(mct_instance_logout(r, "s", true, NULL, &err));
    assert_int_equal(mct_instance_login_answer(r, "s", "x:/", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    assert_null(mct_instance_login_status(r, "s", &err));
    mct_instance_login_changed(r, NULL);
    mct_instance_close_wait(r);
}

/* Without an `invite`, a server that wants a person fails as it does without this header. */
static void nobody_need_be_there(void **state)
{
    const struct mct_auth_opts auth = { .size = sizeof auth, .store = &own_store };
    struct mct_instance *r = with(config, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_set_auth(r, &auth, &err));
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    struct mct_request *q = mct_instance_login(r, "s", NULL, NULL, &err);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_AUTH);
    mct_request_free(q);
    mct_instance_close_wait(r);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, fresh, stop_server)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_program_logs_in_when_it_wants),
        SERVED(a_refused_request_waits_for_the_login),
        SERVED(the_answer_may_arrive_at_the_program),
        SERVED(a_login_outlives_the_instance_and_ends_with_logout),
        SERVED(a_change_of_the_store_is_taken_up),
        SERVED(failures_of_the_program_are_told),
        SERVED(a_login_can_be_cancelled),
        SERVED(a_login_ends_with_its_server_or_instance),
        SERVED(mistakes_are_told),
        SERVED(nobody_need_be_there),
    };
    signal(SIGCHLD, SIG_DFL);
    return cmocka_run_group_tests_name("auth", tests, NULL, NULL);
}
