#include "unit.h"

#include "bufs.h"
#include "row.h"
#include "schema/schema.h"

/* ---- unusable schemas ---- */

static void dialects(void **state)
{
    static const struct row rows[] = {
        { "{'$schema':'https://json-schema.org/draft/2020-12/schema','prefixItems':[false]}", "[1]", NO },
        { "{'$schema':'http://json-schema.org/draft/2020-12/schema#','prefixItems':[false]}", "[1]", NO },
        { "{'$schema':'http:\\/\\/json-schema.org/draft/2019-09/schema#','prefixItems':[false]}", "[1]", YES },
        { "{'$schema':'https://json-schema.org/draft-07/schema','if':true,'then':false}", "[1]", NO },
        { "{'$schema':'https://json-schema.org/draft-06/schema','const':1}", "2", NO },
        { "{'$schema':'https://json-schema.org/draft-04/schema','const':1}", "2", YES },
        { "{'$schema':'http://json-schema.org/draft-03/schema#'}", "1", BAD, "", "draft-03" },
        { "{'$schema':'http://json-schema.org/schema#'}", "1", BAD },
        { "{'$schema':'https://example.org/mine'}", "1", BAD, "", "https://example.org/mine" },
        { "{'$schema':'//json-schema.org/draft-07/schema'}", "1", BAD },
        { "{'$schema':''}", "1", BAD },
        { "{'$schema':7}", "1", BAD },
        { "{'$schema':'https:http://json-schema.org/draft-07/schema'}", "1", BAD },
    };
    CHECK(rows);
}

static void malformed_keywords(void **state)
{
    static const struct row rows[] = {
        { "1", "1", BAD },
        { "null", "1", BAD },
        { "'x'", "1", BAD },
        { "[]", "1", BAD },
        { "{'type':1}", "1", BAD },
        { "{'type':'any'}", "1", BAD, "", "any" },
        { "{'type':['x']}", "1", BAD },
        { "{'enum':1}", "1", BAD },
        { "{'minimum':'1'}", "1", BAD, "", "\"minimum\" cannot be" },
        { "{'minimum':'1'}", "'x'", BAD },
        { "{'exclusiveMinimum':true}", "1", BAD },
        { "{" D4 "'exclusiveMinimum':1}", "1", BAD },
        { "{'multipleOf':0}", "1", BAD },
        { "{'multipleOf':-2}", "1", BAD },
        { "{'multipleOf':0.12345678901234567891}", "1", BAD },
        { "{'minLength':-1}", "'x'", BAD },
        { "{'minLength':1.5}", "'x'", BAD },
        { "{'maxItems':'3'}", "[]", BAD },
        { "{'pattern':1}", "1", BAD },
        { "{'pattern':'('}", "'x'", BAD, "", "parenthesis" },
        { "{'pattern':'\\\\p{Nonsense}'}", "'x'", BAD },
        { "{'pattern':'\\\\C'}", "'x'", BAD },
        { "{'pattern':'\\\\'}", "'x'", BAD },
        { "{'pattern':'\\\\p'}", "'x'", BAD },
        { "{'pattern':'\\\\p{'}", "'x'", BAD },
        { "{'patternProperties':{'[':true}}", "{'a':1}", BAD },
        { "{'required':true}", "{}", BAD },
        { "{'required':'a'}", "{}", BAD },
        { "{'required':[1]}", "{}", BAD },
        { "{'uniqueItems':1}", "[]", BAD },
        { "{'properties':[]}", "{}", BAD },
        { "{'properties':{'a':1}}", "{'a':1}", BAD, "/a" },
        { "{'items':[{}]}", "[1]", BAD, "", "\"items\"" },
        { "{'items':1}", "1", BAD },
        { "{'prefixItems':{}}", "1", BAD },
        { "{'allOf':{}}", "1", BAD },
        { "{'anyOf':[1]}", "1", BAD },
        { "{'not':[]}", "1", BAD },
        { "{'if':1}", "1", BAD },
        { "{'$ref':1}", "1", BAD },
        { "{'$id':1}", "1", BAD },
        { "{'$defs':[]}", "1", BAD },
        { "{'dependentRequired':{'a':1}}", "{'a':1}", BAD },
        { "{'minContains':-1}", "1", BAD },
        { "{'$defs':{'a':{'minLength':'x'}}}", "1", BAD }, /* at any position */
        { "{'unknown':{'minLength':'x'},'default':{'type':7},'examples':1,'title':3}", "1", YES },
    };
    CHECK(rows);
}

/* ---- limits ---- */

static void faults_are_cut(void **state)
{
    struct mcti_buf schema, value;
    struct mcti_schema_fault f;
    (void)state;
    for (int shift = 0; shift < 3; shift++) {
        mcti_buf_init(&schema, 1 << 20);
        mcti_buf_init(&value, 1 << 20);
        mcti_buf_addz(&value, "{\"");
        add_times(&value, "x", shift);
        add_times(&value, "\xe2\x82\xac", 300);
        mcti_buf_addz(&value, "\":1}");
        mcti_buf_addz(&schema, "{\"additionalProperties\":{\"const\":\"");
        add_times(&schema, "x", shift);
        add_times(&schema, "\xe2\x82\xac", 300);
        mcti_buf_addz(&schema, "\"}}");
        assert_int_equal(check_bufs(&schema, &value, &f), NO);
        assert_in_range(strlen(f.where), 250, 255);
        assert_int_equal((strlen(f.where) - 1 - (size_t)shift) % 3, 0); /* whole characters */
        assert_int_equal((strlen(f.why) - strlen("must be \"\xe2\x80\xa6") - (size_t)shift) % 3, 0);
    }
}

static void absent_texts(void **state)
{
    struct mcti_schema_fault f;
    (void)state;
    assert_int_equal(mcti_schema_check(MCT_STR("true"), MCT_STR_NONE, &f), BAD);
    assert_int_equal(mcti_schema_check(MCT_STR_NONE, MCT_STR("1"), &f), BAD);
    assert_int_equal(mcti_schema_check(MCT_STR("false"), MCT_STR("1"), NULL), NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects),
        cmocka_unit_test(malformed_keywords),
        cmocka_unit_test(faults_are_cut),
        cmocka_unit_test(absent_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
