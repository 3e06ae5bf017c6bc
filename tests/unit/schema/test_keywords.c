#include "unit.h"

#include "row.h"
#include "schema/schema.h"

/* ---- any value ---- */

static void types(void **state)
{
    static const struct row rows[] = {
        { "true", "1", YES },
        { " false\n", " 1 ", NO, "", "is not allowed" },
        { "{}", "null", YES },
        { "{'type':'string'}", "'x'", YES },
        { "{'type':'string'}", "1", NO, "", "must be a string, not a number" },
        { "{'type':'number'}", "1.5", YES },
        { "{'type':'number'}", "'1'", NO },
        { "{'type':'integer'}", "-17", YES },
        { "{'type':'integer'}", "1.0", YES },
        { "{'type':'integer'}", "1e2", YES },
        { "{'type':'integer'}", "0.0e-5", YES },
        { "{'type':'integer'}", "120e-1", YES },
        { "{'type':'integer'}", "125e-1", NO, "", "must be an integer" },
        { "{'type':'integer'}", "1e-1", NO },
        { "{'type':'integer'}", "123456789012345678901234567890", YES },
        { "{'type':'integer'}", "'1'", NO, "", "must be an integer, not a string" },
        { "{" D4 "'type':'integer'}", "1.0", YES },
        { "{'type':'boolean'}", "true", YES },
        { "{'type':'boolean'}", "false", YES },
        { "{'type':'boolean'}", "0", NO },
        { "{'type':'null'}", "null", YES },
        { "{'type':'null'}", "{}", NO },
        { "{'type':'object'}", "{}", YES },
        { "{'type':'object'}", "[]", NO },
        { "{'type':'array'}", "[]", YES },
        { "{'type':'array'}", "{}", NO },
        { "{'type':['string','null']}", "null", YES },
        { "{'type':['string','null']}", "1", NO, "", "must be one of the types ['string','null'], not a number" },
        { "{'\\u0074ype':'string'}", "1", NO },            /* keywords may be written with escapes */
        { "{'type':'string','type':'number'}", "1", YES }, /* the last counts */
        { "{'type':'str\\u0069ng'}", "1", NO },
    };
    CHECK(rows);
}

static void equality(void **state)
{
    static const struct row rows[] = {
        { "{'const':1}", "1.0", YES },
        { "{'const':1}", "10e-1", YES },
        { "{'const':0}", "-0", YES },
        { "{'const':1}", "true", NO },
        { "{'const':0}", "false", NO },
        { "{'const':'1'}", "1", NO },
        { "{'const':null}", "null", YES },
        { "{'const':null}", "0", NO },
        { "{'const':false}", "false", YES },
        { "{'const':9007199254740993}", "9007199254740993", YES },
        { "{'const':9007199254740993}", "9007199254740992", NO },
        { "{'const':1e400}", "1e400", YES },
        { "{'const':1e400}", "1e401", NO },
        { "{'const':-1}", "1", NO },
        { "{'const':1e99999999999999999999}", "1", NO },
        { "{'const':'a/b'}", "'a\\/b'", YES },
        { "{'const':'\\u20ac'}", "'\xe2\x82\xac'", YES },
        { "{'const':'\\ud83d\\ude00'}", "'\xf0\x9f\x98\x80'", YES },
        { "{'const':'\\n'}", "'n'", NO },
        { "{'const':'\\ud800'}", "'\\ud800'", YES },
        { "{'const':'\\ud800'}", "'\\ud801'", NO },
        { "{'const':[1,2]}", "[ 1, 2.0 ]", YES },
        { "{'const':[1,2]}", "[2,1]", NO },
        { "{'const':[1,2]}", "[1]", NO },
        { "{'const':[1]}", "[1,2]", NO },
        { "{'const':[]}", "[]", YES },
        { "{'const':{'a':1,'b':[{}]}}", "{'b':[{}],'a':1.0}", YES },
        { "{'const':{'a':1}}", "{'\\u0061':1}", YES },
        { "{'const':{'a':1}}", "{'a':2}", NO },
        { "{'const':{'a':1}}", "{'a':1,'b':2}", NO },
        { "{'const':{'a':1,'b':2}}", "{'a':1}", NO },
        { "{'const':{}}", "{}", YES },
        { "{'const':{}}", "[]", NO },
        { "{'const':{'a':1,'b':2}}", "{'a':1,'a':1}", NO },
        { "{'const':{'a':1,'a':1}}", "{'a':1,'b':2}", NO },
        { "{'const':7}", "8", NO, "", "must be 7" },
        { "{" D4 "'const':7}", "8", YES }, /* not a keyword in draft-04 */
        { "{'enum':[1,'two',[3],{'four':4},null]}", "{'four':4.0}", YES },
        { "{'enum':[1,'two',[3],{'four':4},null]}", "[3]", YES },
        { "{'enum':[1,'two']}", "'three'", NO, "", "must be one of [1," },
        { "{'enum':[]}", "1", NO },
        { "{" D4 "'enum':[[0]]}", "[false]", NO },
    };
    CHECK(rows);
}

