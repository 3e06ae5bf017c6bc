#include "unit.h"

#include "row.h"

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
        { "{" D7 "'$ref':'#/definitions/a','minimum':5,'definitions':{'a':{}}}", "1", YES }, /* siblings are ignored */
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
        { "{'$ref':'x','unknown':{'$id':'x'}}", "1", BAD }, /* not schemas */
        { "{" D7 "'definitions':{'x':{'$id':'y','$ref':'#/definitions/z'},'z':{'type':'null'}},'allOf':[{'$ref':'#/"
          "definitions/x'}]}",
          "1", NO },
        /* an embedded resource may be in another dialect */
        { "{'$ref':'x','$defs':{'x':{'$schema':'http://json-schema.org/draft-07/"
          "schema','$id':'x','items':[{'type':'null'}]}}}",
          "[1]", NO, "/0" },
        /* external references are named, not loaded */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(dynamic_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
