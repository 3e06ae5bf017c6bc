/* From a package or remote of server.json, with answers, to the entry of mcptools.json: a table. */
#include "config/import/import.h"
#include "packages/server_json.h"
#include "unit.h"

#include <unistd.h>

#define SERVER(rest) "{\"name\":\"com.example/tool\",\"version\":\"1.0.0\"," rest "}"
#define NPM(rest)                                                                                                      \
    SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"@a/b\",\"version\":\"1.2.3\"" rest "}]")
#define ARGS(rest) NPM(",\"packageArguments\":[" rest "]")
#define OCI(rest) SERVER("\"packages\":[{\"registryType\":\"oci\",\"identifier\":\"ghcr.io/a/b:1.2\"" rest "}]")
#define REMOTE(rest) SERVER("\"remotes\":[{\"type\":\"streamable-http\"," rest "}]")

/* Fails the test with the text that differs. */
static void assert_text(const char *name, const char *text, const char *expected)
{
    if (strcmp(text, expected))
        fail_msg("%s:\n  %s\nexpected:\n  %s", name, text, expected);
}

struct plan_case {
    const char *name, *server;
    const char *answers[6]; /* "INPUT=VALUE" */
    const char *entry;      /* or what the error says */
    const char *note;       /* a part of a note; NULL: there is none */
};

