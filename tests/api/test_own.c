/* What a program serves, used by the program itself: resources, prompts, completion, questions, checks, identity. */
#include "program.h"

static int n_read, n_freed, n_answered;

static void count_free(void *data)
{
    (void)data;
    n_freed++;
}

static void read_it(struct mct_tool_call *call, void *data)
{
    n_read++;
    assert_null(mct_tool_call_typed(call));
    assert_null(mct_tool_call_completed(call));
    assert_string_equal(mct_tool_call_uri(call), data ? data : "it://b?q=x%20y&r=%zz");
    mct_tool_call_text(call, mct_tool_call_arguments(call));
}

static void complete(struct mct_tool_call *call, void *data)
{
    static const char *const values[] = { "one", "two", "Three", NULL };
    (void)data;
    assert_string_equal(mct_tool_call_completed(call), "n");
    assert_string_equal(mct_tool_call_typed(call), "t");
    mct_tool_call_complete(call, values);
}

static void prompt(struct mct_tool_call *call, void *data)
{
    (void)data;
    assert_null(mct_tool_call_uri(call));
    mct_tool_call_text(call, mct_tool_call_text_argument(call, "n"));
}

static const struct mct_resource_def one = { .size = sizeof one,
                                             .uri = "it://a",
                                             .name = "a",
                                             .mime_type = "text/x",
                                             .read = read_it,
                                             .data = "it://a",
                                             .free_data = count_free };
static const struct mct_resource_def many = { .size = sizeof many,
                                              .uri_template = "it://{name}{?q,r}",
                                              .name = "many",
                                              .read = read_it,
                                              .complete = complete,
                                              .updates = true,
                                              .free_data = count_free };
static const struct mct_prompt_def said = { .size = sizeof said,
                                            .name = "said",
                                            .arguments = MCT_JSON([{ "name": "n", "required": true }]), .get = prompt,
                                                                  .complete = complete, .free_data = count_free };

static void assert_result(struct mct_request *q, const char *part)
{
    struct mct_error err;
    assert_ok(mct_request_wait(q, &err));
    assert_has(mct_request_result(q), part);
    mct_request_free(q);
}

static struct mct_instance *with_all(const struct mct_instance_opts *opts)
{
    struct mct_instance *r = with(NULL, opts);
    struct mct_error err;
    n_read = n_freed = n_answered = 0;
    assert_ok(mct_instance_add_resource(r, &one, &err));
    assert_ok(mct_instance_add_resource(r, &many, &err));
    assert_ok(mct_instance_add_prompt(r, &said, &err));
    return r;
}

