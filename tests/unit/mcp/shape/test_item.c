#include "unit.h"

#include "types.h"
#include "official.h"
#include "mcp/shape/shape.h"
#include "mcp/http/headers.h"

struct item_row {
    enum mcti_kind kind;
    enum mcti_rev from, to;
    const char *in, *out; /* NULL: unchanged */
    const char *name;
    bool odd;
};

static void check_items(const struct item_row *rows, size_t n)
{
    char in[TEXT], name[TEXT];
    struct mcti_buf b;
    for (size_t i = 0; i < n; i++) {
        const struct item_row *r = &rows[i];
        mcti_buf_init(&b, TEXT);
        mcti_shape_item(&b, r->kind, json(r->in, in), json(r->name, name), r->from, r->to);
        must_be(&b, r->out ? r->out : r->in, in);
        if (!r->odd)
            must_be_official(r->to, item_types[r->kind], mcti_buf_str(&b));
        mcti_buf_done(&b);
    }
}

static void items_lose_what_is_not_known(void **state)
{
    static const char tool[] = "{'name':'n', 'title':'T','icons':[],'annotations':{'title':'A'}, " IN
                               ",'outputSchema':{'type':'object'},'execution':{'taskSupport':'optional'},'_meta':{},"
                               "'x':1}";
    static const struct item_row rows[] = {
        { MCT_TOOL, R4, R4, tool,
          "{'name':'n', 'title':'T','icons':[],'annotations':{'title':'A'}, " IN
          ",'outputSchema':{'type':'object'},'_meta':{},'x':1}" },
        { MCT_TOOL, R4, R4, "{'name':'n'," IN ",'execution':{'taskSupport':'forbidden'}}" },
        { MCT_TOOL, R1, R1, tool },
        { MCT_TOOL, R5, R5, tool },
        { MCT_TOOL, R3, R4, tool,
          "{'name':'n', 'title':'T','icons':[],'annotations':{'title':'A'}, " IN
          ",'outputSchema':{'type':'object'},'_meta':{},'x':1}" },
        { MCT_TOOL, R4, R5, tool,
          "{'name':'n', 'title':'T','icons':[],'annotations':{'title':'A'}, " IN
          ",'outputSchema':{'type':'object'},'_meta':{},'x':1}" },
        { MCT_TOOL, R4, R3, tool,
          "{'name':'n', 'title':'T','annotations':{'title':'A'}, " IN
          ",'outputSchema':{'type':'object'},'_meta':{},'x':1}" },
        { MCT_TOOL, R5, R2, tool, "{'name':'n','annotations':{'title':'A'}, " IN ",'x':1}" },
        { MCT_TOOL, R4, R1, tool, "{'name':'n', " IN ",'x':1}" },
        { MCT_TOOL, R4, R1, "{'titl\\u0065':'T','na\\u006de':'n'," IN "}", "{'na\\u006de':'n'," IN "}" },
        { MCT_TOOL, R4, R1, "{ }", NULL, .odd = true },
        { MCT_TOOL, R4, R1, "{ 'title' : 1 }", "{ }", .odd = true },
        { MCT_RESOURCE, R4, R3, "{'uri':'x:y','name':'n','icons':[],'annotations':{},'size':1}",
          "{'uri':'x:y','name':'n','annotations':{},'size':1}" },
        { MCT_RESOURCE, R4, R2, "{'title':'T','uri':'x:y','_meta':{},'name':'n'}", "{'uri':'x:y','name':'n'}" },
        { MCT_TEMPLATE, R5, R1, "{'title':'T','uriTemplate':'x:{y}','_meta':{},'name':'n','icons':[],'annotations':{}}",
          "{'uriTemplate':'x:{y}','name':'n','annotations':{}}" },
        { MCT_PROMPT, R4, R3, "{'name':'n','icons':[],'arguments':[{'name':'a','title':'A'}]}",
          "{'name':'n','arguments':[{'name':'a','title':'A'}]}" },
        { MCT_PROMPT, R4, R2, "{'name':'n','arguments':[ {'name':'a','title':'A','required':true}, {'name':'b'} ]}",
          "{'name':'n','arguments':[ {'name':'a','required':true}, {'name':'b'} ]}" },
        { MCT_PROMPT, R4, R2, "{'name':'n','arguments':null}", NULL, .odd = true },
    };
    (void)state;
    check_items(rows, N_OF(rows));
}

