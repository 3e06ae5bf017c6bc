#include "unit.h"

#include "types.h"
#include "official.h"
#include "mcp/shape/shape.h"

struct result_row {
    enum mcti_verb verb;
    enum mcti_rev from, to;
    const char *in, *out; /* NULL: unchanged */
    const char *output_schema;
    bool odd; /* the server violates its revision */
};

static void check_results(const struct result_row *rows, size_t n)
{
    char in[TEXT], schema[TEXT];
    struct mcti_buf b;
    for (size_t i = 0; i < n; i++) {
        const struct result_row *r = &rows[i];
        mcti_buf_init(&b, TEXT);
        mcti_shape_result(&b, r->verb, json(r->in, in), r->from, r->to, json(r->output_schema, schema));
        must_be(&b, r->out ? r->out : r->in, in);
        if (!r->odd)
            must_be_official(r->to, result_type(r->verb), mcti_buf_str(&b));
        mcti_buf_done(&b);
    }
}

#define INFO "'io.modelcontextprotocol/serverInfo':{'name':'mcptools','version':'" MCT_VERSION "'}"
#define DONE "'resultType':'complete'"

static void results_of_one_era_get_a_type(void **state)
{
    static const struct result_row rows[] = {
        { CALL, R5, R5, "{'content':[]}", "{'content':[]," DONE "}" },
        { CALL, R5, R5, "{ }", "{" DONE " }", .odd = true },
        { READ, R5, R5, "{'contents':[],'ttlMs':0,'cacheScope':'private'}",
          "{'contents':[],'ttlMs':0,'cacheScope':'private'," DONE "}" },
        { CALL, R5, R5, "{'resultType':'complete','content':[]}", NULL },
        { CALL, R5, R5, "{'content' : [ ] , 'resultType' : 'complete' }", NULL },
        { CALL, R5, R5, "{'resultType':'input_required','requestState':'s'}", NULL, .odd = true },
        { CALL, R5, R5, "{'content':[],'resultType':'task'}", NULL, .odd = true },
        { CALL, R4, R4, "{'content':[]}", NULL },
    };
    (void)state;
    check_results(rows, sizeof rows / sizeof *rows);
}

static void results_change_with_the_era(void **state)
{
    static const struct result_row rows[] = {
        { CALL, R4, R5, "{'content':[]}", "{'content':[]," DONE ",'_meta':{" INFO "}}" },
        { CALL, R4, R5, "{'content':[1.0]}", "{'content':[1.0]," DONE ",'_meta':{" INFO "}}", .odd = true },
        { CALL, R1, R5, "{ }", "{" DONE ",'_meta':{" INFO "} }", .odd = true },
        { CALL, R4, R5, "{ 'content' : [ ] , '_meta':{ } }", "{ 'content' : [ ] , '_meta':{" INFO " }," DONE " }" },
        { CALL, R4, R5, "{'content':[],'resultType':'x','ttlMs':-1}", "{'content':[]," DONE ",'_meta':{" INFO "}}" },
        { CALL, R4, R5, "{'resultType':'x','content':[]}", "{'content':[]," DONE ",'_meta':{" INFO "}}" },
        { CALL, R4, R5, "{'content':[],'_meta':null}", "{'content':[],'_meta':{" INFO "}," DONE "}" },
        { READ, R4, R5, "{'contents':[],'_meta':{'k':1}}",
          "{'contents':[],'_meta':{'k':1," INFO "}," DONE ",'ttlMs':0,'cacheScope':'private'}" },
        { READ, R3, R5, "{'contents':[],'ttlMs':'x','_meta':{" INFO ",'k':1}}",
          "{'contents':[],'_meta':{'k':1," INFO "}," DONE ",'ttlMs':0,'cacheScope':'private'}" },
        { READ, R5, R4, "{" DONE ",'contents':[],'ttlMs':5,'cacheScope':'public','_meta':{" INFO "}}",
          "{'contents':[]}" },
        { READ, R5, R1, "{'_meta':{" INFO ",'k':[]}, " DONE ",'x':1, 'contents':[] }",
          "{'_meta':{'k':[]},'x':1, 'contents':[] }" },
        { READ, R5, R4, "{" DONE ",'ttl\\u004ds':5,'contents':[],'_met\\u0061':{}}",
          "{'contents':[],'_met\\u0061':{}}" },
        { MCT_VERB_COMPLETE, R5, R3, "{'completion':{'values':[]}," DONE "}", "{'completion':{'values':[]}}" },
        { MCT_VERB_COMPLETE, R3, R5, "{'completion':{'values':[]}}",
          "{'completion':{'values':[]}," DONE ",'_meta':{" INFO "}}" },
    };
    (void)state;
    check_results(rows, N_OF(rows));
    assert_false(mcti_shape_is_complete(MCT_STR("{\"resultType\":\"input_required\"}")));
    assert_true(mcti_shape_is_complete(MCT_STR("{}")));
}

