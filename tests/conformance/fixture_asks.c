/*
 * Tools that need something from the client before they can answer: a person's words, a model's, or its roots. Each is
 * written once; 2026-07-28 clients get the questions as a result and call again, handshake clients get requests while
 * they wait for the result.
 */
#include "fixture.h"

#include <stdlib.h>

/* ---- one question ---- */

struct question {
    const char *key;
    const char *questions; /* with that key, and maybe others */
    const char *state;     /* NULL: none is needed */
    const char *reply;     /* begins the text of the result, the answer follows */
};

/* Asks until there is an answer, and what went with the question. */
static void ask_once(struct mcti_local_request *r, void *data)
{
    const struct question *q = data;
    struct mcti_str answer = mcti_local_input(r, q->key);
    if (answer.p && (!q->state || mcti_str_is(mcti_local_state(r), q->state)))
        mcti_local_text(r, "%s%.*s", q->reply, MCT_STR_ARG(answer));
    else
        mcti_local_ask(r, mcti_str_of(q->questions), mcti_str_of(q->state));
}

#define ASK_NAME                                                                                                       \
    {                                                                                                                  \
        "method" : "elicitation/create", "params":                                                                     \
        {                                                                                                              \
            "message" : "What is your name?", "requestedSchema":                                                       \
            {                                                                                                          \
                "type" : "object", "properties" : { "name" : { "type" : "string" } }, "required" : ["name"]            \
            }                                                                                                          \
        }                                                                                                              \
    }
#define ASK_OK                                                                                                         \
    {                                                                                                                  \
        "method" : "elicitation/create", "params":                                                                     \
        {                                                                                                              \
            "message" : "Please confirm", "requestedSchema":                                                           \
            {                                                                                                          \
                "type" : "object", "properties" : { "ok" : { "type" : "boolean" } }, "required" : ["ok"]               \
            }                                                                                                          \
        }                                                                                                              \
    }
#define ASK_MODEL(text)                                                                                                \
    {                                                                                                                  \
        "method" : "sampling/createMessage", "params":                                                                 \
        {                                                                                                              \
            "maxTokens" : 100, "messages" : [ { "role" : "user", "content" : { "type" : "text", "text" : text } } ]    \
        }                                                                                                              \
    }
#define ASK_ROOTS                                                                                                      \
    {                                                                                                                  \
        "method" : "roots/list", "params":                                                                             \
        {                                                                                                              \
        }                                                                                                              \
    }
#define EXPANDED(...) MCT_JSON(__VA_ARGS__) /* of what the macros above stand for; not for true and false */

static const struct question sampling = {
    "capital_question", EXPANDED({ "capital_question" : ASK_MODEL("What is the capital of France?") }), NULL,
    "The model says: "
};

static const struct question list_roots = { "client_roots", EXPANDED({ "client_roots" : ASK_ROOTS }), NULL,
                                            "The roots are: " };

static const struct question request_state = { "confirm", EXPANDED({ "confirm" : ASK_OK }), "asked to confirm",
                                               "state-ok: " };

static const struct question missing_capability = { "thought", EXPANDED({ "thought" : ASK_MODEL("Say something") }),
                                                    NULL, "The model says: " };

static const struct question defaults = {
    "details",
    MCT_JSON({ "details": { "method": "elicitation/create", "params": {
        "message": "Please review and update the form fields with defaults",
        "requestedSchema": { "type": "object", "required": [], "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": { "type": "string", "description": "User status", "enum": ["active", "inactive", "pending"],
                        "default": "active" },
            "verified": { "type": "boolean", "description": "Verification status", "default": true } } } } } }),
                                    NULL, "Elicitation completed: " };

static const struct question enums = {
    "choices",
    MCT_JSON({ "choices": { "method": "elicitation/create", "params": {
        "message": "Please select options from the enum fields",
        "requestedSchema": { "type": "object", "required": [], "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
            "titledSingle": { "type": "string", "oneOf": [
                { "const": "value1", "title": "First Option" }, { "const": "value2", "title": "Second Option" },
                { "const": "value3", "title": "Third Option" }] },
            "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                            "enumNames": ["Option One", "Option Two", "Option Three"] },
            "untitledMulti": { "type": "array", "minItems": 1, "maxItems": 3,
                               "items": { "type": "string", "enum": ["option1", "option2", "option3"] } },
            "titledMulti": { "type": "array", "minItems": 1, "maxItems": 3, "items": { "anyOf": [
                { "const": "value1", "title": "First Choice" }, { "const": "value2", "title": "Second Choice" },
                { "const": "value3", "title": "Third Choice" }] } } } } } } }),
                                                                  NULL, "Elicitation completed: " };

