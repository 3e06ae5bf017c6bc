/* Questions of servers and the answers to them, errors and progress. */
#include "unit.h"

#include "official.h"

#include "mcp/shape/shape.h"

#define CALL MCT_VERB_TOOLS_CALL
#define READ MCT_VERB_RESOURCES_READ

/* ---- questions ---- */

struct ask_row {
    enum mcti_ask_kind kind;
    enum mcti_rev to;
    const char *in, *out; /* out NULL: not expressible; "": unchanged */
    bool odd;
};

#define ELICIT MCT_ASK_ELICITATION
#define SAMPLE MCT_ASK_SAMPLING
#define ROOTS MCT_ASK_ROOTS

static const char *const ask_types[] = {
    [ROOTS] = "ListRootsRequest", [ELICIT] = "ElicitRequest", [SAMPLE] = "CreateMessageRequest"
};
static const char *const reply_types[] = {
    [ROOTS] = "ListRootsResult", [ELICIT] = "ElicitResult", [SAMPLE] = "CreateMessageResult"
};

static void must_be_question(enum mcti_rev rev, enum mcti_ask_kind kind, struct mcti_str params)
{
    struct mcti_buf b;
    mcti_buf_init(&b, TEXT);
    mcti_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":", mcti_ask_method(kind));
    mcti_buf_add(&b, params);
    mcti_buf_addc(&b, '}');
    must_be_official(rev, ask_types[kind], mcti_buf_str(&b));
    mcti_buf_done(&b);
}

typedef int (*ask_fn)(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str text, enum mcti_rev to_rev,
                      struct mct_error *err);

static void check_asks(const struct ask_row *rows, size_t n, ask_fn fn)
{
    char in[TEXT];
    struct mcti_buf b;
    struct mct_error err = { 0 };
    for (size_t i = 0; i < n; i++) {
        const struct ask_row *r = &rows[i];
        mcti_buf_init(&b, TEXT);
        int got = fn(&b, r->kind, json(r->in, in), r->to, &err);
        if (got != (r->out ? 0 : -1))
            fail_msg("%s: %d %s", in, got, err.message);
        if (r->out)
            must_be(&b, *r->out ? r->out : r->in, in);
        else
            assert_true(err.kind == MCT_ERR_UNSUPPORTED || r->odd);
        if (r->out && !r->odd && fn == mcti_shape_ask)
            must_be_question(r->to, r->kind, mcti_buf_str(&b));
        else if (r->out && !r->odd)
            must_be_official(r->to, reply_types[r->kind], mcti_buf_str(&b));
        mcti_buf_done(&b);
    }
}

#define FORM(properties) "{'message':'m','requestedSchema':{'type':'object','properties':{" properties "}}}"
#define URL(more) "{'mode':'url','message':'m','url':'https://a/b'" more "}"

static void elicitations_cross(void **state)
{
    static const struct ask_row rows[] = {
        { ELICIT, R1, FORM(""), NULL },
        { ELICIT, R2, FORM(""), NULL },
        { ELICIT, R3, FORM(""), "" },
        { ELICIT, R4, FORM(""), "" },
        { ELICIT, R5, FORM(""), "" },
        { ELICIT, R3, "{'mode':'form','message':'m','requestedSchema':{'type':'object','properties':{}}}", FORM("") },
        { ELICIT, R5, "{'mode':'form','message':'m','requestedSchema':{'type':'object','properties':{}}}", "" },
        { ELICIT, R3, URL(""), NULL },
        { ELICIT, R5, URL(""), "" },
        { ELICIT, R5, URL(",'elicitationId':'e','_meta':{'progressToken':1},'task':{}"), URL("") },
        { ELICIT, R4, URL(",'elicitationId':'e'"), "" },
        { ELICIT, R4,
          "{'_meta':{'progressToken':1,'k':2},'task':{'ttl':1},'message':'m',"
          "'requestedSchema':{'type':'object',"
          "'properties':{}}}",
          "{'_meta':{'k':2},'message':'m','requestedSchema':{'type':'object','properties':{}}}" },
        { ELICIT, R3, "{'mode':'film','message':'m'}", NULL },
        /* choices */
        { ELICIT, R3, FORM("'a':{'type':'string','oneOf':[{'const':'x','title':'X'},{'const':'y'}],'default':'x'}"),
          FORM("'a':{'type':'string','enum':['x','y'],'enumNames':['X','y'],'default':'x'}") },
        { ELICIT, R4, FORM("'a':{'type':'string','oneOf':[{'const':'x','title':'X'}]}"), "" },
        { ELICIT, R3, FORM("'a':{'type':'string','enum':['x']},'oneOf':{'type':'boolean'}"), "" },
        { ELICIT, R3, FORM("'a':{'type':'array','items':{'type':'string','enum':['x']}}"), NULL },
        { ELICIT, R4, FORM("'a':{'type':'array','items':{'type':'string','enum':['x']}}"), "" },
        { ELICIT, R3, FORM("'a':{'type':'string','oneOf':[]}"), NULL },
        { ELICIT, R3, FORM("'a':{'type':'string','oneOf':[{'const':1}]}"), NULL },
        { ELICIT, R3, "{'message':'m','requestedSchema':{'properties':[1]}}", NULL },
        { ELICIT, R4, "{'message':'m','requestedSchema':{'properties':[1]}}", "", .odd = true },
        { ELICIT, R4, "[]", NULL, .odd = true },
    };
    (void)state;
    check_asks(rows, N_OF(rows), mcti_shape_ask);
}