#define ALL                                                                                                            \
    "{'content':[{'type':'text','text':'t','x':1},{'type':'audio','mimeType':'audio/wav','data':'AA=='},"              \
    "{'type':'resource_link','name':'n','uri':'x://y','icons':[{'src':'https://a/b'}]}],"                              \
    "'structuredContent':{'a':1.0},'isError':false}"

#define ODDITIES "{ 'content': [ {'type':'audio'} ],'resultType':1,'structuredContent':5,'_meta':{}, 'x':1e400 }"

static void what_does_not_differ_is_copied(void **state)
{
    static const struct result_row rows[] = {
        { CALL, R1, R1, ODDITIES, .odd = true },
        { CALL, R5, R5, ODDITIES, .odd = true },
        { CALL, R3, R3, ODDITIES, .odd = true },
        { CALL, R2, R4, ODDITIES, .odd = true },
        { CALL, R3, R4, ALL },
        { CALL, R1, R4, ALL },
        { CALL, R4, R3, "{ 'content':[ {'type':'text','text':'resource_link'} ],'ttlMs':0, 'structuredContent':{} }" },
        { CALL, R4, R3, "{ 'content':[ {'type':'resource_link', 'name':'n','uri':'x://y'} ] }" },
        { CALL, R3, R1, "{ 'content':[ {'type':'text','text':'t','_meta':{}} ] ,'resultType':1}" },
        { CALL, R4, R2, "{ 'content':[ {'type':'audio','mimeType':'a/b','data':'AA=='} ] ,'_meta' : { } }" },
        { CALL, R5, R4, "{ 'content' : [ ] , '_meta' : { } }" },
        { READ, R4, R1, ODDITIES, .odd = true },
        { PROMPT, R4, R3, "{ 'messages':[{'role':'user','content':{'type':'text','text':'t'}}] }" },
    };
    (void)state;
    check_results(rows, N_OF(rows));
}

static void structured_content_goes_down(void **state)
{
    static const struct result_row rows[] = {
        { CALL, R5, R4, "{'content':[],'structuredContent':[1, 2],'resultType':'complete'}",
          "{'content':[],'structuredContent':{'result':[1, 2]}}" },
        { CALL, R5, R3, "{'content':[],'structuredContent' : null }",
          "{'content':[],'structuredContent' : {'result':null} }" },
        { CALL, R5, R4, "{'content':[],'structuredContent':{'a':1}}", NULL, "{'type':'object'}" },
        { CALL, R5, R4, "{'content':[],'structuredContent':{'a':1}}", NULL },
        { CALL, R5, R4, "{'content':[],'structuredContent':{'a':1}}",
          "{'content':[],'structuredContent':{'result':{'a':1}}}", "{'anyOf':[{'type':'object'},{'type':'null'}]}" },
        { CALL, R5, R4, "{'content':[],'structuredContent':{}}", "{'content':[],'structuredContent':{'result':{}}}",
          "{'type':['object']}" },
        { CALL, R4, R3, "{'content':[],'structuredContent':{'a':1}}", NULL, "{}" },
        /* before 2025-06-18 */
        { CALL, R5, R2, "{'content':[{'type':'text','text':'t'}],'structuredContent':7,'isError':true}",
          "{'content':[{'type':'text','text':'t'}],'isError':true}" },
        { CALL, R3, R1, "{'structuredContent':{'a':'b'},'content':[]}",
          "{'content':[{'type':'text','text':'{\\'a\\':\\'b\\'}'}]}" },
        { CALL, R3, R2, "{'structuredContent':[]}", "{'content':[{'type':'text','text':'[]'}]}" },
        { CALL, R5, R2, "{'isError':false,'structuredContent':1}",
          "{'isError':false,'content':[{'type':'text','text':'1'}]}" },
    };
    (void)state;
    check_results(rows, N_OF(rows));
}