/* ---- numbers ---- */

static void numbers(void **state)
{
    static const struct row rows[] = {
        { "{'minimum':1.1}", "1.1", YES },
        { "{'minimum':1.1}", "1.10", YES },
        { "{'minimum':1.1}", "2", YES },
        { "{'minimum':1.1}", "0.6", NO, "", "must be at least 1.1" },
        { "{'minimum':1.1}", "'x'", YES },
        { "{'minimum':-2}", "-2.0001", NO },
        { "{'minimum':-2}", "-1", YES },
        { "{'minimum':0}", "-0.0", YES },
        { "{'minimum':9007199254740993}", "9007199254740992", NO },
        { "{'minimum':1e-400}", "0", NO },
        { "{'minimum':123456789012345678901234567891}", "123456789012345678901234567890", NO },
        { "{'maximum':3}", "3.0", YES },
        { "{'maximum':3}", "3.5", NO, "", "must be at most 3" },
        { "{'maximum':300}", "3e2", YES },
        { "{'maximum':300}", "3.01E+2", NO },
        { "{'maximum':-3}", "-3.5", YES },
        { "{'maximum':18446744073709551615}", "18446744073709551616", NO },
        { "{'maximum':0.5}", "0.45", YES },
        { "{'exclusiveMinimum':1}", "1.0001", YES },
        { "{'exclusiveMinimum':1}", "1", NO, "", "greater than 1" },
        { "{'exclusiveMaximum':1}", "0.9", YES },
        { "{'exclusiveMaximum':1}", "1.0", NO, "", "less than 1" },
        { "{" D6 "'exclusiveMaximum':1}", "1", NO },
        { "{" D4 "'minimum':1,'exclusiveMinimum':true}", "1", NO, "", "greater than 1" },
        { "{" D4 "'minimum':1,'exclusiveMinimum':false}", "1", YES },
        { "{" D4 "'maximum':1,'exclusiveMaximum':true}", "1", NO },
        { "{" D4 "'maximum':1}", "1", YES },
        { "{" D4 "'exclusiveMaximum':true}", "1", YES },
        { "{'multipleOf':2}", "10", YES },
        { "{'multipleOf':2}", "7", NO, "", "must be a multiple of 2" },
        { "{'multipleOf':0.1}", "0.3", YES },
        { "{'multipleOf':0.01}", "19.99", YES },
        { "{'multipleOf':1.5}", "4.5", YES },
        { "{'multipleOf':1.5}", "35", NO },
        { "{'multipleOf':0.0001}", "0.00751", NO },
        { "{'multipleOf':10}", "1e300", YES },
        { "{'multipleOf':0.5}", "1e308", YES },
        { "{'multipleOf':0.123456789}", "1e308", NO },
        { "{'multipleOf':7}", "0", YES },
        { "{'multipleOf':1e-8}", "12391239123", YES },
        { "{'multipleOf':3}", "-9", YES },
        { "{'multipleOf':20}", "30", NO },
        { "{'multipleOf':2}", "9007199254740993", NO },
        { "{'multipleOf':9}", "111111111111111111111111111", YES },
        { "{'multipleOf':3}", "'x'", YES },
        { "{'multipleOf':1e2}", "1e1", NO },
    };
    CHECK(rows);
}

/* ---- strings ---- */