static const struct plan_case plan_cases[] = {
    { "npm", NPM(""), { 0 }, "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\"]}", NULL },
    { "npm with -y",
      NPM(",\"runtimeArguments\":[{\"type\":\"positional\",\"value\":\"-y\"}]"),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\"]}",
      NULL },
    { "npm without version",
      SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"b\"}]"),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"b\"]}",
      "no version" },
    { "npm from elsewhere",
      NPM(",\"registryBaseUrl\":\"https://npm.example\""),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"--registry\",\"https://npm.example\",\"@a/b@1.2.3\"]}",
      "comes from" },
    { "bun", NPM(",\"runtimeHint\":\"bunx\""), { 0 }, "{\"command\":\"bunx\",\"args\":[\"@a/b@1.2.3\"]}", NULL },
    { "a stranger's program", NPM(",\"runtimeHint\":\"sh\""), { 0 }, "wants to be run by 'sh'", NULL },
    { "no package",
      SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"git+ssh://x/y\"}]"),
      { 0 },
      "its identifier is not one of a npm package",
      NULL },
    { "an option",
      SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"-c\"}]"),
      { 0 },
      "its identifier is not one of a npm package",
      NULL },
    { "two versions",
      SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"b@1\",\"version\":\"2\"}]"),
      { 0 },
      "its identifier is not one of a npm package",
      NULL },
    { "a range",
      SERVER("\"packages\":[{\"registryType\":\"npm\",\"identifier\":\"b\",\"version\":\"^1.0\"}]"),
      { 0 },
      "its version is not one version",
      NULL },
    { "another package",
      NPM(",\"runtimeArguments\":[{\"type\":\"named\",\"name\":\"--package\",\"value\":\"evil\"}]"),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"--package\",\"evil\",\"@a/b@1.2.3\"]}",
      "installs another package" },
    { "its own HTTP server",
      NPM(",\"transport\":{\"type\":\"streamable-http\",\"url\":\"http://localhost:1\"}"),
      { 0 },
      "starts an HTTP server of its own",
      NULL },
    { "pypi",
      SERVER("\"packages\":[{\"registryType\":\"pypi\",\"identifier\":\"b\",\"version\":\"1.0rc1\"}]"),
      { 0 },
      "{\"command\":\"uvx\",\"args\":[\"b@1.0rc1\"]}",
      NULL },
    { "nuget",
      SERVER("\"packages\":[{\"registryType\":\"nuget\",\"identifier\":\"A.B\",\"version\":\"1.0.0\","
             "\"packageArguments\":[{\"type\":\"positional\",\"value\":\"mcp\"}]}]"),
      { 0 },
      "{\"command\":\"dnx\",\"args\":[\"A.B@1.0.0\",\"--yes\",\"--\",\"mcp\"]}",
      NULL },
    { "oci", OCI(""), { 0 }, "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"ghcr.io/a/b:1.2\"]}", NULL },
    { "oci of old",
      SERVER(
          "\"packages\":[{\"registryType\":\"docker\",\"identifier\":\"a/b\",\"version\":\"3\",\"runtimeArguments\":["
          "{\"type\":\"positional\",\"value\":\"run\"},{\"type\":\"named\",\"name\":\"--rm\"}]}]"),
      { 0 },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"a/b:3\"]}",
      NULL },
    { "oci by digest",
      SERVER("\"packages\":[{\"registryType\":\"oci\",\"identifier\":\"a/b\",\"version\":\"sha256:ab12\"}]"),
      { 0 },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"a/b@sha256:ab12\"]}",
      NULL },
    { "oci without tag",
      SERVER("\"packages\":[{\"registryType\":\"oci\",\"identifier\":\"h:80/b\"}]"),
      { 0 },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"h:80/b\"]}",
      "no version of the image" },
    { "secrets of a container are no arguments",
      OCI(",\"runtimeArguments\":[{\"type\":\"named\",\"name\":\"-e\",\"value\":\"KEY={token}\",\"variables\":{"
          "\"token\":"
          "{\"isRequired\":true,\"isSecret\":true}}}],\"environmentVariables\":[{\"name\":\"B\",\"value\":\"x y\"},"
          "{\"name\":\"C\"}]"),
      { "KEY=${KEY}" },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"-e\",\"KEY\",\"-e\",\"B\",\"ghcr.io/a/b:1.2\"],"
      "\"env\":{\"KEY\":\"${KEY}\",\"B\":\"x y\"}}",
      NULL },
    { "the root of the machine",
      OCI(",\"runtimeArguments\":[{\"type\":\"named\",\"name\":\"-v\",\"value\":\"/:/host\"}]"),
      { 0 },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"-v\",\"/:/host\",\"ghcr.io/a/b:1.2\"]}",
      "access to all files" },
    { "full access",
      OCI(",\"runtimeArguments\":[{\"type\":\"named\",\"name\":\"--privileged\"}]"),
      { 0 },
      "{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"--rm\",\"--privileged\",\"ghcr.io/a/b:1.2\"]}",
      "full access" },
    { "arguments",
      ARGS(
          "{\"type\":\"positional\",\"value\":\"serve\"},{\"type\":\"named\",\"name\":\"--port\",\"description\":\"d\","
          "\"format\":\"number\"},{\"type\":\"named\",\"name\":\"--quiet\"},{\"type\":\"named\",\"name\":\"--fast\","
          "\"format\":\"boolean\",\"default\":\"true\"},{\"type\":\"positional\",\"valueHint\":\"dir\","
          "\"isRequired\":true,\"isRepeated\":true,\"format\":\"filepath\"}"),
      { "--port=80", "dir=/a b", "dir=/c;d" },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\",\"serve\",\"--port\",\"80\",\"--quiet\",\"--fast\",\"/a "
      "b\","
      "\"/c;d\"]}",
      NULL },
    { "an optional argument is left out, a switch is off",
      ARGS("{\"type\":\"named\",\"name\":\"--port\",\"description\":\"d\"},{\"type\":\"named\",\"name\":\"--fast\","
           "\"format\":\"boolean\"}"),
      { "--fast=no" },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\"]}",
      NULL },
    { "a required one is missing",
      ARGS("{\"type\":\"positional\",\"valueHint\":\"dir\",\"description\":\"A folder\",\"isRequired\":true},"
           "{\"type\":\"named\",\"name\":\"--key\",\"isRequired\":true}"),
      { 0 },
      "these values are missing: --arg dir=VALUE (A folder), --arg --key=VALUE",
      NULL },
    { "choices",
      ARGS("{\"type\":\"named\",\"name\":\"--level\",\"choices\":[\"debug\",\"info\"]}"),
      { "--level=debgu" },
      "--level: 'debgu' must be one of: debug, info; did you mean 'debug'?",
      NULL },
    { "numbers",
      ARGS("{\"type\":\"named\",\"name\":\"--port\",\"format\":\"number\"}"),
      { "--port=8o" },
      "--port: '8o' must be a number",
      NULL },
    { "a template with variables",
      ARGS("{\"type\":\"named\",\"name\":\"--mount\",\"value\":\"src={from},dst={to},{other}\",\"variables\":{\"from\":"
           "{\"isRequired\":true},\"to\":{\"value\":\"/data\"}}}"),
      { "from=/x" },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\",\"--mount\",\"src=/x,dst=/data,{other}\"]}",
      NULL },
    { "texts of strangers are no references",
      NPM(",\"environmentVariables\":[{\"name\":\"A\",\"value\":\"${HOME}\"},{\"name\":\"B\",\"default\":\"x${HOME}\"}"
          "]"),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\"],\"env\":{\"A\":\"$${HOME}\",\"B\":\"x$${HOME}\"}}",
      NULL },
    { "no name of a variable",
      NPM(",\"environmentVariables\":[{\"name\":\"A=B\",\"value\":\"c\"}]"),
      { 0 },
      "invalid, or too large",
      NULL },
    { "shell characters",
      ARGS("{\"type\":\"positional\",\"value\":\"; rm -rf $(x)\"}"),
      { 0 },
      "{\"command\":\"npx\",\"args\":[\"-y\",\"@a/b@1.2.3\",\"; rm -rf $(x)\"]}",
      "characters of a shell" },
    { "control characters",
      ARGS("{\"type\":\"positional\",\"value\":\"a\\u001f0\\u001f\"}"),
      { 0 },
      "invalid, or too large",
      NULL },
    { "a remote",
      REMOTE("\"url\":\"https://x.example/mcp\""),
      { 0 },
      "{\"type\":\"streamable-http\",\"url\":\"https://x.example/mcp\"}",
      NULL },
    { "a remote of old",
      SERVER("\"remotes\":[{\"type\":\"sse\",\"url\":\"https://x.example/sse\"}]"),
      { 0 },
      "{\"type\":\"sse\",\"url\":\"https://x.example/sse\"}",
      NULL },
    { "not encrypted",
      REMOTE("\"url\":\"http://x.example/mcp\""),
      { 0 },
      "{\"type\":\"streamable-http\",\"url\":\"http://x.example/mcp\"}",
      "not encrypted" },
    { "a header with a secret",
      REMOTE(
          "\"url\":\"https://{tenant}.example/"
          "mcp\",\"variables\":{\"tenant\":{\"description\":\"Yours\"}},\"headers\":["
          "{\"name\":\"Authorization\",\"isRequired\":true,\"isSecret\":true,\"value\":\"Bearer {pat}\",\"variables\":"
          "{\"pat\":{}}},{\"name\":\"X-Mode\",\"default\":\"fast\"},{\"name\":\"X-None\"}]"),
      { "tenant=acme", "pat=${PAT}" },
      "{\"type\":\"streamable-http\",\"url\":\"https://acme.example/mcp\",\"headers\":{\"Authorization\":\"Bearer "
      "${PAT}\","
      "\"X-Mode\":\"fast\"}}",
      NULL },
    { "no header",
      REMOTE("\"url\":\"https://x.example\",\"headers\":[{\"name\":\"A: b\",\"value\":\"c\"}]"),
      { 0 },
      "invalid, or too large",
      NULL },
    { "no URL", REMOTE("\"url\":\"file:///etc/passwd\""), { 0 }, "does not begin with http", NULL },
    { "no name",
      "{\"name\":\"../x/y\",\"remotes\":[{\"type\":\"sse\",\"url\":\"https://x.example\"}]}",
      { 0 },
      "must be NAMESPACE/NAME",
      NULL },
};

