#include "unit.h"

#include "row.h"
#include "json/scan.h"
#include "schema/schema.h"

/* ---- what cannot be applied ---- */

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
        { "{'$schema':'//json-schema.org/draft-07/schema'}", "1", BAD }, { "{'$schema':''}", "1", BAD },
        { "{'$schema':7}", "1", BAD }, { "{'$schema':'https:http://json-schema.org/draft-07/schema'}", "1", BAD },
    };
    CHECK(rows);
}

static void malformed_keywords(void **state)
{
    static const struct row rows[] = {
        { "1", "1", BAD }, { "null", "1", BAD }, { "'x'", "1", BAD }, { "[]", "1", BAD }, { "{'type':1}", "1", BAD },
        { "{'type':'any'}", "1", BAD, "", "any" }, { "{'type':['x']}", "1", BAD }, { "{'enum':1}", "1", BAD },
        { "{'minimum':'1'}", "1", BAD, "", "\"minimum\" cannot be" }, { "{'minimum':'1'}", "'x'", BAD },
        { "{'exclusiveMinimum':true}", "1", BAD }, { "{" D4 "'exclusiveMinimum':1}", "1", BAD },
        { "{'multipleOf':0}", "1", BAD }, { "{'multipleOf':-2}", "1", BAD },
        { "{'multipleOf':0.12345678901234567891}", "1", BAD }, { "{'minLength':-1}", "'x'", BAD },
        { "{'minLength':1.5}", "'x'", BAD }, { "{'maxItems':'3'}", "[]", BAD }, { "{'pattern':1}", "1", BAD },
        { "{'pattern':'('}", "'x'", BAD, "", "parenthesis" }, { "{'pattern':'\\\\p{Nonsense}'}", "'x'", BAD },
        { "{'pattern':'\\\\C'}", "'x'", BAD }, { "{'pattern':'\\\\'}", "'x'", BAD },
        { "{'pattern':'\\\\p'}", "'x'", BAD }, { "{'pattern':'\\\\p{'}", "'x'", BAD },
        { "{'patternProperties':{'[':true}}", "{'a':1}", BAD }, { "{'required':true}", "{}", BAD },
        { "{'required':'a'}", "{}", BAD }, { "{'required':[1]}", "{}", BAD }, { "{'uniqueItems':1}", "[]", BAD },
        { "{'properties':[]}", "{}", BAD }, { "{'properties':{'a':1}}", "{'a':1}", BAD, "/a" },
        { "{'items':[{}]}", "[1]", BAD, "", "\"items\"" }, { "{'items':1}", "1", BAD },
        { "{'prefixItems':{}}", "1", BAD }, { "{'allOf':{}}", "1", BAD }, { "{'anyOf':[1]}", "1", BAD },
        { "{'not':[]}", "1", BAD }, { "{'if':1}", "1", BAD }, { "{'$ref':1}", "1", BAD }, { "{'$id':1}", "1", BAD },
        { "{'$defs':[]}", "1", BAD }, { "{'dependentRequired':{'a':1}}", "{'a':1}", BAD },
        { "{'minContains':-1}", "1", BAD },
        { "{'$defs':{'a':{'minLength':'x'}}}", "1", BAD }, /* wherever it stands */
        { "{'unknown':{'minLength':'x'},'default':{'type':7},'examples':1,'title':3}", "1", YES },
    };
    CHECK(rows);
}

/* ---- ceilings ---- */

static enum mct_schema_verdict check_bufs(struct mct_buf *schema, struct mct_buf *value, struct mct_schema_fault *f)
{
    assert_true(mct_buf_ok(schema) && mct_buf_ok(value));
    enum mct_schema_verdict v = mct_schema_check(mct_buf_str(schema), mct_buf_str(value), f);
    mct_buf_done(schema);
    mct_buf_done(value);
    return v;
}

static void add_times(struct mct_buf *to, const char *text, int n)
{
    while (n--)
        mct_buf_addz(to, text);
}

