#include "unit.h"

#include "bufs.h"
#include "schema/schema.h"

/* before, n times each, middle, n times close, after */
struct repeated {
    const char *before, *each;
    int n;
    const char *middle, *close, *after;
};

static void put_repeated(struct mcti_buf *to, const struct repeated *r)
{
    mcti_buf_init(to, 64 << 20);
    mcti_buf_addz(to, r->before ? r->before : "");
    add_times(to, r->each ? r->each : "", r->n);
    mcti_buf_addz(to, r->middle ? r->middle : "");
    add_times(to, r->close ? r->close : "", r->n);
    mcti_buf_addz(to, r->after ? r->after : "");
    if (!mcti_json_valid(mcti_buf_str(to), 2000, NULL, NULL))
        fail_msg("no JSON: %.100s", to->p);
}

static void work_is_bounded(void **state)
{
    static const struct {
        const char *name;
        enum mcti_schema_verdict verdict;
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
        struct mcti_buf schema, value;
        struct mcti_schema_fault f = { "", "" };
        put_repeated(&schema, &rows[i].schema);
        put_repeated(&value, &rows[i].value);
        enum mcti_schema_verdict v = check_bufs(&schema, &value, &f);
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
        struct mcti_buf schema, value;
        struct mcti_schema_fault f = { "", "" };
        mcti_buf_init(&schema, 1 << 20);
        mcti_buf_init(&value, 1 << 20);
        mcti_buf_addz(&value, "[1,2,3]");
        mcti_buf_addz(&schema, "{\"$defs\":{");
        for (int i = 0; i < 60; i++)
            mcti_buf_printf(&schema, "\"d%d\":{\"%s\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},", i,
                            words[k], i + 1, i + 1);
        mcti_buf_printf(&schema, "\"d60\":{\"minItems\":%d}},\"$ref\":\"#/$defs/d0\",\"unevaluatedItems\":false}",
                        k == 1 ? 1 : 9);
        assert_int_equal(check_bufs(&schema, &value, &f), BAD);
        assert_string_equal(f.why, "takes too much work to check");
    }
}

/* The time for distinct items grows with their number, not with its square. */
static void many_unique_items(void **state)
{
    struct mcti_buf schema, value;
    (void)state;
    for (int last = -1; last < 1; last++) {
        mcti_buf_init(&schema, 1 << 20);
        mcti_buf_init(&value, 16 << 20);
        mcti_buf_addz(&schema, "{\"uniqueItems\":true}");
        mcti_buf_addz(&value, "[");
        for (int i = 0; i < 200000; i++)
            mcti_buf_printf(&value, "{\"id\":%d},", i);
        mcti_buf_printf(&value, "{\"id\":%d}]", last);
        assert_int_equal(check_bufs(&schema, &value, NULL), last < 0 ? YES : NO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(exponential_schemas_end),
        cmocka_unit_test(many_unique_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
