/* The canonical form, the parts of items and how they compare, and files of pins. */
#include "unit.h"

#include "base/limits.h"
#include "pins/pins.h"

static void assert_canon(const char *json, const char *canonical)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    assert_true(mcti_json_valid(mcti_str_of(json), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    assert_int_equal(mcti_pins_canon(&b, mcti_str_of(json)), 0);
    assert_buf(&b, canonical);
    mcti_buf_done(&b);
}

static void equal_values_have_one_form(void **state)
{
    (void)state;
    assert_canon("{ \"b\" : 1 , \"a\" : [ true , null ] }", "{\"a\":[true,null],\"b\":1}");
    assert_canon("{\"\\u0061\":\"\\u0041\\/\",\"A\":{\"z\":0,\"y\":{}}}", "{\"A\":{\"y\":{},\"z\":0},\"a\":\"A/\"}");
    assert_canon("[1.0,1e2,-0,0.50,100000000000000000001,1E400,-5,-0.0]",
                 "[1,100,0,0.5,100000000000000000001,1E400,-5,0]");
    assert_canon("{\"a\":2,\"b\":0,\"a\":1}", "{\"a\":2,\"a\":1,\"b\":0}"); /* which of them counts is not known */
    assert_canon("\"x\"", "\"x\"");
    assert_canon("[]", "[]");
    assert_canon("{\"b\":\"]},{\\\"\",\"a\":[[],{},[{\"d\":\"\\\\\",\"c\":-1.50}]]}",
                 "{\"a\":[[],{},[{\"c\":-1.5,\"d\":\"\\\\\"}]],\"b\":\"]},{\\\"\"}");
}

/* Text with more values than are put in order keeps its order; text at the limit of depth has a form. */
static void extremes_have_a_form(void **state)
{
    struct mcti_buf many, deep, form;
    (void)state;
    mcti_buf_init(&many, 1u << 24);
    mcti_buf_init(&deep, 1u << 24);
    mcti_buf_init(&form, 1u << 24);
    mcti_buf_addz(&many, "{\"b\":1,\"a\":[0");
    for (size_t i = 0; i < MCT_LIMIT_PIN_VALUES; i++)
        mcti_buf_addz(&many, ",0");
    mcti_buf_addz(&many, "]}");
    assert_int_equal(mcti_pins_canon(&form, mcti_buf_str(&many)), 1);
    assert_true(mcti_str_eq(mcti_buf_str(&form), mcti_buf_str(&many)));
    mcti_buf_clear(&form);
    for (size_t i = 0; i < MCT_LIMIT_JSON_DEPTH; i++)
        mcti_buf_addz(&deep, i % 2 ? "{\"a\":" : "[ ");
    mcti_buf_addz(&deep, "1");
    for (size_t i = MCT_LIMIT_JSON_DEPTH; i-- > 0;)
        mcti_buf_addz(&deep, i % 2 ? "}" : "]");
    assert_int_equal(mcti_pins_canon(&form, mcti_buf_str(&deep)), 0);
    assert_int_equal(form.len, deep.len - MCT_LIMIT_JSON_DEPTH / 2); /* without the blanks */
    mcti_buf_done(&many);
    mcti_buf_done(&deep);
    mcti_buf_done(&form);
}

static char *parts_of(enum mcti_subject subject, const char *text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    assert_int_equal(mcti_pins_put_parts(&b, subject, mcti_str_of(text)), 0);
    char *parts = mcti_buf_take(&b);
    assert_non_null(parts);
    return parts;
}

static size_t n_differing(enum mcti_subject subject, const char *was, const char *is, enum mcti_rev rev)
{
    char *a = parts_of(subject, was), *b = parts_of(subject, is);
    size_t n = mcti_pins_compare(mcti_str_of(a), mcti_str_of(b), rev, NULL, NULL);
    free(a);
    free(b);
    return n;
}

static void parts_differ_by_what_a_model_sees(void **state)
{
    static const char tool[] =
        "{\"name\":\"t\",\"title\":\"T\",\"description\":\"D\",\"inputSchema\":{\"type\":\"object\"}}";
    (void)state;
    assert_int_equal(
        n_differing(MCT_SUBJECT_TOOL, tool,
                    "{\"inputSchema\":{\"type\":\"object\"},\"execution\":{},\"title\":\"T\",\"name\":\"t\","
                    "\"description\":\"\\u0044\"}",
                    MCT_REV_LATEST),
        0);
    assert_int_equal(
        n_differing(MCT_SUBJECT_TOOL, tool,
                    "{\"name\":\"t\",\"title\":\"T\",\"description\":\"D.\",\"inputSchema\":{},\"evil\":1}",
                    MCT_REV_LATEST),
        3);
    /* an older shape may lack a member, but not add one */
    const char *old = "{\"name\":\"t\",\"description\":\"D\",\"inputSchema\":{\"type\":\"object\"}}";
    assert_int_equal(n_differing(MCT_SUBJECT_TOOL, tool, old, MCT_REV_2024_11_05), 0);
    assert_int_equal(n_differing(MCT_SUBJECT_TOOL, tool, old, MCT_REV_LATEST), 1);
    assert_int_equal(n_differing(MCT_SUBJECT_TOOL, old, tool, MCT_REV_2024_11_05), 1);
    assert_int_equal(n_differing(MCT_SUBJECT_TOOL, tool, "{\"name\":\"t\"}", MCT_REV_2024_11_05), 2);
    assert_true(
        n_differing(MCT_SUBJECT_TOOL, tool,
                    "{\"name\":\"t\",\"title\":\"T\",\"description\":\"D\",\"inputSchema\":{\"type\":\"object\"},"
                    "\"description\":\"evil\"}",
                    MCT_REV_LATEST) > 0);
    assert_int_equal(n_differing(MCT_SUBJECT_RESOURCE, "{\"uri\":\"a\",\"name\":\"n\",\"size\":1}",
                                 "{\"uri\":\"a\",\"name\":\"n\",\"size\":2}", MCT_REV_LATEST),
                     0);
    assert_int_equal(n_differing(MCT_SUBJECT_RESOURCE, "{\"uri\":\"a\",\"annotations\":{\"lastModified\":\"1\"}}",
                                 "{\"uri\":\"a\"}", MCT_REV_LATEST),
                     0);
    assert_int_equal(n_differing(MCT_SUBJECT_TEMPLATE, "{\"annotations\":{\"lastModified\":\"1\",\"priority\":0}}",
                                 "{\"annotations\":{\"priority\":1}}", MCT_REV_LATEST),
                     1);
    assert_int_equal(n_differing(MCT_SUBJECT_INSTRUCTIONS, "Do \"this\"", "Do \"this\"", MCT_REV_LATEST), 0);
    assert_int_equal(n_differing(MCT_SUBJECT_INSTRUCTIONS, "Do this", "Do that", MCT_REV_LATEST), 1);
}

static void put_pin(struct mcti_pins *p, const char *server, unsigned subject, const char *id, const char *parts)
{
    assert_int_equal(mcti_pins_put(p, mcti_str_of(server), subject, mcti_str_of(id), mcti_str_of(parts)), 0);
}

static void files_are_sorted_and_read_back(void **state)
{
    struct mcti_pins a, b;
    struct mcti_buf first, second;
    struct mct_error err = { 0 };
    (void)state;
    mcti_pins_init(&a);
    mcti_pins_init(&b);
    mcti_buf_init(&first, 1u << 20);
    mcti_buf_init(&second, 1u << 20);
    char *parts = parts_of(MCT_SUBJECT_TOOL, "{\"name\":\"t\",\"description\":\"D\\n\\u200b\"}");
    const char *const servers[] = { "z", "a", "m" };
    for (size_t i = 0; i < 3; i++) {
        put_pin(&a, servers[i], MCT_SUBJECT_TOOL, "y", parts);
        put_pin(&a, servers[i], MCT_SUBJECT_TOOL, "\"x\"", parts);
        put_pin(&a, servers[i], MCT_SUBJECT_PROMPT, "p", parts);
        put_pin(&a, servers[i], MCT_SUBJECT_INSTRUCTIONS, "", parts);
        put_pin(&a, servers[i], MCT_PIN_ABOUT, "", "{}");
    }
    for (size_t i = a.n; i-- > 0;)
        if (!strcmp(a.v[i]->server, "m"))
            assert_int_equal(mcti_pins_remove(&a, MCT_STR("m"), (unsigned)a.v[i]->subject, mcti_str_of(a.v[i]->id)), 0);
    assert_int_equal(mcti_pins_remove(&a, MCT_STR("z"), MCT_SUBJECT_PROMPT, MCT_STR("p")), 0);
    assert_int_equal(mcti_pins_remove(&a, MCT_STR("z"), MCT_SUBJECT_PROMPT, MCT_STR("p")), 0);
    assert_false(mcti_pins_have(&a, "m"));
    assert_true(mcti_pins_have(&a, "a") && mcti_pins_have(&a, "z"));
    mcti_pins_put_file(&first, &a);
    assert_int_equal(mcti_pins_parse(mcti_buf_str(&first), &b, &err), 0);
    assert_int_equal(b.n, 9);
    mcti_pins_put_file(&second, &b);
    assert_true(mcti_str_eq(mcti_buf_str(&first), mcti_buf_str(&second)));
    const struct mcti_pin *pin = mcti_pins_find(&b, MCT_STR("a"), MCT_SUBJECT_TOOL, MCT_STR("\"x\""));
    assert_true(pin && !strcmp(pin->parts, parts));
    assert_null(mcti_pins_find(&b, MCT_STR("m"), MCT_PIN_ABOUT, MCT_STR("")));
    free(parts);
    mcti_buf_done(&first);
    mcti_buf_done(&second);
    mcti_pins_done(&a);
    mcti_pins_done(&b);
}

/* What a server may say can be written, and read back, whatever it is. */
static void strange_items_are_read_back(void **state)
{
    struct mcti_buf deep, many, file;
    struct mcti_pins a, b;
    struct mct_error err = { 0 };
    (void)state;
    mcti_pins_init(&a);
    mcti_pins_init(&b);
    mcti_buf_init(&deep, 1u << 20);
    mcti_buf_init(&many, 1u << 20);
    mcti_buf_init(&file, 1u << 24);
    mcti_buf_addz(&deep, "{\"name\":\"t\",\"x\":");
    for (int i = 0; i < 2; i++)
        for (size_t n = MCT_LIMIT_JSON_DEPTH - 4; n > 0; n--)
            mcti_buf_addz(&deep, i ? "]" : "[");
    mcti_buf_addz(&deep, "}");
    for (int i = 0; i < 1000; i++)
        mcti_buf_printf(&many, "%s\"m%d\":0", i ? "," : "{", i);
    mcti_buf_addz(&many, "}");
    mcti_buf_addc(&deep, '\0');
    mcti_buf_addc(&many, '\0');
    const char *const texts[] = { "{\"x\":{\"a\":1,\"a\":2}}", "{\"x\":1,\"x\":2}", "{\"\":\"\\ud800\"}",
                                  mcti_buf_str(&deep).p, mcti_buf_str(&many).p };
    put_pin(&a, "s", MCT_PIN_ABOUT, "", "{}");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char id[8], *parts = parts_of(MCT_SUBJECT_TOOL, texts[i]);
        snprintf(id, sizeof id, "%zu", i);
        put_pin(&a, "s", MCT_SUBJECT_TOOL, id, parts);
        free(parts);
    }
    mcti_pins_put_file(&file, &a);
    assert_true(mcti_buf_ok(&file));
    if (mcti_pins_parse(mcti_buf_str(&file), &b, &err) < 0)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < a.n; i++) {
        const struct mcti_pin *pin =
            mcti_pins_find(&b, MCT_STR("s"), (unsigned)a.v[i]->subject, mcti_str_of(a.v[i]->id));
        assert_true(pin && !strcmp(pin->parts, a.v[i]->parts));
    }
    assert_true(n_differing(MCT_SUBJECT_TOOL, "{\"x\":1,\"x\":2}", "{\"x\":2,\"x\":1}", MCT_REV_LATEST) > 0);
    mcti_buf_done(&deep);
    mcti_buf_done(&many);
    mcti_buf_done(&file);
    mcti_pins_done(&a);
    mcti_pins_done(&b);
}