static void strings(void **state)
{
    static const struct row rows[] = {
        { "{'minLength':2}", "'ab'", YES },
        { "{'minLength':2}", "'a'", NO, "", "at least 2 characters, not 1" },
        { "{'maxLength':2}", "'abc'", NO, "", "at most 2 characters, not 3" },
        { "{'maxLength':2.0}", "'ab'", YES },
        { "{'maxLength':1e0}", "'ab'", NO },
        { "{'maxLength':0}", "''", YES },
        { "{'maxLength':2}", "123", YES },
        { "{'minLength':2,'maxLength':2}", "'\xc3\xa9\xe2\x82\xac'", YES },
        { "{'minLength':2,'maxLength':2}", "'\xf0\x9f\x98\x80\xf0\x9f\x98\x80'", YES },
        { "{'minLength':2,'maxLength':2}", "'\\ud83d\\ude00\\n'", YES },
        { "{'maxLength':1}", "'\\uD83D\\uDE00'", YES },
        { "{'minLength':2,'maxLength':2}", "'\\ud83d\\ud83d'", YES },
        { "{'minLength':2}", "'\\u0065'", NO },
        { "{'minLength':2,'maxLength':2}", "'\\\\\\\\'", YES },
        { "{'pattern':'^a*$'}", "'aaa'", YES },
        { "{'pattern':'^a*$'}", "'abc'", NO, "", "must match the pattern \"^a*$\"" },
        { "{'pattern':'b'}", "'abc'", YES },
        { "{'pattern':'^a*$'}", "1", YES },
        { "{'pattern':'a$'}", "'a\\n'", NO },
        { "{'pattern':'^.$'}", "'\xf0\x9f\x98\x80'", YES },
        { "{'pattern':'^.$'}", "'\\ud83d\\ude00'", YES },
        { "{'pattern':'^\\u00e9$'}", "'\xc3\xa9'", YES },
        { "{'pattern':'^\\\\u00e9\\\\u{1F600}$'}", "'\xc3\xa9\xf0\x9f\x98\x80'", YES },
        { "{'pattern':'^\\\\d+$'}", "'\xe0\xa7\xaa'", NO },
        { "{'pattern':'^\\\\w$'}", "'\xc3\xa9'", NO },
        { "{'pattern':'^\\\\s$'}", "'\xc2\xa0'", YES },
        { "{'pattern':'^[\\\\s]$'}", "'\xef\xbb\xbf'", YES },
        { "{'pattern':'^\\\\S$'}", "'\xe2\x80\xa8'", NO },
        { "{'pattern':'^[+\\\\s-]+$'}", "'-\xc2\xa0+'", YES },
        { "{'pattern':'[+-\\\\s]'}", "'9'", BAD },
        { "{'pattern':'[\\\\s-x]'}", "'9'", BAD }, /* as with the flag u */
        { "{'pattern':'^\\\\p{Letter}\\\\p{Lu}\\\\P{digit}$'}", "'\xc3\xa9\xc3\x89x'", YES },
        { "{'pattern':'^\\\\p{General_Category=Decimal_Number}$'}", "'\xe0\xa7\xaa'", YES },
        { "{'pattern':'^\\\\p{Letter}$'}", "'1'", NO },
        { "{'pattern':'^(?<y>a)\\\\k<y>$'}", "'aa'", YES },
        { "{'pattern':'^[^]$'}", "'\\n'", YES },
        { "{'pattern':'[]'}", "'x'", NO },
        { "{'pattern':'^\\\\/$'}", "'/'", YES },
        { "{'pattern':'^(?:(a)|b)\\\\1$'}", "'b'", YES }, /* an unset group matches the empty string */
        { "{'pattern':'a\\\\u0000b'}", "'a\\u0000b'", YES },
        { "{'pattern':'^\\\\cC$'}", "'\\u0003'", YES },
        { "{'pattern':''}", "''", YES },
        { "{'pattern':'(?=b)'}",
          "'\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
          "\xa9\xc3\xa9"
          "b'",
          YES },
        { "{'format':'email','contentEncoding':'base64','contentMediaType':'application/json'}", "'%'", YES },
    };
    CHECK(rows);
}