static int plan_answer(struct mcti_plan *p, const char *answer, struct mct_error *err)
{
    const char *eq = strchr(answer, '=');
    for (size_t i = 0; i < p->n_inputs; i++)
        if (strlen(p->inputs[i].name) == (size_t)(eq - answer) &&
            !strncmp(p->inputs[i].name, answer, (size_t)(eq - answer)))
            return mcti_input_answer(&p->inputs[i], mcti_str_of(eq + 1), err);
    fail_msg("there is no input for %s", answer);
    return -1;
}

static int plan_entry(const struct plan_case *c, struct mcti_plan *p, struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_package_ways ways;
    struct mcti_config_server s = mcti_config_server_preset;
    mcti_package_ways(mcti_str_of(c->server), &ways);
    assert_true(ways.n);
    int r = mcti_plan_read_server(p, mcti_str_of(c->server), &ways.v[0], err);
    for (size_t i = 0; r == 0 && i < 6 && c->answers[i]; i++)
        r = plan_answer(p, c->answers[i], err);
    for (size_t i = 0; r == 0 && i < p->n_inputs; i++)
        r = p->inputs[i].values.n ? 0 : mcti_input_take_preset(&p->inputs[i], err);
    if (r == 0)
        r = mcti_plan_finish(p, &s, err);
    if (r == 0)
        mcti_config_put_entry(to, &s);
    mcti_config_clear_server(&s);
    return r;
}

