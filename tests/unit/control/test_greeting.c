#include "unit.h"

#include "control/greeting.h"
#include "control/place.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void greetings_come_back_as_they_were_written(void **state)
{
    const struct mcti_greeting all[] = { { .server = NULL },
                                         { .server = (char *)(uintptr_t) "a \"b\"\n\xc3\xa9", .wait_ms = 26250 },
                                         { .server = (char *)(uintptr_t) "", .wait_ms = 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct mcti_greeting back;
        struct mcti_buf b;
        mcti_buf_init(&b, MCT_GREETING_BYTES);
        mcti_greeting_put(&b, &all[i]);
        assert_int_equal(mcti_buf_last(&b), '\n');
        assert_ptr_equal(memchr(b.p, '\n', b.len), b.p + b.len - 1);
        assert_int_equal(mcti_greeting_read((struct mcti_str){ b.p, b.len - 1 }, &back, NULL), 0);
        assert_int_equal(back.wait_ms, all[i].wait_ms);
        if (all[i].server)
            assert_string_equal(back.server, all[i].server);
        else
            assert_null(back.server);
        free(back.server);
        mcti_buf_done(&b);
    }
}

static void other_lines_are_refused(void **state)
{
    static const char *const lines[] = { "",
                                         " ",
                                         "{",
                                         "{}",
                                         "{} ",
                                         "[]",
                                         "\"mcptools\"",
                                         "{\"mcptools\":2,\"want\":\"control\"}",
                                         "{\"mcptools\":\"1\",\"want\":\"control\"}",
                                         "{\"mcptools\":1}",
                                         "{\"mcptools\":1,\"want\":7}",
                                         "{\"mcptools\":1,\"want\":\"server\"}",
                                         "{\"mcptools\":1,\"want\":\"server\",\"server\":null}",
                                         "{\"mcptools\":1,\"want\":\"control\"} x" };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct mcti_greeting g;
        struct mct_error err = { 0 };
        if (mcti_greeting_read(mcti_str_of(lines[i]), &g, &err) == 0 || !err.kind || g.server)
            fail_msg("accepted: %s", lines[i]);
    }
}

static void errors_keep_their_kind(void **state)
{
    (void)state;
    for (int k = MCT_ERR_NONE + 1; k < MCT_ERR_N_KINDS; k++) {
        struct mct_error err, back = { 0 };
        struct mcti_buf b;
        mcti_buf_init(&b, 1024);
        mcti_fail(&err, (enum mct_error_kind)k, "it \"failed\" in the way %d", k);
        mcti_buf_addz(&b, "{\"mcptools\":1");
        mcti_answer_put_error(&b, &err);
        mcti_buf_addc(&b, '}');
        assert_int_equal(mcti_answer_check(mcti_buf_str(&b), &back), -1);
        assert_int_equal(back.kind, k);
        assert_string_equal(back.message, err.message);
        mcti_buf_done(&b);
    }
}

static void other_answers_are_judged(void **state)
{
    struct mct_error err = { 0 };
    (void)state;
    assert_int_equal(mcti_answer_check(MCT_STR("{\"mcptools\":1}"), &err), 0);
    assert_int_equal(err.kind, MCT_ERR_NONE);
    assert_int_equal(mcti_answer_check(MCT_STR("no JSON"), &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
    assert_int_equal(mcti_answer_check(MCT_STR("{\"error\":{}}"), &err), -1);
    assert_int_equal(err.kind, MCT_ERR_INTERNAL);
    assert_int_equal(mcti_answer_check(MCT_STR("{\"error\":{\"kind\":\"nosuch\",\"message\":7}}"), &err), -1);
    assert_int_equal(err.kind, MCT_ERR_INTERNAL);
}

static void both_ends_of_a_pair_are_ours(void **state)
{
    int fd[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    assert_true(mcti_control_peer_is_ours(fd[0]));
    close(fd[0]);
    close(fd[1]);
    assert_false(mcti_control_peer_is_ours(fd[0]));
}

static void a_folder_of_others_is_refused(void **state)
{
    char folder[] = "/tmp/mcptools-place-XXXXXX", inner[64];
    struct mcti_control_place place;
    struct mcti_config config;
    struct mct_error err = { 0 };
    (void)state;
    mcti_config_init(&config);
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/mcptools", folder);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_int_equal(mcti_control_place(&config, false, &place, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_int_equal(mcti_control_place(&config, true, &place, &err), 0);
    assert_string_equal(place.folder, inner);
    assert_int_equal(strlen(place.identity), MCT_IDENTITY_CHARS);
    chmod(inner, 0750);
    assert_int_equal(mcti_control_place(&config, true, &place, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    rmdir(inner);
    assert_int_equal(symlink("/tmp", inner), 0);
    assert_int_equal(mcti_control_place(&config, true, &place, &err), -1);
    unlink(inner);
    rmdir(folder);
    mcti_config_done(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greetings_come_back_as_they_were_written),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test(errors_keep_their_kind),
        cmocka_unit_test(other_answers_are_judged),
        cmocka_unit_test(both_ends_of_a_pair_are_ours),
        cmocka_unit_test(a_folder_of_others_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