/* A match is found at any position, whatever window that position is in. */
static void patterns_search_everywhere(void **state)
{
    char value[300];
    (void)state;
    for (size_t n = 0; n < 250; n++) {
        snprintf(value, sizeof value, "\"%*sx\"", (int)n, "");
        assert_int_equal(mcti_schema_check(MCT_STR("{\"pattern\":\"[x]$\"}"), mcti_str_of(value), NULL), YES);
        assert_int_equal(mcti_schema_check(MCT_STR("{\"pattern\":\"[y]\"}"), mcti_str_of(value), NULL), NO);
    }
}

/* ---- arrays ---- */

static void arrays(void **state)
{
    static const struct row rows[] = {
        { "{'minItems':1}", "[1]", YES },
        { "{'minItems':1}", "[]", NO, "", "at least 1 items, not 0" },
        { "{'minItems':1}", "''", YES },
        { "{'maxItems':2}", "[1,[2,3,4]]", YES },
        { "{'maxItems':2}", "[1,2,3]", NO },
        { "{'maxItems':2}", "{'a':1,'b':2,'c':3}", YES },
        { "{'uniqueItems':true}", "[1,2]", YES },
        { "{'uniqueItems':true}", "[1,2,1.0]", NO, "", "items 0 and 2 are equal" },
        { "{'uniqueItems':true}", "[{'a':1,'b':2},{'b':2,'a':1e0}]", NO },
        { "{'uniqueItems':true}", "[[1],[true],[2]]", YES },
        { "{'uniqueItems':true}", "['a','\\u0061']", NO },
        { "{'uniqueItems':true}", "[0,false,null,'',[],{},'0']", YES },
        { "{'uniqueItems':true}", "[[[1],'x'],[[1.00],'x']]", NO },
        { "{'uniqueItems':true}", "[0,-0.0]", NO },
        { "{'uniqueItems':false}", "[1,1]", YES },
        { "{'uniqueItems':true}", "[]", YES },
        { "{'uniqueItems':true}", "'aa'", YES },
        { "{'items':{'type':'integer'}}", "[1,2]", YES },
        { "{'items':{'type':'integer'}}", "[1,'x']", NO, "/1" },
        { "{'items':false}", "[]", YES },
        { "{'items':false}", "[1]", NO, "/0", "is not allowed" },
        { "{'items':false}", "{'0':1}", YES },
        { "{'prefixItems':[{'type':'integer'},{'type':'string'}]}", "[1,'a',null]", YES },
        { "{'prefixItems':[{'type':'integer'},{'type':'string'}]}", "[1]", YES },
        { "{'prefixItems':[{'type':'integer'},{'type':'string'}]}", "[1,2]", NO, "/1" },
        { "{'prefixItems':[{}],'items':{'type':'string'}}", "[1,'a','b']", YES },
        { "{'prefixItems':[{}],'items':{'type':'string'}}", "[1,'a',2]", NO, "/2" },
        { "{'prefixItems':[],'items':false}", "[1]", NO, "/0" },
        { "{'additionalItems':false}", "[1]", YES },
        { "{'additionalItems':false,'prefixItems':[{}]}", "[1,2]", YES },
        { "{" D2019 "'items':[{},{'type':'string'}],'additionalItems':{'type':'null'}}", "[1,'a',null]", YES },
        { "{" D2019 "'items':[{},{'type':'string'}],'additionalItems':{'type':'null'}}", "[1,'a',1]", NO, "/2" },
        { "{" D2019 "'items':[{}],'prefixItems':[false]}", "[1]", YES },
        { "{" D7 "'items':[{'type':'null'}]}", "[1]", NO, "/0" },
        { "{" D7 "'items':{'type':'null'},'additionalItems':false}", "[null,null]", YES },
        { "{" D4 "'items':[{}],'additionalItems':false}", "[1,2]", NO, "/1" },
        { "{" D7 "'additionalItems':false}", "[1]", YES },
        { "{'contains':{'type':'string'}}", "[1,'a']", YES },
        { "{'contains':{'type':'string'}}", "[1]", NO, "", "at least 1 items that match" },
        { "{'contains':true}", "[]", NO },
        { "{'contains':false}", "[1]", NO },
        { "{'contains':true}", "'x'", YES },
        { "{'contains':{'const':1},'minContains':2}", "[1,2,1]", YES },
        { "{'contains':{'const':1},'minContains':2}", "[1,2]", NO },
        { "{'contains':{'const':1},'minContains':0}", "[]", YES },
        { "{'contains':{'const':1},'maxContains':1}", "[1,2]", YES },
        { "{'contains':{'const':1},'maxContains':1}", "[1,1]", NO, "", "at most 1 items that match" },
        { "{'contains':{'const':1},'maxContains':1}", "[]", NO },
        { "{'minContains':5,'maxContains':0}", "[1]", YES },
        { "{" D7 "'contains':{'const':1},'minContains':2}", "[1]", YES },
        { "{" D4 "'contains':false}", "[1]", YES },
    };
    CHECK(rows);
}

