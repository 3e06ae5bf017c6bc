/* Logins with the real parts: HTTP, discovery, flow, tokens, files. The processes are real, too. */
#include "auth/flow/flowing.h"

#include "auth/login/login.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MCP_OK                                                                                                         \
    {                                                                                                                  \
        "POST /mcp", 200, "{}"                                                                                         \
    }
#define MCP_401                                                                                                        \
    {                                                                                                                  \
        "POST /mcp", 401, "", "WWW-Authenticate: Bearer resource_metadata=\"$" PRM "/mcp\", scope=\"read\"\r\n"        \
    }
#define MCP_403                                                                                                        \
    {                                                                                                                  \
        "POST /mcp", 403, "", "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"write\"\r\n"             \
    }
#define TOKENS(a, r, more)                                                                                             \
    {                                                                                                                  \
        "POST /token", 200,                                                                                            \
            "{\"access_token\":\"" a "\",\"token_type\":\"Bearer\",\"refresh_token\":\"" r "\"" more "}"               \
    }
#define LASTS ",\"expires_in\":3600"
#define INVALID_GRANT                                                                                                  \
    {                                                                                                                  \
        "POST /token", 400, "{\"error\":\"invalid_grant\"}"                                                            \
    }
#define SIGN_IN(token) PRM_ROW(""), ASM_ROW(REGISTERS ",\"revocation_endpoint\":\"$/revoke\""), REGISTER_ROW, token

static char folder[] = "/tmp/mct-login-XXXXXX";

/* ---- a login, and a request that carries it ---- */

struct real {
    struct mcti_auth_store *store;
    struct mcti_login *l;
    struct mcti_credential_wait wait;
    struct mcti_http_client *http;
    uint64_t stamp;
    unsigned n_tries;
    bool waits, done;
    int status;
    struct mct_error err;
};

static void real_open(struct real *r, struct mcti_loop *loop, struct mcti_http_client *http,
                      const struct mcti_auth_person *person)
{
    *r = (struct real){ .http = http, .store = mcti_auth_store_open("file", folder, NULL) };
    assert_non_null(r->store);
    const struct mcti_login_opts opts = {
        .loop = loop,
        .http = http,
        .name = "git",
        .server_url = fk.server_url,
        .principal = "",
        .settings = &fk.settings,
        .store = r->store,
        .person = person,
        .now_s = fake_now_s,
    };
    r->l = mcti_login_new(&opts);
    assert_non_null(r->l);
}

static void real_close(struct real *r)
{
    mcti_login_free(r->l);
    mcti_auth_store_free(r->store);
}

static void real_on_head(void *data, struct mcti_fetch *f)
{
    struct real *r = data;
    struct mcti_credentials *c = mcti_login_credentials(r->l);
    r->status = mcti_fetch_status(f);
    c->ops->answered(c, f, fk.server_url);
}

static void real_on_end(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct real *r = data;
    struct mcti_credentials *c = mcti_login_credentials(r->l);
    const struct mcti_credential_refusal refusal = { f, fk.server_url, MCT_STR("tools/list"), r->stamp, &r->n_tries };
    if (err)
        r->err = *err;
    else if (r->status == 401 || r->status == 403)
        r->waits = c->ops->refused(c, &refusal, &r->wait, &r->err);
    r->done = !r->waits;
}

static void real_send(struct real *r)
{
    struct mcti_credentials *c = mcti_login_credentials(r->l);
    const struct mcti_credential_request request = { "POST", fk.server_url, NULL };
    struct mcti_headers h;
    mcti_headers_init(&h);
    r->stamp = c->ops->put(c, &request, &h);
    const struct mcti_fetch_opts opts = { .method = "POST", .url = fk.server_url, .headers = &h };
    const struct mcti_fetch_events events = {
        .on_head = real_on_head, .on_body = browser_on_body, .on_done = real_on_end, .data = r
    };
    assert_non_null(mcti_fetch_start(r->http, &opts, &events, NULL));
    mcti_headers_done(&h);
}

static void real_on_waited(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct real *r = MCT_CONTAINER(w, struct real, wait);
    r->waits = false;
    if (err) {
        r->err = *err;
        r->done = true;
    } else {
        real_send(r);
    }
}

static void real_begin(struct real *r)
{
    struct mcti_credentials *c = mcti_login_credentials(r->l);
    r->done = r->waits = false;
    r->n_tries = 0;
    r->err.kind = MCT_ERR_NONE;
    r->wait.done = real_on_waited;
    mcti_list_init(&r->wait.node);
    if (c->ops->ready(c, &r->wait))
        real_send(r);
    else
        r->waits = true;
}

/* Makes a request, with all that follows from it, until its last answer. */
static void real_request(struct real *r)
{
    real_begin(r);
    for (int i = 0; i < 200000 && !r->done; i++)
        flowing_turn();
    assert_true(r->done);
}

static void empty_folder(void)
{
    char path[400];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
}

static void world_open(const struct fake_row *rows)
{
    empty_folder();
    flowing_open(rows);
}

/* ---- one process ---- */