/* ---- a name ---- */

/* The name in the answer, to free(); NULL when the person did not give one. */
static char *name_in(struct mcti_str answer)
{
    bool accepted = mcti_json_is(mcti_json_get(answer, "action"), "accept");
    return accepted ? mcti_json_dup(mcti_json_get(mcti_json_get(answer, "content"), "name")) : NULL;
}

static void greet(struct mcti_local_request *r, void *data)
{
    struct mcti_str answer = mcti_local_input(r, "user_name");
    char *name = name_in(answer);
    (void)data;
    if (name)
        mcti_local_text(r, "Hello, %s!", name);
    else if (answer.p)
        mcti_local_text(r, "Hello, whoever you are!");
    else
        mcti_local_ask(r, MCT_STR(EXPANDED({ "user_name" : ASK_NAME })), MCT_STR_NONE);
    free(name);
}

/* ---- questions made of the arguments ---- */

static void sample(struct mcti_local_request *r, void *data)
{
    struct mcti_str answer = mcti_local_input(r, "completion"), prompt = mcti_local_argument(r, "prompt");
    struct mcti_buf b;
    (void)data;
    if (answer.p) {
        mcti_local_text(r, "LLM response: %.*s", MCT_STR_ARG(mcti_json_get(answer, "content")));
        return;
    }
    mcti_buf_init(&b, prompt.len + 1024);
    mcti_buf_addz(&b, "{\"completion\":{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":100,"
                      "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    mcti_buf_add(&b, mcti_json_type(prompt) == '"' ? prompt : MCT_STR("\"\""));
    mcti_buf_addz(&b, "}}]}}}");
    mcti_local_ask(r, mcti_buf_str(&b), MCT_STR_NONE);
    mcti_buf_done(&b);
}

static void elicit(struct mcti_local_request *r, void *data)
{
    struct mcti_str answer = mcti_local_input(r, "person"), message = mcti_local_argument(r, "message");
    struct mcti_buf b;
    (void)data;
    if (answer.p) {
        mcti_local_text(r, "User response: %.*s", MCT_STR_ARG(answer));
        return;
    }
    mcti_buf_init(&b, message.len + 1024);
    mcti_buf_addz(&b, "{\"person\":{\"method\":\"elicitation/create\",\"params\":{\"message\":");
    mcti_buf_add(&b, mcti_json_type(message) == '"' ? message : MCT_STR("\"\""));
    mcti_json_put_raw(
        &b, "requestedSchema",
        MCT_STR(MCT_JSON({
        "type": "object", "required": ["username", "email"], "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" } } })));
    mcti_buf_addz(&b, "}}}");
    mcti_local_ask(r, mcti_buf_str(&b), MCT_STR_NONE);
    mcti_buf_done(&b);
}

/* ---- several at once, and one after the other ---- */

static void ask_all(struct mcti_local_request *r, void *data)
{
    bool all = mcti_local_input(r, "user_name").p && mcti_local_input(r, "greeting").p &&
               mcti_local_input(r, "client_roots").p;
    (void)data;
    if (all && mcti_str_is(mcti_local_state(r), "all"))
        mcti_local_text(r, "All three have been answered");
    else
        mcti_local_ask(
            r,
            MCT_STR(EXPANDED(
                { "user_name" : ASK_NAME, "greeting" : ASK_MODEL("Generate a greeting"), "client_roots" : ASK_ROOTS })),
            MCT_STR("all"));
}

static void ask_in_rounds(struct mcti_local_request *r, void *data)
{
    struct mcti_str state = mcti_local_state(r), step1 = mcti_local_input(r, "step1"),
                    step2 = mcti_local_input(r, "step2");
    bool second = mcti_str_is(state, "second step"), first_done = mcti_str_is(state, "first step") && step1.p;
    (void)data;
    if (second && step2.p)
        mcti_local_text(r, "Both steps are done: %.*s", MCT_STR_ARG(step2));
    else if (second || first_done)
        mcti_local_ask(
            r, MCT_STR(MCT_JSON({ "step2": { "method": "elicitation/create", "params": {
            "message": "Step 2: What is your favorite color?", "requestedSchema": {
                "type": "object", "properties": { "color": { "type": "string" } }, "required": ["color"] } } } })),
                   MCT_STR("second step"));
    else
        mcti_local_ask(r, MCT_STR(EXPANDED({ "step1" : ASK_NAME })), MCT_STR("first step"));
}