/* ---- objects ---- */

static void objects(void **state)
{
    static const struct row rows[] = {
        { "{'minProperties':1}", "{'a':1}", YES },
        { "{'minProperties':1}", "{}", NO, "", "at least 1 members" },
        { "{'minProperties':1}", "[]", YES },
        { "{'maxProperties':1}", "{'a':1,'b':{'c':1,'d':2}}", NO },
        { "{'maxProperties':2}", "{'a':1,'b':2}", YES },
        { "{'required':['a','b']}", "{'b':1,'a':null}", YES },
        { "{'required':['a','b']}", "{'a':1}", NO, "", "lacks the required member \"b\"" },
        { "{'required':['\\u0061']}", "{'a':1}", YES },
        { "{'required':['a\\nb']}", "{'a\\u000ab':1}", YES },
        { "{'required':['a']}", "[]", YES },
        { "{'required':[]}", "{}", YES },
        { "{'properties':{'x':{'required':['y']}}}", "{'x':{}}", NO, "/x" },
        { "{'dependentRequired':{'a':['b']}}", "{'c':1}", YES },
        { "{'dependentRequired':{'a':['b']}}", "{'a':1}", NO, "", "required by another member" },
        { "{'dependentRequired':{'a':['b']}}", "{'b':1,'a':1}", YES },
        { "{" D7 "'dependentRequired':{'a':['b']}}", "{'a':1}", YES },
        { "{'dependentSchemas':{'a':{'required':['b']}}}", "{'a':1}", NO, "", "\"b\"" },
        { "{'dependentSchemas':{'a':false}}", "{'b':1}", YES },
        { "{" D7 "'dependencies':{'a':['b'],'c':{'minProperties':2}}}", "{'a':1,'b':2}", YES },
        { "{" D7 "'dependencies':{'a':['b'],'c':{'minProperties':2}}}", "{'a':1}", NO },
        { "{" D4 "'dependencies':{'a':['b'],'c':{'minProperties':2}}}", "{'c':1}", NO },
        { "{'dependencies':{'a':['b']}}", "{'a':1}", NO },
        { "{'properties':{'a':{'type':'string'},'b':{}}}", "{'b':1,'a':'x','c':2}", YES },
        { "{'properties':{'a':{'properties':{'b':{'items':{'type':'null'}}}}}}", "{'a':{'b':[null,1]}}", NO, "/a/b/1",
          "must be null, not a number" },
        { "{'properties':{'a/b':{'properties':{'~c':false}}}}", "{'a/b':{'~c':1}}", NO, "/a~1b/~0c" },
        { "{'properties':{'':false}}", "{'':1}", NO, "/" },
        { "{'additionalProperties':false}", "{'a\\u001b\\n\\u0000b':1}", NO, "/a???b" },
        { "{'properties':{'\\u0061':false}}", "{'a':1}", NO, "/a" },
        { "{'properties':{'a':false}}", "{'\\u0061':1}", NO, "/a" },
        { "{'properties':{'a':{'type':'string'}}}", "{'a':'x','a':1}", NO, "/a" }, /* each of them must match */
        { "{'properties':{'a':false}}", "['a']", YES },
        { "{'properties':{'$ref':{'type':'string'}}}", "{'$ref':1}", NO, "/$ref" },
        { "{'patternProperties':{'^x-':{'type':'string'}}}", "{'x-a':'1','y-x-':1}", YES },
        { "{'patternProperties':{'^x-':{'type':'string'}}}", "{'x-a':1}", NO, "/x-a" },
        { "{'patternProperties':{'a':{'minimum':1},'b':{'maximum':3}}}", "{'ab':4}", NO, "/ab", "at most 3" },
        { "{'additionalProperties':false,'properties':{'a':{}},'patternProperties':{'^x':{}}}", "{'a':1,'xa':1}", YES },
        { "{'additionalProperties':false,'properties':{'a':{}},'patternProperties':{'^x':{}}}", "{'a':1,'b':1}", NO,
          "/b", "is not allowed" },
        { "{'additionalProperties':{'type':'null'}}", "{'a':null}", YES },
        { "{'additionalProperties':{'type':'null'}}", "{'a':1}", NO, "/a" },
        { "{'additionalProperties':false,'allOf':[{'properties':{'a':{}}}]}", "{'a':1}", NO, "/a" },
        { "{'propertyNames':{'maxLength':2}}", "{'ab':1}", YES },
        { "{'propertyNames':{'maxLength':2}}", "{'abc':1}", NO, "", "named \"abc\"" },
        { "{'propertyNames':false}", "{}", YES },
        { "{'propertyNames':{'const':'\\u0061'}}", "{'a':1}", YES },
        { "{" D4 "'propertyNames':false}", "{'a':1}", YES },
    };
    CHECK(rows);
}