static void from_the_first_refusal_to_the_answer(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { MCP_401, MCP_OK, SIGN_IN(TOKENS("a1", "r1", LASTS)) };
    struct real r, again;
    (void)state;
    world_open(rows);
    real_open(&r, &fk.loop, fk.client, &fl.person);
    real_request(&r);
    assert_int_equal(r.status, 200);
    assert_string_equal(fk.authorization, "Bearer a1");
    assert_has(fl.url[0], "&scope=read&");
    assert_int_equal(fl.n_invited, 1);
    real_open(&again, &fk.loop, fk.client, NULL); /* the next process finds the login */
    real_request(&again);
    assert_int_equal(again.status, 200);
    assert_int_equal(fake_count("POST /mcp"), 3);
    assert_int_equal(fake_count("POST /token"), 1);
    real_close(&again);
    real_close(&r);
    flowing_close();
}

static void nobody_is_asked(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { MCP_401, SIGN_IN(TOKENS("a1", "r1", LASTS)) };
    struct real r;
    (void)state;
    world_open(rows);
    real_open(&r, &fk.loop, fk.client, NULL);
    real_request(&r);
    assert_string_equal(r.err.message, "needs a login: run 'mcptools login git'");
    assert_int_equal(mcti_login_state(r.l), MCT_LOGIN_NEEDED);
    assert_asked("POST /mcp\nGET " PRM "/mcp\nGET " ASM "\n"); /* and nothing is registered */
    real_close(&r);
    flowing_close();
}

/* A server that wants some other kind of token has no login. */
static void no_login_at_all(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { { "POST /mcp", 401, "" } };
    static const bool persons[] = { false, true };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct real r;
        world_open(rows);
        real_open(&r, &fk.loop, fk.client, persons[i] ? &fl.person : NULL);
        real_request(&r);
        assert_has(r.err.message, "HTTP 401: the server requires credentials");
        assert_int_equal(mcti_login_state(r.l), MCT_LOGIN_NONE);
        assert_int_equal(fl.n_invited, 0);
        real_close(&r);
        flowing_close();
    }
}

static void refused_and_expired_tokens_are_renewed(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        MCP_401,
        MCP_OK,
        MCP_401,
        MCP_OK,
        SIGN_IN(TOKENS("a1", "r1", LASTS)),
        TOKENS("a2", "r2", LASTS),
        TOKENS("a3", "r3", LASTS),
    };
    struct real r;
    (void)state;
    world_open(rows);
    real_open(&r, &fk.loop, fk.client, &fl.person);
    real_request(&r); /* a1 */
    real_request(&r); /* a1 is refused */
    assert_int_equal(r.status, 200);
    assert_string_equal(fk.authorization, "Bearer a2");
    assert_has(fk.body, "grant_type=refresh_token&refresh_token=r1&resource=");
    fk.now_s += 3600;
    fk.skew_ms += 3600000;
    real_request(&r);
    assert_string_equal(fk.authorization, "Bearer a3");
    assert_int_equal(fake_count("POST /mcp"), 5);
    assert_int_equal(fl.n_invited, 1);
    real_close(&r);
    flowing_close();
}

static void a_step_up(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        MCP_401, MCP_403, MCP_OK, SIGN_IN(TOKENS("a1", "r1", LASTS)), TOKENS("a2", "r2", LASTS),
    };
    struct real r;
    (void)state;
    world_open(rows);
    real_open(&r, &fk.loop, fk.client, &fl.person);
    real_request(&r);
    assert_int_equal(r.status, 200);
    assert_has(fl.url[1], "&scope=read%20write&");
    assert_string_equal(fk.authorization, "Bearer a2");
    assert_int_equal(fake_count("POST /register"), 1); /* the registration is used again */
    real_close(&r);
    flowing_close();
}

static void a_server_that_is_never_satisfied(void **state)
{
    static const struct fake_row rows[][FAKE_ROWS] = {
        { MCP_401, SIGN_IN(TOKENS("a1", "r1", LASTS)) },
        { MCP_401, MCP_403, SIGN_IN(TOKENS("a1", "r1", LASTS)), TOKENS("a2", "r2", LASTS) },
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct real r;
        world_open(rows[i]);
        real_open(&r, &fk.loop, fk.client, &fl.person);
        real_request(&r);
        assert_int_equal(r.err.kind, MCT_ERR_AUTH);
        assert_true(fl.n_invited <= MCT_AUTH_REQUESTS);
        assert_true(fake_count("POST /mcp") <= 4);
        real_close(&r);
        flowing_close();
    }
}

static void on_told(void *data, const struct mct_error *err)
{
    struct real *r = data;
    r->done = true;
    if (err)
        r->err = *err;
}

static void real_wait(struct real *r)
{
    for (int i = 0; i < 200000 && !r->done; i++)
        flowing_turn();
    assert_true(r->done);
}