static void a_url_elicitation_gets_an_id(void **state)
{
    struct mcti_buf b;
    char in[TEXT];
    (void)state;
    mcti_buf_init(&b, TEXT);
    assert_int_equal(mcti_shape_ask(&b, ELICIT, json(URL(""), in), R4, NULL), 0);
    must_be_question(R4, ELICIT, mcti_buf_str(&b));
    assert_int_equal(mcti_json_get(mcti_buf_str(&b), "elicitationId").len, 34);
    mcti_buf_done(&b);
}

#define MESSAGES(content) "{'messages':[{'role':'user','content':" content "}],'maxTokens':1}"
#define T "{'type':'text','text':'t'}"

static void samplings_cross(void **state)
{
    static const struct ask_row rows[] = {
        { SAMPLE, R1, MESSAGES(T), "" },
        { SAMPLE, R5, MESSAGES(T), "" },
        { SAMPLE, R3, MESSAGES("[ " T " ]"), MESSAGES(T) },
        { SAMPLE, R4, MESSAGES("[ " T " ]"), "" },
        { SAMPLE, R3, MESSAGES("[" T "," T "]"), NULL },
        { SAMPLE, R3, MESSAGES("[]"), NULL },
        { SAMPLE, R5, MESSAGES("[" T "," T "]"), "" },
        { SAMPLE, R1, MESSAGES("{'type':'audio','data':'','mimeType':'a/b'}"), NULL },
        { SAMPLE, R1, MESSAGES("[{'type':'audio','data':'','mimeType':'a/b'}]"), NULL },
        { SAMPLE, R2, MESSAGES("{'type':'audio','data':'','mimeType':'a/b'}"), "" },
        { SAMPLE, R1, MESSAGES("{'type':'image','data':'','mimeType':'a/b'}"), "" },
        { SAMPLE, R3, MESSAGES("{'type':'tool_use','id':'1','name':'n','input':{}}"), NULL },
        { SAMPLE, R4, MESSAGES("{'type':'tool_use','id':'1','name':'n','input':{}}"), "" },
        { SAMPLE, R4, MESSAGES("[{'type':'tool_result','toolUseId':'1','content':[],'structuredContent':[1]}]"),
          MESSAGES("[{'type':'tool_result','toolUseId':'1','content':[],'structuredContent':{'result':[1]}}]") },
        { SAMPLE, R5, MESSAGES("[{'type':'tool_result','toolUseId':'1','content':[],'structuredContent':[1]}]"), "" },
        { SAMPLE, R3, "{'messages':[],'maxTokens':1,'tools':[]}", NULL },
        { SAMPLE, R3, "{'messages':[],'maxTokens':1,'toolChoice':{}}", NULL },
        { SAMPLE, R4, "{'messages':[],'maxTokens':1,'toolChoice':{},'tools':[" TOOL("{'type':'object'}") "]}", "" },
        { SAMPLE, R4, "{'messages':[],'maxTokens':1,'tools':[" TOOL("{}") "]}",
          "{'messages':[],'maxTokens':1,'tools':[" TOOL(WRAP("{}")) "]}" },
        { SAMPLE, R5, "{'messages':[],'_meta':{'progressToken':'x'},'task':{},'maxTokens':1}",
          "{'messages':[],'maxTokens':1}" },
        { ROOTS, R1, NULL, "{}" },
        { ROOTS, R5, "{'_meta':{'progressToken':1}}", "{}" },
        { ROOTS, R4, "{ '_meta':{'k':1} }", "" },
    };
    (void)state;
    check_asks(rows, N_OF(rows), mcti_shape_ask);
}

#define SAID(content) "{'role':'assistant','model':'m','content':" content "}"