/* before, n times each, middle, n times close, after */
struct repeated {
    const char *before, *each;
    int n;
    const char *middle, *close, *after;
};

static void put_repeated(struct mct_buf *to, const struct repeated *r)
{
    mct_buf_init(to, 64 << 20);
    mct_buf_addz(to, r->before ? r->before : "");
    add_times(to, r->each ? r->each : "", r->n);
    mct_buf_addz(to, r->middle ? r->middle : "");
    add_times(to, r->close ? r->close : "", r->n);
    mct_buf_addz(to, r->after ? r->after : "");
    if (!mct_json_valid(mct_buf_str(to), 2000, NULL, NULL))
        fail_msg("no JSON: %.100s", to->p);
}

static void work_is_bounded(void **state)
{
    static const struct {
        const char *name;
        enum mct_schema_verdict verdict;
        struct repeated schema, value;
    } rows[] = {
        { "nested schema", BAD, { NULL, "{\"not\":", 600, "true", "}" }, { "1" } },
        { "deep value", YES, { "{\"properties\":{\"n\":{\"$ref\":\"#\"}}}" }, { NULL, "{\"n\":", 200, "1", "}" } },
        { "deeper value", BAD, { "{\"properties\":{\"n\":{\"$ref\":\"#\"}}}" }, { NULL, "{\"n\":", 300, "1", "}" } },
        { "deep comparison", BAD, { "{\"uniqueItems\":true}" }, { "[1,", "[", 1100, NULL, "]", "]" } },
        { "backtracking", BAD, { "{\"pattern\":\"^(a+)+$\"}" }, { "\"", "a", 1000, "b\"" } },
        { "often",
          BAD,
          { "{\"items\":{\"not\":{\"pattern\":\"(a+)+$\"}}}" },
          { "[", "\"aaaaaaaab\",", 1000000, "1]" } },
        { "square of the text", BAD, { "{\"pattern\":\"[a]+[bc]\"}" }, { "\"", "a", 2000000, "\"" } },
        { "fixed repeat", BAD, { "{\"pattern\":\"a{30000}b\"}" }, { "\"", "a", 2000000, "\"" } },
        { "anchored, long", YES, { "{\"pattern\":\"^[a-z]*$\"}" }, { "\"", "a", 2000000, "\"" } },
        { "long pattern", BAD, { "{\"pattern\":\"", "a", 20000, "\"}" }, { "\"a\"" } },
        { "patterns beyond the slots",
          BAD,
          { "{\"patternProperties\":{", "\"^p(a|b)*\":{},", 1000, "\"z\":{}}}" },
          { "{", "\"k\":1,", 3000, "\"z\":1}" } },
        { "recursion in a pattern", BAD, { "{\"pattern\":\"^(x(?1)|y)*$\"}" }, { "\"", "x", 1000000, "\"" } },
        { "many anchors", BAD, { "{\"$defs\":{", "\"d\":{\"$anchor\":\"a\"},", 20000, "\"e\":{}}}" }, { "1" } },
        { "long base URI",
          YES,
          { "{\"$id\":\"", "/0123456789", 100000, "\",\"$defs\":{\"a\":{\"$id\":\"x\"}}}" },
          { "1" } },
        { "equal items", NO, { "{\"uniqueItems\":true}" }, { "[", "{\"a\":[1,2]},", 10000, "1]" } },
        { "items beyond the memory", BAD, { "{\"uniqueItems\":true}" }, { "[", "1,", 2000000, "1]" } },
        { "large array", NO, { "{\"items\":{\"type\":\"integer\",\"maximum\":5}}" }, { "[", "1,", 100000, "6]" } },
        { "large object",
          NO,
          { "{\"const\":{", "\"a\":1,", 20000, "\"b\":2}}" },
          { "{\"b\":2,", "\"a\":1,", 20000, "\"b\":2}" } },
        { "many children to mark",
          BAD,
          { NULL, "{\"unevaluatedItems\":{},\"allOf\":[", 200, "true", "]}" },
          { "[", "1,", 1000000, "1]" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_buf schema, value;
        struct mct_schema_fault f = { "", "" };
        put_repeated(&schema, &rows[i].schema);
        put_repeated(&value, &rows[i].value);
        enum mct_schema_verdict v = check_bufs(&schema, &value, &f);
        if (v != rows[i].verdict)
            fail_msg("%s: verdict %d, not %d: [%s] %s", rows[i].name, v, rows[i].verdict, f.where, f.why);
    }
}

/* A schema of 60 levels, each of which applies the next twice: 2^60 steps. */
static void exponential_schemas_end(void **state)
{
    static const char *const words[] = { "anyOf", "allOf" };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct mct_buf schema, value;
        struct mct_schema_fault f = { "", "" };
        mct_buf_init(&schema, 1 << 20);
        mct_buf_init(&value, 1 << 20);
        mct_buf_addz(&value, "[1,2,3]");
        mct_buf_addz(&schema, "{\"$defs\":{");
        for (int i = 0; i < 60; i++)
            mct_buf_printf(&schema, "\"d%d\":{\"%s\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},", i,
                           words[k], i + 1, i + 1);
        mct_buf_printf(&schema, "\"d60\":{\"minItems\":%d}},\"$ref\":\"#/$defs/d0\",\"unevaluatedItems\":false}",
                       k == 1 ? 1 : 9);
        assert_int_equal(check_bufs(&schema, &value, &f), BAD);
        assert_string_equal(f.why, "takes too much work to check");
    }
}

/* Distinct items cost time that grows with their number, not with its square. */
static void many_unique_items(void **state)
{
    struct mct_buf schema, value;
    (void)state;
    for (int last = -1; last < 1; last++) {
        mct_buf_init(&schema, 1 << 20);
        mct_buf_init(&value, 16 << 20);
        mct_buf_addz(&schema, "{\"uniqueItems\":true}");
        mct_buf_addz(&value, "[");
        for (int i = 0; i < 200000; i++)
            mct_buf_printf(&value, "{\"id\":%d},", i);
        mct_buf_printf(&value, "{\"id\":%d}]", last);
        assert_int_equal(check_bufs(&schema, &value, NULL), last < 0 ? YES : NO);
    }
}

static void faults_are_cut(void **state)
{
    struct mct_buf schema, value;
    struct mct_schema_fault f;
    (void)state;
    for (int shift = 0; shift < 3; shift++) {
        mct_buf_init(&schema, 1 << 20);
        mct_buf_init(&value, 1 << 20);
        mct_buf_addz(&value, "{\"");
        add_times(&value, "x", shift);
        add_times(&value, "\xe2\x82\xac", 300);
        mct_buf_addz(&value, "\":1}");
        mct_buf_addz(&schema, "{\"additionalProperties\":{\"const\":\"");
        add_times(&schema, "x", shift);
        add_times(&schema, "\xe2\x82\xac", 300);
        mct_buf_addz(&schema, "\"}}");
        assert_int_equal(check_bufs(&schema, &value, &f), NO);
        assert_in_range(strlen(f.where), 250, 255);
        assert_int_equal((strlen(f.where) - 1 - (size_t)shift) % 3, 0); /* whole characters */
        assert_int_equal((strlen(f.why) - strlen("must be \"\xe2\x80\xa6") - (size_t)shift) % 3, 0);
    }
}

static void absent_texts(void **state)
{
    struct mct_schema_fault f;
    (void)state;
    assert_int_equal(mct_schema_check(MCT_STR("true"), MCT_STR_NONE, &f), BAD);
    assert_int_equal(mct_schema_check(MCT_STR_NONE, MCT_STR("1"), &f), BAD);
    assert_int_equal(mct_schema_check(MCT_STR("false"), MCT_STR("1"), NULL), NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects),
        cmocka_unit_test(malformed_keywords),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(exponential_schemas_end),
        cmocka_unit_test(many_unique_items),
        cmocka_unit_test(faults_are_cut),
        cmocka_unit_test(absent_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
