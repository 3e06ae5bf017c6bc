#include "unit.h"

#include "json/scan.h"
#include "schema/schema.h"

/* One check. Texts are written with ' for ", so that they can be read here. */
struct row {
    const char *schema, *value;
    enum mcti_schema_verdict verdict;
    const char *where; /* NULL: any */
    const char *why;   /* a part of it; NULL: any */
};

enum { TEXT = 4096 };

#include "quoted.h"

#define YES MCT_SCHEMA_VALID
#define NO MCT_SCHEMA_INVALID
#define BAD MCT_SCHEMA_UNUSABLE

#define D4 "'$schema':'http://json-schema.org/draft-04/schema#',"
#define D6 "'$schema':'http://json-schema.org/draft-06/schema#',"
#define D7 "'$schema':'http://json-schema.org/draft-07/schema#',"
#define D2019 "'$schema':'https://json-schema.org/draft/2019-09/schema',"

static void check_row(const struct row *r)
{
    char schema[TEXT], value[TEXT], why[TEXT];
    struct mcti_schema_fault f = { "untouched", "untouched" };
    enum mcti_schema_verdict v = mcti_schema_check(json(r->schema, schema), json(r->value, value), &f);
    if (v != r->verdict)
        fail_msg("verdict %d, not %d: %s on %s: [%s] %s", v, r->verdict, schema, value, f.where, f.why);
    if (v == MCT_SCHEMA_VALID)
        assert_string_equal(f.why, "untouched");
    if (r->where && strcmp(f.where, r->where) != 0)
        fail_msg("at [%s], not [%s]: %s on %s: %s", f.where, r->where, schema, value, f.why);
    if (r->why && !strstr(f.why, quoted(r->why, why)))
        fail_msg("says '%s', not '%s': %s on %s", f.why, r->why, schema, value);
}

#define CHECK(rows)                                                                                                    \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        for (size_t i_ = 0; i_ < sizeof rows / sizeof *rows; i_++)                                                     \
            check_row(&rows[i_]);                                                                                      \
    } while (0)

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
        { "{" D4 "'const':7}", "8", YES }, /* no keyword there */
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
        { "{'pattern':'^(?:(a)|b)\\\\1$'}", "'b'", YES }, /* a group that is not set matches nothing, and does */
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

/* A match that begins at any place is found, whatever window of places it is in. */
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
        { "{'properties':{'a':{'type':'string'}}}", "{'a':'x','a':1}", NO, "/a" }, /* each of them counts */
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
        /* what is unusable stays so under `not`, and behind an alternative that matches it is not met */
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
        /* cousins do not see each other; nested ones see their own */
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

/* ---- references ---- */

