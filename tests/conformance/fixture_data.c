/* Resources, prompts and completion. */
#include "fixture.h"

#include <stdlib.h>

/* ---- resources ---- */

static void text(struct mcti_local_request *r, void *data)
{
    mcti_local_contents(r, "text/plain", mcti_str_of(data));
}

static void png(struct mcti_local_request *r, void *data)
{
    mcti_local_blob(r, "image/png", mcti_str_of(data));
}

/* test://template/{id}/data */
static void record(struct mcti_local_request *r, void *data)
{
    static const struct mcti_str head = { "test://template/", 16 };
    struct mcti_str rest = mcti_local_uri(r), id;
    struct mcti_buf b;
    (void)data;
    rest = mcti_str_range(rest.p + head.len, rest.p + rest.len);
    mcti_str_split(&rest, '/', &id);
    mcti_buf_init(&b, 6 * id.len + 256);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "id", id);
    mcti_json_put_raw(&b, "templateTest", MCT_STR("true"));
    mcti_buf_printf(&b, ",\"data\":\"Data for ID: %.*s\"}", MCT_STR_ARG(id));
    mcti_local_contents(r, "application/json", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* ---- prompts ---- */

static void with_arguments(struct mcti_local_request *r, void *data)
{
    char *one = mcti_json_dup(mcti_local_argument(r, "arg1")), *two = mcti_json_dup(mcti_local_argument(r, "arg2"));
    (void)data;
    if (one && two)
        mcti_local_prompt(r, "Prompt with arguments: arg1='%s', arg2='%s'", one, two);
    else
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "arg1 and arg2 are needed", MCT_STR_NONE);
    free(one);
    free(two);
}

static void with_resource(struct mcti_local_request *r, void *data)
{
    struct mcti_str uri = mcti_local_argument(r, "resourceUri");
    struct mcti_buf b;
    (void)data;
    if (mcti_json_type(uri) != '"') {
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "resourceUri is needed", MCT_STR_NONE);
        return;
    }
    mcti_buf_init(&b, uri.len + 1024);
    mcti_buf_addz(&b, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":");
    mcti_buf_add(&b, uri);
    mcti_buf_addz(&b, ",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}},");
    mcti_buf_addz(&b,
                  MCT_JSON({ "role": "user", "content": {
        "type": "text", "text": "Please process the embedded resource above." } }));
    mcti_buf_addz(&b, "]}");
    mcti_local_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void complete(struct mcti_local_request *r, void *data)
{
    static const char *const values[] = { "test", "testValue1", "testValue2", "text", NULL };
    (void)data;
    mcti_local_complete(r, values);
}

static const struct fixture_item items[] = {
    { MCT_RESOURCE, MCT_JSON({ "uri": "test://static-text", "name": "Static text", "mimeType": "text/plain",
                               "description": "A text that never changes" }),
                             text, "This is the content of the static text resource." },
      { MCT_RESOURCE,
        MCT_JSON({ "uri": "test://static-binary", "name": "Static binary", "mimeType": "image/png",
                               "description": "A picture that never changes" }),
                 png,
                 "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" },
        { MCT_RESOURCE, MCT_JSON({ "uri": "test://watched-resource", "name": "Watched resource",
                               "mimeType": "text/plain", "description": "One to subscribe to" }),
                                 text, "Watched resource content" },
          { MCT_TEMPLATE, MCT_JSON({ "uriTemplate": "test://template/{id}/data", "name": "Template",
                               "mimeType": "application/json", "description": "Data by id" }),
                                   record, NULL },
            { MCT_PROMPT,
              MCT_JSON({ "name": "test_simple_prompt", "description": "A simple prompt" }), fixture_constant,
                  MCT_JSON({ "messages": [{ "role": "user", "content": {
          "type": "text", "text": "This is a simple prompt for testing." } }] }) },
                  { MCT_PROMPT,
                    MCT_JSON({ "name": "test_prompt_with_arguments", "description": "A prompt with two arguments",
          "arguments": [{ "name": "arg1", "description": "First test argument", "required": true },
                        { "name": "arg2", "description": "Second test argument", "required": true }] }),
                          with_arguments, NULL },
                        { MCT_PROMPT,
                          MCT_JSON({ "name": "test_prompt_with_embedded_resource", "description": "A prompt with a resource",
          "arguments": [{ "name": "resourceUri", "description": "URI of the resource to embed", "required": true }] }),
                                with_resource, NULL },
                              { MCT_PROMPT,
                                MCT_JSON({ "name": "test_prompt_with_image", "description": "A prompt with a picture" }),
                                         fixture_constant,
                                         MCT_JSON({ "messages": [
          { "role": "user", "content": { "type": "image", "mimeType": "image/png", "data":
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==" } },
          { "role": "user", "content": { "type": "text", "text": "Please analyze the image above." } }] }) },
                                         };

int fixture_add_data(struct mcti_provider *p, struct mct_error *err)
{
    mcti_local_set_complete(p, complete, NULL);
    return fixture_add(p, items, sizeof items / sizeof *items, err);
}