static void items_get_their_exposed_name(void **state)
{
    static const struct item_row rows[] = {
        { MCT_TOOL, R4, R4, "{ 'name' : 'n','title':'T'," IN " }", "{ 'name' : 's__n','title':'T'," IN " }", "'s__n'" },
        { MCT_TOOL, R5, R5, "{ 'name' : 'n'," IN " }", "{ 'name' : 's__n'," IN " }", "'s__n'" },
        { MCT_TOOL, R5, R2, "{'title':'T','name':'n'," IN "}", "{'name':'s__n'," IN "}", "'s__n'" },
        { MCT_PROMPT, R1, R1, "{'name':'n','title':'T'}", "{'name':'s__n','title':'T'}", "'s__n'" },
        { MCT_PROMPT, R4, R1, "{'name':'n','arguments':[{'name':'a'}]}", "{'name':'s__n','arguments':[{'name':'a'}]}",
          "'s__n'" },
    };
    (void)state;
    check_items(rows, N_OF(rows));
}

#define WRAP_IN(dialect, s)                                                                                            \
    "{'$schema':'" dialect "','type':'object','properties':{'result':" s "},'required':['result']}"

#define TO "#/properties/result"

static void output_schemas_are_wrapped(void **state)
{
    static const char *const rows[][2] = {
        { "{'type':'array'}", WRAP("{'type':'array'}") },
        { "{ }", WRAP("{ }") },
        { "{'type':['object']}", WRAP("{'type':['object']}") },
        { "{'$defs':{'x':{'$ref':'#'}},'$ref':'#/$defs/x'}", WRAP("{'$defs':{'x':{'$ref':'" TO "'}},"
                                                                  "'$ref':'" TO "/$defs/x'}") },
        { "{'items':[{'$ref':'#/definitions/a~1b'},{'$ref':''},{'$ref':'\\u0023\\/x'},{'$ref':'#%2Fx'}]}",
          WRAP("{'items':[{'$ref':'" TO "/definitions/a~1b'},{'$ref':'" TO "'},"
               "{'$ref':'\\u0023/properties/result\\/x'},"
               "{'$ref':'" TO "%2Fx'}]}") },
        { "{'$dynamicRef':'#/x','anyOf':[{'$r\\u0065f':'#'}]}",
          WRAP("{'$dynamicRef':'" TO "/x','anyOf':[{'$r\\u0065f':'" TO "'}]}") },
        /* names and references to elsewhere are unchanged */
        { "{'$ref':'#name','allOf':[{'$anchor':'name'},{'$ref':'other#/x'},{'$dynamicRef':'#n'}]}",
          WRAP("{'$ref':'#name','allOf':[{'$anchor':'name'},{'$ref':'other#/x'},{'$dynamicRef':'#n'}]}") },
        /* a property that is called $ref, and data that looks like a schema */
        { "{'properties':{'$ref':{'$ref':'#/a'},'enum':{'$ref':'#/b'}},'required':['$ref']}",
          WRAP("{'properties':{'$ref':{'$ref':'" TO "/a'},'enum':{'$ref':'" TO "/b'}},'required':['$ref']}") },
        { "{'enum':[{'$ref':'#/a'}],'const':{'$ref':'#'},'default':{'$ref':'#'},'examples':[{'$ref':'#'}],"
          "'x':{'$ref':'#'}}",
          WRAP("{'enum':[{'$ref':'#/a'}],'const':{'$ref':'#'},'default':{'$ref':'#'},'examples':[{'$ref':'#'}],"
               "'x':{'$ref':'" TO "'}}") },
        { "{'dependencies':{'$ref':['a'],'enum':{'$ref':'#'}},'dependentSchemas':{'const':{'$ref':'#'}}}",
          WRAP("{'dependencies':{'$ref':['a'],'enum':{'$ref':'" TO "'}},"
               "'dependentSchemas':{'const':{'$ref':'" TO "'}}}") },
        { "{'patternProperties':{'default':{'$ref':'#'}},'definitions':{'examples':{'$ref':'#'}}}",
          WRAP("{'patternProperties':{'default':{'$ref':'" TO "'}},'definitions':{'examples':{'$ref':'" TO "'}}}") },
        { "{'$ref':{'$ref':'#'},'$defs':{'$id':{'$ref':'#'}}}",
          WRAP("{'$ref':{'$ref':'" TO "'},'$defs':{'$id':{'$ref':'" TO "'}}}") },
        /* documents in the document */
        { "{'$id':'https://a/b','$ref':'#/$defs/x','$schema':'https://json-schema.org/draft/2020-12/schema'}",
          WRAP_IN("https://json-schema.org/draft/2020-12/schema",
                  "{'$id':'https://a/b','$ref':'#/$defs/x',"
                  "'$schema':'https://json-schema.org/draft/2020-12/schema'}") },
        { "{'not':{'$ref':'#','items':{'$ref':'#'},'$id':'x'},'if':{'$ref':'#'}}",
          WRAP("{'not':{'$ref':'#','items':{'$ref':'#'},'$id':'x'},'if':{'$ref':'" TO "'}}") },
        { "{'if':{'$ref':'#'},'not':{'not':{'$id':'x','$ref':'#'},'$ref':'#','properties':{'$id':{'$ref':'#'}}}}",
          WRAP("{'if':{'$ref':'" TO "'},'not':{'not':{'$id':'x','$ref':'#'},'$ref':'" TO
               "','properties':{'$id':{'$ref':'" TO "'}}}}") },
        { "{'$id':'#a','$ref':'#/x'}", WRAP("{'$id':'#a','$ref':'" TO "/x'}") },
        /* dialects */
        { "{'$schema':'http://json-schema.org/draft-07/schema#', 'type':'null'}",
          WRAP_IN("http://json-schema.org/draft-07/schema#", "{'type':'null'}") },
        { "{'$schema':'http://json-schema.org/draft-04/schema#','not':{'$ref':'#','id':'x'}}",
          WRAP_IN("http://json-schema.org/draft-04/schema#", "{'not':{'$ref':'#','id':'x'}}") },
        { "{'not':{'$ref':'#','id':'x'}}", WRAP("{'not':{'$ref':'" TO "','id':'x'}}") },
        { "{'items':{'$recursiveRef':'#'},'$schema':'https://json-schema.org/draft/2019-09/schema'}",
          WRAP_IN("https://json-schema.org/draft/2019-09/schema", "{'items':{'$ref':'" TO "'}}") },
        { "{'items':{'$recursiveRef':'#'}}", WRAP("{'items':{'$recursiveRef':'#'}}") },
        /* white space, numbers and unknown members are unchanged */
        { "{ 'maximum' : 1.0e400 ,\n 'x-y' : [ 1 , {'$ref' : '#' } ] }",
          WRAP("{ 'maximum' : 1.0e400 ,\n 'x-y' : [ 1 , {'$ref' : '" TO "' } ] }") },
        { "{'type':'object','properties':{'a':true}}", "{'type':'object','properties':{'a':{}}}" },
        { "{'type':'object','$ref':'#/$defs/x'}", "{'type':'object','$ref':'#/$defs/x'}" },
    };
    char in[TEXT], out[TEXT];
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        for (int to = R3; to <= R4; to++) {
            snprintf(in, sizeof in, TOOL("%s"), rows[i][0]);
            snprintf(out, sizeof out, TOOL("%s"), rows[i][1]);
            const struct item_row row = { MCT_TOOL, R5, (enum mcti_rev)to, in, out };
            check_items(&row, 1);
        }
}