/* `mcptools login`, then `logout`: no request has been refused before. */
static void a_wish_and_its_end(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        MCP_401,
        SIGN_IN(TOKENS("a1", "r1", LASTS)),
        { "POST /revoke", 200, "" },
    };
    const struct mcti_login_wish wish = { .person = &fl.person };
    struct real r;
    (void)state;
    world_open(rows);
    real_open(&r, &fk.loop, fk.client, NULL);
    mcti_login_begin(r.l, &wish, on_told, &r);
    real_wait(&r);
    assert_int_equal(r.err.kind, MCT_ERR_NONE);
    assert_int_equal(mcti_login_state(r.l), MCT_LOGIN_READY);
    r.done = false;
    mcti_login_end(r.l, true, on_told, &r);
    real_wait(&r);
    assert_int_equal(r.err.kind, MCT_ERR_NONE);
    assert_int_equal(fake_count("POST /revoke"), 2); /* the refresh token, then the access token */
    assert_int_equal(mcti_login_state(r.l), MCT_LOGIN_NONE);
    real_close(&r);
    flowing_close();
}

/* ---- many processes ---- */

enum { N_PROCESSES = 12 };

/* Stores a login whose token the server refuses from now on. */
static void sign_in_before(void)
{
    struct real r;
    real_open(&r, &fk.loop, fk.client, &fl.person);
    real_request(&r);
    assert_int_equal(r.status, 200);
    real_close(&r);
}

/* A process with a loop of its own: makes one request. Its exit status tells how that ends. */
static pid_t process_start(void)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    static struct mcti_loop loop;
    struct real r;
    if (mcti_loop_init(&loop, NULL, NULL))
        _exit(3);
    real_open(&r, &loop, mcti_http_client_new(&loop, NULL), NULL);
    real_begin(&r);
    for (int i = 0; i < 30000 && !r.done; i++) {
        uv_run(&loop.uv, UV_RUN_NOWAIT);
        mcti_sched_run(&loop.sched, mcti_sched_now(&loop.sched));
        uv_sleep(1);
    }
    _exit(!r.done ? 2 : r.err.kind || r.status != 200);
}

/* Serves until all processes have ended. Returns how many failed. */
static int serve_processes(pid_t *pids, size_t n)
{
    int n_failed = 0, status;
    for (size_t left = n; left;) {
        fake_turn();
        uv_sleep(1);
        left = 0;
        for (size_t i = 0; i < n; i++) {
            if (!pids[i])
                continue;
            if (waitpid(pids[i], &status, WNOHANG) == pids[i]) {
                n_failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
                pids[i] = 0;
            } else {
                left++;
            }
        }
    }
    return n_failed;
}

/* A refresh token works once: a second redemption revokes the login. All processes get through with one. */
static void many_processes_renew_once(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { MCP_401, MCP_OK, SIGN_IN(TOKENS("a1", "r1", LASTS)) };
    static const struct fake_row strict[FAKE_ROWS] = {
        { "POST /mcp", 401, "", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n" },
        TOKENS("a2", "r2", LASTS),
        INVALID_GRANT,
    };
    pid_t pids[N_PROCESSES];
    (void)state;
    world_open(rows);
    sign_in_before();
    fk.now_s += 3600; /* for the processes as well, which are copies */
    fk.asked[0] = '\0';
    fk.rows = strict;
    fk.accepts = "Bearer a2";
    for (size_t i = 0; i < N_PROCESSES; i++)
        pids[i] = process_start();
    assert_int_equal(serve_processes(pids, N_PROCESSES), 0);
    assert_int_equal(fake_count("POST /token"), 1);
    flowing_close();
}

/* kill -9 at any moment leaves a login that works: the old or the new one, never a damaged one. */
static void killed_processes_leave_a_login(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { MCP_401, MCP_OK, SIGN_IN(TOKENS("a1", "r1", LASTS)) };
    static const struct fake_row always[FAKE_ROWS] = {
        { "POST /mcp", 401, "", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n" },
        TOKENS("a2", "r2", LASTS),
    };
    (void)state;
    world_open(rows);
    sign_in_before();
    fk.now_s += 3600;
    fk.rows = always;
    fk.accepts = "Bearer a2";
    for (int i = 0; i < 20; i++) {
        struct mcti_login_facts facts;
        struct real r;
        pid_t pid = process_start();
        for (int turns = 0; turns < 2 * i; turns++) {
            fake_turn();
            uv_sleep(1);
        }
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        real_open(&r, &fk.loop, fk.client, NULL);
        mcti_login_describe(r.l, &facts);
        assert_non_null(facts.issuer);
        assert_true(facts.can_refresh);
        real_close(&r);
    }
    pid_t last = process_start();
    assert_int_equal(serve_processes(&last, 1), 0); /* the lock has gone with its holder */
    flowing_close();
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_first_refusal_to_the_answer),
        cmocka_unit_test(nobody_is_asked),
        cmocka_unit_test(no_login_at_all),
        cmocka_unit_test(refused_and_expired_tokens_are_renewed),
        cmocka_unit_test(a_step_up),
        cmocka_unit_test(a_server_that_is_never_satisfied),
        cmocka_unit_test(a_wish_and_its_end),
        cmocka_unit_test(many_processes_renew_once),
        cmocka_unit_test(killed_processes_leave_a_login),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