/* ---- schemas of schemas ---- */

static void combinations(void **state)
{
    static const struct row rows[] = {
        { "{'allOf':[{'minimum':1},{'maximum':3}]}", "2", YES },
        { "{'allOf':[{'minimum':1},{'maximum':3}]}", "4", NO, "", "at most 3" },
        { "{'allOf':[]}", "1", YES },
        { "{'anyOf':[{'type':'string'},{'minimum':3}]}", "3", YES },
        { "{'anyOf':[{'type':'string'},{'minimum':3}]}", "2", NO, "", "none of the schemas of \"anyOf\"" },
        { "{'anyOf':[]}", "1", NO },
        { "{'oneOf':[{'type':'integer'},{'minimum':3}]}", "2", YES },
        { "{'oneOf':[{'type':'integer'},{'minimum':3}]}", "3", NO, "", "schemas 1 and 2 of \"oneOf\"" },
        { "{'oneOf':[{'type':'integer'},{'minimum':3}]}", "1.5", NO, "", "none" },
        { "{'not':{'type':'string'}}", "1", YES },
        { "{'not':{'type':'string'}}", "'x'", NO, "", "\"not\"" },
        { "{'not':{'not':{'type':'string'}}}", "'x'", YES },
        { "{'not':{}}", "1", NO },
        { "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}", "10", YES },
        { "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}", "8", NO, "", "multiple of 5" },
        { "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}", "3", NO, "", "multiple of 2" },
        { "{'if':false,'then':false}", "1", YES },
        { "{'if':true,'else':false}", "1", YES },
        { "{'then':false,'else':false}", "1", YES },
        { "{'if':false}", "1", YES },
        { "{" D6 "'if':true,'then':false}", "1", YES },
        { "{" D7 "'if':true,'then':false}", "1", NO },
        /* unusable stays unusable under `not`; after a matching alternative it is not reached */
        { "{'not':{'pattern':'('}}", "'x'", BAD },
        { "{'anyOf':[true,{'pattern':'('}]}", "'x'", YES },
        { "{'anyOf':[{'pattern':'('},true]}", "'x'", BAD },
    };
    CHECK(rows);
}

