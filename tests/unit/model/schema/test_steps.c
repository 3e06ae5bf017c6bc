#include "unit.h"

#include "normal.h"
#include "model/schema/profile.h"
#include "json/write.h"
#include "schema/schema.h"

/* ---- the rules, one file for each kind of step ---- */

static void check_member(struct mcti_str row, struct mcti_str input, struct mcti_json_member m)
{
    const struct mcti_schema_profile *p = mcti_schema_profile_find(m.key);
    struct mcti_buf is, wanted;
    if (mcti_str_is(m.key, "strict_ok")) {
        assert_int_equal(mcti_schema_strict_ok(&input, 1), mcti_json_true(m.value));
        return;
    }
    assert_non_null(p);
    normalise(&is, input, p);
    mcti_buf_init(&wanted, 1u << 20);
    mcti_json_put_compact(&wanted, m.value);
    if (!mcti_str_eq(mcti_buf_str(&is), mcti_buf_str(&wanted)))
        fail_msg("%.*s, %s:\n%.*s\nnot\n%.*s", MCT_STR_ARG(mcti_json_get(row, "title")), p->name,
                 MCT_STR_ARG(mcti_buf_str(&is)), MCT_STR_ARG(mcti_buf_str(&wanted)));
    mcti_buf_done(&is);
    mcti_buf_done(&wanted);
}

static void check_case(struct mcti_str row)
{
    struct mcti_json_member m;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(row); mcti_json_next_member(&it, &m);) {
        if (mcti_str_is(m.key, "title") || mcti_str_is(m.key, "input"))
            continue;
        check_member(row, mcti_json_get(row, "input"), m);
        n++;
    }
    assert_true(n > 0);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], check_case);
}

static void normalise_again(struct mcti_str row)
{
    struct mcti_buf once, twice, same;
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++) {
        if (!strcmp(p->name, "gemini") || !strcmp(p->name, "deepseek"))
            continue; /* what they take apart may lack items then, and gets them the second time */
        normalise(&once, mcti_json_get(row, "input"), p);
        normalise(&twice, mcti_buf_str(&once), p);
        mcti_buf_init(&same, 1u << 20);
        mcti_buf_addc(&same, '{');
        mcti_json_put_raw(&same, "const", mcti_buf_str(&once)); /* equal, but for the order of members */
        mcti_buf_addc(&same, '}');
        if (mcti_schema_check(mcti_buf_str(&same), mcti_buf_str(&twice), NULL) != MCT_SCHEMA_VALID)
            fail_msg("%s of %.*s:\n%.*s\n%.*s", p->name, MCT_STR_ARG(row), MCT_STR_ARG(mcti_buf_str(&once)),
                     MCT_STR_ARG(mcti_buf_str(&twice)));
        mcti_buf_done(&same);
        mcti_buf_done(&once);
        mcti_buf_done(&twice);
    }
}

/* A second time changes nothing. */
static void test_idempotent(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], normalise_again);
}

/* ---- profiles ---- */

static void test_profiles(void **state)
{
    static const char *const names[] = { "none",      "openclaw", "gemini",   "openai",  "openai-strict",
                                         "anthropic", "xai",      "deepseek", "llamacpp" };
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(profile(names[i])->name, names[i]);
    assert_null(mcti_schema_profile_find(MCT_STR("")));
    assert_null(mcti_schema_profile_find(MCT_STR("Gemini")));
    normalise(&b, MCT_STR("{ \"a\" : 1.50,\"a\":{} }"), profile("none"));
    assert_buf(&b, "{ \"a\" : 1.50,\"a\":{} }");
    mcti_buf_done(&b);
}