static void content_goes_down(void **state)
{
    static const struct result_row rows[] = {
        { CALL, R4, R3, "{'content':[{'type':'resource_link','icons':[],'name':'n','uri':'x://y'}]}",
          "{'content':[{'type':'resource_link','name':'n','uri':'x://y'}]}" },
        { CALL, R3, R2, "{'content':[{'type':'resource_link','name':'n','uri':'x://y'}]}",
          "{'content':[{'type':'text','text':'[n] x://y'}]}" },
        { CALL, R3, R1,
          "{'content':[ {'uri':'x://\\u00e9','type':'resource\\u005flink','title':'T\\n','name':'n','size':1,"
          "'mimeType':'a/b','description':'it\\'s','annotations':{'priority':1},'_meta':{'k':1}} , 5]}",
          "{'content':[ {'type':'text','text':'[T\\n] x://\\u00e9\\nit\\'s','annotations':{'priority':1},"
          "'_meta':{'k':1}} , 5]}",
          .odd = true },
        { CALL, R3, R2, "{'content':[{'type':'resource_link'}]}", NULL, .odd = true },
        { CALL, R2, R1,
          "{'content':[{'type':'audio','data':'AA==','mimeType':'audio/wav','x':[]},"
          "{'mimeType':'audio/ogg','data':'','type':'audio'}]}",
          "{'content':[{'type':'resource','resource':{'uri':'urn:mcptools:audio:1','mimeType':'audio/wav',"
          "'blob':'AA=='},'x':[]},{'type':'resource','resource':{'uri':'urn:mcptools:audio:2',"
          "'mimeType':'audio/ogg','blob':''}}]}" },
        { CALL, R2, R1, "{'content':[{'type':'audio','data':5}]}", NULL, .odd = true },
        { CALL, R4, R1, ALL,
          "{'content':[{'type':'text','text':'t','x':1},{'type':'resource','resource':{'uri':'urn:mcptools:audio:1',"
          "'mimeType':'audio/wav','blob':'AA=='}},{'type':'text','text':'[n] x://y'}],'isError':false}" },
        { PROMPT, R5, R2,
          "{" DONE ",'messages':[{'role':'user','content':{'type':'resource_link','name':'n',"
          "'uri':'x://y'}}]}",
          "{'messages':[{'role':'user','content':{'type':'text','text':'[n] x://y'}}]}" },
        { PROMPT, R4, R1, "{'messages':[ {'role':'user','content':{'type':'audio','mimeType':'a/b','data':''}} ]}",
          "{'messages':[ {'role':'user','content':{'type':'resource','resource':{'uri':'urn:mcptools:audio:1',"
          "'mimeType':'a/b','blob':''}}} ]}" },
        { PROMPT, R4, R3, "{'messages':[{'content':[{'type':'resource_link','uri':'x://y','icons':[]}]},7,[]]}",
          "{'messages':[{'content':[{'type':'resource_link','uri':'x://y'}]},7,[]]}", .odd = true },
    };
    (void)state;
    check_results(rows, N_OF(rows));
}

static void a_tool_says_what_cannot_be_said(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, TEXT);
    mcti_shape_tool_says(&b, MCT_STR("no \"way\"\n"));
    must_be(&b, "{'content':[{'type':'text','text':'no \\'way\\'\\n'}],'isError':true}", "");
    for (int rev = R1; rev < R5; rev++)
        must_be_official((enum mcti_rev)rev, "CallToolResult", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_change_with_the_era),
        cmocka_unit_test(results_of_one_era_get_a_type),
        cmocka_unit_test(what_does_not_differ_is_copied),
        cmocka_unit_test(structured_content_goes_down),
        cmocka_unit_test(content_goes_down),
        cmocka_unit_test(a_tool_says_what_cannot_be_said),
    };
    return cmocka_run_group_tests_name("result", tests, read_schemas, forget_schemas);
}
