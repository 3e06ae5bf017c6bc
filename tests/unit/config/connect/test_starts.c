/* Which programs may take long to start, and the limits that follow. */
#include "unit.h"

#include "base/limits.h"
#include "config/connect/connect.h"

static bool installs(const char *line)
{
    struct mcti_strings args = { 0 };
    char *text = strdup(line), *words[16], *at = text;
    for (char *word; (word = strsep(&at, "|"));)
        words[args.n++] = word;
    args.v = words + 1;
    args.n--;
    bool is = mcti_connect_installs(words[0], &args);
    free(text);
    return is;
}

static void installers_are_known(void **state)
{
    static const char *const do_install[] = {
        "npx|-y|x",
        "/usr/bin/npx|x",
        "uvx|x",
        "docker|run|-i|x",
        "docker|--context|c|run|x",
        "npm|exec|x",
        "uv|run|x.py",
        "pnpm|dlx|x",
        "bunx|x",
        "pipx|run|x",
        "env|A=1|npx|x",
        "sh|-c|exec npx -y x",
        "bash|-lc|cd /x && uvx y",
    };
    static const char *const do_not[] = { "node|x.js", "npm|start", "docker|exec|x", "python3|-m|x", "npxx",
                                          "pnpm|run",  "uv" };
    (void)state;
    for (size_t i = 0; i < sizeof do_install / sizeof *do_install; i++)
        if (!installs(do_install[i]))
            fail_msg("%s", do_install[i]);
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++)
        if (installs(do_not[i]))
            fail_msg("%s", do_not[i]);
}

static void limits_follow(void **state)
{
    static char npx[] = "npx", node[] = "node", url[] = "http://127.0.0.1/";
    struct mcti_config c;
    struct mcti_config_server s = mcti_config_server_preset;
    (void)state;
    mcti_config_init(&c);
    s.command = node;
    assert_int_equal(mcti_connect_start_limits(&c, &s, false).start_ms, MCT_START_MS);
    assert_int_equal(mcti_connect_start_limits(&c, &s, false).settle_ms, 0);
    assert_int_equal(mcti_connect_start_limits(&c, &s, true).start_ms, MCT_START_LONG_MS);
    assert_int_equal(mcti_connect_start_limits(&c, &s, true).settle_ms, MCT_START_MS);
    assert_int_equal(mcti_connect_start_limits(&c, &s, true).page_ms, MCT_START_MS);
    s.command = npx;
    assert_int_equal(mcti_connect_start_limits(&c, &s, false).start_ms, MCT_START_LONG_MS);
    s.start_timeout_ms = 7000; /* what is configured holds */
    assert_int_equal(mcti_connect_start_limits(&c, &s, true).start_ms, 7000);
    s.start_timeout_ms = 0;
    c.start_timeout_ms = 9000;
    assert_int_equal(mcti_connect_start_limits(&c, &s, false).start_ms, 9000);
    c.start_timeout_ms = 0;
    s.command = NULL;
    s.url = url;
    assert_int_equal(mcti_connect_start_limits(&c, &s, true).start_ms, MCT_START_MS);
    mcti_config_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(installers_are_known), cmocka_unit_test(limits_follow) };
    return cmocka_run_group_tests_name("starts", tests, NULL, NULL);
}
