/*
 * A server with everything that a program can serve: for the official conformance suite, whose names it uses, and for
 * the tests of the library. It has the public headers only.
 *
 *     served HOST:PORT | --stdio
 */
#include <mcptools/mcptools.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON(...) #__VA_ARGS__
#define PNG                                                                                                            \
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9c"                           \
    "c\xf8\xcf\xc0\0\0\3\1\1\0"                                                                                        \
    "\xc9\xfe\x92\xef\0\0\0\0IEND\xae"                                                                                 \
    "B`\x82"
#define WAV "RIFF&\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0\x80>\0\0\2\0\x10\0data\2\0\0\0\0"

enum { STEP_MS = 50 };

static struct mct_instance *instance;

static void constant(struct mct_tool_call *call, void *data)
{
    mct_tool_call_result(call, data);
}

static void text(struct mct_tool_call *call, void *data)
{
    mct_tool_call_text(call, data);
}

static void fails(struct mct_tool_call *call, void *data)
{
    mct_tool_call_error(call, data);
}

static void png(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_blob(call, "image/png", PNG, sizeof PNG - 1);
}

static void wav(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_blob(call, "audio/wav", WAV, sizeof WAV - 1);
}

static void arguments(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_text(call, mct_tool_call_arguments(call));
}

/* ---- what takes its time ---- */

static void progress(struct mct_tool_call *call, void *data)
{
    int *percent = mct_tool_call_memory(call, sizeof *percent);
    mct_tool_call_progress(call, *percent, 100, NULL);
    *percent += 50;
    if (*percent > 100)
        mct_tool_call_text(call, "Tool with progress executed successfully");
    else
        mct_tool_call_later(call, STEP_MS, progress, data);
}

static void logging(struct mct_tool_call *call, void *data)
{
    static const char *const messages[] = { "Tool execution started", "Tool processing data",
                                            "Tool execution completed" };
    size_t *n = mct_tool_call_memory(call, sizeof *n);
    mct_tool_call_log(call, "info", messages[(*n)++]);
    if (*n < sizeof messages / sizeof *messages)
        mct_tool_call_later(call, STEP_MS, logging, data);
    else
        mct_tool_call_text(call, "Tool with logging executed successfully");
}

static void log_once(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_log_json(call, "info", "served", "\"This is for those who have asked for it\"");
    mct_tool_call_text(call, "Logged");
}

static void reconnected(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_text(call, "Reconnection test completed successfully");
}

static void reconnection(struct mct_tool_call *call, void *data)
{
    mct_tool_call_hang_up(call);
    mct_tool_call_later(call, 2 * STEP_MS, reconnected, data);
}

/* ---- changes ---- */

static void change_tools(struct mct_tool_call *call, void *data)
{
    const struct mct_tool_def def = { .size = sizeof def,
                                      .name = "test_dynamic_tool",
                                      .description = "Comes and goes",
                                      .execute = text,
                                      .data = "here" };
    (void)data;
    if (mct_instance_remove_tool(instance, def.name, NULL) < 0)
        mct_instance_add_tool(instance, &def, NULL);
    mct_tool_call_text(call, "changed");
}

static void change_prompts(struct mct_tool_call *call, void *data)
{
    const struct mct_prompt_def def = {
        .size = sizeof def, .name = "test_dynamic_prompt", .description = "Comes and goes", .get = text, .data = "here"
    };
    (void)data;
    if (mct_instance_remove_prompt(instance, def.name, NULL) < 0)
        mct_instance_add_prompt(instance, &def, NULL);
    mct_tool_call_text(call, "changed");
}

static int n_watched; /* subscribed resources */

static void on_subscribed(const char *uri, bool on, void *data)
{
    (void)uri, (void)data;
    n_watched += on ? 1 : -1;
}

static void change_resource(struct mct_tool_call *call, void *data)
{
    struct mct_error err;
    char says[64];
    (void)data;
    snprintf(says, sizeof says, "%d watched", n_watched);
    if (mct_instance_resource_updated(instance, mct_tool_call_text_argument(call, "uri"), &err) < 0)
        mct_tool_call_error(call, err.message);
    else
        mct_tool_call_text(call, says);
}

/* ---- the client ---- */

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    char *says = malloc(strlen(data) + (answer ? strlen(answer) : 0) + 1);
    if (says)
        sprintf(says, "%s%s", (const char *)data, answer ? answer : "");
    if (err && err->code)
        mct_tool_call_fail(call, err->code, err->message);
    else if (err)
        mct_tool_call_error(call, err->message);
    else
        mct_tool_call_text(call, says);
    free(says);
}

static void ask_roots(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_ask(call, "roots/list", NULL, on_answer, "The roots are: ");
}

/* Asks the model of the client for `prompt`. */
static void ask_model(struct mct_tool_call *call, const char *prompt, mct_answer_fn answered, void *data)
{
    struct mct_json_writer *w = mct_json_writer_new();
    mct_json_put_object(w, NULL);
    mct_json_put_int(w, "maxTokens", 100);
    mct_json_put_array(w, "messages");
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "role", "user");
    mct_json_put_object(w, "content");
    mct_json_put_text(w, "type", "text");
    mct_json_put_text(w, "text", prompt);
    for (int i = 0; i < 4; i++)
        mct_json_put_end(w);
    char *params = mct_json_writer_take(w, NULL);
    mct_tool_call_ask(call, "sampling/createMessage", params, answered, data);
    mct_free(params);
}

static void sample(struct mct_tool_call *call, void *data)
{
    const char *prompt = mct_tool_call_text_argument(call, "prompt");
    ask_model(call, prompt ? prompt : data, on_answer, "LLM response: ");
}

static void ask_person(struct mct_tool_call *call, void *data)
{
    mct_tool_call_ask(call, "elicitation/create", data, on_answer, "Elicitation completed: ");
}

static void elicit(struct mct_tool_call *call, void *data)
{
    struct mct_json_writer *w = mct_json_writer_new();
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "message", mct_tool_call_text_argument(call, "message"));
    mct_json_put_json(w, "requestedSchema", data);
    mct_json_put_end(w);
    char *params = mct_json_writer_take(w, NULL);
    mct_tool_call_ask(call, "elicitation/create", params, on_answer, "User response: ");
    mct_free(params);
}

#define ASK_NAME                                                                                                       \
    JSON({                                                                                                             \
        "message" : "What is your name?",                                                                              \
        "requestedSchema" :                                                                                            \
            { "type" : "object", "properties" : { "name" : { "type" : "string" } }, "required" : ["name"] }            \
    })

static void on_name(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    struct mct_json json = { 0 };
    char *name, says[256];
    (void)data;
    mct_json_read(answer, &json, NULL);
    name = mct_json_is(mct_json_get(json, "action"), "accept")
               ? mct_json_text(mct_json_get(mct_json_get(json, "content"), "name"))
               : NULL;
    snprintf(says, sizeof says, "Hello, %s!", name ? name : "whoever you are");
    if (err)
        mct_tool_call_fail(call, err->code ? err->code : -32603, err->message);
    else
        mct_tool_call_text(call, says);
    mct_free(name);
}

static void greet(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_ask(call, "elicitation/create", ASK_NAME, on_name, NULL);
}

static void on_one_of_all(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    int *n = mct_tool_call_memory(call, sizeof *n);
    (void)answer, (void)err, (void)data;
    if (--*n == 0)
        mct_tool_call_text(call, "All have been answered");
}

static void ask_all(struct mct_tool_call *call, void *data)
{
    int *n = mct_tool_call_memory(call, sizeof *n);
    (void)data;
    *n = 3;
    mct_tool_call_ask(call, "elicitation/create", ASK_NAME, on_one_of_all, NULL);
    ask_model(call, "Generate a greeting", on_one_of_all, NULL);
    mct_tool_call_ask(call, "roots/list", NULL, on_one_of_all, NULL);
}

static void on_first(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    (void)answer, (void)err, (void)data;
    mct_tool_call_ask(
        call, "elicitation/create", JSON({
            "message" : "Step 2: What is your favorite color?",
            "requestedSchema" :
                { "type" : "object", "properties" : { "color" : { "type" : "string" } }, "required" : ["color"] }
        }),
        on_answer, "Both steps are done: ");
}

static void ask_twice(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_ask(call, "elicitation/create", ASK_NAME, on_first, NULL);
}

static void ask_what_is_possible(struct mct_tool_call *call, void *data)
{
    int *n = mct_tool_call_memory(call, sizeof *n);
    bool person = mct_tool_call_can_ask(call, "elicitation/create", NULL);
    bool model = mct_tool_call_can_ask(call, "sampling/createMessage", NULL);
    (void)data;
    *n = person + model;
    if (person)
        mct_tool_call_ask(call, "elicitation/create", ASK_NAME, on_one_of_all, NULL);
    if (model)
        ask_model(call, "Generate a greeting", on_one_of_all, NULL);
    if (!*n)
        mct_tool_call_error(call, "this client cannot be asked");
}

static void who(struct mct_tool_call *call, void *data)
{
    const struct mct_caller *by = mct_tool_call_caller(call);
    struct mct_json_writer *w = mct_json_writer_new();
    (void)data;
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "principal", by->principal);
    mct_json_put_text(w, "name", by->client_name);
    mct_json_put_text(w, "version", by->client_version);
    mct_json_put_bool(w, "session", by->session != 0);
    mct_json_put_text(w, "revision", by->revision);
    mct_json_put_json(w, "meta", by->meta);
    mct_json_put_end(w);
    char *says = mct_json_writer_take(w, NULL);
    mct_tool_call_structured(call, says);
    mct_free(says);
}

#define ONE(name)                                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"

static const struct {
    const char *name, *parameters, *output;
    mct_tool_fn execute;
    void *data;
} tools[] = {
    { "test_simple_text", NULL, NULL, text, "This is a simple text response for testing." },
    { "test_image_content", NULL, NULL, png, NULL },
    { "test_audio_content", NULL, NULL, wav, NULL },
    { "test_embedded_resource", NULL, NULL, constant, JSON({
          "content" : [ {
              "type" : "resource",
              "resource" : {
                  "uri" : "test://embedded-resource",
                  "mimeType" : "text/plain",
                  "text" : "This is an embedded resource content."
              }
          } ]
      }) },
    { "test_multiple_content_types", NULL, NULL, constant, JSON({
          "content" : [
              { "type" : "text", "text" : "Multiple content types test:" }, {
                  "type" : "image",
                  "mimeType" : "image/png",
                  "data" :
                      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
              },
              {
                  "type" : "resource",
                  "resource" : {
                      "uri" : "test://mixed-content-resource",
                      "mimeType" : "application/json",
                      "text" : "{\"test\":\"data\",\"value\":123}"
                  }
              }
          ]
      }) },
    { "test_error_handling", NULL, NULL, fails, "This tool intentionally returns an error for testing" },
    { "test_tool_with_progress", NULL, NULL, progress, NULL },
    { "test_tool_with_logging", NULL, NULL, logging, NULL },
    { "test_logging_tool", NULL, NULL, log_once, NULL },
    { "test_reconnection", NULL, NULL, reconnection, NULL },
    { "test_trigger_tool_change", NULL, NULL, change_tools, NULL },
    { "test_trigger_prompt_change", NULL, NULL, change_prompts, NULL },
    { "test_header_parameter", JSON({
          "type" : "object",
          "required" : ["region"],
          "properties" : {
              "region" : { "type" : "string", "x-mcp-header" : "Region" },
              "priority" : { "type" : "integer", "x-mcp-header" : "Priority" },
              "query" : { "type" : "string" }
          }
      }),
      NULL, arguments, NULL },
    { "json_schema_2020_12_tool", JSON({
          "$schema" : "https://json-schema.org/draft/2020-12/schema",
          "type" : "object",
          "$defs" : {
              "address" : {
                  "$anchor" : "addressDef",
                  "type" : "object",
                  "properties" : { "street" : { "type" : "string" }, "city" : { "type" : "string" } }
              }
          },
          "properties" : {
              "name" : { "type" : "string" },
              "address" : { "$ref" : "#/$defs/address" },
              "contactMethod" : { "type" : "string", "enum" : [ "phone", "email" ] },
              "phone" : { "type" : "string" },
              "email" : { "type" : "string" }
          },
          "allOf" : [ { "anyOf" : [ { "required" : ["phone"] }, { "required" : ["email"] } ] } ],
          "if" : { "properties" : { "contactMethod" : { "const" : "phone" } }, "required" : ["contactMethod"] },
          "then" : { "required" : ["phone"] },
          "else" : { "required" : ["email"] },
          "additionalProperties" : false
      }),
      NULL, arguments, NULL },
    { "test_sampling", ONE("prompt"), NULL, sample, NULL },
    { "test_elicitation", ONE("message"), NULL, elicit, JSON({
          "type" : "object",
          "required" : [ "username", "email" ],
          "properties" : {
              "username" : { "type" : "string", "description" : "User's response" },
              "email" : { "type" : "string", "description" : "User's email address" }
          }
      }) },
    { "test_elicitation_sep1034_defaults", NULL, NULL, ask_person, JSON({
          "message" : "Please review and update the form fields with defaults",
          "requestedSchema" : {
              "type" : "object",
              "required" : [],
              "properties" : {
                  "name" : { "type" : "string", "description" : "User name", "default" : "John Doe" },
                  "age" : { "type" : "integer", "description" : "User age", "default" : 30 },
                  "score" : { "type" : "number", "description" : "User score", "default" : 95.5 },
                  "status" : {
                      "type" : "string",
                      "description" : "User status",
                      "enum" : [ "active", "inactive", "pending" ],
                      "default" : "active"
                  },
                  "verified" : { "type" : "boolean", "description" : "Verification status", "default" : true }
              }
          }
      }) },
    { "test_elicitation_sep1330_enums", NULL, NULL, ask_person, JSON({
          "message" : "Please select options from the enum fields",
          "requestedSchema" : {
              "type" : "object",
              "required" : [],
              "properties" : {
                  "untitledSingle" : { "type" : "string", "enum" : [ "option1", "option2", "option3" ] },
                  "titledSingle" : {
                      "type" : "string",
                      "oneOf" : [
                          { "const" : "value1", "title" : "First Option" },
                          { "const" : "value2", "title" : "Second Option" },
                          { "const" : "value3", "title" : "Third Option" }
                      ]
                  },
                  "legacyEnum" : {
                      "type" : "string",
                      "enum" : [ "opt1", "opt2", "opt3" ],
                      "enumNames" : [ "Option One", "Option Two", "Option Three" ]
                  },
                  "untitledMulti" : {
                      "type" : "array",
                      "minItems" : 1,
                      "maxItems" : 3,
                      "items" : { "type" : "string", "enum" : [ "option1", "option2", "option3" ] }
                  },
                  "titledMulti" : {
                      "type" : "array",
                      "minItems" : 1,
                      "maxItems" : 3,
                      "items" : {
                          "anyOf" : [
                              { "const" : "value1", "title" : "First Choice" },
                              { "const" : "value2", "title" : "Second Choice" },
                              { "const" : "value3", "title" : "Third Choice" }
                          ]
                      }
                  }
              }
          }
      }) },
    { "test_missing_capability", NULL, NULL, sample, "Say something" },
    { "test_streaming_elicitation", NULL, NULL, greet, NULL },
    { "test_input_required_result_elicitation", NULL, NULL, greet, NULL },
    { "test_input_required_result_sampling", NULL, NULL, sample, "What is the capital of France?" },
    { "test_input_required_result_list_roots", NULL, NULL, ask_roots, NULL },
    { "test_input_required_result_request_state", NULL, NULL, ask_person, JSON({
          "message" : "Please confirm",
          "requestedSchema" :
              { "type" : "object", "properties" : { "ok" : { "type" : "boolean" } }, "required" : ["ok"] }
      }) },
    { "test_input_required_result_tampered_state", NULL, NULL, ask_person, JSON({
          "message" : "Please confirm",
          "requestedSchema" :
              { "type" : "object", "properties" : { "ok" : { "type" : "boolean" } }, "required" : ["ok"] }
      }) },
    { "test_input_required_result_multiple_inputs", NULL, NULL, ask_all, NULL },
    { "test_input_required_result_multi_round", NULL, NULL, ask_twice, NULL },
    { "test_input_required_result_capabilities", NULL, NULL, ask_what_is_possible, NULL },
    /* for test_provide.py */
    { "who", NULL, JSON({ "type" : "object", "required" : ["principal"] }), who, NULL },
    { "touch", ONE("uri"), NULL, change_resource, NULL },
    { "wrong", NULL, JSON({ "type" : "object", "required" : ["n"] }), constant,
      JSON({ "content" : [], "structuredContent" : { "m" : 1 } }) },
    { "bare", NULL, JSON({ "type" : "object", "required" : ["n"] }), text, "no structured content" },
};

/* ---- resources and prompts ---- */

static void record(struct mct_tool_call *call, void *data)
{
    const char *id = mct_tool_call_text_argument(call, "id");
    struct mct_json_writer *w = mct_json_writer_new();
    (void)data;
    if (!strcmp(id, "none")) {
        mct_json_writer_free(w);
        mct_tool_call_not_found(call);
        return;
    }
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "id", id);
    mct_json_put_bool(w, "templateTest", true);
    mct_json_put_text(w, "data", mct_tool_call_uri(call));
    mct_json_put_end(w);
    char *json = mct_json_writer_take(w, NULL);
    mct_tool_call_text(call, json);
    mct_free(json);
}

static void complete(struct mct_tool_call *call, void *data)
{
    static const char *const values[] = { "test", "testValue1", "testValue2", "text", NULL };
    (void)data;
    mct_tool_call_complete(call, values);
}

static const struct mct_resource_def resources[] = {
    { .size = sizeof *resources,
      .uri = "test://static-text",
      .name = "Static text",
      .mime_type = "text/plain",
      .read = text,
      .data = "This is the content of the static text resource." },
    { .size = sizeof *resources,
      .uri = "test://static-binary",
      .name = "Static binary",
      .mime_type = "image/png",
      .read = png },
    { .size = sizeof *resources,
      .uri = "test://watched-resource",
      .name = "Watched resource",
      .mime_type = "text/plain",
      .read = text,
      .data = "Watched resource content",
      .updates = true,
      .subscribed = on_subscribed },
    { .size = sizeof *resources,
      .uri_template = "test://template/{id}/data",
      .name = "Template",
      .mime_type = "application/json",
      .read = record,
      .complete = complete },
};

static void with_arguments(struct mct_tool_call *call, void *data)
{
    char says[256];
    (void)data;
    snprintf(says, sizeof says, "Prompt with arguments: arg1='%s', arg2='%s'",
             mct_tool_call_text_argument(call, "arg1"), mct_tool_call_text_argument(call, "arg2"));
    mct_tool_call_text(call, says);
}

static void with_resource(struct mct_tool_call *call, void *data)
{
    struct mct_json_writer *w = mct_json_writer_new();
    (void)data;
    mct_json_put_object(w, NULL);
    mct_json_put_array(w, "messages");
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "role", "user");
    mct_json_put_object(w, "content");
    mct_json_put_text(w, "type", "resource");
    mct_json_put_object(w, "resource");
    mct_json_put_json(w, "uri", mct_tool_call_argument(call, "resourceUri"));
    mct_json_put_text(w, "mimeType", "text/plain");
    mct_json_put_text(w, "text", "Embedded resource content for testing.");
    for (int i = 0; i < 3; i++)
        mct_json_put_end(w);
    mct_json_put_json(w, NULL, JSON({
                          "role" : "user",
                          "content" : { "type" : "text", "text" : "Please process the embedded resource above." }
                      }));
    mct_json_put_end(w);
    mct_json_put_end(w);
    char *result = mct_json_writer_take(w, NULL);
    mct_tool_call_result(call, result);
    mct_free(result);
}

static const struct mct_prompt_def prompts[] = {
    { .size = sizeof *prompts,
      .description = "For tests",
      .name = "test_simple_prompt",
      .get = text,
      .data = "This is a simple prompt for testing." },
    { .size = sizeof *prompts,
      .description = "For tests",
      .name = "test_prompt_with_arguments",
      .get = with_arguments,
      .complete = complete,
      .arguments = JSON([ { "name" : "arg1", "required" : true }, { "name" : "arg2", "required" : true } ]) },
    { .size = sizeof *prompts,
      .description = "For tests",
      .name = "test_prompt_with_embedded_resource",
      .get = with_resource,
      .arguments = JSON([ { "name" : "resourceUri", "required" : true } ]) },
    { .size = sizeof *prompts,
      .description = "For tests",
      .name = "test_prompt_with_image",
      .get = constant,
      .data = JSON({
          "messages" : [
              {
                  "role" : "user",
                  "content" : {
                      "type" : "image",
                      "mimeType" : "image/gif",
                      "data" : "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
                  }
              },
              { "role" : "user", "content" : { "type" : "text", "text" : "Please analyze the image above." } }
          ]
      }) },
    { .size = sizeof *prompts,
      .description = "For tests",
      .name = "test_input_required_result_prompt",
      .get = ask_person,
      .data = JSON({
          "message" : "What context should the prompt use?",
          "requestedSchema" :
              { "type" : "object", "properties" : { "context" : { "type" : "string" } }, "required" : ["context"] }
      }) },
};

/* ---- the server ---- */

static int fill(struct mct_error *err)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof tools / sizeof *tools; i++) {
        struct mct_tool_def def = MCT_TOOL_DEF_INIT;
        def.name = tools[i].name;
        def.description = "For tests";
        def.parameters = tools[i].parameters;
        def.output_schema = tools[i].output;
        def.execute = tools[i].execute;
        def.data = tools[i].data;
        r = mct_instance_add_tool(instance, &def, err);
    }
    for (size_t i = 0; r == 0 && i < sizeof resources / sizeof *resources; i++)
        r = mct_instance_add_resource(instance, &resources[i], err);
    for (size_t i = 0; r == 0 && i < sizeof prompts / sizeof *prompts; i++)
        r = mct_instance_add_prompt(instance, &prompts[i], err);
    return r;
}

static void on_signal(int number)
{
    (void)number;
    mct_instance_stop(instance);
}

static int serve_http(const char *address, struct mct_error *err)
{
    int port = mct_instance_serve_http(instance, address, err);
    if (port < 0 || mct_instance_start(instance, err) < 0)
        return -1;
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    printf("http://127.0.0.1:%d/mcp\n", port);
    fflush(stdout);
    return mct_instance_run(instance, err);
}

int main(int argc, char **argv)
{
    const struct mct_identity identity = { .size = sizeof identity,
                                           .name = "served",
                                           .version = "1.2.3",
                                           .title = "Everything",
                                           .description = "A test",
                                           .website_url = "https://example.org/",
                                           .icons = JSON([ { "src" : "https://example.org/icon.png" } ]),
                                           .instructions = "Be kind." };
    struct mct_error err;
    instance = argc == 2 ? mct_instance_new(NULL, &err) : NULL;
    if (!instance)
        return 2;
    int r = mct_instance_identify(instance, &identity, &err) < 0 ? -1 : fill(&err);
    if (r == 0)
        r = strcmp(argv[1], "--stdio") ? serve_http(argv[1], &err) : mct_instance_serve_stdio_wait(instance, &err);
    if (r < 0)
        fprintf(stderr, "served: %s\n", err.message);
    mct_instance_close_wait(instance);
    return r < 0;
}