/* A server that knows how names are made can make one clash: the tool cannot be sent then. */
static void test_names_that_clash(void **state)
{
    char schema[TEXT];
    struct mcti_str clashing = json("{'properties':{'StartTime<':{},'StartTime_1f753bd6':{}}}", schema);
    struct mct_error err;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1u << 20);
    assert_int_equal(mcti_schema_normalise(&b, clashing, profile("anthropic"), NULL, &err), -1);
    assert_string_equal(err.message, "two of its properties would get the same name");
    assert_int_equal(mcti_schema_normalise(&b, clashing, profile("openai"), NULL, &err), 0);
    mcti_buf_done(&b);
}

static void test_keywords_of_the_caller(void **state)
{
    static const char *const extra[] = { "format", "dependencies", NULL };
    char text[TEXT], wanted[TEXT];
    struct mcti_schema_profile p = *profile("none");
    struct mcti_buf b;
    (void)state;
    p.extra = extra;
    normalise(
        &b,
        json("{'properties':{'format':{'format':'x','contains':{'format':'y'}},'dependencies':{'dependencies':{}}},"
             "'default':{'format':1},'format':'z'}",
             text),
        &p);
    assert_buf(&b,
               quoted("{'properties':{'format':{'contains':{}},'dependencies':{}},'default':{'format':1}}", wanted));
    mcti_buf_done(&b);
}

static void test_strings_are_one_however_they_are_written(void **state)
{
    struct mcti_buf b;
    (void)state;
    normalise(&b,
              MCT_STR("{\"ty\\u0070e\":\"ob\\u006aect\",\"properties\":{\"a\":{\"\\u0024ref\":\"#\\/%24defs\"},"
                      "\"b\":{\"$ref\":\"#\\/\\u0024defs\\/N\"}},\"$defs\":{\"\\u004e\":{\"type\":\"null\"}}}"),
              profile("openclaw"));
    char *made = mcti_buf_take(&b);
    assert_non_null(strstr(made, "\"b\":{\"type\":\"null\"}"));
    free(made);
}

/* ---- may it be sent ---- */

static void test_violations(void **state)
{
    static const struct {
        const char *schema, *list;
    } rows[] = {
        { "{'type':'object','properties':{'$dynamicRef':{'type':'string'}},'default':{'$dynamicRef':'#x'}}", "[]" },
        { "{}", "[]" },
        { "[]", "['parameters must be a JSON object schema']" },
        { "{'type':'string'}", "['parameters.type must be \\'object\\'']" },
        { "{'type':['object']}", "['parameters.type must be \\'object\\'']" },
        { "{'properties':{'a':{'$dynamicRef':'#x'},'properties':{'items':[{'$dynamicAnchor':'x'}]}}}",
          "['parameters.properties.a.$dynamicRef','parameters.properties.properties.items[0].$dynamicAnchor']" },
        { "{'properties':{'a':{'maximum':1e999},'b':{'enum':[1e308,-1e400]}}}",
          "['parameters.properties.a.maximum is not a finite number','parameters.properties.b.enum[1] is not a finite "
          "number']" },
    };
    char schema[TEXT], list[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        struct mcti_str wanted = json(rows[i].list, list), item;
        size_t n = 0;
        mcti_buf_init(&b, 1u << 20);
        for (struct mcti_json_iter it = mcti_json_open(wanted); mcti_json_next_item(&it, &item);)
            n++;
        assert_int_equal(mcti_schema_violations(&b, json(rows[i].schema, schema), "parameters"), n);
        assert_buf(&b, list);
        mcti_buf_done(&b);
    }
}

static void test_strict_set(void **state)
{
    char a[TEXT], b[TEXT], c[TEXT];
    struct mcti_str set[] = { json("{}", a), json("{'properties':{'a':{'type':'string'}},'required':['a']}", b),
                              json("{'properties':{'a':{'type':'string'}}}", c) };
    (void)state;
    assert_true(mcti_schema_strict_ok(set, 0));
    assert_true(mcti_schema_strict_ok(set, 2));
    assert_false(mcti_schema_strict_ok(set, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_names_that_clash),
        cmocka_unit_test(test_keywords_of_the_caller),
        cmocka_unit_test(test_strings_are_one_however_they_are_written),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_strict_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