/* Asks for what the client can be asked for. */
static void ask_what_is_possible(struct mcti_local_request *r, void *data)
{
    bool person = mcti_local_can(r, MCT_ASK_ELICITATION), model = mcti_local_can(r, MCT_ASK_SAMPLING);
    (void)data;
    if (mcti_local_input(r, "user_name").p || mcti_local_input(r, "greeting").p)
        mcti_local_text(r, "Thank you");
    else if (person && model)
        mcti_local_ask(r, MCT_STR(EXPANDED({ "user_name" : ASK_NAME, "greeting" : ASK_MODEL("Generate a greeting") })),
                       MCT_STR_NONE);
    else if (person)
        mcti_local_ask(r, MCT_STR(EXPANDED({ "user_name" : ASK_NAME })), MCT_STR_NONE);
    else
        mcti_local_ask(r, MCT_STR(EXPANDED({ "greeting" : ASK_MODEL("Generate a greeting") })), MCT_STR_NONE);
}

static void prompt(struct mcti_local_request *r, void *data)
{
    struct mcti_str answer = mcti_local_input(r, "user_context");
    (void)data;
    if (answer.p)
        mcti_local_prompt(r, "Use this context: %.*s", MCT_STR_ARG(mcti_json_get(answer, "content")));
    else
        mcti_local_ask(
            r, MCT_STR(MCT_JSON({ "user_context": { "method": "elicitation/create", "params": {
            "message": "What context should the prompt use?", "requestedSchema": {
                "type": "object", "properties": { "context": { "type": "string" } }, "required": ["context"] } } } })),
                   MCT_STR_NONE);
}

static const struct fixture_item items[] = {
    { MCT_TOOL,
      MCT_JSON({ "name": "test_sampling", "description": "Asks the client's model", "inputSchema": {
          "type": "object", "properties": { "prompt": { "type": "string" } }, "required": ["prompt"] } }),
                                  sample, NULL },
                 { MCT_TOOL,
                   MCT_JSON({ "name": "test_elicitation", "description": "Asks the person", "inputSchema": {
          "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] } }),
                                               elicit, NULL },
                              { MCT_TOOL, MCT_JSON({ "name": "test_elicitation_sep1034_defaults", "description": "Asks with defaults" }),
                                                   ask_once, &defaults },
                                { MCT_TOOL, MCT_JSON({ "name": "test_elicitation_sep1330_enums", "description": "Asks for choices" }),
                                                     ask_once, &enums },
                                  { MCT_TOOL, MCT_JSON({ "name": "test_missing_capability", "description": "Cannot do without sampling" }),
                                                       ask_once, &missing_capability },
                                    { MCT_TOOL, MCT_JSON({ "name": "test_streaming_elicitation", "description": "Asks the person" }),
                                                         greet, NULL },
                                      { MCT_TOOL, MCT_JSON({ "name": "test_input_required_result_elicitation", "description": "Asks for a name" }),
                                                           greet, NULL },
                                        { MCT_TOOL, MCT_JSON({ "name": "test_input_required_result_sampling", "description": "Asks the client's model" }),
                                                             ask_once, &sampling },
                                          { MCT_TOOL, MCT_JSON({ "name": "test_input_required_result_list_roots", "description": "Asks for the roots" }),
                                                               ask_once, &list_roots },
                                            { MCT_TOOL, MCT_JSON({ "name": "test_input_required_result_request_state", "description": "Keeps a state" }),
                                                                 ask_once, &request_state },
                                              { MCT_TOOL,
                                                MCT_JSON({ "name": "test_input_required_result_tampered_state", "description": "Keeps a state" }),
                                                         ask_once, &request_state },
                                                { MCT_TOOL,
                                                  MCT_JSON({ "name": "test_input_required_result_multiple_inputs", "description": "Asks for all" }),
                                                           ask_all, NULL },
                                                  { MCT_TOOL,
                                                    MCT_JSON({ "name": "test_input_required_result_multi_round", "description": "Asks twice" }),
                                                             ask_in_rounds, NULL },
                                                    { MCT_TOOL,
                                                      MCT_JSON({ "name": "test_input_required_result_capabilities", "description": "Asks if it may" }),
                                                               ask_what_is_possible, NULL },
                                                      { MCT_PROMPT,
                                                        MCT_JSON({ "name": "test_input_required_result_prompt", "description": "Asks for a context" }),
                                                                 prompt, NULL },
                                                      };

int fixture_add_asks(struct mcti_provider *p, struct mct_error *err)
{
    return fixture_add(p, items, sizeof items / sizeof *items, err);
}