static void references(void **state)
{
    static const struct row rows[] = {
        { "{'properties':{'n':{'$ref':'#'}},'additionalProperties':false}", "{'n':{'n':{}}}", YES },
        { "{'properties':{'n':{'$ref':'#'}},'additionalProperties':false}", "{'n':{'n':{'x':1}}}", NO, "/n/n/x" },
        { "{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'type':'null'}}}", "1", NO },
        { "{'$ref':'#/$defs/a~1b~0%25%22','$defs':{'a/b~%\\'':{'type':'null'}}}", "1", NO, "", "must be null" },
        { "{'$ref':'#/allOf/1','allOf':[true,{'type':'null'}]}", "1", NO },
        { "{'$ref':'#/allOf/01','allOf':[true,true]}", "1", BAD },
        { "{'$ref':'#/$defs//x','$defs':{'':{'x':{'type':'null'}}}}", "1", NO },
        { "{'$ref':'#/anything/x','anything':{'x':{'type':'null'}}}", "1", NO },
        { "{'$ref':'#/$defs/a','minimum':5,'$defs':{'a':{}}}", "1", NO },
        { "{" D2019 "'$ref':'#/$defs/a','minimum':5,'$defs':{'a':{}}}", "1", NO },
        { "{" D7 "'$ref':'#/definitions/a','minimum':5,'definitions':{'a':{}}}", "1", YES }, /* has no siblings there */
        { "{" D4 "'$ref':'#/definitions/a','definitions':{'a':{'type':'null'}}}", "1", NO },
        { "{'$ref':'#a','$defs':{'x':{'$anchor':'a','type':'null'}}}", "1", NO },
        { "{" D7 "'$ref':'#a','definitions':{'x':{'$anchor':'a'}}}", "1", BAD },
        { "{" D7 "'$ref':'#a','definitions':{'x':{'$id':'#a','type':'null'}}}", "1", NO },
        { "{" D4 "'$ref':'#a','definitions':{'x':{'id':'#a','type':'null'}}}", "1", NO },
        { "{" D6 "'$ref':'#a','definitions':{'x':{'id':'#a','type':'null'}}}", "1", BAD },
        { "{'$id':'https://h/a/b.json','$ref':'c.json','$defs':{'x':{'$id':'/a/c.json','type':'null'}}}", "1", NO, "",
          "must be null" },
        { "{'$id':'https://h/a/b.json','$ref':'../d/./e.json#/$defs/y','$defs':{'x':{'$id':'//h/d/"
          "e.json','$defs':{'y':{'type':'null'}}}}}",
          "1", NO },
        { "{'$id':'https://h/a/b.json','$ref':'https://h/a/b.json#/$defs/x','$defs':{'x':{'type':'null'}}}", "1", NO },
        { "{'$id':'https://h','$ref':'x?q','$defs':{'x':{'$id':'https://h/x?q','type':'null'}}}", "1", NO },
        { "{'$ref':'x','$defs':{'x':{'$id':'x','type':'null'}}}", "1", NO },
        { "{'$id':'urn:u:1','$ref':'urn:u:2#a','$defs':{'x':{'$id':'urn:u:2','$defs':{'y':{'$anchor':'a','type':'null'}"
          "}}}}",
          "1", NO },
        /* an embedded resource is the base of what is in it, and has its own anchors */
        { "{'$ref':'x','$defs':{'x':{'$id':'x','$ref':'#/$defs/y','$defs':{'y':{'type':'null'}}},'y':true}}", "1", NO },
        { "{'$ref':'#a','$defs':{'x':{'$id':'x','$anchor':'a','type':'null'},'y':{'$anchor':'a'}}}", "1", YES },
        { "{'$ref':'#/$defs/x/$defs/y','$defs':{'x':{'$id':'x','$defs':{'y':{'$ref':'#/$defs/"
          "z'},'z':{'type':'null'}}},'z':true}}",
          "1", NO },
        { "{'const':{'$id':'x'},'$ref':'x'}", "{'$id':'x'}", BAD },
        { "{'$ref':'x','unknown':{'$id':'x'}}", "1", BAD }, /* no schemas */
        { "{" D7 "'definitions':{'x':{'$id':'y','$ref':'#/definitions/z'},'z':{'type':'null'}},'allOf':[{'$ref':'#/"
          "definitions/x'}]}",
          "1", NO },
        /* an embedded resource may be in another dialect */
        { "{'$ref':'x','$defs':{'x':{'$schema':'http://json-schema.org/draft-07/"
          "schema','$id':'x','items':[{'type':'null'}]}}}",
          "[1]", NO, "/0" },
        /* what leaves the document is named, not fetched */
        { "{'$ref':'https://example.org/s.json'}", "1", BAD, "", "https://example.org/s.json" },
        { "{'$ref':'other.json#/x'}", "1", BAD, "", "other.json" },
        { "{'properties':{'a':{'$ref':'#/$defs/none'}}}", "{'a':1}", BAD, "/a", "#/$defs/none" },
        { "{'properties':{'a':{'$ref':'#/$defs/none'}}}", "{}", YES },
        { "{'$ref':'#none'}", "1", BAD, "", "#none" },
        { "{'$ref':'#/$defs/a','$defs':{'a':7}}", "1", BAD },
        { "{'$ref':'#a%5C'}", "1", BAD },
        { "{'$ref':'file:///etc/passwd'}", "1", BAD },
        { "{'$ref':'#/%'}", "1", BAD },
        { "{'$ref':'#/%2'}", "1", BAD },
        { "{'$ref':'#/~'}", "1", BAD },
        /* loops */
        { "{'$ref':'#'}", "1", BAD, "", "refers to itself" },
        { "{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/a'}}}", "1", BAD },
        { "{'not':{'$ref':'#'}}", "1", BAD },
        { "{'anyOf':[{'$ref':'#'},true]}", "1", BAD },
        { "{'$dynamicRef':'#'}", "1", BAD },
        { "{" D2019 "'$recursiveRef':'#'}", "1", BAD },
    };
    CHECK(rows);
}