static void schemas_stay_between_handshake_revisions(void **state)
{
    static const struct item_row rows[] = {
        { MCT_TOOL, R4, R3, TOOL("{'type':'array'}"), .odd = true },
        { MCT_TOOL, R4, R5, TOOL("{'type':'array'}") },
        { MCT_TOOL, R5, R4, TOOL("true"), .odd = true },
        { MCT_TOOL, R4, R3, "{'name':'n','inputSchema':{'type':'object','properties':{'a':true}}}", .odd = true },
        { MCT_TOOL, R5, R4,
          "{'name':'n','inputSchema':{'type':'object','properties':{ 'a':true,'b': false,"
          "'c':{'not':true}}}}",
          "{'name':'n','inputSchema':{'type':'object','properties':{ 'a':{},'b': {'not':{}},'c':{'not':true}}}}" },
        { MCT_TOOL, R5, R1,
          "{'name':'n','inputSchema':{'type':'object',"
          "'properties':{'properties':{'properties':{'a':true}}}}}" },
    };
    (void)state;
    check_items(rows, N_OF(rows));
}

/* A value matches the wrapped schema if and only if it matched before. */
static void wrapped_schemas_mean_the_same(void **state)
{
    static const char *const values[] = { "1",
                                          "'x'",
                                          "[]",
                                          "[1]",
                                          "[['x']]",
                                          "[[1],[[2]]]",
                                          "{'next':{'next':null}}",
                                          "{'next':{'next':1}}",
                                          "{'$ref':'#'}",
                                          "{'$ref':1}",
                                          "null" };
    static const char *const schemas[] = {
        "{'type':'array','items':{'$ref':'#'}}",
        "{'anyOf':[{'type':'integer'},{'type':'array','items':{'$ref':'#'}}]}",
        "{'$ref':'#/$defs/list','$defs':{'list':{'anyOf':[{'type':'null'},{'type':'object','properties':{'next':"
        "{'$ref':'#/$defs/list'}},'required':['next']}]}}}",
        "{'$schema':'http://json-schema.org/draft-07/schema#','$ref':'#/definitions/a','definitions':{'a':{'items':"
        "{'$ref':'#/definitions/b'}},'b':{'type':'array'}}}",
        "{'properties':{'$ref':{'$ref':'#/$defs/s'}},'$defs':{'s':{'type':'string'}}}",
        "{'enum':[{'$ref':'#'},1]}",
        "{'const':{'$ref':'#'}}",
        "{'$dynamicAnchor':'n','type':['array','integer'],'items':{'$dynamicRef':'#n'}}",
        "{'$anchor':'n','type':['array','integer'],'items':{'$ref':'#n'}}",
        "{'items':{'$ref':'#/components/x'},'components':{'x':{'$ref':'#/components/y'},'y':{'type':'array'}}}",
        "{'$id':'https://a/b','type':['array','integer'],'items':{'$ref':'#'}}",
        "{'items':{'$id':'https://a/c','type':['array','integer'],'items':{'$ref':'#'}},'type':'array'}",
        "{'$schema':'https://json-schema.org/draft/2019-09/schema','type':['array','integer'],"
        "'items':{'$recursiveRef':'#'}}",
        "{'type':['array','integer'],'items':{'$dynamicRef':'#'}}",
        "{'items':{'$ref':'#/%24defs/a~1b'},'$defs':{'a/b':{'type':'array'}}}",
    };
    char text[TEXT], schema[TEXT], value[TEXT], wrapped_value[TEXT];
    unsigned n_valid = 0, n_invalid = 0;
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < N_OF(schemas); i++) {
        mcti_buf_init(&b, TEXT);
        snprintf(text, sizeof text, TOOL("%s"), schemas[i]);
        mcti_shape_item(&b, MCT_TOOL, json(text, schema), MCT_STR_NONE, R5, R4);
        struct mcti_str wrapped = mcti_json_get(mcti_buf_str(&b), "outputSchema");
        for (size_t k = 0; k < N_OF(values); k++) {
            snprintf(text, sizeof text, "{'result':%s}", values[k]);
            enum mcti_schema_verdict before = mcti_schema_check(json(schemas[i], schema), json(values[k], value), NULL);
            enum mcti_schema_verdict after = mcti_schema_check(wrapped, json(text, wrapped_value), NULL);
            if (before != after || before == MCT_SCHEMA_UNUSABLE)
                fail_msg("%s: %d, then %d: %.*s", value, before, after, MCT_STR_ARG(wrapped));
            n_valid += before == MCT_SCHEMA_VALID;
            n_invalid += before == MCT_SCHEMA_INVALID;
        }
        mcti_buf_done(&b);
    }
    assert_true(n_valid > 20 && n_invalid > 20);
}