static void unevaluated(void **state)
{
    static const struct row rows[] = {
        { "{'unevaluatedProperties':false}", "{}", YES },
        { "{'unevaluatedProperties':false}", "{'a':1}", NO, "/a", "is not allowed" },
        { "{'unevaluatedProperties':{'type':'null'}}", "{'a':null}", YES },
        { "{'unevaluatedProperties':false}", "[1]", YES },
        { "{'properties':{'a':{}},'patternProperties':{'^x':{}},'unevaluatedProperties':false}", "{'a':1,'x1':1}",
          YES },
        { "{'additionalProperties':true,'unevaluatedProperties':false}", "{'a':1}", YES },
        { "{'allOf':[{'properties':{'a':{}}}],'unevaluatedProperties':false}", "{'a':1}", YES },
        { "{'allOf':[{'properties':{'a':{}}}],'unevaluatedProperties':false}", "{'a':1,'b':1}", NO, "/b" },
        { "{'$ref':'#/$defs/x','$defs':{'x':{'properties':{'a':{}}}},'unevaluatedProperties':false}", "{'a':1}", YES },
        { "{'anyOf':[{'properties':{'a':{'const':1}}},{'properties':{'b':{}}}],'unevaluatedProperties':false}",
          "{'a':1,'b':1}", YES },
        { "{'anyOf':[{'properties':{'a':{'const':1}}},{'properties':{'b':{}}}],'unevaluatedProperties':false}",
          "{'a':2,'b':1}", NO, "/a" },
        { "{'oneOf':[{'required':['a'],'properties':{'a':{}}},{'required':['b'],'properties':{'b':{}}}],'"
          "unevaluatedProperties':false}",
          "{'b':1}", YES },
        { "{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':{}}},'else':{'properties':"
          "{'c':{}}},'unevaluatedProperties':false}",
          "{'a':1,'b':1}", YES },
        { "{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':{}}},'else':{'properties':"
          "{'c':{}}},'unevaluatedProperties':false}",
          "{'c':1}", YES },
        { "{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':{}}},'else':{'properties':"
          "{'c':{}}},'unevaluatedProperties':false}",
          "{'a':2,'c':1}", NO, "/a" },
        { "{'if':{'properties':{'a':{}}},'unevaluatedProperties':false}", "{'a':1}", YES },
        { "{'not':{'not':{'properties':{'a':{}}}},'unevaluatedProperties':false}", "{'a':1}", NO, "/a" },
        { "{'dependentSchemas':{'a':{'properties':{'a':{},'b':{}}}},'unevaluatedProperties':false}", "{'a':1,'b':1}",
          YES },
        { "{'dependentSchemas':{'a':{'properties':{'a':{},'b':{}}}},'unevaluatedProperties':false}", "{'b':1}", NO },
        /* sibling schemas do not see each other; nested ones see their own */
        { "{'allOf':[{'properties':{'a':{}}},{'unevaluatedProperties':false}]}", "{'a':1}", NO, "/a" },
        { "{'allOf':[{'properties':{'a':{}},'unevaluatedProperties':{'type':'null'}}],'unevaluatedProperties':false}",
          "{'a':1,'b':null}", YES },
        { "{'properties':{'o':{'properties':{'a':{}},'unevaluatedProperties':false}},'unevaluatedProperties':false}",
          "{'o':{'b':1}}", NO, "/o/b" },
        { "{" D2019 "'allOf':[{'properties':{'a':{}}}],'unevaluatedProperties':false}", "{'a':1,'b':1}", NO },
        { "{" D7 "'unevaluatedProperties':false}", "{'a':1}", YES },
        { "{'unevaluatedItems':false}", "[]", YES },
        { "{'unevaluatedItems':false}", "[1]", NO, "/0" },
        { "{'unevaluatedItems':false}", "{'a':1}", YES },
        { "{'prefixItems':[{}],'unevaluatedItems':false}", "[1]", YES },
        { "{'prefixItems':[{}],'unevaluatedItems':false}", "[1,2]", NO, "/1" },
        { "{'items':{},'unevaluatedItems':false}", "[1,2]", YES },
        { "{'allOf':[{'prefixItems':[{},{}]}],'unevaluatedItems':{'type':'null'}}", "[1,2,null]", YES },
        { "{'contains':{'type':'string'},'unevaluatedItems':false}", "['a','b']", YES },
        { "{'contains':{'type':'string'},'unevaluatedItems':false}", "['a',1]", NO, "/1" },
        { "{" D2019 "'contains':{'type':'string'},'unevaluatedItems':false}", "['a']", NO, "/0" },
        { "{" D2019 "'items':[{}],'unevaluatedItems':false}", "[1,2]", NO, "/1" },
        { "{" D2019 "'items':[{}],'additionalItems':{},'unevaluatedItems':false}", "[1,2]", YES },
    };
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(equality),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(patterns_search_everywhere),
        cmocka_unit_test(arrays),
        cmocka_unit_test(objects),
        cmocka_unit_test(combinations),
        cmocka_unit_test(unevaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