static void dynamic_references(void **state)
{
#define TREE(root)                                                                                                     \
    "{'$id':'https://h/" root                                                                                          \
    "','$dynamicAnchor':'node','$ref':'tree','unevaluatedProperties':false,'$defs':{'t':{'$id':'tree',"                \
    "'$dynamicAnchor':'node','properties':{'data':true,'sub':{'items':{'$dynamicRef':'#node'}}}}}}"
#define OLD_TREE(flag)                                                                                                 \
    "{" D2019                                                                                                          \
    "'$id':'https://h/strict','$recursiveAnchor':true,'$ref':'tree','unevaluatedProperties':false,'$defs':{'t':{"      \
    "'$id':'tree','$recursiveAnchor':" flag ",'properties':{'data':true,'sub':{'items':{'$recursiveRef':'#'}}}}}}"
    static const struct row rows[] = {
        { TREE("strict"), "{'sub':[{'data':1}]}", YES },
        { TREE("strict"), "{'sub':[{'daat':1}]}", NO, "/sub/0/daat" },
        { "{'$dynamicRef':'#a','$defs':{'x':{'$anchor':'a','type':'null'}}}", "1", NO },
        { "{'$dynamicRef':'#/$defs/x','$defs':{'x':{'type':'null'}}}", "1", NO },
        { "{'$ref':'#a','$defs':{'x':{'$dynamicAnchor':'a','type':'null'}}}", "1", NO },
        { "{" D2019 "'$dynamicRef':'#/$defs/x','$defs':{'x':false}}", "1", YES },
        { "{'$dynamicRef':'#none'}", "1", BAD },
        { OLD_TREE("true"), "{'sub':[{'data':1}]}", YES },
        { OLD_TREE("true"), "{'sub':[{'daat':1}]}", NO, "/sub/0/daat" },
        { OLD_TREE("false"), "{'sub':[{'daat':1}]}", YES },
        { "{" D2019 "'properties':{'n':{'$recursiveRef':'#'}},'additionalProperties':false}", "{'n':{'x':1}}", NO,
          "/n/x" },
        { "{" D2019 "'$recursiveRef':'#x'}", "1", BAD },
        { "{'$recursiveRef':'#x'}", "1", YES },
    };
    CHECK(rows);
}

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
        { "{'$defs':{'a':{'minLength':'x'}}}", "1", BAD }, /* wherever it stands */
        { "{'unknown':{'minLength':'x'},'default':{'type':7},'examples':1,'title':3}", "1", YES },
    };
    CHECK(rows);
}

/* ---- ceilings ---- */

static enum mcti_schema_verdict check_bufs(struct mcti_buf *schema, struct mcti_buf *value, struct mcti_schema_fault *f)
{
    assert_true(mcti_buf_ok(schema) && mcti_buf_ok(value));
    enum mcti_schema_verdict v = mcti_schema_check(mcti_buf_str(schema), mcti_buf_str(value), f);
    mcti_buf_done(schema);
    mcti_buf_done(value);
    return v;
}

static void add_times(struct mcti_buf *to, const char *text, int n)
{
    while (n--)
        mcti_buf_addz(to, text);
}

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

/* Distinct items cost time that grows with their number, not with its square. */
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
        cmocka_unit_test(types),
        cmocka_unit_test(equality),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(patterns_search_everywhere),
        cmocka_unit_test(arrays),
        cmocka_unit_test(objects),
        cmocka_unit_test(combinations),
        cmocka_unit_test(unevaluated),
        cmocka_unit_test(references),
        cmocka_unit_test(dynamic_references),
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