static void answers_cross(void **state)
{
    static const struct ask_row rows[] = {
        { SAMPLE, R1, SAID(T), "" },
        { SAMPLE, R3, SAID("[" T "]"), SAID(T) },
        { SAMPLE, R4, SAID("[" T "]"), "" },
        { SAMPLE, R3, SAID("[" T "," T "]"), NULL },
        { SAMPLE, R5, SAID("[" T "," T "]"), "" },
        { SAMPLE, R1, SAID("{'type':'audio','data':'','mimeType':'a/b'}"), NULL },
        { SAMPLE, R3, SAID("{'type':'tool_use','id':'1','name':'n','input':{}}"), NULL },
        { ELICIT, R4, "{'resultType':'complete', 'action':'accept','content':{'a':['x']},'x':1}",
          "{'action':'accept','content':{'a':['x']},'x':1}" },
        { ELICIT, R5, "{ 'action':'decline' ,'_meta':{} }", "" },
        { ELICIT, R3, "{ 'action':'cancel' }", "" },
        { ELICIT, R3, "7", NULL, .odd = true },
        { ROOTS, R1, "{ 'roots':[ {'uri':'file:///a'} ] }", "" },
        { ROOTS, R5, "{ 'roots':[ {'uri':'file:///a'} ] }", "" },
    };
    (void)state;
    check_asks(rows, N_OF(rows), mcti_shape_reply);
}

/* ---- errors and progress ---- */

static void errors_change_with_the_era(void **state)
{
    static const struct {
        enum mcti_verb verb;
        enum mcti_rev from, to;
        const char *in, *out; /* NULL: unchanged */
        const char *uri;
    } rows[] = {
        { READ, R4, R5, "{'code':-32002,'message':'m','data':{'uri':'x'}}",
          "{'code':-32602,'message':'m','data':{'uri':'x'}}", "'y'" },
        { READ, R4, R5, "{'code':-32002,'message':'m'}", "{'code':-32602,'message':'m','data':{'uri':'y'}}", "'y'" },
        { READ, R4, R5, "{'data':{ 'a':1 },'code':-32002,'message':'m'}",
          "{'data':{ 'a':1 },'code':-32602,'message':'m'}", "'y'" },
        { READ, R4, R5, "{ 'code':-32602, 'message':'m' }", "{ 'code':-32602, 'message':'m','data':{'uri':'y'} }",
          "'y'" },
        { READ, R1, R5, "{'code':-32602,'message':'m'}", "{'code':-32602,'message':'m','data':{'uri':'y'}}", "'y'" },
        { READ, R4, R5, "{'code':-32602,'data':null,'message':'m'}", NULL, "'y'" },
        { READ, R4, R5, "{'code':-32602,'message':'m'}", NULL, NULL },
        { READ, R4, R5, "{'code':-32603,'message':'m'}", NULL, "'y'" },
        { CALL, R4, R5, "{'code':-32602,'message':'m'}", NULL, "'y'" },
        { READ, R5, R5, "{'code':-32602,'message':'m'}", NULL, "'y'" },
        { READ, R4, R3, "{'code':-32602,'message':'m'}", NULL, "'y'" },
        { READ, R4, R5, "{'code':-32002,'message':'m','data':'d'}", "{'code':-32602,'message':'m','data':'d'}", "'y'" },
        { READ, R4, R5, "{'code':-32002,'message':'m'}", "{'code':-32602,'message':'m'}", NULL },
        { READ, R4, R5, "{'code':-32002.0,'message':'m'}", "{'code':-32602,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':-32002,'message':'m'}", "{'code':-32602,'message':'m'}", "'y'" },
        { READ, R5, R5, "{'code':-32002,'message':'m'}", "{'code':-32602,'message':'m','data':{'uri':'y'}}", "'y'" },
        { READ, R5, R4, "{'code':-32602,'message':'m','data':{'uri':'x'}}",
          "{'code':-32002,'message':'m','data':{'uri':'x'}}", "'y'" },
        { READ, R5, R4, "{'code':-32602,'message':'m'}", NULL, "'y'" },
        { CALL, R5, R4, "{'code':-32602,'message':'m','data':{'uri':'x'}}", NULL, NULL },
        { READ, R4, R4, "{ 'code':-32602, 'message':'m','data':{'uri':'x'} }", NULL, "'y'" },
        { READ, R3, R4, "{'code':-32002,'message':'m'}", NULL, "'y'" },
        { CALL, R5, R5, "{'code':-32020,'message':'m','data':1}", "{'code':-32603,'message':'m','data':1}", NULL },
        { CALL, R5, R4, "{'code':-32020,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R5, R5, "{'code':-32022,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R5, R5, "{'code':-32021,'message':'m','data':{}}", NULL, NULL },
        { CALL, R5, R4, "{'code':-32021,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':-32021,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':-32099,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':-32019,'message':'m'}", NULL, NULL },
        { CALL, R4, R5, "{'code':-32100,'message':'m'}", NULL, NULL },
        { CALL, R4, R3, "{'code':-32050,'message':'m'}", NULL, NULL },
        { CALL, R4, R4, "{'code':-32042,'message':'m','data':{}}", NULL, NULL },
        { CALL, R4, R3, "{'code':-32042,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':-32042,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R5, R4, "{'code':-32042,'message':'m'}", "{'code':-32603,'message':'m'}", NULL },
        { CALL, R4, R5, "{'code':1e300,'message':'m'}", NULL, NULL },
        { CALL, R4, R5, "{'code':'-32002'}", NULL, NULL },
    };
    char in[TEXT], uri[TEXT];
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        mcti_buf_init(&b, TEXT);
        mcti_shape_error(&b, rows[i].verb, json(rows[i].in, in), rows[i].from, rows[i].to, json(rows[i].uri, uri));
        must_be(&b, rows[i].out ? rows[i].out : rows[i].in, in);
        mcti_buf_done(&b);
    }
}

static void progress_gets_the_other_token(void **state)
{
    static const struct {
        enum mcti_rev to;
        const char *in, *out;
    } rows[] = {
        { R4, "{ 'progressToken' : 7,'progress':1.0,'message':'m' }",
          "{ 'progressToken' : 'mine','progress':1.0,'message':'m' }" },
        { R1, "{'message':'m','progressToken':7,'progress':1e0,'total':2}",
          "{'progressToken':'mine','progress':1e0,'total':2}" },
        { R2, "{'progress':1,'progress\\u0054oken':7,'message':'m'}",
          "{'progress':1,'progress\\u0054oken':'mine','message':'m'}" },
    };
    char in[TEXT];
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        mcti_buf_init(&b, TEXT);
        mcti_shape_progress(&b, json(rows[i].in, in), MCT_STR("\"mine\""), rows[i].to);
        must_be(&b, rows[i].out, in);
        mcti_buf_done(&b);
    }
}

