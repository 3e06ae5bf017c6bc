/*
 * Model providers: arrays of tools, calls, results and schemas in the forms that their APIs take
 * (docs/PROVIDERS.md).
 */
#ifndef MCPTOOLS_MODEL_H
#define MCPTOOLS_MODEL_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/*
 * Makes the array for the member `tools` of a request to the model. Names of tools are changed if the provider does not
 * accept them. A tool whose schema cannot be sent is left out, and the log says why.
 *
 *   provider  "openai" (Chat Completions), "openai-strict", "openai-responses", "anthropic", "gemini", "xai",
 *             "deepseek", "llamacpp" or "mcp"
 *
 * Returns the array as JSON, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      unknown provider, or the instance is not started or being closed
 *   MCT_ERR_LIMIT      the array is too large
 *   MCT_ERR_NO_MEMORY
 */
MCT_API char *mct_instance_model_tools(struct mct_instance *instance, const char *provider, struct mct_error *err);

/*
 * Writes a block for the system prompt: the resources known now, and the tools of the dialect "bridge" to read them with
 * (docs/RESOURCE_TOOLS.md). Texts of servers are cut, without control characters; the block has at most about 16 KB.
 * Write it again after resources have changed.
 *
 * Returns the block, "" if no resource is known, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      the instance is not started or being closed
 *   MCT_ERR_NO_MEMORY
 */
MCT_API char *mct_instance_resource_prompt(struct mct_instance *instance, struct mct_error *err);

/*
 * Makes one call as the model sent it. An unknown tool or invalid arguments are an error of the request,
 * which mct_request_answer() passes to the model.
 *
 *   provider  as in mct_instance_model_tools()
 *   call      one call, a JSON object: {"type":"tool_use",…}, {"type":"function",…}, …
 *   opts      options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        unknown provider, `call` is not a call, the instance is not started or being closed,
 *                        or the size of `opts` is not set
 *   MCT_ERR_LIMIT        the call is too large
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_call_model(struct mct_instance *instance, const char *provider,
                                                    const char *call, const struct mct_call_opts *opts,
                                                    struct mct_error *err);

/*
 * Returns the answer to the model's call: {"type":"tool_result",…}, …. If the request has an error, the
 * answer says why. The text is valid until the request is freed. NULL with *err:
 *
 *   request  a request of mct_instance_call_model() that is over
 *
 *   MCT_ERR_USAGE      the request is not over, or was not made by mct_instance_call_model()
 *   MCT_ERR_NO_MEMORY
 */
MCT_API const char *mct_request_answer(struct mct_request *request, struct mct_error *err);

/*
 * Normalises a JSON Schema for a model provider (docs/SCHEMAS.md).
 *
 *   profile  "none", "openclaw", "gemini", "openai", "openai-strict", "anthropic", "xai", "deepseek" or
 *            "llamacpp"
 *   schema   the schema, a JSON object
 *
 * Returns the schema as JSON, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      unknown profile, or `schema` is not a JSON object
 *   MCT_ERR_LIMIT      the schema becomes too large or too deep
 *   MCT_ERR_NO_MEMORY
 *
 * Threads: any.
 */
MCT_API char *mct_schema_normalise(const char *profile, const char *schema, struct mct_error *err);

/*
 * Converts arguments that a model made for a normalised schema into arguments for the original schema.
 *
 *   profile    the profile with which the schema was normalised
 *   schema     the original schema
 *   arguments  the arguments of the model, a JSON object
 *
 * Returns the arguments as JSON, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      unknown profile, or `schema` or `arguments` is not a JSON object
 *   MCT_ERR_LIMIT      the arguments become too large
 *   MCT_ERR_NO_MEMORY
 *
 * Threads: any.
 */
MCT_API char *mct_schema_restore_arguments(const char *profile, const char *schema, const char *arguments,
                                           struct mct_error *err);

/*
 * Converts the content of a CallToolResult into an array of text and image blocks (docs/PROVIDERS.md).
 *
 *   result  the CallToolResult, a JSON object
 *
 * Returns the array as JSON, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      `result` is not a JSON object
 *   MCT_ERR_LIMIT      the array becomes too large
 *   MCT_ERR_NO_MEMORY
 *
 * Threads: any.
 */
MCT_API char *mct_result_degrade_content(const char *result, struct mct_error *err);

/*
 * Convert the content of a CallToolResult into one text (docs/PROVIDERS.md). A text that contains U+0000
 * needs the function with the lengths.
 *
 *   result   the CallToolResult, a JSON object
 *   len      length of `result` in bytes
 *   ret_len  receives the length of the text in bytes
 *
 * Return the text, to be freed with mct_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      `result` is not a JSON object
 *   MCT_ERR_LIMIT      the text becomes too large
 *   MCT_ERR_NO_MEMORY
 *
 * Threads: any.
 */
MCT_API char *mct_result_degrade_text(const char *result, struct mct_error *err);
MCT_API char *mct_result_degrade_text_len(const char *result, size_t len, size_t *ret_len, struct mct_error *err);

MCT_END_DECLS

#endif