static void packages_become_entries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plan_cases / sizeof *plan_cases; i++) {
        const struct plan_case *c = &plan_cases[i];
        struct mct_error err = { 0 };
        struct mcti_plan p;
        struct mcti_buf b;
        mcti_plan_init(&p);
        mcti_buf_init(&b, 1u << 20);
        if (plan_entry(c, &p, &b, &err) == 0) {
            mcti_buf_addc(&b, '\0');
            assert_text(c->name, b.p, c->entry);
        } else if (!strstr(err.message, c->entry)) {
            fail_msg("%s: %s", c->name, err.message);
        }
        bool noted = !c->note && !p.n_notes;
        for (size_t k = 0; k < p.n_notes; k++)
            noted |= c->note && strstr(p.notes[k].text, c->note);
        if (!noted)
            fail_msg("%s: the notes are others: %s", c->name, p.n_notes ? p.notes[0].text : "none");
        mcti_buf_done(&b);
        mcti_plan_done(&p);
    }
}

static void names_of_entries(void **state)
{
    (void)state;
    struct mcti_str version, name = mcti_package_name(MCT_STR("com.a/b@1.0"), &version);
    assert_span(name, "com.a/b");
    assert_span(version, "1.0");
    char *entry = mcti_package_entry_name(MCT_STR("io.github.x/my.server"));
    assert_string_equal(entry, "my_server");
    free(entry);
    static const char *const bad[] = { "", "a", "/b", "a/", "a/b/c", "a b/c", "-a/b", "a/-b", "a/b?c" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_package_name_is_valid(mcti_str_of(bad[i])));
    assert_true(mcti_package_name_is_valid(MCT_STR("io.github.a-b/c_d.e")));
}

static void paths_become_absolute(void **state)
{
    (void)state;
    struct mct_error err;
    struct mcti_input in = { .name = "dir", .format = MCT_INPUT_PATH };
    setenv("HOME", "/home/me", 1);
    assert_int_equal(chdir("/tmp"), 0);
    static const char *const rows[][2] = { { "/a/b", "/a/b" },  { "~/x", "/home/me/x" },   { "~", "/home/me" },
                                           { ".", "/tmp" },     { "./x", "/tmp/x" },       { "x y", "/tmp/x y" },
                                           { "~x", "/tmp/~x" }, { "${DIR}/x", "${DIR}/x" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mcti_input_answer(&in, mcti_str_of(rows[i][0]), &err), 0);
        assert_text(rows[i][0], in.values.v[0], rows[i][1]);
        assert_int_equal(in.values.n, 1);
    }
    mcti_strings_clear(&in.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_become_entries),
        cmocka_unit_test(names_of_entries),
        cmocka_unit_test(paths_become_absolute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
