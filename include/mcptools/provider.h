/* Between tools and model providers: arrays of tools, calls, results and schemas in the forms they take. */
#ifndef MCPTOOLS_PROVIDER_H
#define MCPTOOLS_PROVIDER_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/*
 * The tools as the member `tools` of a request has them: for "openai" (Chat Completions), "openai-strict",
 * "openai-responses", "anthropic", "gemini", "xai", "deepseek", "llamacpp", or "mcp" (docs/PROVIDERS.md). Names are
 * valid there; a tool whose schema cannot be sent is left out, and the log says why. To be freed with mct_free();
 * NULL with *err.
 */
MCT_API char *mct_instance_tools_for(struct mct_instance *r, const char *provider, struct mct_error *err);

/* Makes one call as the model sends it, for that array: {"type":"tool_use",…}, {"type":"function",…}, … What the model
 * gets wrong (there is no such tool, the arguments fit nothing) is the error of the request, which mct_request_answer()
 * tells it. NULL with *err: this is no call at all. */
MCT_API struct mct_request *mct_instance_call_from(struct mct_instance *r, const char *provider, const char *call,
                                                   const struct mct_call_opts *opts, struct mct_error *err);

/* What goes back to the model, once such a request is over: {"type":"tool_result",…}, …; of one that failed, why. Good
 * until it is freed. NULL: it is not over, no model made it, or memory is short. */
MCT_API const char *mct_request_answer(struct mct_request *q);

/* A JSON Schema as a provider takes it (docs/SCHEMAS.md): "none", "openclaw", "gemini", "openai", "openai-strict",
 * "anthropic", "xai", "deepseek", "llamacpp". To be freed with mct_free(); NULL with *err. */
MCT_API char *mct_schema_for(const char *profile, const char *schema, struct mct_error *err);

/* Arguments that a model made for the normalised schema, as the tool with the original `schema` takes them. */
MCT_API char *mct_arguments_from(const char *profile, const char *schema, const char *arguments, struct mct_error *err);

/* The content of a CallToolResult, degraded (docs/PROVIDERS.md): as an array of text and image blocks, or as one text.
 */
MCT_API char *mct_degraded_content(const char *result, struct mct_error *err);
MCT_API char *mct_degraded_text(const char *result, struct mct_error *err);

MCT_END_DECLS

#endif
