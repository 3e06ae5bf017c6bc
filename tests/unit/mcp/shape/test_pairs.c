#include "unit.h"

#include "types.h"
#include "official.h"
#include "mcp/shape/shape.h"

/* Messages that use all features of their revision. */
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
        cmocka_unit_test(all_pairs_are_official),
    };
    return cmocka_run_group_tests_name("pairs", tests, read_schemas, forget_schemas);
}