static void deep_schemas_are_walked_once(void **state)
{
    enum { DEPTH = 200 };
    struct mcti_buf in, out;
    (void)state;
    mcti_buf_init(&in, 1u << 16);
    mcti_buf_init(&out, 1u << 16);
    mcti_buf_addz(&in, "{\"name\":\"n\",\"outputSchema\":");
    for (int i = 0; i < DEPTH; i++)
        mcti_buf_addz(&in, "{\"not\":[");
    mcti_buf_addz(&in, "{\"$ref\":\"#\"}");
    for (int i = 0; i < DEPTH; i++)
        mcti_buf_addz(&in, "]}");
    mcti_buf_addz(&in, "}");
    assert_true(mcti_json_valid(mcti_buf_str(&in), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    mcti_shape_item(&out, MCT_TOOL, mcti_buf_str(&in), MCT_STR_NONE, R5, R4);
    assert_true(mcti_json_valid(mcti_buf_str(&out), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    assert_non_null(memmem(out.p, out.len, "{\"$ref\":\"#/properties/result\"}]}", 31));
    mcti_buf_done(&in);
    mcti_buf_done(&out);
}

#define HEADERS(properties) "{'name':'n','inputSchema':{'type':'object','properties':{" properties "}}}"
#define H(name) "'x-mcp-header':'" name "'"

static void bad_headers_are_left_out(void **state)
{
    static const struct item_row rows[] = {
        { MCT_TOOL, R4, R5, HEADERS("'a':{'type':'string'," H("A") "}") },
        { MCT_TOOL, R5, R5, HEADERS("'a':{'type':'string'," H("A") "}") },
        { MCT_TOOL, R4, R5, HEADERS("'a':{" H("A B") ",'type':'string'},'b':{'type':'integer'," H("B") "}"),
          HEADERS("'a':{'type':'string'},'b':{'type':'integer'," H("B") "}") },
        { MCT_TOOL, R5, R5, HEADERS("'a':{'type':'number', " H("A") "}"), HEADERS("'a':{'type':'number'}") },
        { MCT_TOOL, R4, R5, HEADERS("'a':{'type':'string'," H("A") "},'b':{'type':'string'," H("a") "}"),
          HEADERS("'a':{'type':'string'," H("A") "},'b':{'type':'string'}") },
        { MCT_TOOL, R4, R5, HEADERS("'a':{'type':'object'," H("A") ",'properties':{'b':{'type':'string'," H("B") "}}}"),
          HEADERS("'a':{'type':'object','properties':{'b':{'type':'string'," H("B") "}}}") },
        { MCT_TOOL, R4, R5,
          HEADERS("'a':{'items':{'type':'string'," H("A") "},'anyOf':[{" H("B") "},"
                                                                                "{'type':'string'}]}"),
          HEADERS("'a':{'items':{'type':'string'},'anyOf':[{},{'type':'string'}]}") },
        { MCT_TOOL, R4, R5, "{'name':'n','inputSchema':{" H("A") ",'type':'object'}}",
          "{'name':'n','inputSchema':{'type':'object'}}" },
        { MCT_TOOL, R4, R5, "{'name':'n','inputSchema':{'type':'string'," H("A") "}}",
          "{'name':'n','inputSchema':{'type':'string'}}", .odd = true },
        /* no annotations, though they look like it */
        { MCT_TOOL, R4, R5, HEADERS("'x-mcp-header':{'type':'string'},'a':{'default':{" H(" ") "}}") },
        /* for handshake clients it is an ordinary member */
        { MCT_TOOL, R5, R4, HEADERS("'a':{'type':'number'," H("A") "}") },
    };
    char text[TEXT];
    struct mcti_buf b;
    (void)state;
    check_items(rows, N_OF(rows));
    for (size_t i = 0; i + 1 < N_OF(rows); i++) {
        mcti_buf_init(&b, TEXT);
        mcti_shape_item(&b, MCT_TOOL, json(rows[i].in, text), MCT_STR_NONE, R4, R5);
        assert_int_equal(mcti_param_headers_check(mcti_buf_str(&b), NULL), 0);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_lose_what_is_not_known),  cmocka_unit_test(items_get_their_exposed_name),
        cmocka_unit_test(output_schemas_are_wrapped),    cmocka_unit_test(schemas_stay_between_handshake_revisions),
        cmocka_unit_test(wrapped_schemas_mean_the_same), cmocka_unit_test(deep_schemas_are_walked_once),
        cmocka_unit_test(bad_headers_are_left_out),
    };
    return cmocka_run_group_tests_name("item", tests, read_schemas, forget_schemas);
}
