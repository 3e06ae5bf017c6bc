#include "unit.h"

#include "read.h"
#include "base/buf.h"
#include "config/read_impl.h"

static void put_object(struct mcti_buf *to, const struct mcti_config_field *fields);

static void put_named(struct mcti_buf *to, const struct mcti_config_field *fields)
{
    mcti_buf_addz(to, "{\"name\":");
    put_object(to, fields);
    mcti_buf_addz(to, "}");
}

static void put_number(struct mcti_buf *to, const struct mcti_config_field *f)
{
    mcti_buf_printf(to, "%zu", f->min ? f->min : 1);
}

/* Writes a value that the row takes, if possible one that needs memory. Some texts are sizes. */
static void put_value(struct mcti_buf *to, const struct mcti_config_field *f)
{
    static const char *const texts[] = {
        [TYPE_STRING] = "\"512m\"",
        [TYPE_STRINGS] = "[\"one\",\"two\"]",
        [TYPE_PAIRS] = "{\"a\":\"b\"}",
        [TYPE_BOOL] = "true",
        [TYPE_INT] = "1",
        [TYPE_DIALECTS] = "[\"nexo\"]",
        [TYPE_JSON] = "{\"a\":\"b\"}",
        [TYPE_GROUPS] = "{\"g\":[\"a\"]}",
        [TYPE_LATER] = "true",
        [TYPE_TOKENS] = "[\"a secret\"]",
        [TYPE_HOOKS] = "[]",
    };
    if (f->type == TYPE_RULES)
        put_named(to, f->fields);
    else if (f->type == TYPE_OBJECT)
        put_object(to, f->fields);
    else if (f->words)
        mcti_buf_printf(to, "\"%s\"", f->words[0].word);
    else if (f->type < sizeof texts / sizeof *texts && texts[f->type])
        mcti_buf_addz(to, texts[f->type]);
    else
        put_number(to, f);
}

static void put_object(struct mcti_buf *to, const struct mcti_config_field *fields)
{
    char open = '{';
    for (const struct mcti_config_field *f = fields; f->key; f++) {
        if (f->type == TYPE_SPECIAL)
            continue; /* the tests of its function know its values */
        mcti_buf_printf(to, "%c\"%s\":", open, f->key);
        put_value(to, f);
        open = ',';
    }
    mcti_buf_addz(to, open == '{' ? "{}" : "}");
}

/* Each key of the tables takes a value of its type; what it stores is freed, which the sanitizers and Valgrind see. */
static void every_key_is_stored_and_freed(void **state)
{
    struct mcti_buf text;
    (void)state;
    mcti_buf_init(&text, 1 << 20);
    mcti_buf_addz(&text, "{\"mcpServers\":{\"s\":");
    put_object(&text, mcti_config_server_fields);
    mcti_buf_addz(&text, "},\"mcptools\":");
    put_object(&text, mcti_config_settings_fields);
    mcti_buf_addz(&text, "}");
    mcti_config_read(&config, "f.json", text.p, text.len);
    assert_int_equal(config.n_servers, 1);
    assert_int_equal(config.scan_ignore.n, 2);
    if (has_problem("must be") || has_problem("unknown key"))
        for (size_t i = 0; i < config.n_problems; i++)
            print_message("%s\n", config.problems[i].text);
    assert_false(has_problem("must be") || has_problem("unknown key"));
    mcti_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_key_is_stored_and_freed, setup, teardown),
    };
    return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
