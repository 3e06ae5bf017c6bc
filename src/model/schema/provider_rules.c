/* The table of published limits. Each value has its source in a comment: the provider's reference, or the error
 * message with which the provider refuses more. */
#include "model/schema/provider_rules.h"

enum { MIB = 1 << 20 };

/* Chat Completions. API reference, "tools[].function.name": "a-z, A-Z, 0-9, or contain underscores and dashes, with
 * a maximum length of 64". Descriptions: error string_above_max_length, "Invalid 'tools[5].function.description':
 * string too long. Expected a string with maximum length 1024"; Azure OpenAI documents the same 1,024. Tools: error
 * array_above_max_length, "Invalid 'tools': array too long. Expected an array with maximum length 128". A tool
 * message has text only. */
const struct mcti_provider_rules mcti_rules_openai = { .max_name = 64, .max_description = 1024, .max_tools = 128 };

/* Responses. The same limits; API reference, "function_call_output.output": text or a list with input_image. Guide
 * "Images and vision": "Up to 50 MB total payload size per request". */
const struct mcti_provider_rules mcti_rules_responses = {
    .max_name = 64, .max_description = 1024, .max_tools = 128, .max_image = 50 * MIB
};

/* Messages. API reference, "tools[].name": at most 128 characters of [a-zA-Z0-9_-]. Descriptions and the number of
 * tools have no published limit. Keys: error "tools.0.custom.input_schema.properties: Property keys should match
 * pattern '^[a-zA-Z0-9_.-]{1,64}$'". Texts: errors "text content blocks must contain non-whitespace text" and
 * "content cannot be empty if `is_error` is true". Images: error "image exceeds 5 MB maximum: 8259148 bytes >
 * 5242880 bytes", which counts base64; guide "Vision": "If you submit an image larger than 8000x8000 px, it will be
 * rejected". */
const struct mcti_provider_rules mcti_rules_anthropic = {
    .max_name = 128,
    .keys = MCT_KEYS_DOTTED,
    .no_blank_text = true,
    .max_image = 5 * MIB,
    .max_image_side = 8000,
};

/* Gemini. Vertex AI reference, FunctionDeclaration: "Must start with a letter or an underscore … with a maximum
 * length of 64"; "Parameter names must start with a letter or an underscore and must only contain chars a-z, A-Z,
 * 0-9, or underscores with a maximum length of 64". Tool: "Maximum 512 function declarations can be provided" (128
 * and 64 in older versions). Only the newest models accept images in a functionResponse. */
const struct mcti_provider_rules mcti_rules_gemini = {
    .max_name = 64, .letter_first = true, .max_tools = 512, .keys = MCT_KEYS_IDENTIFIER
};

/* xAI and DeepSeek adopted the form of Chat Completions. DeepSeek's API reference, "tools": "A max of 128 functions
 * are supported". xAI publishes no limits; those of names and tools are the ones that the form comes from. */
const struct mcti_provider_rules mcti_rules_xai = { .max_name = 64, .max_tools = 128 };
const struct mcti_provider_rules mcti_rules_deepseek = { .max_name = 64, .max_tools = 128 };

/* llama.cpp's server has the form of Chat Completions, and no limits of its own. */
const struct mcti_provider_rules mcti_rules_llamacpp = { .max_name = 64 };

/* tools/list of MCP: nothing is changed. */
const struct mcti_provider_rules mcti_rules_mcp = { 0 };