static void asks_of_any_pair_are_official_or_refused(void **state)
{
    static const struct {
        enum mcti_ask_kind kind;
        const char *text;
        enum mcti_rev first; /* first revision that can express it */
    } rows[] = {
        { SAMPLE,
          "{'messages':[{'role':'user','content':{'type':'text','text':'t'}}],'maxTokens':1,"
          "'includeContext':'none',"
          "'modelPreferences':{'hints':[{'name':'n'}],'costPriority':1},'metadata':{},'temperature':1}",
          R1 },
        { SAMPLE, MESSAGES("[{'type':'audio','data':'','mimeType':'a/b'}]"), R2 },
        { SAMPLE,
          "{'messages':[{'role':'user','content':[{'type':'tool_result','toolUseId':'1','content':[]}],"
          "'_meta':{}}],"
          "'maxTokens':1,'tools':[" TOOL("{'type':'string'}") "],'toolChoice':{'mode':'auto'}}",
          R4 },
        { ELICIT,
          FORM("'a':{'type':'string','oneOf':[{'const':'x','title':'X'}]},'b':{'type':'integer','default':1},"
               "'c':{'type':'boolean'},'d':{'type':'string','enum':['x'],'enumNames':['X']}"),
          R3 },
        { ELICIT, FORM("'a':{'type':'array','items':{'anyOf':[{'const':'x','title':'X'}]}}"), R4 },
        { ELICIT, URL(""), R4 },
        { ROOTS, "{'_meta':{'progressToken':1,'k':1}}", R1 },
    };
    char text[TEXT];
    struct mcti_buf b;
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        for (int to = R1; to <= R5; to++) {
            mcti_buf_init(&b, TEXT);
            int r = mcti_shape_ask(&b, rows[i].kind, json(rows[i].text, text), (enum mcti_rev)to, &err);
            assert_int_equal(r, (enum mcti_rev)to < rows[i].first ? -1 : 0);
            if (r == 0)
                must_be_question((enum mcti_rev)to, rows[i].kind, mcti_buf_str(&b));
            mcti_buf_done(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elicitations_cross),
        cmocka_unit_test(a_url_elicitation_gets_an_id),
        cmocka_unit_test(samplings_cross),
        cmocka_unit_test(answers_cross),
        cmocka_unit_test(asks_of_any_pair_are_official_or_refused),
        cmocka_unit_test(errors_change_with_the_era),
        cmocka_unit_test(progress_gets_the_other_token),
    };
    return cmocka_run_group_tests_name("shape-ask", tests, read_schemas, forget_schemas);
}