static void resources_and_prompts(void **state)
{
    struct mct_instance *r = with_all(NULL);
    struct mct_completion what = MCT_COMPLETION_INIT;
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_entries *e = mct_instance_resources(r, &err);
    assert_int_equal(e->n, 1);
    assert_string_equal(e->v[0]->id, "it://a");
    assert_string_equal(e->v[0]->mime_type, "text/x");
    assert_null(e->v[0]->server);
    mct_entries_free(e);
    e = mct_instance_prompts(r, &err);
    assert_string_equal(e->v[0]->id, "said");
    mct_entries_free(e);

    assert_result(mct_instance_read(r, NULL, "it://a", NULL, &err), "\"text\":\"{}\"");
    assert_result(mct_instance_read(r, NULL, "it://b?q=x%20y&r=%zz", NULL, &err),
                  "{\\\"name\\\":\\\"b\\\",\\\"q\\\":\\\"x y\\\",\\\"r\\\":\\\"%zz\\\"}");
    assert_int_equal(n_read, 2);
    assert_result(mct_instance_get_prompt(r, "said", MCT_JSON({ "n": "hi" }), NULL, &err), "\"text\":\"hi\"");
    struct mct_request *q = mct_instance_get_prompt(r, "said", "{}", NULL, &err);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_has(err.message, "needs the argument \"n\"");
    mct_request_free(q);
    what.prompt = "said";
    what.argument = "n";
    what.value = "t";
    assert_result(mct_instance_complete(r, &what, NULL, &err), "[\"two\",\"Three\"]");
    what.prompt = NULL;
    what.uri_template = many.uri_template;
    assert_result(mct_instance_complete(r, &what, NULL, &err), "[\"two\",\"Three\"]");

    assert_ok(mct_instance_resource_updated(r, "it://b", &err));
    assert_int_equal(mct_instance_resource_updated(r, "it://a", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    assert_int_equal(mct_instance_resource_updated(r, "that://b", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);

    assert_ok(mct_instance_remove_resource(r, "it://a", &err));
    assert_ok(mct_instance_remove_resource(r, many.uri_template, &err));
    assert_int_equal(mct_instance_remove_resource(r, "it://a", &err), -1);
    assert_ok(mct_instance_remove_prompt(r, "said", &err));
    assert_int_equal(mct_instance_remove_prompt(r, NULL, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_int_equal(n_freed, 3);
    mct_instance_close_wait(r);
}

static void bad_definitions(void **state)
{
    static const struct {
        struct mct_resource_def def;
        const char *says;
    } resources[] = {
        { { .name = "a", .read = read_it }, "either \"uri\" or \"uri_template\"" },
        { { .uri = "a", .uri_template = "b", .name = "a", .read = read_it }, "either \"uri\" or \"uri_template\"" },
        { { .uri = "", .name = "a", .read = read_it }, "the URI must have" },
        { { .uri = "a", .read = read_it }, "missing \"name\"" },
        { { .uri = "a", .name = "a" }, "missing function \"read\"" },
        { { .uri = "a", .name = "a", .read = read_it, .complete = complete }, "only a template" },
        { { .uri = "a", .name = "a", .read = read_it, .icons = "{}" }, "icons: must be a JSON array" },
        { { .uri = "a", .name = "a", .read = read_it, .meta = "{" }, "_meta: not valid JSON" },
        { { .uri = "it://a", .name = "a", .read = read_it }, "duplicate resource" },
    };
    static const struct {
        struct mct_prompt_def def;
        const char *says;
    } prompts[] = {
        { { .name = "a b", .get = prompt }, "the name must have" },
        { { .name = "a" }, "missing function \"get\"" },
        { { .name = "a", .get = prompt, .arguments = "{}" }, "arguments: must be a JSON array" },
        { { .name = "a", .get = prompt, .arguments = "[1]" }, "each must be an object" },
        { { .name = "said", .get = prompt }, "duplicate prompt" },
    };
    struct mct_instance *r = with_all(NULL);
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        struct mct_resource_def def = resources[i].def;
        def.size = sizeof def;
        def.free_data = count_free;
        assert_int_equal(mct_instance_add_resource(r, &def, &err), -1);
        assert_has(err.message, resources[i].says);
    }
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        struct mct_prompt_def def = prompts[i].def;
        def.size = sizeof def;
        def.free_data = count_free;
        assert_int_equal(mct_instance_add_prompt(r, &def, &err), -1);
        assert_has(err.message, prompts[i].says);
    }
    assert_int_equal(mct_instance_add_resource(r, NULL, &err), -1);
    assert_int_equal(mct_instance_add_prompt(r, NULL, &err), -1);
    assert_int_equal(n_freed, 0);
    mct_instance_close_wait(r);
    assert_int_equal(n_freed, 3);
}

/* ---- questions ---- */

static void on_question(struct mct_question *question, void *data)
{
    (void)data;
    assert_string_equal(mct_question_method(question), "elicitation/create");
    mct_question_answer(question, MCT_JSON({ "action": "decline" }));
}

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    n_answered++;
    assert_string_equal(data, "data");
    mct_tool_call_text(call, answer ? answer : err->message);
}

static void ask(struct mct_tool_call *call, void *data)
{
    const char *method = mct_tool_call_text_argument(call, "method");
    const struct mct_caller *by = mct_tool_call_caller(call);
    (void)data;
    assert_string_equal(by->principal, "local");
    assert_null(by->client_name);
    mct_tool_call_ask(call, method, mct_tool_call_argument(call, "params"), on_answer, "data");
    assert_int_equal(n_answered, 0); /* later, from the loop */
    mct_tool_call_log(call, "info", "nobody hears it");
}

static const struct mct_tool_def ask_def = { .size = sizeof ask_def, .name = "ask", .execute = ask };

static void asks_the_program(void **state)
{
    struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    static const struct {
        const char *arguments, *says;
    } rows[] = {
        { MCT_JSON({ "method": "elicitation/create", "params": { "message": "x", "requestedSchema": {} } }),
                     "decline" },
                   { MCT_JSON({ "method": "sampling/createMessage" }), "does not offer" },
                     { MCT_JSON({ "method": "tools/call" }), "unknown question" },
                       { MCT_JSON({ "method": "roots/list", "params": 1 }), "params: must be a JSON object" },
                     };
    struct mct_error err;
    (void)state;
    opts.elicit = on_question;
    struct mct_instance *r = with(NULL, &opts);
    assert_ok(mct_instance_add_tool(r, &ask_def, &err));
    start(r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        n_answered = 0;
        struct mct_request *q = call(r, "ask", rows[i].arguments, NULL);
        assert_ok(mct_request_wait(q, &err));
        assert_has(mct_request_text(q, &err), rows[i].says);
        mct_request_free(q);
    }
    mct_instance_close_wait(r);
}

static void never_answer(struct mct_question *question, void *data)
{
    (void)question, (void)data;
    seen.n_questions++;
}

static void on_cancelled(struct mct_tool_call *call, void *data)
{
    (void)call, (void)data;
    seen.n_cancelled++;
}

static void ask_in_vain(struct mct_tool_call *call, void *data)
{
    mct_tool_call_on_cancel(call, on_cancelled, NULL);
    mct_tool_call_ask(call, "elicitation/create", NULL, on_answer, data);
}

static void questions_end_with_their_call(void **state)
{
    const struct mct_tool_def def = { .size = sizeof def, .name = "vain", .execute = ask_in_vain };
    struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    struct mct_error err;
    (void)state;
    n_answered = 0;
    opts.elicit = never_answer;
    struct mct_instance *r = with(NULL, &opts);
    assert_ok(mct_instance_add_tool(r, &def, &err));
    start(r);
    struct mct_request *q = call(r, "vain", NULL, NULL), *left = call(r, "vain", NULL, NULL);
    until(r, &seen.n_questions, 2);
    mct_request_cancel(q, NULL);
    assert_int_equal(mct_request_wait(q, &err), -1);
    until(r, &seen.n_cancelled, 1);
    mct_instance_close_wait(r);
    assert_int_equal(seen.n_cancelled, 2);
    assert_int_equal(n_answered, 0);
    mct_request_free(q);
    mct_request_free(left);
}

/* ---- checks ---- */

static void unusable_schemas(void **state)
{
    const struct mct_tool_def def = { .size = sizeof def,
                                      .name = "odd",
                                      .parameters = MCT_JSON({ "$ref": "https://example.org/x" }), .execute = greet,
                                                             .data = "" };
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &def, &err));
    start(r);
    assert_says(r, "odd", "{}", "Hello, nobody!");
    assert_has(logged, "tool 'odd': the schema of its arguments cannot be applied");
    mct_instance_close_wait(r);
}