#define HEAD_OF_A_HASH "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":{\"t\":{\"d\":{\"sha256\":"

static void damaged_files_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "{\"format\":2,\"servers\":{}}",
        "{\"format\":1}",
        "{\"format\":1,\"servers\":[]}",
        "{\"format\":1,\"servers\":{\"a\":1}}",
        "{\"format\":1,\"servers\":{\"a\":{}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"other\":{}}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":[]}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":{\"t\":1}}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":{\"t\":{\"d\":{\"sha256\":\"00\"}}}}}}",
        (HEAD_OF_A_HASH "\"0000000000000000000000000000000000000000000000000000000000000000\",\"value\":1}}}}}}"),
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{}},\"a\":{\"server\":{}}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":{\"t\":{},\"\\u0074\":{}}}}}",
        "{\"format\":1,\"servers\":{\"a\":{\"server\":{},\"tools\":{\"\\u0000\":{}}}}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mcti_pins p;
        struct mct_error err = { 0 };
        mcti_pins_init(&p);
        assert_int_equal(mcti_pins_parse(mcti_str_of(texts[i]), &p, &err), -1);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
        mcti_pins_done(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_have_one_form),  cmocka_unit_test(parts_differ_by_what_a_model_sees),
        cmocka_unit_test(extremes_have_a_form),        cmocka_unit_test(files_are_sorted_and_read_back),
        cmocka_unit_test(strange_items_are_read_back), cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
