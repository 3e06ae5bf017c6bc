#include "unit.h"

#include "instance.h"
#include "normal.h"
#include "model/schema/profile.h"
#include "schema/schema.h"

struct back {
    const char *profile, *schema, *given, *wanted;
    bool accepted; /* by the tool, in the end */
};

static unsigned n_valid;

static void test_arguments(void **state)
{
    static const struct back rows[] = {
        { "gemini", "{'properties':{'n':{'enum':[1,2.50,true,null,'x']}}}", "{'n':'2.5'}", "{'n':2.50}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,true,null]}}}", "{'n':'true'}", "{'n':true}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,true,null]}}}", "{'n':'null'}", "{'n':null}", true },
        { "gemini", "{'properties':{'n':{'enum':[12345678901234567890]}}}", "{'n':'12345678901234567890'}",
          "{'n':12345678901234567890}", true },
        { "gemini", "{'properties':{'n':{'const':7}}}", "{'n':'7'}", "{'n':7}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,'1']}}}", "{'n':'1'}", "{'n':'1'}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,2]}}}", "{'n':'3'}", "{'n':'3'}", false },
        { "gemini", "{'properties':{'n':{'enum':[1]},'s':{'type':'string'}}}", "{'s':'1','n':'1'}", "{'s':'1','n':1}",
          true },
        { "gemini", "{'properties':{'a':{'items':{'enum':[1,2]}}}}", "{'a':['1','2']}", "{'a':[1,2]}", true },
        { "gemini", "{'properties':{'a':{'prefixItems':[{'type':'string'},{'const':2}]}}}", "{'a':['2','2']}",
          "{'a':['2',2]}", true },
        { "gemini", "{'properties':{'o':{'additionalProperties':{'enum':[5]}}}}", "{'o':{'k':'5'}}", "{'o':{'k':5}}",
          true },
        { "gemini",
          "{'properties':{'t':{'$ref':'#/$defs/T'}},'$defs':{'T':{'properties':{'v':{'const':1},'t':{'$ref':'#/$defs/"
          "T'}}}}}",
          "{'t':{'v':'1','t':{'v':'1','t':{'v':'1'}}}}", "{'t':{'v':1,'t':{'v':1,'t':{'v':1}}}}", true },
        { "gemini",
          "{'anyOf':[{'properties':{'k':{'const':1},'a':{'type':'string'}},'required':['k']},{'properties':{'k':{'"
          "const':2}},'required':['k']}]}",
          "{'k':'2','a':'2'}", "{'k':2,'a':'2'}", true },
        { "openai-strict", "{'properties':{'a':{'type':'string'},'b':{'type':'string'}},'required':['a']}",
          "{'a':'x','b':null}", "{'a':'x'}", true },
        { "openai-strict", "{'properties':{'a':{'type':'string'}},'required':['a']}", "{'a':null}", "{'a':null}",
          false },
        { "openai-strict", "{'properties':{'a':{'type':['string','null']},'b':{'type':'integer'}}}",
          "{'a':null,'b':null}", "{'a':null}", true },
        { "openai-strict",
          "{'properties':{'a':{'anyOf':[{'type':'integer'},{'type':'null'}]},'b':{'$ref':'#/$defs/S'},'c':{}},"
          "'$defs':{'S':{'type':'string'}}}",
          "{'a':null,'b':null,'c':null}", "{'a':null,'c':null}", true },
        { "openai-strict", "{'properties':{'o':{'properties':{'x':{'enum':[1]}}}}}", "{'o':{'x':null,'y':null}}",
          "{'o':{'y':null}}", true },
        { "openai", "{'properties':{'a':{'type':'string'}}}", "{ 'a' : 'as it is' }", "{ 'a' : 'as it is' }", true },
        { "none", "{'properties':{'n':{'enum':[1]}}}", "{'n':'1'}", "{'n':'1'}", false },
        { "anthropic", "{'properties':{'StartTime<':{'type':'string'},'StartTime':{}},'required':['StartTime<']}",
          "{'StartTime_1f753bd6':'x','StartTime':1}", "{'StartTime<':'x','StartTime':1}", true },
        { "anthropic", "{'properties':{'StartTime<':{},'StartTime_1f753bd6':{}}}", "{'StartTime_1f753bd6':1}",
          "{'StartTime_1f753bd6':1}", true },
        { "openai", "{'properties':{'StartTime<':{}}}", "{'StartTime_1f753bd6':1}", "{'StartTime_1f753bd6':1}", true },
        { "anthropic", "{'properties':{'StartTime<':{}}}", "{'StartTime<':1}", "{'StartTime<':1}", true },
        { "anthropic",
          "{'properties':{'x "
          "y':{'items':{'$ref':'#/$defs/T'}}},'additionalProperties':{'$ref':'#/$defs/T'},'$defs':{'T':"
          "{'anyOf':[{'properties':{'x y':{'type':'integer'}}},{'type':'null'}]}}}",
          "{'x_y_cbc44180':[{'x_y_cbc44180':1},null],'other':{'x_y_cbc44180':2}}",
          "{'x y':[{'x y':1},null],'other':{'x y':2}}", true },
        { "anthropic", "{'patternProperties':{'^p':{'properties':{'x y':{}}}},'properties':{'x y':{}}}",
          "{'p':{'x_y_cbc44180':2}}", "{'p':{'x y':2}}", true },
        { "anthropic", "{'if':{},'then':{'properties':{'x y':{}}},'dependentSchemas':{'q':{'properties':{'$top':{}}}}}",
          "{'x_y_cbc44180':2,'top_2f77ce88':3}", "{'x y':2,'$top':3}", true },
        { "gemini", "{'properties':{'a.b-c':{'enum':[1,2]}},'additionalProperties':false}", "{'a_b_c_c63b9944':'2'}",
          "{'a.b-c':2}", true },
        { "xai", "{'properties':{'a':{'type':'string'}}}",
          "{'a':'&lt;b&gt; &amp;amp; &#65;&#x42;&quot;&apos; &nope; & &#xd800; &#0;','&lt;':[1,{'x':'&amp;'}]}",
          "{'a':'<b> &amp; AB\\'` &nope; & &#xd800; &#0;','&lt;':[1,{'x':'&'}]}", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char schema[TEXT], given[TEXT], wanted[TEXT];
        struct mcti_str s = json(rows[i].schema, schema);
        struct mcti_buf b;
        mcti_buf_init(&b, 1u << 20);
        assert_int_equal(mcti_schema_restore(&b, s, json(rows[i].given, given), profile(rows[i].profile), NULL), 0);
        quoted(rows[i].wanted, wanted);
        for (char *p = wanted; *p; p++) /* there is no other way to write it */
            *p = *p == '`' ? '\'' : *p;
        if (!mcti_str_eq(mcti_buf_str(&b), mcti_str_of(wanted)))
            fail_msg("%s %s: %.*s, not %s", rows[i].profile, schema, MCT_STR_ARG(mcti_buf_str(&b)), wanted);
        assert_int_equal(mcti_schema_check(s, mcti_buf_str(&b), NULL) == MCT_SCHEMA_VALID, rows[i].accepted);
        mcti_buf_done(&b);
    }
}

static void leave_what_is_accepted(struct mcti_str row)
{
    struct mcti_str schema = mcti_json_get(row, "input");
    struct mcti_buf instance, back;
    memset(&words, 0, sizeof words);
    collect(schema);
    words.name[words.n_names++ % 256] = MCT_STR("other");
    mcti_buf_init(&instance, 1u << 20);
    mcti_buf_init(&back, 1u << 20);
    for (int i = 0; i < 100; i++) {
        mcti_buf_clear(&instance);
        mcti_buf_clear(&back);
        put_container(&instance, true, 3);
        assert_int_equal(mcti_schema_restore(&back, schema, mcti_buf_str(&instance), profile("gemini"), NULL), 0);
        assert_true(mcti_json_valid(mcti_buf_str(&back), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
        if (mcti_schema_check(schema, mcti_buf_str(&instance), NULL) != MCT_SCHEMA_VALID)
            continue;
        n_valid++;
        assert_true(mcti_str_eq(mcti_buf_str(&back), mcti_buf_str(&instance)));
    }
    mcti_buf_done(&instance);
    mcti_buf_done(&back);
}

static void test_accepted_arguments_stay(void **state)
{
    (void)state;
    chance_state = 7;
    n_valid = 0;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], leave_what_is_accepted);
    assert_true(n_valid > 1000);
}

/* Large arguments for a large schema cost what the budget allows, and come back as they were. */
static void test_arguments_are_bounded(void **state)
{
    struct mcti_buf schema, arguments, back;
    (void)state;
    put_repeated(&schema, "{\"additionalProperties\":{\"enum\":[0", ",%d", "]}}", MUCH(20000));
    put_repeated(&arguments, "{\"x\":0", ",\"k%d\":\"no\"", "}", MUCH(20000));
    mcti_buf_init(&back, 16u << 20);
    assert_int_equal(
        mcti_schema_restore(&back, mcti_buf_str(&schema), mcti_buf_str(&arguments), profile("gemini"), NULL), 0);
    assert_true(mcti_str_eq(mcti_buf_str(&back), mcti_buf_str(&arguments)));
    mcti_buf_done(&schema);
    mcti_buf_done(&arguments);
    mcti_buf_done(&back);
}

/* Looking for a null, or for a type, among very many words costs the budget too: when it is spent, what is left stays.
 */
static void test_long_lists_of_words_are_bounded(void **state)
{
    static const struct {
        const char *head, *word, *tail, *first, *more;
    } rows[] = {
        { "{\"properties\":{\"a\":{\"items\":{\"properties\":{\"x\":{\"enum\":[0", ",%d", "]}}}}}}",
          "{\"a\":[{\"x\":null}", ",{\"x\":null}" },
        { "{\"properties\":{\"a\":{\"items\":{\"properties\":{\"x\":{\"type\":[\"integer\"", ",\"t%d\"", "]}}}}}}",
          "{\"a\":[{\"x\":null}", ",{\"x\":null}" },
        { "{\"properties\":{\"a\":{\"items\":{\"anyOf\":[{\"const\":1},{\"type\":[\"integer\"", ",\"t%d\"", "]}]}}}}",
          "{\"a\":[\"1\"", ",\"1\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf schema, arguments, back;
        char text[64];
        put_repeated(&schema, rows[i].head, rows[i].word, rows[i].tail, 20000);
        put_repeated(&arguments, rows[i].first, rows[i].more, "]}", 20000);
        mcti_buf_init(&back, 16u << 20);
        assert_int_equal(
            mcti_schema_restore(&back, mcti_buf_str(&schema), mcti_buf_str(&arguments), profile("gemini"), NULL), 0);
        assert_true(mcti_buf_str(&back).len > mcti_buf_str(&arguments).len * 9 / 10 && back.len < arguments.len);
        snprintf(text, sizeof text, "%s]}", rows[i].more);
        assert_memory_equal(back.p + back.len - strlen(text), text, strlen(text));
        mcti_buf_done(&schema);
        mcti_buf_done(&arguments);
        mcti_buf_done(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_accepted_arguments_stay),
        cmocka_unit_test(test_arguments_are_bounded),
        cmocka_unit_test(test_long_lists_of_words_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