/* ---- identity ---- */

static void identity(void **state)
{
    struct mct_instance *r = with(NULL, NULL);
    struct mct_identity id = MCT_IDENTITY_INIT;
    struct mct_error err;
    (void)state;
    assert_int_equal(mct_instance_identify(r, &id, &err), -1);
    assert_has(err.message, "missing \"name\"");
    id.name = "x";
    id.icons = "{}";
    assert_int_equal(mct_instance_identify(r, &id, &err), -1);
    assert_has(err.message, "must be a JSON array");
    id.icons = NULL;
    char *long_text = malloc(16386);
    memset(long_text, 'x', 16385);
    long_text[16385] = '\0';
    id.instructions = long_text;
    assert_int_equal(mct_instance_identify(r, &id, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    free(long_text);
    id.instructions = NULL;
    assert_ok(mct_instance_identify(r, &id, &err));
    start(r);
    assert_int_equal(mct_instance_identify(r, &id, &err), -1);
    assert_has(err.message, "already served or started");
    mct_instance_close_wait(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(resources_and_prompts, set_up),
        cmocka_unit_test_setup(bad_definitions, set_up),
        cmocka_unit_test_setup(asks_the_program, set_up),
        cmocka_unit_test_setup(questions_end_with_their_call, set_up),
        cmocka_unit_test_setup(unusable_schemas, set_up),
        cmocka_unit_test_setup(identity, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
