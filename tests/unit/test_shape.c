/* Results and list items: what comes out is official, unless the server did not keep to its own revision. */
#include "unit.h"

#include "official.h"

#include "mcp/shape/shape.h"
#include "mcp/http/headers.h"

/* ---- results ---- */

struct result_row {
    enum mcti_verb verb;
    enum mcti_rev from, to;
    const char *in, *out; /* NULL: as it is */
    const char *output_schema;
    bool odd; /* the server does not keep to its revision: whatever comes of that */
};

static const char *result_type(enum mcti_verb verb)
{
    switch (verb) {
    case MCT_VERB_TOOLS_CALL:
        return "CallToolResult";
    case MCT_VERB_PROMPTS_GET:
        return "GetPromptResult";
    case MCT_VERB_RESOURCES_READ:
        return "ReadResourceResult";
    default:
        return "CompleteResult";
    }
}

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

#define CALL MCT_VERB_TOOLS_CALL
#define READ MCT_VERB_RESOURCES_READ
#define PROMPT MCT_VERB_PROMPTS_GET
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

/* ---- items ---- */

struct item_row {
    enum mcti_kind kind;
    enum mcti_rev from, to;
    const char *in, *out; /* NULL: as it is */
    const char *name;
    bool odd;
};

static const char *const item_types[] = {
    [MCT_TOOL] = "Tool", [MCT_RESOURCE] = "Resource", [MCT_TEMPLATE] = "ResourceTemplate", [MCT_PROMPT] = "Prompt"
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
        { MCT_TOOL, R4, R4, tool },
        { MCT_TOOL, R1, R1, tool },
        { MCT_TOOL, R5, R5, tool },
        { MCT_TOOL, R3, R4, tool },
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
        /* names stay names, and so does what leads elsewhere */
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
        /* white space, numbers and what is unknown stay as they are */
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

/* What matched before it was wrapped matches in its wrapping, and nothing else does. */
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
        /* to handshake clients they are a word like any other */
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

/* ---- every pair of revisions ---- */

/* Messages that use all that their revision has. */
static const struct {
    const char *type; /* of the schema; NULL kind: a result, an item, a question */
    enum mcti_rev since;
    const char *text;
} full[] = {
    { "CallToolResult", R1,
      "{'content':[{'type':'text','text':'t','annotations':{'audience':['user'],'priority':1}},"
      "{'type':'image','data':'AA==','mimeType':'image/png'},{'type':'resource','resource':{'uri':'x:y','text':'t'}},"
      "{'type':'resource','resource':{'uri':'x:y','blob':'AA=='}}],'isError':true,'_meta':{'k':1}}" },
    { "CallToolResult", R2,
      "{'content':[{'type':'audio','data':'AA==','mimeType':'audio/wav',"
      "'annotations':{'priority':1}}]}" },
    { "CallToolResult", R3,
      "{'content':[{'type':'resource_link','uri':'x:y','name':'n','title':'T','size':1,"
      "'mimeType':'a/b',"
      "'description':'d','annotations':{'lastModified':'2025-01-12T15:00:58Z'},'_meta':{}}],"
      "'structuredContent':{'a':1}}" },
    { "CallToolResult", R4,
      "{'content':[{'type':'resource_link','uri':'x:y','name':'n',"
      "'icons':[{'src':'https://a/b'}]}]}" },
    { "GetPromptResult", R2,
      "{'description':'d','messages':[{'role':'user','content':{'type':'audio','data':'',"
      "'mimeType':'a/b'}}]}" },
    { "GetPromptResult", R4,
      "{'messages':[{'role':'assistant','content':{'type':'resource_link','uri':'x:y',"
      "'name':'n',"
      "'icons':[{'src':'https://a/b'}]}}]}" },
    { "ReadResourceResult", R1, "{'contents':[{'uri':'x:y','text':'t'},{'uri':'x:y','blob':'','mimeType':'a/b'}]}" },
    { "ReadResourceResult", R3, "{'contents':[{'uri':'x:y','text':'t','_meta':{'k':1}}]}" },
    { "CompleteResult", R1, "{'completion':{'values':['a'],'total':1,'hasMore':false}}" },
    { "Tool", R1,
      "{'name':'n','description':'d','inputSchema':{'type':'object','properties':{'a':{'type':'string'}},"
      "'required':['a']}}" },
    { "Tool", R4,
      "{'name':'n','title':'T','icons':[{'src':'https://a/b','sizes':['1x1']}],'annotations':{'title':'A',"
      "'readOnlyHint':true},'execution':{'taskSupport':'required'},'_meta':{'k':1},"
      "" IN ",'outputSchema':{'type':'object'}}" },
    { "Tool", R5,
      "{'name':'n','inputSchema':{'type':'object','properties':{'a':true}},"
      "'outputSchema':{'$ref':'#/$defs/x',"
      "'$defs':{'x':{'type':'array'}}}}" },
    { "Resource", R4,
      "{'uri':'x:y','name':'n','title':'T','icons':[{'src':'https://a/b'}],'_meta':{},'size':1,"
      "'annotations':{'priority':0}}" },
    { "ResourceTemplate", R4,
      "{'uriTemplate':'x:{y}','name':'n','title':'T','icons':[{'src':'https://a/b'}],"
      "'_meta':{}}" },
    { "Prompt", R4,
      "{'name':'n','title':'T','icons':[{'src':'https://a/b'}],'_meta':{},'arguments':[{'name':'a',"
      "'title':'A'}]}" },
};

static void shape_any(struct mcti_buf *b, const char *type, struct mcti_str text, enum mcti_rev from, enum mcti_rev to)
{
    static const enum mcti_verb verbs[] = { CALL, PROMPT, READ, MCT_VERB_COMPLETE };
    for (size_t i = 0; i < N_OF(verbs); i++)
        if (!strcmp(result_type(verbs[i]), type))
            mcti_shape_result(b, verbs[i], text, from, to, MCT_STR_NONE);
    for (int kind = 0; kind < MCT_KIND_N; kind++)
        if (!strcmp(item_types[kind], type))
            mcti_shape_item(b, (enum mcti_kind)kind, text, MCT_STR_NONE, from, to);
}

static void all_pairs_are_official(void **state)
{
    char text[TEXT];
    struct mcti_buf first, second;
    (void)state;
    for (size_t i = 0; i < N_OF(full); i++) {
        for (int from = (int)full[i].since; from <= R5; from++) {
            mcti_buf_init(&first, TEXT);
            shape_any(&first, full[i].type, json(full[i].text, text), full[i].since, (enum mcti_rev)from);
            must_be_official((enum mcti_rev)from, full[i].type, mcti_buf_str(&first));
            for (int to = R1; to <= R5; to++) {
                mcti_buf_init(&second, TEXT);
                shape_any(&second, full[i].type, mcti_buf_str(&first), (enum mcti_rev)from, (enum mcti_rev)to);
                must_be_official((enum mcti_rev)to, full[i].type, mcti_buf_str(&second));
                if (from == to)
                    assert_true(mcti_str_eq(mcti_buf_str(&first), mcti_buf_str(&second)));
                mcti_buf_done(&second);
            }
            mcti_buf_done(&first);
        }
    }
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
        cmocka_unit_test(items_lose_what_is_not_known),
        cmocka_unit_test(items_get_their_exposed_name),
        cmocka_unit_test(output_schemas_are_wrapped),
        cmocka_unit_test(schemas_stay_between_handshake_revisions),
        cmocka_unit_test(wrapped_schemas_mean_the_same),
        cmocka_unit_test(deep_schemas_are_walked_once),
        cmocka_unit_test(bad_headers_are_left_out),
        cmocka_unit_test(all_pairs_are_official),
    };
    return cmocka_run_group_tests_name("shape", tests, read_schemas, forget_schemas);
}
