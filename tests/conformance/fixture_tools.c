/* Tools that only answer: at once, after a while, with progress and log messages, or by changing the lists. */
#include "fixture.h"

enum { STEP_MS = 50 };

/* ---- what takes its time ---- */

static void progress(struct mcti_local_request *r, void *data)
{
    unsigned *percent = data ? data : mcti_local_memory(r, sizeof *percent);
    if (!percent) {
        mcti_local_text_error(r, "out of memory");
        return;
    }
    mcti_local_progress(r, *percent, 100, NULL);
    if (*percent == 100) {
        mcti_local_text(r, "Tool with progress executed successfully");
        return;
    }
    *percent += 50;
    mcti_local_later(r, STEP_MS, progress, percent);
}

static void logging(struct mcti_local_request *r, void *data)
{
    static const char *const messages[] = { "\"Tool execution started\"", "\"Tool processing data\"",
                                            "\"Tool execution completed\"" };
    unsigned *n = data ? data : mcti_local_memory(r, sizeof *n);
    if (!n) {
        mcti_local_text_error(r, "out of memory");
        return;
    }
    mcti_local_log(r, "info", "fixture", mcti_str_of(messages[(*n)++]));
    if (*n < sizeof messages / sizeof *messages)
        mcti_local_later(r, STEP_MS, logging, n);
    else
        mcti_local_text(r, "Tool with logging executed successfully");
}

static void log_once(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_log(r, "info", "fixture", MCT_STR("\"This is for those who have asked for it\""));
    mcti_local_text(r, "Logged");
}

static void reconnected(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_text(r, "Reconnection test completed successfully");
}

static void reconnection(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_hang_up(r);
    mcti_local_later(r, 2 * STEP_MS, reconnected, NULL);
}

/* ---- what changes the lists ---- */

static struct mcti_provider *changing; /* the lists of this one: the program serves one fixture */

static const struct fixture_item comes_and_goes[] = {
    { MCT_TOOL, MCT_JSON({ "name": "test_dynamic_tool", "description": "Comes and goes" }), fixture_constant,
                         MCT_JSON({ "content": [{ "type": "text", "text": "Still here" }] }) },
                         { MCT_PROMPT, MCT_JSON({ "name": "test_dynamic_prompt", "description": "Comes and goes" }),
                                                fixture_constant, MCT_JSON({ "messages": [] }) },
                          };

static void change(struct mcti_local_request *r, void *data)
{
    const struct fixture_item *item = data;
    const char *name = item->kind == MCT_TOOL ? "test_dynamic_tool" : "test_dynamic_prompt";
    bool gone = mcti_local_remove(changing, item->kind, name) == 0;
    if (!gone)
        fixture_add(changing, item, 1, NULL);
    mcti_local_text(r, "%s has %s", name, gone ? "gone" : "come");
}

/* ---- what the arguments say ---- */

static void show_arguments(struct mcti_local_request *r, void *data)
{
    struct mcti_str arguments = mcti_json_get(mcti_local_params(r), "arguments");
    (void)data;
    mcti_local_text(r, "%.*s", MCT_STR_ARG(arguments));
}

static const struct fixture_item items[] = {
    { MCT_TOOL,
      MCT_JSON({ "name": "test_simple_text", "description": "Tests simple text content" }), fixture_constant,
          MCT_JSON({
          "content": [{ "type": "text", "text": "This is a simple text response for testing." }] }) },
          { MCT_TOOL,
            MCT_JSON({ "name": "test_image_content", "description": "Tests image content" }), fixture_constant,
                MCT_JSON({
          "content": [{ "type": "image", "mimeType": "image/png", "data":
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" }] }) },
                { MCT_TOOL,
                  MCT_JSON({ "name": "test_audio_content", "description": "Tests audio content" }), fixture_constant,
                      MCT_JSON({
          "content": [{ "type": "audio", "mimeType": "audio/wav",
                        "data": "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=" }] }) },
                      { MCT_TOOL,
                        MCT_JSON({ "name": "test_embedded_resource", "description": "Tests an embedded resource" }),
                            fixture_constant,
                            MCT_JSON({
          "content": [{ "type": "resource", "resource": {
              "uri": "test://embedded-resource", "mimeType": "text/plain",
              "text": "This is an embedded resource content." } }] }) },
                            { MCT_TOOL,
                              MCT_JSON({ "name": "test_multiple_content_types", "description": "Tests several types of content" }),
                                  fixture_constant,
                                  MCT_JSON({
          "content": [
              { "type": "text", "text": "Multiple content types test:" },
              { "type": "image", "mimeType": "image/png", "data":
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" },
              { "type": "resource", "resource": {
                  "uri": "test://mixed-content-resource", "mimeType": "application/json",
                  "text": "{\"test\":\"data\",\"value\":123}" } }] }) },
                                        { MCT_TOOL,
                                          MCT_JSON({ "name": "test_error_handling", "description": "Tests a tool that fails" }),
                                              fixture_constant,
                                              MCT_JSON({
          "content": [{ "type": "text", "text": "This tool intentionally returns an error for testing" }],
          "isError": true }) },
                                              { MCT_TOOL,
                                                MCT_JSON({ "name": "test_tool_with_progress", "description": "Tests progress" }),
                                                         progress,
                                                         NULL },
                                                { MCT_TOOL,
                                                  MCT_JSON({ "name": "test_tool_with_logging", "description": "Tests log messages" }),
                                                           logging, NULL },
                                                  { MCT_TOOL,
                                                    MCT_JSON({ "name": "test_logging_tool", "description": "Tests who gets log messages" }),
                                                             log_once, NULL },
                                                    { MCT_TOOL,
                                                      MCT_JSON({ "name": "test_reconnection", "description": "Tests streams that are taken up again" }),
                                                          reconnection, NULL },
                                                      { MCT_TOOL,
                                                        MCT_JSON({ "name": "test_trigger_tool_change", "description": "Changes the list of tools" }),
                                                                 change, &comes_and_goes[0] },
                                                        { MCT_TOOL,
                                                          MCT_JSON({ "name": "test_trigger_prompt_change", "description": "Changes the list of prompts" }),
                                                                   change, &comes_and_goes[1] },
                                                          { MCT_TOOL,
                                                            MCT_JSON({
          "name": "test_header_parameter", "description": "Tests parameters that are repeated in headers",
          "inputSchema": { "type": "object", "required": ["region"], "properties": {
              "region": { "type": "string", "x-mcp-header": "Region" },
              "priority": { "type": "integer", "x-mcp-header": "Priority" },
              "query": { "type": "string" } } } }),
                                                                                   show_arguments, NULL },
                                                                      { MCT_TOOL,
                                                                        MCT_JSON({
          "name": "json_schema_2020_12_tool", "description": "Tool with JSON Schema 2020-12 features",
          "inputSchema": {
              "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
              "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": {
                  "street": { "type": "string" }, "city": { "type": "string" } } } },
              "properties": {
                  "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" },
                  "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                  "phone": { "type": "string" }, "email": { "type": "string" } },
              "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
              "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
              "then": { "required": ["phone"] }, "else": { "required": ["email"] },
              "additionalProperties": false } }),
                                                                                                                        show_arguments,
                                                                                                                        NULL },
                                                                                                      };

int fixture_add_tools(struct mcti_provider *p, struct mct_error *err)
{
    changing = p;
    return fixture_add(p, items, sizeof items / sizeof *items, err);
}
